"""A query and what would be right for it: judged documents, documents for each subtopic, or spans of evidence."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True)
class Judged:
    """Documents judged for a query.

    Attributes:
        gains: Graded relevance of each judged document; relevant if positive.
        relevant: Relevant documents, for binary measures.
    """

    gains: Mapping[str, Decimal]
    relevant: frozenset[str]

    @property
    def asks_for_anything(self) -> bool:
        """True if any document is relevant."""
        return bool(self.relevant) or any(gain > 0 for gain in self.gains.values())


@dataclass(frozen=True)
class Subtopics:
    """The documents relevant to each subtopic of a query."""

    of_each: Mapping[str, frozenset[str]]

    @property
    def relevant(self) -> frozenset[str]:
        """Documents relevant to any subtopic."""
        return frozenset().union(*self.of_each.values())

    @property
    def asks_for_anything(self) -> bool:
        """True if any document is relevant."""
        return bool(self.relevant)


@dataclass(frozen=True)
class Span:
    """Characters ``start`` to ``end`` of a document's text."""

    doc: str
    start: int
    end: int

    def overlaps(self, other: "Span") -> bool:
        """Return whether it shares a character with ``other``."""
        return self.doc == other.doc and min(self.end, other.end) > max(self.start, other.start)

    def is_covered_by(self, other: "Span") -> bool:
        """Return whether at least half of it lies within ``other``."""
        shared = min(self.end, other.end) - max(self.start, other.start)
        return self.doc == other.doc and 2 * shared >= self.end - self.start


@dataclass(frozen=True)
class Evidence:
    """Spans that answer a query, each by itself."""

    spans: tuple[Span, ...]

    @property
    def asks_for_anything(self) -> bool:
        """True if any span is relevant."""
        return bool(self.spans)


Gold = Judged | Subtopics | Evidence


@dataclass(frozen=True)
class Query:
    """A query and what would be right.

    Attributes:
        id: Its identifier in the data.
        text: What is asked.
        gold: What would be right.
        within: The documents that are ranked, or None for all.
        left_out: A document that is never ranked: the one that the query was made of.
        answers: Answers in words, any of which would be right.
    """

    id: str
    text: str
    gold: Gold
    within: tuple[str, ...] | None = None
    left_out: str | None = None
    answers: tuple[str, ...] = ()

    @property
    def topics(self) -> tuple[frozenset[str], ...]:
        """Documents of each subtopic in order, or else of the query itself."""
        if isinstance(self.gold, Subtopics):
            return tuple(dict.fromkeys(self.gold.of_each.values()))
        return (frozenset([self.id]),)
