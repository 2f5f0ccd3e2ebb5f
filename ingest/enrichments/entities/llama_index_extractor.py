"""LlamaIndex's SchemaLLMPathExtractor over our language model: its schema and pruning, our one way of asking.

Of a model LlamaIndex only wants structured answers here. Those come from :meth:`LanguageModel.answer_json`, so that
they are kept, counted, within budget and deadline, and repaired once, as all other answers are.
"""

from collections.abc import Sequence
from typing import Any

from llama_index.core.base.llms.types import CompletionResponse, CompletionResponseGen, LLMMetadata
from llama_index.core.graph_stores.types import KG_NODES_KEY, KG_RELATIONS_KEY, EntityNode, Relation
from llama_index.core.indices.property_graph import SchemaLLMPathExtractor
from llama_index.core.llms import CustomLLM
from llama_index.core.prompts import PromptTemplate
from llama_index.core.schema import TextNode
from pydantic import PrivateAttr

from papergraph.errors import ModelAnswerError
from papergraph.ingest.enrichments.entities.llm_extraction import RelationSchema, answer_model
from papergraph.language_model import Budget, LanguageModel, Prompt

Triples = list[tuple[EntityNode, Relation, EntityNode]]


class StructuredModel(CustomLLM):
    """Our language model as LlamaIndex's extractor asks it: for structured answers alone."""

    _model: LanguageModel = PrivateAttr()
    _prompt: Prompt = PrivateAttr()
    _schema: str = PrivateAttr()
    _budget: Budget | None = PrivateAttr()
    _n_said: int = PrivateAttr(default=0)
    _faults: list[ModelAnswerError] = PrivateAttr(default_factory=list)

    def __init__(self, model: LanguageModel, prompt: Prompt, schema: RelationSchema, budget: Budget | None) -> None:
        super().__init__()
        self._model, self._prompt, self._schema, self._budget = model, prompt, schema.text, budget

    @property
    def metadata(self) -> LLMMetadata:
        """Metadata of the model for LlamaIndex: its name."""
        return LLMMetadata(model_name=self._model.name)

    @property
    def n_said(self) -> int:
        """Triples in all answers, allowed or not."""
        return self._n_said

    @property
    def faults(self) -> list[ModelAnswerError]:
        """Errors of unusable answers."""
        return self._faults

    async def astructured_predict(
        self, output_cls: Any, prompt: PromptTemplate, llm_kwargs: dict[str, Any] | None = None, **prompt_args: Any
    ) -> Any:
        """Return the model's triples of a text; empty for an unusable answer."""
        values = {
            "text": prompt_args["text"],
            "most": str(prompt_args["max_triplets_per_chunk"]),
            "schema": self._schema,
        }
        try:
            reply = await self._model.answer_json(self._prompt, values, answer=output_cls, budget=self._budget)
        except ModelAnswerError as error:
            self._faults.append(error)
            return output_cls(triplets=[])
        self._n_said += len(reply.value.triplets)
        return reply.value

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        """Refuse: the extractor has no use for plain texts."""
        raise NotImplementedError("only structured answers can be asked for")

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponseGen:
        """Refuse: the extractor has no use for plain texts."""
        raise NotImplementedError("only structured answers can be asked for")


async def triples_of(
    texts: Sequence[str], model: StructuredModel, schema: RelationSchema, *, most: int, concurrency: int
) -> list[Triples]:
    """Return the triples of each text that the schema allows, in the order of the answers.

    Raises:
        LanguageModelError: The model cannot be reached, is out of time, or the budget is spent.
    """
    extractor = SchemaLLMPathExtractor(
        llm=model,
        kg_schema_cls=answer_model(schema, most=most),
        kg_validation_schema=list(schema.triples),
        max_triplets_per_chunk=most,
        num_workers=concurrency,
        raise_on_error=True,
        strict=True,
    )
    nodes = [TextNode(text=text) for text in texts]
    found: list[Triples] = []
    for node in await extractor.acall(nodes):
        ends, relations = node.metadata[KG_NODES_KEY], node.metadata[KG_RELATIONS_KEY]
        found.append(list(zip(ends[::2], relations, ends[1::2], strict=True)))
    return found
