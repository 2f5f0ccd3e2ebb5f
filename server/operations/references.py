"""Check of a bibliography: whether each work exists under its DOI, and whether it was retracted."""

import asyncio
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Annotated, Any

from papergraph import cypher
from papergraph.batches import batches
from papergraph.database import Database
from papergraph.errors import InputError, OutboundError
from papergraph.ingest.sources import Web
from papergraph.ingest.sources.arxiv import Arxiv
from papergraph.ingest.sources.catalogues import Catalogues
from papergraph.ingest.sources.editorial import DOIS_PER_REQUEST, RetractionWatch, decisive, find_notices
from papergraph.ingest.sources.records import bibliography_of
from papergraph.ingest.sources.source import Metadata
from papergraph.records import Id, Record, described
from papergraph.schema.ids import doi_of, title_key, title_letters
from papergraph.server.operations.collections import check_reached
from papergraph.server.retrieval.scope import AllowedCollections

LEAST_ALIKE = 0.9
"""Similarity of the titles of an entry and of the work with its DOI, 0 to 1, from which on they agree."""
LEAST_LETTERS = 20
"""Letters of a title without subtitle that identifies the work."""
FOUND_BY_TITLE = 5
MOST_ENTRIES = 100
"""Entries that one call of an API checks."""
MARK = re.compile(r"^\W*(?:retracted|withdrawn)(?: article| chapter| paper)?\W+", re.IGNORECASE)
ARXIV_DOI = "10.48550/arxiv."


class ReferenceVerdict(StrEnum):
    """Result of the check of an entry."""

    EXISTS = "exists"
    MISMATCH = "mismatch"
    TITLE_FOUND = "title_found"
    NOT_FOUND = "not_found"
    UNCHECKED = "unchecked"


@dataclass(frozen=True)
class CheckedReference(Record):
    """Entry of a bibliography with the result of its check."""

    line: Annotated[int, described("Line of the entry in the file, from 1.")]
    key: Annotated[str, described("Citation key; may be empty.")]
    title: Annotated[str, described("Title, as the entry states it.")]
    doi: Annotated[str | None, described("DOI of the entry.")]
    verdict: Annotated[
        ReferenceVerdict,
        described(
            "exists: the DOI or arXiv id is of a work with this title; mismatch: of another title; title_found: a work "
            "with this title has another DOI or the entry none; not_found; unchecked: nothing could be asked."
        ),
    ]
    detail: Annotated[str, described("Reason in words; may be empty.")] = ""
    found_doi: Annotated[str | None, described("DOI of the work that was found.")] = None
    found_title: Annotated[str | None, described("Title of the work that was found.")] = None
    status: Annotated[str | None, described("retracted, concern, corrected or reinstated, if a notice is known.")] = (
        None
    )
    date: Annotated[str | None, described("Day of the deciding notice.")] = None
    paper_id: Annotated[Id | None, described("Id of the paper in the collection, if it is there.")] = None


@dataclass(frozen=True)
class ReferencesReport(Record):
    """Result of the check of a bibliography."""

    references: Annotated[tuple[CheckedReference, ...], described("The entries, in the order of the file.")]
    failures: Annotated[tuple[str, ...], described("Sources that failed, and entries that cannot be read.")]

    def count(self) -> Counter[str]:
        """Return the number of entries by verdict and by status."""
        return Counter(name for one in self.references for name in (one.verdict.value, one.status) if name)


@dataclass
class Sources:
    """Sources of a check.

    Attributes:
        catalogues: Crossref and OpenAlex; None to ask neither.
        arxiv: arXiv; None to ask it not.
        table: Table of Retraction Watch; None without one.
        failures: Messages of sources that failed.
        is_silent: Whether a search by title failed, so that no other is sent.
    """

    catalogues: Catalogues | None = None
    arxiv: Arxiv | None = None
    table: RetractionWatch | None = None
    failures: dict[str, None] = field(default_factory=dict)
    is_silent: bool = False


