"""A question with what would be right, and what a reader gave: what all measures of answers are taken of."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random

from evaluation.answers.lexical_overlap import normalised
from evaluation.queries import Evidence, Span
from evaluation.task import Task

_MARK = re.compile(r"\s*\[\d+(?:\s*,\s*\d+)*\]")


class Kind(StrEnum):
    """What a question asks: to find something, to think, to put passages together, or to say that it is not there.

    ``multi-context`` needs two passages of a paper, ``cross-document`` passages of two papers. ``given`` is what a data
    set or an expert asked, whose kind nobody told.
    """

    GIVEN = "given"
    SIMPLE = "simple"
    REASONING = "reasoning"
    MULTI_CONTEXT = "multi-context"
    CROSS_DOCUMENT = "cross-document"
    UNANSWERABLE = "unanswerable"


@dataclass(frozen=True)
class Example:
    """A question and what would be right.

    Attributes:
        id: Its identifier in the data.
        question: What is asked.
        answers: Any of which would be right; none where nobody wrote one.
        evidence: Texts of the papers, any of which shows it.
        kind: What it asks of a reader.
        papers: The papers to look in, by id or key, of a task the ids of its documents; None for all.
        source: Where question and answer come from, in words.
        spans: Where the evidence stands in documents of a task.
    """

    id: str
    question: str
    answers: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    kind: Kind = Kind.GIVEN
    papers: tuple[str, ...] | None = None
    source: str = ""
    spans: tuple[Span, ...] = ()

    @property
    def is_answerable(self) -> bool:
        """Whether the papers looked in have an answer."""
        return self.kind is not Kind.UNANSWERABLE


@dataclass(frozen=True)
class Passage:
    """A passage that a reader was given.

    Attributes:
        chunk_id: Its id; two readers had the same evidence where these are the same, in the same order.
        text: What the reader read.
        title: Title of its paper.
        places: Where it stands in documents of a task.
    """

    chunk_id: str
    text: str
    title: str = ""
    places: tuple[Span, ...] = ()


@dataclass(frozen=True)
class Quote:
    """Words of a passage that an answer cites, and where they stand in documents of a task."""

    chunk_id: str
    text: str
    places: tuple[Span, ...] = ()


@dataclass(frozen=True)
class SystemAnswer:
    """What a reader gave for a question: an answer, a refusal, or nothing because something failed.

    Attributes:
        text: The answer as it is shown, with its marks of citations; '' where there is none.
        passages: What it was written from, best first.
        quotes: What of them it cites.
        refusal: Why there is no answer.
        failure: What failed, where something did.
        llm_generated: Whether a language model wrote it.
        ms: How long it took, with the search.
        tokens: Of a language model, for search and answer together.
        cost: Of these, in the currency of the prices.
    """

    text: str
    passages: tuple[Passage, ...] = ()
    quotes: tuple[Quote, ...] = ()
    refusal: str | None = None
    failure: str | None = None
    llm_generated: bool = False
    ms: float = 0.0
    tokens: int = 0
    cost: float = 0.0

    @property
    def is_answer(self) -> bool:
        """Whether there is an answer to measure."""
        return bool(self.text) and self.refusal is None and self.failure is None

    @property
    def plain(self) -> str:
        """The answer without its marks of citations."""
        return _MARK.sub("", self.text).strip()

    @property
    def shown(self) -> tuple[str, ...]:
        """The evidence that it shows: its quotes, or where it has none, its passages."""
        return tuple(one.text for one in (self.quotes or self.passages))


def cases_of(task: Task) -> tuple[Example, ...]:
    """Return the queries of a task as questions to answer.

    Where the data has no answers in words, but spans that answer, as COVID-QA and SQuAD do, these are the answers. What
    the data calls ``unanswerable``, as QASPER does, is.
    """
    texts = {document.id: document.text for document in task.documents}
    found = []
    for query in task.queries:
        spans = query.gold.spans if isinstance(query.gold, Evidence) else ()
        evidence = tuple(dict.fromkeys(texts[span.doc][span.start : span.end].strip() for span in spans))
        is_answerable = not query.answers or any(normalised(one) != Kind.UNANSWERABLE for one in query.answers)
        found.append(
            Example(
                query.id,
                query.text,
                (query.answers or evidence) if is_answerable else (),
                evidence,
                Kind.GIVEN if is_answerable else Kind.UNANSWERABLE,
                query.within,
                f"{task.name} {task.split}",
                spans,
            )
        )
    return tuple(found)


def sampled(cases: Sequence[Example], n: int | None, *, seed: int) -> tuple[Example, ...]:
    """Return ``n`` of the cases in their order, drawn by ``seed``; all where there are no more, or ``n`` is None."""
    if n is None or n >= len(cases):
        return tuple(cases)
    drawn = Random(seed).sample(range(len(cases)), n)  # noqa: S311
    return tuple(cases[number] for number in sorted(drawn))
