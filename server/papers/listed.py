"""Papers with the names of their authors, as commands and exports show them."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

from papergraph.database import Database
from schema.records import Paper
from server.graph.lists import Place
from server.graph.nodes import authors_of
from server.papers.find import PaperQuery, find_papers

PAPERS_AT_ONCE = 200


@dataclass(frozen=True)
class ListedPaper:
    """A paper with the names of its authors in order."""

    paper: Paper
    authors: tuple[str, ...]


async def listed_papers(database: Database, query: PaperQuery, *, limit: int) -> list[ListedPaper]:
    """Return at most ``limit`` papers of a list, each with its authors.

    Raises:
        InputError: As of :func:`server.papers.find.find_papers`.
        UnknownCollectionError: There is no such collection.
        DatabaseError: Neo4j failed.
    """
    found: list[ListedPaper] = []
    async for one in _pages(database, query, at_once=min(limit, PAPERS_AT_ONCE)):
        found.append(one)
        if len(found) == limit:
            break
    return found


async def all_papers(database: Database, query: PaperQuery) -> list[ListedPaper]:
    """Return all papers of a list, each with its authors.

    Raises:
        UnknownCollectionError: There is no such collection.
        DatabaseError: Neo4j failed.
    """
    return [one async for one in _pages(database, query, at_once=PAPERS_AT_ONCE)]


async def _pages(database: Database, query: PaperQuery, *, at_once: int) -> AsyncIterator[ListedPaper]:
    after: Place = ()
    while page := await find_papers(database, query, after=after, limit=at_once):
        authors = await authors_of(database, [entry.record.id for entry in page])
        for entry, people in zip(page, authors, strict=True):
            yield ListedPaper(entry.record, tuple(one.name for one in people))
        after = page[-1].place