async def check_references(
    database: Database | None, entries: Sequence[tuple[int, Metadata]], sources: Sources, *, collection: str
) -> ReferencesReport:
    """Check the entries of a bibliography against a collection, catalogues and arXiv.

    Args:
        database: A prepared store; None to ask catalogues alone.
        entries: Line and metadata of each entry.
        sources: What may be asked beside the collection.
        collection: Collection of the papers.

    Raises:
        DatabaseError: Neo4j failed.
    """
    papers = await _papers_of(database, entries, collection) if database else {}
    checked = await asyncio.to_thread(_check, entries, sources, papers)
    return ReferencesReport(tuple(checked), tuple(sources.failures))


async def check_bibliography(
    database: Database,
    text: str,
    *,
    name: str,
    collection: str,
    web: Web | None,
    collections: AllowedCollections = None,
) -> ReferencesReport:
    """Check the entries of a bibliography that a caller sends.

    Args:
        database: A prepared store.
        text: The bibliography.
        name: Name of its file, whose ending tells the format, such as ``refs.bib``.
        collection: Collection whose papers are compared.
        web: Catalogues and arXiv; None to ask none.
        collections: Allowed collections; None for all.

    Raises:
        InputError: There is no entry, or more than 100.
        NotFoundError: The collection is forbidden.
        DatabaseError: Neo4j failed.
    """
    check_reached(collection, collections)
    entries, refused = bibliography_of(name, text.encode())
    if not 1 <= len(entries) <= MOST_ENTRIES:
        told = f"{name} has {len(entries)} readable entries; 1 to {MOST_ENTRIES} are checked in a call."
        raise InputError(told, field="bibliography")
    sources = Sources(failures=dict.fromkeys(map(str, refused)))
    if web is not None and web.catalogues is not None:
        sources.catalogues, sources.arxiv = web.catalogues, web.arxiv
    return await check_references(database, entries, sources, collection=collection)


async def _papers_of(
    database: Database, entries: Sequence[tuple[int, Metadata]], collection: str
) -> dict[int, Mapping[str, Any]]:
    asked = [
        {"number": n, "citeKey": None, "doi": one.doi, "arxivId": one.arxiv_id, "titleKey": title_key(one.title)}
        for n, (_, one) in enumerate(entries)
    ]
    records = await database.read(cypher.load("papers/cited"), collection=collection, entries=asked)
    return {record["number"]: record["paper"] for record in records}


def _check(
    entries: Sequence[tuple[int, Metadata]], sources: Sources, papers: Mapping[int, Mapping[str, Any]]
) -> list[CheckedReference]:
    titles = _titles_of({one.doi for _, one in entries if one.doi}, sources)
    if sources.arxiv:
        sources.arxiv.expect(one.arxiv_id for _, one in entries if one.arxiv_id and not one.doi)
    checked = []
    for number, (line, one) in enumerate(entries):
        blank = CheckedReference(
            line, one.cite_key or "", one.title or "", one.doi, ReferenceVerdict.UNCHECKED, "no title is stated"
        )
        paper = papers.get(number)
        found = _by_library(blank, one, paper) if paper else None
        found = found or (_by_title(_by_id(blank, one, titles, sources), one, sources) if one.title else blank)
        checked.append(_by_library_title(found, one, paper) if paper else found)
    return _with_status(checked, papers, sources)


def _by_library(blank: CheckedReference, one: Metadata, paper: Mapping[str, Any]) -> CheckedReference | None:
    """Return the result of an entry that a paper of the collection settles; None if it does not."""
    same_id = bool((one.doi and one.doi == paper.get("doi")) or (one.arxiv_id and one.arxiv_id == paper.get("arxivId")))
    if not same_id or not one.title or not are_one_title(one.title, [paper["title"]]):
        return None
    told = {"found_doi": paper.get("doi"), "found_title": paper["title"], "paper_id": paper["id"]}
    return replace(blank, verdict=ReferenceVerdict.EXISTS, detail="in the collection", **told)


