"""Duplicates among search results: equal DOIs or ids at PubMed, or equal titles with year and first author.

Records whose DOIs differ are never joined, nor those of a title alone: parts, errata, preprints and yearly reports have
equal titles. Pairs that may be equal are shown to a person.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from papergraph.schema.ids import SHORTEST_TITLE_KEY, title_letters

DOI, PMID, TITLE, PERSON = "doi", "pmid", "title", "person"
LEAST_ALIKE = 0.8
"""Similarity of two titles, 0 to 1, from which on records of one DOI are one work: books share it with chapters."""
MOST_YEARS_APART = 1
"""An article is dated by its first appearance or by its issue."""


@dataclass(frozen=True)
class Identity:
    """What tells whether two records are the same work."""

    id: str
    title: str
    doi: str | None
    pmid: str | None
    year: int | None
    authors: Sequence[str]

    @property
    def letters(self) -> str:
        """Letters and digits of the title; empty if they are too few to tell a work."""
        letters = title_letters(self.title)
        return letters if len(letters) >= SHORTEST_TITLE_KEY else ""

    @property
    def family(self) -> str:
        """Letters of the first author's family name; empty without authors."""
        return family_of(self.authors[0]) if self.authors else ""


@dataclass
class _Work:
    """Record that is kept, with the ids of all that repeat it."""

    kept: Identity
    dois: set[str] = field(default_factory=set)
    pmids: set[str] = field(default_factory=set)

    def add(self, one: Identity) -> None:
        self.dois |= {one.doi} if one.doi else set()
        self.pmids |= {one.pmid} if one.pmid else set()


class Works:
    """Records that are kept, which others are compared with.

    Args:
        known: Records in the order of their import, each with the id of the record that it repeats, or None.
    """

    def __init__(self, known: Iterable[tuple[Identity, str | None]] = ()) -> None:
        self._by_id: dict[str, _Work] = {}
        self._by_key: dict[tuple[str, str], list[_Work]] = defaultdict(list)
        repeating = []
        for one, repeats in known:
            if repeats is None:
                self._keep(one)
            else:
                repeating.append((one, repeats))
        for one, repeats in repeating:
            if work := self._by_id.get(repeats):
                self._join(one, work)

    def add(self, one: Identity) -> tuple[str, str] | None:
        """Return the id of the record that a new one repeats, and what is equal; None keeps it."""
        for kind, key in _keys(one):
            for work in self._by_key.get((kind, key), ()):
                if _is_same(kind, one, work):
                    self._join(one, work)
                    return work.kept.id, kind
        self._keep(one)
        return None

    def possible(self) -> Iterator[tuple[str, str]]:
        """Yield pairs of ids of kept records with one title, DOI or id at PubMed, which a person may join."""
        seen = set()
        for works in self._by_key.values():
            for place, one in enumerate(works):
                for other in works[place + 1 : place + 6]:
                    pair = (one.kept.id, other.kept.id)
                    if pair[0] != pair[1] and pair not in seen:
                        seen.add(pair)
                        yield pair

    def _keep(self, one: Identity) -> None:
        work = self._by_id[one.id] = _Work(one)
        self._join(one, work)

    def _join(self, one: Identity, work: _Work) -> None:
        work.add(one)
        for key in _keys(one):
            if work not in self._by_key[key]:
                self._by_key[key].append(work)


def _keys(one: Identity) -> Iterator[tuple[str, str]]:
    for kind, key in ((DOI, one.doi), (PMID, one.pmid), (TITLE, one.letters)):
        if key:
            yield kind, key


def _is_same(kind: str, one: Identity, work: _Work) -> bool:
    kept = work.kept
    if kind == DOI:
        return _are_alike(title_letters(one.title), title_letters(kept.title))
    if one.doi and work.dois and one.doi not in work.dois:
        return False
    if one.pmid and work.pmids and one.pmid not in work.pmids:
        return False
    if kind == PMID:
        return True
    years = None not in (one.year, kept.year)
    families = bool(one.family and kept.family)
    same_year = years and abs((one.year or 0) - (kept.year or 0)) <= MOST_YEARS_APART
    same_family = families and (one.family.endswith(kept.family) or kept.family.endswith(one.family))
    return (same_year or not years) and (same_family or not families) and (same_year or same_family)


def _are_alike(title: str, other: str) -> bool:
    short, long = sorted((title, other), key=len)
    return long.startswith(short) or SequenceMatcher(None, title, other, autojunk=False).ratio() >= LEAST_ALIKE


def family_of(name: str) -> str:
    """Return the letters of a family name: what stands before the comma, or else the last word without initials."""
    front, comma, _ = name.partition(",")
    words = [word for word in name.split() if len(word.strip(".")) > 1 and not (word.isupper() and len(word) < 4)]
    family = front if comma else (words or name.split()[:1] or [""])[-1]
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", family.casefold())))
