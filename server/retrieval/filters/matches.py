"""What a filter lets through: sets of papers and chunks, and how they are combined."""

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Annotated, Self

from papergraph.records import Record, described


@dataclass(frozen=True)
class Ids:
    """Ids that pass, or all but these."""

    ids: frozenset[str]
    all_but: bool = False

    def __contains__(self, id: object) -> bool:
        return (id in self.ids) is not self.all_but

    def __invert__(self) -> "Ids":
        return Ids(self.ids, not self.all_but)

    def __and__(self, other: Self) -> "Ids":
        if self.all_but and other.all_but:
            return Ids(self.ids | other.ids, True)
        if self.all_but:
            return Ids(other.ids - self.ids)
        return Ids(self.ids - other.ids if other.all_but else self.ids & other.ids)

    def __or__(self, other: Self) -> "Ids":
        return ~(~self & ~other)

    @property
    def is_empty(self) -> bool:
        """Whether none passes."""
        return not (self.all_but or self.ids)

    def __str__(self) -> str:
        return f"{'all but ' if self.all_but else ''}{len(self.ids)}"


@dataclass(frozen=True)
class Passing:
    """What passes: chunks that all three let through; None stands for every one.

    Attributes:
        papers: Their papers. Where the chunks are listed, these are all papers of theirs.
        chunks: Themselves.
        kinds: Their kinds.
        n_papers: How many papers the store held.
        n_chunks: How many chunks it held.
    """

    papers: Ids | None = None
    chunks: Ids | None = None
    kinds: frozenset[str] | None = None
    n_papers: int = 0
    n_chunks: int = 0

    @property
    def size(self) -> int:
        """How many ids are held."""
        return sum(len(ids.ids) for ids in (self.papers, self.chunks) if ids is not None)

    def __str__(self) -> str:
        parts = {"papers": self.papers, "chunks": self.chunks}
        told = [f"{ids} {name}" for name, ids in parts.items() if ids is not None]
        return ", ".join([*told, *([" or ".join(sorted(self.kinds))] if self.kinds is not None else [])])

    @property
    def n_chunks_of_papers(self) -> float:
        """About how many chunks the papers that are named have, let in or left out; all where none are named."""
        if self.papers is None:
            return self.n_chunks
        return len(self.papers.ids) * self.n_chunks / max(1, self.n_papers)

    def share(self, *, of_papers: bool) -> float:
        """Return about which share passes of all chunks, or of those of the papers that are let in; in (0, 1]."""
        n_papers = self.n_chunks_of_papers
        n_all = max(1.0, n_papers if of_papers else self.n_chunks)
        n = self.n_chunks - n_papers if self.papers is not None and self.papers.all_but else n_papers
        if self.chunks is not None:
            n = n - len(self.chunks.ids) if self.chunks.all_but else len(self.chunks.ids)
        return min(1.0, max(n, 1.0) / n_all)


@dataclass(frozen=True)
class AppliedFilter(Record):
    """Applied filter."""

    filter: Annotated[str, described("Summary of the filter.")]
    match_summary: Annotated[str, described("Numbers of passing papers and chunks, and passing kinds.")]
    unknown: Annotated[
        tuple[str, ...],
        described(
            "Values without a match in the collections, such as \"authors 'Ada Lovelace'\"; they let nothing pass. For "
            "years, the number of papers without one."
        ),
    ] = ()


@dataclass(frozen=True)
class ResolvedFilter:
    """Filter with the papers and chunks that it lets pass."""

    applied: AppliedFilter
    passing: Passing


def all_of(parts: Sequence[Passing]) -> Passing:
    papers = [part.papers for part in parts if part.papers is not None]
    chunks = [part.chunks for part in parts if part.chunks is not None]
    kinds = [part.kinds for part in parts if part.kinds is not None]
    return Passing(
        reduce(operator.and_, papers) if papers else None,
        reduce(operator.and_, chunks) if chunks else None,
        reduce(operator.and_, kinds) if kinds else None,
    )


def only_papers(part: Passing) -> bool:
    return part.papers is not None and part.chunks is None and part.kinds is None


def only_kinds(part: Passing) -> bool:
    return part.kinds is not None and part.chunks is None and part.papers is None


async def both_of(part: Passing) -> Passing:
    return part