def _by_library_title(checked: CheckedReference, one: Metadata, paper: Mapping[str, Any]) -> CheckedReference:
    """Return the result of an entry without a known id whose title is that of a paper of the collection."""
    is_open = checked.verdict in (ReferenceVerdict.UNCHECKED, ReferenceVerdict.NOT_FOUND)
    if not is_open or not one.title or title_letters(one.title) != title_letters(paper["title"]):
        return checked
    told = {"found_doi": paper.get("doi"), "found_title": paper["title"], "paper_id": paper["id"]}
    return replace(checked, verdict=ReferenceVerdict.TITLE_FOUND, detail="the title is in the collection", **told)


def _titles_of(dois: set[str], sources: Sources) -> dict[str, list[str] | None]:
    """Return the titles of works by DOI, empty lists for unknown DOIs, None where a catalogue failed."""
    found: dict[str, list[str] | None] = {}
    plain = sorted(doi for doi in dois if not set(doi) & set(",|"))
    if sources.catalogues is None:
        return {}
    for some in batches(plain, DOIS_PER_REQUEST):
        try:
            found |= dict(_titles(sources.catalogues, some))
        except OutboundError as error:
            sources.failures[str(error)] = None
            found |= dict.fromkeys(some)
    return found


def _titles(catalogues: Catalogues, dois: Sequence[str]) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {doi: [] for doi in dois}
    asked = {"filter": ",".join(f"doi:{doi}" for doi in dois), "rows": str(2 * len(dois))}
    for work in catalogues.crossref_works(asked)[0]:
        if (doi := doi_of(str(work.get("DOI") or ""))) in found:
            found[doi] = titles_of_work(work)
    missing = [doi for doi in dois if not found[doi]]
    for work in catalogues.openalex_works(missing, ("doi", "title")) if missing else ():
        if (doi := doi_of(str(work.get("doi") or ""))) in found and work.get("title"):
            found[doi] = [str(work["title"])]
    return found


def titles_of_work(work: Mapping[str, Any]) -> list[str]:
    """Return the titles that Crossref has of a work: with and without subtitle, and in its own language."""
    titles = [re.sub(r"<[^>]*>", "", str(one)) for name in ("title", "original-title") for one in work.get(name) or ()]
    subtitles = [str(one) for one in work.get("subtitle") or ()]
    return [*titles, *(f"{title}: {subtitle}" for title in titles for subtitle in subtitles)]


def are_one_title(stated: str, titles: Sequence[str]) -> bool:
    """Return whether a stated title is one of a work's: equal letters, without its subtitle, or nearly equal."""
    letters = title_letters(MARK.sub("", stated))
    for title in titles:
        other = title_letters(MARK.sub("", title))
        short, long = sorted((letters, other), key=len)
        if letters == other or (len(short) >= LEAST_LETTERS and long.startswith(short)):
            return True
        if SequenceMatcher(None, letters, other, autojunk=False).ratio() >= LEAST_ALIKE:
            return True
    return False


def _by_id(
    blank: CheckedReference, one: Metadata, titles: Mapping[str, list[str] | None], sources: Sources
) -> CheckedReference:
    """Return the result by DOI or arXiv id: exists, mismatch, not found, or unchecked."""
    known, id = (titles.get(one.doi or "", []) if sources.catalogues else None), one.doi
    by_arxiv = one.arxiv_id and (not one.doi or one.doi.startswith(ARXIV_DOI))
    if by_arxiv and sources.arxiv and not known:
        known, id = _arxiv_titles(sources.arxiv, str(one.arxiv_id), sources.failures), f"arXiv:{one.arxiv_id}"
    if id is None:
        return replace(blank, verdict=ReferenceVerdict.NOT_FOUND, detail="has no DOI")
    if known is None:
        return replace(blank, detail="not in the collection, and no catalogue answered")
    if not known:
        return replace(blank, verdict=ReferenceVerdict.NOT_FOUND, detail=f"{id} is unknown")
    found = replace(blank, found_doi=one.doi, found_title=known[0])
    if are_one_title(one.title or "", known):
        return replace(found, verdict=ReferenceVerdict.EXISTS, detail="")
    return replace(found, verdict=ReferenceVerdict.MISMATCH, detail=f"{id} is «{known[0]}»")


