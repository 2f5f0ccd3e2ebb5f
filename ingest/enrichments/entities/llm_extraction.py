"""Ask a language model for entities and relations of a schema, chunk by chunk."""

import asyncio
import importlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.enrichments.enrichment import EnrichmentContext
from ingest.enrichments.entities.extraction import FoundEntity
from ingest.enrichments.entities.schema import RelationSchema
from papergraph.errors import ModelUnavailableError
from papergraph.language_model import LanguageModel, Prompt
from papergraph.language_model.model import NOT_CONFIGURED
from schema.ids import normalise, sha256

if TYPE_CHECKING:
    from ingest.enrichments.entities.llama_index_extractor import Triples

FOLDER = Path(__file__).parents[1] / "prompts"
PLACEHOLDERS = frozenset({"schema", "text", "most"})
LONGEST_NAME = 200
CONCURRENCY = 4


@dataclass(frozen=True)
class ChunkAnswer:
    """What a model says of a chunk: where it names entities, and how these are related, by their names."""

    found: tuple[FoundEntity, ...]
    triples: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class Answers:
    """What a model says of a paper; see :class:`ingest.enrichments.entities.rows.Made` for the counts."""

    chunks: tuple[ChunkAnswer, ...]
    n_disallowed: int
    n_unanswered: int


@dataclass(frozen=True)
class Extractor:
    """Asks a model by a schema; part of the enrichment's options.

    Attributes:
        model: The model's name.
        prompt: How it is asked.
        schema: What it may say.
        most: Triples asked for of a chunk, at most.
    """

    model: str
    prompt: Prompt
    schema: RelationSchema
    most: int = 15

    @classmethod
    def of(cls, model: LanguageModel, schema: RelationSchema) -> "Extractor":
        """Return the extractor for a model, with the user's own prompt where there is one.

        Raises:
            PromptError: The user's prompt cannot be used.
        """
        return cls(model.name, model.prompt("entities", PLACEHOLDERS, folder=FOLDER), schema)

    @property
    def config_hash(self) -> str:
        """Sha-256 over all that decides what is asked."""
        return sha256(self.model, self.prompt.version, self.schema.identity, str(self.most))

    async def extract(self, texts: Sequence[str], means: EnrichmentContext) -> Answers:
        """Return what the model says of a paper's chunks; one for which it gives no usable answer has nothing.

        Raises:
            ModelAnswerError: There is no usable answer for any chunk.
            LanguageModelError: The model cannot be reached, is out of time, or the budget is spent.
        """
        if means.model is None:
            raise ModelUnavailableError(NOT_CONFIGURED)
        llama = await asyncio.to_thread(importlib.import_module, "ingest.enrichments.entities.llama_index_extractor")
        structured = llama.StructuredModel(means.model, self.prompt, self.schema, means.budget)
        said = await llama.triples_of(texts, structured, self.schema, most=self.most, concurrency=CONCURRENCY)
        if structured.faults and len(structured.faults) == len(texts):
            raise structured.faults[0]
        chunks = [self._answer(text, triples) for text, triples in zip(texts, said, strict=True)]
        n_kept = sum(len(chunk.triples) for chunk in chunks)
        return Answers(tuple(chunks), structured.n_said - n_kept, len(structured.faults))

    def _answer(self, text: str, triples: "Triples") -> ChunkAnswer:
        found: dict[tuple[str, int], FoundEntity] = {}
        kept: dict[tuple[str, str, str], None] = {}
        for subject, relation, object in triples:
            names = [" ".join(end.name.split()) for end in (subject, object)]
            if not all(0 < len(name) <= LONGEST_NAME for name in names) or normalise(names[0]) == normalise(names[1]):
                continue
            kept[names[0], relation.label, names[1]] = None
            for name, end in zip(names, (subject, object), strict=True):
                for one in places(text, name, type=end.label, by=self.model):
                    found.setdefault((normalise(name), one.start), one)
        return ChunkAnswer(tuple(found.values()), tuple(kept))


def places(text: str, name: str, *, type: str, by: str) -> list[FoundEntity]:
    """Return where a text names an entity, in any case; once without a place where it does so in other words."""
    pattern = r"(?<!\w)" + r"\s+".join(map(re.escape, name.split())) + r"(?!\w)"
    found = [
        FoundEntity(match.start(), match.end(), " ".join(match[0].split()), type, by)
        for match in re.finditer(pattern, text, re.IGNORECASE)
    ]
    return found or [FoundEntity(-1, -1, name, type, by)]
