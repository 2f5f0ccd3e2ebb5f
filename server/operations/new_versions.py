"""Check of a collection's papers for newer versions: at arXiv, and articles of preprints by arXiv and Crossref."""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

from papergraph import cypher
from papergraph.batches import batches, pages
from papergraph.database import Database
from papergraph.errors import InputError
from papergraph.ingest.fetch.works import ARXIV, CROSSREF, DISABLED, Work, WorkCatalogues
from papergraph.records import Id, Record, described

IDS_AT_ONCE, DOIS_AT_ONCE = 100, 50


class VersionKind(StrEnum):
    """Kind of a newer version."""

    ARXIV = "arxiv"
    ARTICLE = "article"
    VERSION = "version"


@dataclass(frozen=True)
class NewVersion(Record):
    """A newer version of a paper."""

    paper_id: Annotated[Id, described("Id of the paper.")]
    title: Annotated[str, described("Title of the paper.")]
    kind: Annotated[VersionKind, described("arxiv (version there), article (of a preprint) or version (by Crossref).")]
    known: Annotated[str, described("Version or DOI of the paper here.")]
    found: Annotated[str, described("Newer version, or DOI of the article.")]
    source: Annotated[str, described("Name under which papergraph ingest fetches it.")]
    in_collection: Annotated[bool, described("True if the collection has it as another paper.")]


@dataclass(frozen=True)
class NewVersionReport(Record):
    """Result of a check for newer versions."""

    collection: Annotated[str, described("Collection of the papers.")]
    n_checked: Annotated[int, described("Papers with a DOI or arXiv id.")]
    versions: Annotated[tuple[NewVersion, ...], described("Newer versions, by id of the paper.")]
    failures: Annotated[tuple[str, ...], described("Sources that failed.")]


async def find_new_versions(database: Database, collection: str, catalogues: WorkCatalogues) -> NewVersionReport:
    """Look for newer versions of the papers of a collection; nothing is changed.

    A version at arXiv is newer if the paper states a lower one; a paper without a version is not compared.

    Raises:
        InputError: Neither arXiv nor Crossref is enabled.
        DatabaseError: Neo4j failed.
    """
    if not catalogues.enabled & {ARXIV, CROSSREF}:
        raise InputError(f"This needs arxiv or crossref. {DISABLED}", field="sources")
    papers: list[Any] = []
    async with aclosing(pages(database, cypher.load("papers/identified"), collection=collection)) as found:
        async for records in found:
            papers += records
    known = {doi for paper in papers for doi in paper["dois"]}
    versions = [
        *await asyncio.to_thread(_of_arxiv, catalogues, papers, known),
        *await asyncio.to_thread(_of_crossref, catalogues, papers, known),
    ]
    once = {(one.paper_id, one.found): one for one in reversed(versions)}
    ordered = sorted(once.values(), key=lambda one: (one.paper_id, one.kind, one.found))
    return NewVersionReport(collection, len(papers), tuple(ordered), tuple(dict.fromkeys(catalogues.failures)))


def _of_arxiv(catalogues: WorkCatalogues, papers: Sequence[Any], known: set[str]) -> list[NewVersion]:
    if ARXIV not in catalogues.enabled:
        return []
    by_id = {paper["arxiv_id"]: paper for paper in papers if paper["arxiv_id"]}
    found = []
    for ids in batches(list(by_id), IDS_AT_ONCE):
        for work in catalogues.at_arxiv(ids):
            if (paper := by_id.get(work.arxiv_id or "")) is not None:
                found += _newer(paper, work, known)
        if catalogues.rests.left_s(ARXIV):
            break
    return found


def _newer(paper: Any, work: Work, known: set[str]) -> list[NewVersion]:
    told, own = work.metadata, paper["arxiv_version"]
    stated = paper["id"], paper["title"]
    found = []
    if own and told.arxiv_version and told.arxiv_version > own:
        name = f"arxiv:{work.arxiv_id}"
        found.append(NewVersion(*stated, VersionKind.ARXIV, f"v{own}", f"v{told.arxiv_version}", name, False))
    if work.doi and work.doi not in paper["dois"]:
        own, source = f"arxiv:{work.arxiv_id}", f"doi:{work.doi}"
        found.append(NewVersion(*stated, VersionKind.ARTICLE, own, work.doi, source, work.doi in known))
    return found


def _of_crossref(catalogues: WorkCatalogues, papers: Sequence[Any], known: set[str]) -> list[NewVersion]:
    if CROSSREF not in catalogues.enabled:
        return []
    by_doi = {doi: paper for paper in papers for doi in paper["dois"]}
    found = []
    for dois in batches(sorted(by_doi), DOIS_AT_ONCE):
        for own, relation, other in catalogues.related(dois):
            paper = by_doi.get(own)
            if paper is not None and other not in paper["dois"]:
                kind = VersionKind.ARTICLE if relation == "is-preprint-of" else VersionKind.VERSION
                found.append(NewVersion(paper["id"], paper["title"], kind, own, other, f"doi:{other}", other in known))
        if catalogues.rests.left_s(CROSSREF):
            break
    return found


def in_words(report: NewVersionReport) -> str:
    """Return the numbers of a report in words."""
    n = {kind: sum(one.kind is kind for one in report.versions) for kind in VersionKind}
    told = ", ".join(f"{n[kind]} {words}" for kind, words in WORDS.items() if n[kind])
    return f"{report.n_checked} papers checked: {told or 'nothing newer'}"


WORDS = {
    VersionKind.ARXIV: "newer at arXiv",
    VersionKind.ARTICLE: "published as articles",
    VersionKind.VERSION: "other versions",
}