def _arxiv_titles(arxiv: Arxiv, id: str, failures: dict[str, None]) -> list[str] | None:
    try:
        record = arxiv.record(id)
    except OutboundError as error:
        failures[str(error)] = None
        return None
    return [str(record["title"])] if record else []


def _by_title(checked: CheckedReference, one: Metadata, sources: Sources) -> CheckedReference:
    """Search the title of an entry whose id does not settle it; only an equal title of its year or author counts."""
    if checked.verdict in (ReferenceVerdict.EXISTS, ReferenceVerdict.UNCHECKED):
        return checked
    is_settled = checked.verdict is ReferenceVerdict.MISMATCH
    if sources.catalogues is None:
        told = f"{checked.detail}, not in the collection" if checked.detail else "not in the collection"
        return replace(checked, verdict=ReferenceVerdict.UNCHECKED, detail=told)
    if sources.is_silent:
        return checked if is_settled else replace(checked, verdict=ReferenceVerdict.UNCHECKED)
    try:
        asked = {"query.bibliographic": one.title or "", "rows": str(FOUND_BY_TITLE)}
        works = sources.catalogues.crossref_works(asked)[0]
    except OutboundError as error:
        sources.failures[str(error)], sources.is_silent = None, True
        return checked if is_settled else replace(checked, verdict=ReferenceVerdict.UNCHECKED)
    letters = title_letters(one.title or "")
    for work in works:
        equal = next((title for title in titles_of_work(work) if title_letters(MARK.sub("", title)) == letters), None)
        if equal and _agrees(one, work):
            doi = doi_of(str(work.get("DOI") or ""))
            detail = (
                f"{checked.detail}; the title is that of {doi}" if checked.detail else f"the title is that of {doi}"
            )
            verdict = ReferenceVerdict.TITLE_FOUND
            return replace(checked, verdict=verdict, detail=detail, found_doi=doi, found_title=equal)
    return checked


def _agrees(one: Metadata, work: Mapping[str, Any]) -> bool:
    """Return whether year (to one) and first author of an entry are a work's, as far as both state them."""
    parts = ((work.get("issued") or {}).get("date-parts") or [[None]])[0]
    year = parts[0] if parts and isinstance(parts[0], int) else None
    families = [
        title_letters(str(person.get("family") or person.get("name") or "")) for person in work.get("author") or ()
    ]
    if one.year and year and abs(one.year - year) > 1:
        return False
    stated = title_letters(one.authors[0]) if one.authors else ""
    return not (stated and families) or any(family and family in stated for family in families)


def _with_status(
    checked: Sequence[CheckedReference], papers: Mapping[int, Mapping[str, Any]], sources: Sources
) -> list[CheckedReference]:
    """Add the editorial status of the works that were found, by sources or as the collection has it."""
    dois = [doi for one in checked if (doi := one.found_doi or one.doi)]
    told = find_notices(list(dict.fromkeys(dois)), catalogues=sources.catalogues, table=sources.table)
    sources.failures |= dict.fromkeys(told.failures)
    found = []
    for number, one in enumerate(checked):
        notice = decisive(told.notices.get(one.found_doi or one.doi or "", ()))
        paper = papers.get(number, {})
        if notice:
            one = replace(one, status=notice.status.value, date=notice.date or None)
        elif one.paper_id and paper.get("editorialStatus"):
            one = replace(one, status=paper["editorialStatus"], date=paper.get("editorialDate"))
        found.append(one)
    return found
