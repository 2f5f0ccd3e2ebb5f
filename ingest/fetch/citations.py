"""Works along citations: those that some works cite, and those that cite them, at OpenAlex and Crossref."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from papergraph.batches import batches
from papergraph.ingest.fetch.works import ARXIV_DOI, CROSSREF, OPENALEX, Work, WorkCatalogues

LIBRARY = "library"
IDS_AT_ONCE, LISTS_AT_ONCE = 50, 20
"""Ids in one filter of a catalogue, and works whose lists of references are asked for together."""


@dataclass(frozen=True)
class Link:
    """Work that the works in question cite, or that cites them.

    Attributes:
        keys: Identities of the work, see :func:`papergraph.ingest.fetch.works.identities`; empty if it is unknown.
        n_links: Number of the citations.
        origin: ``openalex``, ``crossref`` or ``library``.
        work: The work; None for the library, which reads it later.
        id: Id of its paper or reference in the library; empty elsewhere.
    """

    keys: tuple[str, ...]
    n_links: int
    origin: str
    work: Work | None = None
    id: str = ""


@dataclass(frozen=True)
class Find:
    """A work with all its links.

    Attributes:
        keys: Its identities, sorted.
        n_links: Most citations that one origin states.
        links: The links.
    """

    keys: tuple[str, ...]
    n_links: int
    links: tuple[Link, ...] = field(repr=False)


def gathered(links: Iterable[Link]) -> list[Find]:
    """Return the works of links, each once, those with most links first.

    Links that share an identity are one work, also by way of other links, so their order makes no difference. Links
    without an identity are left out.
    """
    parent: dict[str, str] = {}

    def root(key: str) -> str:
        while parent[key] != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    every = [link for link in links if link.keys]
    for link in every:
        for key in link.keys:
            parent.setdefault(key, key)
        first = root(link.keys[0])
        for key in link.keys[1:]:
            other = root(key)
            if first != other:
                first, other = min(first, other), max(first, other)
                parent[other] = first
    groups: dict[str, list[Link]] = {}
    for link in every:
        groups.setdefault(root(link.keys[0]), []).append(link)
    found = []
    for several in groups.values():
        counts: Counter[str] = Counter()
        for link in several:
            counts[link.origin] += link.n_links
        keys = tuple(sorted({key for link in several for key in link.keys}))
        found.append(Find(keys, max(counts.values()), tuple(several)))
    return sorted(found, key=lambda one: (-one.n_links, one.keys))


def catalogue_links(
    catalogues: WorkCatalogues, works: Sequence[Work], *, backward: bool, forward: bool, limit: int
) -> list[Link]:
    """Return works that some works cite, and works that cite them, by each enabled catalogue.

    OpenAlex answers both, Crossref what a work cites. What came before a failure is kept; ``catalogues.failures`` names
    it, and works beyond the limit.

    Args:
        catalogues: The catalogues.
        works: Works that are asked about, by DOI, arXiv id or OpenAlex id; others are left out.
        backward: Whether to return what they cite.
        forward: Whether to return what cites them.
        limit: Most works of each catalogue and direction.
    """
    links = _of_openalex(catalogues, works, backward=backward, forward=forward, limit=limit)
    return links + (_of_crossref(catalogues, works) if backward and CROSSREF in catalogues.enabled else [])


def _of_openalex(
    catalogues: WorkCatalogues, works: Sequence[Work], *, backward: bool, forward: bool, limit: int
) -> list[Link]:
    if OPENALEX not in catalogues.enabled:
        return []
    asked = [work for work in works if work.openalex]
    dois = sorted({doi for work in works if not work.openalex and (doi := _any_doi(work))})
    asked += _in_batches(catalogues, dois, partial(catalogues.by_id, kind="doi"))
    ids = sorted({work.openalex for work in asked if work.openalex})
    found: list[tuple[Work, int]] = []
    if backward:
        counts = Counter(id for work in asked for id in work.cites)
        ranked = sorted(counts, key=lambda id: (-counts[id], id))
        _note_limit(catalogues, len(ranked), limit, "are cited")
        cited = _in_batches(catalogues, ranked[:limit], partial(catalogues.by_id, kind="openalex"))
        found += [(work, counts.get(work.openalex or "", 1)) for work in cited]
    if forward:
        citing: list[Work] = []
        for some in batches(ids, IDS_AT_ONCE):
            citing += _in_batches(catalogues, some, partial(catalogues.citing, limit=limit))
            if len(citing) >= limit:
                _note_limit(catalogues, len(citing) + 1, limit, "cite them")
                break
        among = set(ids)
        found += [(work, len(among & set(work.cites)) or 1) for work in citing[:limit]]
    return [Link(keys_of(work), n, OPENALEX, work) for work, n in found]


def keys_of(work: Work) -> tuple[str, ...]:
    """Return the identities of a work; empty without DOI, arXiv id and long title."""
    return tuple(key for key in work.keys if not key.startswith("words:"))


def united(works: Sequence[Work]) -> Work:
    """Return one work of several descriptions, the best first: that with most fields, and ids of the others."""
    best = max(works, key=lambda one: (bool(one.metadata.abstract), bool(one.metadata.title), bool(one.openalex)))
    told = best.metadata
    doi = told.doi or next((one.metadata.doi for one in works if one.metadata.doi), None)
    arxiv_id = told.arxiv_id or next((one.metadata.arxiv_id for one in works if one.metadata.arxiv_id), None)
    known = next((one for one in works if one.openalex), best)
    metadata = replace(told, doi=doi, arxiv_id=arxiv_id)
    return replace(best, metadata=metadata, openalex=known.openalex, cites=known.cites)


def completed(catalogues: WorkCatalogues, works: Sequence[Work]) -> list[Work]:
    """Return works in their order, those with a DOI and without an abstract as OpenAlex or Crossref describes them."""
    found: dict[str, list[Work]] = {}
    wanted = sorted({doi for work in works if not work.metadata.abstract and (doi := _any_doi(work))})
    for name, ask in ((OPENALEX, partial(catalogues.by_id, kind="doi")), (CROSSREF, catalogues.by_doi)):
        lacking = [doi for doi in wanted if doi not in found]
        for some in batches(lacking if name in catalogues.enabled else [], IDS_AT_ONCE):
            for one in ask(some):
                found.setdefault(_any_doi(one) or "", []).append(one)
            if catalogues.rests.left_s(name):
                break
    return [united([*found.get(_any_doi(work) or "none", ()), work]) for work in works]


def _any_doi(work: Work) -> str | None:
    return work.metadata.doi or (f"{ARXIV_DOI}{work.arxiv_id}" if work.arxiv_id else None)


def _note_limit(catalogues: WorkCatalogues, n: int, limit: int, words: str) -> None:
    if n > limit:
        catalogues.failures.append(f"openalex: more than {limit:,} works {words}; only {limit:,} were read")


def _in_batches(catalogues: WorkCatalogues, names: Sequence[str], ask: Callable[..., list[Work]]) -> list[Work]:
    """Return the works of names, asked for 50 at a time until OpenAlex fails."""
    found: list[Work] = []
    for some in batches(names, IDS_AT_ONCE):
        found += ask(some)
        if catalogues.rests.left_s(OPENALEX):
            break
    return found


def _of_crossref(catalogues: WorkCatalogues, works: Sequence[Work]) -> list[Link]:
    dois = sorted({work.doi for work in works if work.doi})
    links: list[Link] = []
    for some in batches(dois, LISTS_AT_ONCE):
        links += [Link(keys_of(cited), 1, CROSSREF, cited) for cited in catalogues.references(some)]
        if catalogues.rests.left_s(CROSSREF):
            break
    return links
