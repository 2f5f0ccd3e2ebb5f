"""Results of answering: sources, text with citations, and finally an answer or a refusal."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any

from pydantic import computed_field

from papergraph.language_model import ModelUsage
from papergraph.records import Id, Record, described, internal
from papergraph.server.answers.answerability import Answerability
from papergraph.server.retrieval.pipelines import Reader
from papergraph.server.retrieval.search import Hit, SearchResult


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
    DENIED = "denied"
    INSTRUCTION = "instruction"
    ADDRESS = "address"


@dataclass(frozen=True)
class Source(Record):
    """Passage as the reader receives it."""

    number: Annotated[int, described("Number of the source, [n] in the answer.")]
    hit: Annotated[Hit, described("The passage as the search found it.")]
    text: Annotated[str, described("Text without invisible characters and instructions.")] = field(repr=False)
    instructions: Annotated[int, described("Number of removed sentences that give instructions.")] = 0


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
    quoted: Annotated[
        bool,
        described("True if the cited sentence stands in the paper word for word; otherwise the quote supports it."),
    ]
    start: Annotated[int, described("Start of the quote in the text of the chunk, in characters.")]
    end: Annotated[int, described("Character after the quote in the text of the chunk.")]
    answer_start: Annotated[int, described("Start of [number] in the text of the answer.")]
    answer_end: Annotated[int, described("Character after [number] in the text of the answer.")]
    claim_start: Annotated[int, described("Start of the cited sentence.")]
    claim_end: Annotated[int, described("Character after the cited sentence.")]
    paper_status: Annotated[
        str | None, described("Editorial status of the paper now: retracted, concern, corrected or reinstated.")
    ] = None


@dataclass(frozen=True)
class DroppedText(Record):
    """Generated text that failed verification."""

    text: Annotated[str, described("The dropped sentence or citation.")]
    fault: Annotated[Fault, described("Reason, from a closed list.")]
    detail: Annotated[str, described("Reason as text.")]


@dataclass(frozen=True)
class CheckUsage:
    """Cost of the second check of an answer.

    Attributes:
        check: Name of the check with its model.
        ms: Milliseconds of each call.
        denied: Number of denied sentences.
        tokens: Tokens of a language model.
    """

    check: str
    ms: tuple[float, ...] = ()
    denied: int = 0
    tokens: int = 0


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


@dataclass(frozen=True, kw_only=True)
class Answered(Record):
    """Fields of answers and refusals."""

    id: Annotated[Id, described("Id of this answer or refusal.")]
    question: Annotated[str, described("Question as it was searched for, completed from the history.")]
    dropped: Annotated[tuple[DroppedText, ...], described("Generated text that failed verification.")]
    usage: Annotated[ModelUsage, described("Tokens and cost of the language model for the answer.")]
    warnings: Annotated[tuple[str, ...], described("Warnings about degraded steps.")]
    answerability: Annotated[
        float | None, described("Answerability: estimated probability that the passages hold an answer, 0 to 1.")
    ]
    attempts: Annotated[
        tuple[AnswerAttempt, ...],
        described(
            "Answers of all pipelines and readers, the best first, which is this one; empty if there were not several."
        ),
    ] = ()
    second_check: Annotated[CheckUsage | None, internal("Cost of the second check, if there was one.")] = None


@dataclass(frozen=True, kw_only=True)
class Answer(Answered):
    """Answer with verified citations.

    >>> answer = library.ask("How many physical qubits does a distance-7 surface code patch need?")
    >>> answer.text.startswith(answer.citations[0].quote), answer.citations[0].section_path
    (True, ('Results', 'Overhead'))
    """

    text: Annotated[str, described("Sentences, each with its citations [n].")]
    citations: Annotated[tuple[AnswerCitation, ...], described("The citations, in the order of the text.")]
    llm_generated: Annotated[bool, described("True if a language model wrote the answer.")]
    model: Annotated[str | None, described("Name of the language model, if one wrote the answer.")]
    named_query: Annotated[
        NamedAnswer | None, described("Query over the graph, if it answered instead of passages.")
    ] = None
    sources: Annotated[tuple[Source, ...], internal("Passages that the answer was written from.")] = field(repr=False)
    evidence: Annotated[Answerability | None, internal("Answerability with its parts.")] = None
    found: Annotated[SearchResult, internal("The search.")] = field(repr=False)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def grounded(self) -> bool:
        """True if all generated text passed verification."""
        return not self.dropped or not self.llm_generated

    @property
    def outcome(self) -> str:
        """Label of its origin in metrics."""
        return "degraded" if self.warnings else "model" if self.llm_generated else "extractive"


@dataclass(frozen=True, kw_only=True)
class Refusal(Answered):
    """Refusal with its reason.

    >>> refusal = library.ask("Who won the chess championship of 1927?")
    >>> refusal.reason.value, len(refusal.nearest) > 0
    ('no_evidence', True)
    """

    reason: Annotated[Reason, described("Reason, from a closed list.")]
    message: Annotated[str, described("Reason as text.")]
    nearest: Annotated[tuple[Source, ...], internal("Nearest passages, best first.")]
    evidence: Annotated[Answerability | None, internal("Answerability with its parts.")] = None
    found: Annotated[SearchResult, internal("The search.")] = field(repr=False)

    @property
    def outcome(self) -> str:
        """Reason of the refusal, as metrics count it."""
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
