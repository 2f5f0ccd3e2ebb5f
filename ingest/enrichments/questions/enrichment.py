"""The enrichment of questions: which of them are made of a paper, and how they come into the graph."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any, Self

from papergraph import cypher
from papergraph.batches import batches
from papergraph.database import Database
from papergraph.embedding import Floats
from papergraph.errors import InputError, ModelUnavailableError
from papergraph.ingest.enrichments.base import TEMPLATES
from papergraph.ingest.enrichments.enrichment import EnrichmentContext, ExpectedRequest, StoredPaper
from papergraph.ingest.enrichments.questions import duplicates
from papergraph.ingest.enrichments.questions import llm_questions as asked
from papergraph.ingest.enrichments.questions import templates as offline
from papergraph.ingest.enrichments.questions.candidates import (
    Draft,
    Generator,
    asked_chunks,
    in_order_of_paper,
    kept_of_each_chunk,
    kept_of_paper,
    merged,
    question_row,
    reviewed_drafts,
    without_repeats,
)
from papergraph.ingest.enrichments.questions.groups import Across
from papergraph.ingest.enrichments.questions.templates import written_questions
from papergraph.language_model import LanguageModel
from papergraph.language_model.model import NOT_CONFIGURED
from papergraph.neo4j_errors import Transaction
from papergraph.progress import Progress
from papergraph.schema.ids import sha256
from papergraph.vector_slots import VectorSlot

VERSION = "3"
"""Counted up when the same options give other questions."""


class Choice(StrEnum):
    """Choice of generators; ``auto`` is written questions and, if a language model is configured, its questions."""

    AUTO = "auto"
    MODEL = "model"
    TEMPLATE = "template"
    EXTRACTIVE = "extractive"
    BOTH = "both"
    NONE = "none"


ACROSS = (Generator.MODEL, Generator.TEMPLATE)
"""Generators of questions across papers."""


@dataclass(frozen=True)
class MadeQuestions:
    """Questions of a paper: drafts by id in the order of ids, and the vector of each text."""

    drafts: Mapping[str, Draft]
    vectors: Mapping[str, Floats]


@dataclass(frozen=True)
class Questions:
    """Questions that chunks and papers answer; :meth:`of` makes it of what a user chose.

    Attributes:
        generators: Generators of questions; empty for no questions.
        per_chunk: Number of questions requested from a model per chunk.
        pairs: Number of question-answer pairs requested from a model per paper.
        keep_per_chunk: Most questions kept of one chunk, the most diverse; None for all.
        keep: Most questions kept of a paper, the most diverse; None for all.
        threshold: Least cosine of duplicate questions, in (0, 1].
        most_chunks: Most chunks of a paper that are used, spread over it.
        across: Number of questions requested per group of papers with common metadata.
        group_size: Most papers of such a group.
        model: Name of the language model, '' without one.
        prompts: Prompts of the language model.
    """

    generators: tuple[Generator, ...] = ()
    per_chunk: int = 5
    pairs: int = 5
    keep_per_chunk: int | None = None
    keep: int | None = None
    threshold: float = 0.95
    most_chunks: int = 500
    across: int = 2
    group_size: int = 4
    model: str = ""
    prompts: asked.Prompts | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        for name in ("per_chunk", "pairs", "across"):
            if not 0 <= getattr(self, name) <= 100:
                raise InputError(f"{name} must be 0 to 100, got {getattr(self, name)}", field=name)
        for name in ("keep_per_chunk", "keep", "most_chunks"):
            if (value := getattr(self, name)) is not None and value < 1:
                raise InputError(f"{name} must be at least 1, got {value}", field=name)
        if not 2 <= self.group_size <= 20:
            raise InputError(f"group_size must be 2 to 20, got {self.group_size}", field="group_size")
        if not 0.0 < self.threshold <= 1.0:
            raise InputError(f"threshold must be above 0 and at most 1, got {self.threshold:g}", field="threshold")

    @classmethod
    def of(cls, model: LanguageModel | None, *, generator: str = Choice.AUTO, **options: Any) -> Self:
        """Return the enrichment for a choice of generator, with the model's name and prompts where it asks one.

        Args:
            model: The configured language model, or None.
            generator: auto, model, template, extractive, both (template and extractive) or none.
            options: Other attributes.

        Raises:
            InputError: There is no such generator, or an option is out of its range.
            ModelUnavailableError: ``model`` is asked for and none is configured.
            FileContentError: A prompt of the user's cannot be used.
        """
        try:
            choice = Choice(generator)
        except ValueError as error:
            raise InputError(
                f"{generator!r} makes no questions; {', '.join(Choice)} are what can be chosen", field="generator"
            ) from error
        generators: tuple[Generator, ...]
        match choice:
            case Choice.AUTO:
                generators = (Generator.WRITTEN,) if model is None else (Generator.WRITTEN, Generator.MODEL)
            case Choice.BOTH:
                generators = (Generator.TEMPLATE, Generator.EXTRACTIVE)
            case Choice.NONE:
                generators = ()
            case _:
                generators = (Generator(choice.value),)
        if Generator.MODEL not in generators:
            return cls(generators, **options)
        if model is None:
            raise ModelUnavailableError(NOT_CONFIGURED)
        return cls(generators, **options, model=model.name, prompts=asked.Prompts.load(model))

    @property
    def name(self) -> str:
        """``questions``."""
        return "questions"

    @property
    def note(self) -> str:
        """Remark if a language model could write questions but is missing."""
        if self.model or not self.generators:
            return ""
        if self.generators == (Generator.WRITTEN,):
            return f"questions of the samples alone; configure a language model ([llm]), or run {TEMPLATES}"
        return f"{' and '.join(self.generators)} questions; configure a language model ([llm]) for others"

    @property
    def config_hash(self) -> str:
        """sha-256 hex over the options, the version of this code, and model and prompts where a model is asked."""
        options = (f"{one.name}={getattr(self, one.name)}" for one in fields(self) if one.name != "prompts")
        return sha256(self.name, VERSION, *options, *(self.prompts.versions if self.prompts else ()))

    def requests(self, paper: StoredPaper) -> int:
        """Return how many requests to a language model the paper takes at most, repairs of bad answers not counted."""
        if Generator.MODEL not in self.generators:
            return 0
        return asked.n_requests(
            paper, per_chunk=self.per_chunk, pairs=self.pairs, across=self.across, most_chunks=self.most_chunks
        )

    def expected(self, paper: StoredPaper) -> Iterable[ExpectedRequest]:
        """Return the requests that the paper is expected to take."""
        if self.prompts is None:
            return ()
        return asked.expected_requests(
            self.prompts,
            paper,
            per_chunk=self.per_chunk,
            pairs=self.pairs,
            across=self.across,
            group_size=self.group_size,
            most_chunks=self.most_chunks,
        )

    async def make(self, paper: StoredPaper, resources: EnrichmentContext) -> MadeQuestions:
        """Return the paper's questions, those that ask the same made one.

        Raises:
            LanguageModelError: The model is needed and failed, or gave nothing that can be used.
        """
        drafts: list[Draft] = []
        if Generator.MODEL in self.generators:
            if resources.model is None or self.prompts is None:
                raise ModelUnavailableError(NOT_CONFIGURED)
            asking = asked.Asking(
                resources.model, self.prompts, resources.budget, paper, self.per_chunk, self.pairs, self.most_chunks
            )
            drafts += await asking.drafts()
        if Generator.WRITTEN in self.generators:
            drafts += written_questions(paper)
        if Generator.TEMPLATE in self.generators:
            drafts += offline.templates(paper)
        if Generator.EXTRACTIVE in self.generators:
            drafts += offline.extracts(paper, asked_chunks(paper, most=self.most_chunks))
        vectors = await resources.embed(sorted({draft.text for draft in drafts}))
        if self.keep_per_chunk is not None:
            drafts = kept_of_each_chunk(drafts, vectors, keep=self.keep_per_chunk)
        found = merged(without_repeats(paper.id, drafts), vectors, threshold=self.threshold)
        if self.keep is not None:
            found = kept_of_paper(found, vectors, keep=self.keep)
        ordered = {id: in_order_of_paper(draft, paper) for id, draft in found.items()}
        return MadeQuestions(ordered, {draft.text: vectors[draft.text] for draft in ordered.values()})

    async def write(
        self,
        transaction: Transaction,
        paper: StoredPaper,
        made: MadeQuestions,
        resources: EnrichmentContext,
        slot: VectorSlot,
    ) -> None:
        """Write the questions over those that the paper had; what was reviewed stays as it was decided."""
        await transaction.run(cypher.load("enrichments/delete_own_questions"), id=paper.id)
        ready = await reviewed_drafts(transaction, paper, made.drafts.values())
        edited = [one.draft.text for one in ready.values() if one.draft.text not in made.vectors]
        vectors = {**made.vectors, **await resources.embed(edited)}
        rows = [question_row(paper, one, vectors[one.draft.text], resources, slot) for one in ready.values()]
        for batch in batches(rows):
            await transaction.run(cypher.load("enrichments/write_questions", slot), rows=batch)

    async def finish(
        self, database: Database, collection: str, resources: EnrichmentContext, *, progress: Progress
    ) -> dict[str, int | float]:
        """Write the questions across papers, and relate duplicates of different papers to one of them.

        Returns:
            ``n_groups`` of papers, ``n_groups_asked`` (groups with new questions), ``n_questions``, ``n_duplicates``
            and ``n_compared`` (questions compared again).
        """
        across = Across(
            database,
            collection,
            resources,
            tuple(one for one in self.generators if one in ACROSS) if self.across else (),
            self.prompts,
            self.across,
            self.group_size,
            self.config_hash,
        )
        return await across.bring_up_to_date(progress) | await duplicates.relate(
            database, collection, threshold=self.threshold, model=resources.embedder.card.sha256, progress=progress
        )
