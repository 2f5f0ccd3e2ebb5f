"""What answering gives: sources, then text with citations, and at the end an answer or a refusal."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any

from papergraph.language_model import ModelUsage
from papergraph.records import Id, Record, described
from server.answers.answerability import Answerability
from server.retrieval.pipelines import Reader
from server.retrieval.search import Hit, SearchResult


class Mode(StrEnum):
    """Writer: a language model if available (auto), always one, or sentences of the papers (extractive)."""

    AUTO = "auto"
    GENERATIVE = "generative"
    EXTRACTIVE = "extractive"


class Reason(StrEnum):
    """Reason of a refusal."""

    NO_EVIDENCE = "no_evidence"
    OUT_OF_SCOPE = "out_of_scope"
    UNCHECKED = "unchecked"
    MODEL_UNAVAILABLE = "model_unavailable"


class Fault(StrEnum):
    """Reason why generated text was dropped."""

    NO_SUCH_SOURCE = "no_such_source"
    NOT_IN_SOURCE = "not_in_source"
    NOT_SUPPORTED = "not_supported"
    NO_CITATION = "no_citation"
    INSTRUCTION = "instruction"
    ADDRESS = "address"


@dataclass(frozen=True)
class Source:
    """A passage as a reader is given it.

    Attributes:
        number: From 1; what ``[n]`` in an answer means.
        hit: The passage with its chunk, section and paper.
        text: What the reader reads: no hidden characters, and no sentence that gives orders.
        instructions: How many sentences were left out of it because they give orders.
    """

    number: int
    hit: Hit
    text: str = field(repr=False)
    instructions: int = 0


@dataclass(frozen=True)
class AnswerCitation(Record):
    """Quote that occurs verbatim in a chunk."""

    number: Annotated[int, described("Number of the source; [number] marks it in the answer.")]
    chunk_id: Annotated[Id, described("Id of the chunk.")]
    paper_id: Annotated[Id, described("Id of the paper.")]
    paper_title: Annotated[str, described("Title of the paper.")]
    section_path: Annotated[tuple[str, ...], described("Headings above the quote, outermost first.")]
    url: Annotated[str | None, described("Address of the paper, if known.")]
    file: Annotated[str | None, described("Name of the file that the paper was read from.")]
    page: Annotated[int | None, described("Page of the quote, from 1, if there are pages.")]
    quote: Annotated[str, described("The words of the chunk.")]
    start: Annotated[int, described("Start of the quote in the text of the chunk, in characters.")]
    end: Annotated[int, described("Character after the quote in the text of the chunk.")]
    answer_start: Annotated[int, described("Start of [number] in the text of the answer.")]
    answer_end: Annotated[int, described("Character after [number] in the text of the answer.")]
    claim_start: Annotated[int, described("Start of the cited sentence.")]
    claim_end: Annotated[int, described("Character after the cited sentence.")]


@dataclass(frozen=True)
class DroppedText(Record):
    """Generated text that failed verification."""

    text: Annotated[str, described("The dropped sentence or citation.")]
    fault: Annotated[Fault, described("Reason, from a closed list.")]
    detail: Annotated[str, described("Reason as text.")]


@dataclass(frozen=True)
class NamedAnswer(Record):
    """Rows of a named query over the graph, which answered a question instead of passages."""

    query: Annotated[str, described("Name of the query.")]
    parameters: Annotated[Mapping[str, Any], described("Values of the parameters by name.")]
    columns: Annotated[tuple[str, ...], described("Names of the columns.")]
    rows: Annotated[tuple[tuple[Any, ...], ...], described("Values of each row, in the order of the columns.")]


@dataclass(frozen=True)
class AnswerAttempt(Record):
    """Answer of one pipeline and reader, with the figures that it is compared by."""

    pipeline: Annotated[str, described("Name of the pipeline.")]
    reader: Annotated[Reader, described("Input of the language model.")]
    text: Annotated[str | None, described("Sentences, each with its citations [n]; null for a refusal.")]
    reason: Annotated[Reason | None, described("Reason of a refusal.")]
    message: Annotated[str | None, described("Reason of a refusal as text.")]
    citations: Annotated[tuple[AnswerCitation, ...], described("Citations of the text, in its order.")]
    grounded_sentences: Annotated[int, described("Number of sentences with an accepted citation.")]
    dropped_sentences: Annotated[int, described("Number of sentences that failed verification.")]
    accepted: Annotated[float, described("Share of the written sentences that was accepted, 0 to 1.")]
    answerability: Annotated[float | None, described("Estimated probability that the passages hold an answer, 0 to 1.")]
    llm_generated: Annotated[bool, described("True if a language model wrote the text.")]
    usage: Annotated[ModelUsage, described("Language model usage of this attempt.")]


@dataclass(frozen=True)
class Answer:
    """An answer.

    Attributes:
        id: Names it in the log.
        text: Sentences with ``[n]`` behind each.
        citations: All of the text, in its order; at least one.
        dropped: What was written and did not pass.
        llm_generated: Whether a language model wrote it.
        model: Its name, where one did.
        usage: What all calls of a model took for this question, those of retrieval too.
        warnings: What did not go as it was asked, in words: a model that failed, a step that was left out.
        answerability: What speaks for the question having an answer in the passages.
        sources: What it was written from.
        found: The search.
        question: As it was searched for: with what a history adds to it.
        named: Rows of the graph, where a named query answered.
        attempts: All ways in which the question was answered, the best first, which is this one; none if only one was
            asked for.
    """

    id: str
    text: str
    citations: tuple[AnswerCitation, ...]
    dropped: tuple[DroppedText, ...]
    llm_generated: bool
    model: str | None
    usage: ModelUsage
    warnings: tuple[str, ...]
    answerability: Answerability | None
    sources: tuple[Source, ...] = field(repr=False)
    found: SearchResult = field(repr=False)
    question: str = ""
    named: NamedAnswer | None = None
    attempts: tuple[AnswerAttempt, ...] = ()

    @property
    def grounded(self) -> bool:
        """Whether all that was written passed; sentences of the papers, given in its place, always do."""
        return not self.dropped or not self.llm_generated

    @property
    def outcome(self) -> str:
        """What wrote it, as metrics count it."""
        return "degraded" if self.warnings else "model" if self.llm_generated else "extractive"


@dataclass(frozen=True)
class Refusal:
    """No answer.

    Attributes:
        id: Names it in the log.
        reason: Why.
        message: The same in words.
        nearest: The passages that came nearest, best first.
        dropped: What was written and did not pass.
        usage, warnings, answerability: As of an :class:`Answer`.
        found: The search, where there was one.
        question: As it was searched for.
        attempts: As of an :class:`Answer`.
    """

    id: str
    reason: Reason
    message: str
    nearest: tuple[Source, ...]
    dropped: tuple[DroppedText, ...]
    usage: ModelUsage
    warnings: tuple[str, ...]
    answerability: Answerability | None
    found: SearchResult = field(repr=False)
    question: str = ""
    attempts: tuple[AnswerAttempt, ...] = ()

    @property
    def outcome(self) -> str:
        """Why there is no answer, as metrics count it."""
        return self.reason.value


@dataclass(frozen=True)
class SourcesEvent:
    """The first event of an answer: what it will be written from."""

    sources: tuple[Source, ...]


@dataclass(frozen=True)
class DeltaEvent:
    """The next piece of an answer's text; all of them together are its text."""

    text: str


@dataclass(frozen=True)
class CitationEvent:
    """A citation of the piece before."""

    citation: AnswerCitation


@dataclass(frozen=True)
class DoneEvent:
    """The last event."""

    result: Answer | Refusal


Event = SourcesEvent | DeltaEvent | CitationEvent | DoneEvent
