"""Papers of a collection as people look through them: narrowed by a filter and words, in an order, with authors."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from enum import StrEnum

import cypher
from papergraph.database import Database
from papergraph.errors import InputError
from schema.ids import DEFAULT_COLLECTION
from schema.records import Paper
from server.retrieval.filters import resolver
from server.retrieval.filters.language import Filter
from server.retrieval.scope import AllowedCollections, refuse_unknown_collection, within

MOST_TEXT_CHARS = 200
PAPERS_AT_ONCE = 200


class PaperOrder(StrEnum):
    """What papers are sorted by; ``ADDED`` is the time of their ingestion."""

    TITLE = "title"
    YEAR = "year"
    ADDED = "added"


def order_of(name: str) -> PaperOrder:
    """Return the order of a name.

    Raises:
        InputError: There is none.
    """
    if name not in list(PaperOrder):
        raise InputError(f"sort is {name[:80]!r}; it must be one of {', '.join(PaperOrder)}.", field="sort")
    return PaperOrder(name)


@dataclass(frozen=True)
class ListedPaper:
    """A paper with the names of its authors in order."""

    paper: Paper
    authors: tuple[str, ...]


@dataclass(frozen=True)
class PaperListing:
    """Which papers are listed, and in which order.

    Attributes:
        collection: Where they stand.
        filter: Conditions on papers, as of searches; one on passages lists the papers of those that pass. None for all.
        text: What the title, an author, an id or the name of a file holds, in any case; empty for all.
        sort: What they are sorted by, papers without a value last.
        descending: Whether the greatest is first.
    """

    collection: str = DEFAULT_COLLECTION
    filter: Filter | None = None
    text: str = ""
    sort: PaperOrder = PaperOrder.TITLE
    descending: bool = False


async def find_papers(
    database: Database,
    listing: PaperListing,
    *,
    skip: int = 0,
    limit: int = 50,
    collections: AllowedCollections = None,
) -> list[ListedPaper]:
    """Return a page of a listing.

    Args:
        database: A prepared store.
        listing: Which papers.
        skip: Papers that are passed over, at least 0.
        limit: Most papers, at least 1.
        collections: Those that the caller may read.

    Raises:
        InputError: The filter has conditions on kinds of passages alone, the text is longer than 200 characters, or
            the collection has no valid name.
        UnknownCollectionError: There is no such collection.
        DatabaseError: Neo4j failed.
    """
    if len(listing.text) > MOST_TEXT_CHARS:
        raise InputError(f"text must have at most {MOST_TEXT_CHARS} characters.", field="text")
    looked_in = within(listing.collection, collections)
    ids: list[str] | None = None
    all_but = False
    if listing.filter is not None:
        passing = (await resolver.resolve(database, listing.filter, looked_in)).passing
        if passing.papers is None:
            raise InputError("A list of papers needs a filter that names papers, not only kinds.", field="filter")
        ids, all_but = sorted(passing.papers.ids), passing.papers.all_but
    records = await database.read(
        cypher.load("papers/find"),
        collection=looked_in,
        ids=ids,
        all_but=all_but,
        text=listing.text.lower(),
        sort=listing.sort.value,
        descending=listing.descending,
        skip=skip,
        limit=limit,
    )
    if not records:
        await refuse_unknown_collection(database, looked_in, asked=listing.collection)
    return [ListedPaper(Paper.of(record["paper"]), tuple(record["authors"])) for record in records]


async def all_papers(database: Database, listing: PaperListing) -> AsyncIterator[ListedPaper]:
    """Yield all papers of a listing, read in pages.

    Raises:
        InputError: As of :func:`find_papers`.
        UnknownCollectionError: There is no such collection.
        DatabaseError: Neo4j failed.
    """
    skip = 0
    while page := await find_papers(database, listing, skip=skip, limit=PAPERS_AT_ONCE):
        for one in page:
            yield one
        skip += len(page)
