"""Papers found by key, id or words, with the fields that lists show."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Any

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import InputError
from papergraph.ingest.graph.edits import StatedField, stated_fields
from papergraph.ingest.graph.paper_sources import Provider
from papergraph.records import Id, Record, described
from papergraph.schema.ids import public_name
from papergraph.schema.records import Chunk, Paper
from papergraph.server.graph import nodes as reading
from papergraph.server.graph.lists import MOST_TEXT_CHARS, Entry, Place
from papergraph.server.graph.nodes import authors_of
from papergraph.server.papers.regions import Region, regions_of
from papergraph.server.retrieval.filters import Filter, resolve
from papergraph.server.retrieval.scope import AllowedCollections, refuse_unknown_collection, within

# Papers of a collection by filter and words, in several orders, and what values they have


MOST_VALUES = 50


class PaperSort(StrEnum):
    """Order of papers: by title, newest year first, newest in the graph first, or most cited in the collection."""

    TITLE = "title"
    YEAR = "year"
    INGESTED = "ingested"
    CITED = "cited"


class Facet(StrEnum):
    """A respect in which papers are counted."""

    YEAR = "year"
    CATEGORY = "category"
    LANGUAGE = "language"
    AUTHOR = "author"
    FORMAT = "format"
    VENUE = "venue"
    KEYWORD = "keyword"
    ENTITY = "entity"
    CLUSTER = "cluster"


@dataclass(frozen=True)
class FacetValue(Record):
    """Value that papers have, with their number."""

    value: Annotated[str, described("Year, category, format, or name of a node.")]
    node_id: Annotated[Id | None, described("Id of an author, entity or cluster.")]
    n: Annotated[int, described("Number of papers.")]


@dataclass(frozen=True)
class FacetCounts(Record):
    """Values of papers in one respect, the most frequent first."""

    facet: Annotated[Facet, described("Counted field.")]
    values: Annotated[list[FacetValue], described("The values with their numbers.")]


@dataclass(frozen=True)
class PaperQuery:
    """Query for papers, with their order.

    Attributes:
        collection: Name of the collection.
        filter: Filter of papers; None for all. Papers match conditions on passages if one of their passages does.
        text: Words that must all occur in the title, the abstract or names of authors, ignoring case.
        sort: The order.
    """

    collection: str
    filter: Filter | None = None
    text: str = ""
    sort: PaperSort = PaperSort.TITLE

    def seen_by(self, viewer: str | None) -> "PaperQuery":
        """Return the query as a caller's, whose private annotations its filter sees."""
        return self if self.filter is None else replace(self, filter=self.filter.seen_by(viewer))

    @property
    def narrowed(self) -> Filter | None:
        """The filter with the words of the text.

        Raises:
            InputError: The text is longer than 200 characters.
        """
        if len(self.text) > MOST_TEXT_CHARS:
            raise InputError(f"text must have at most {MOST_TEXT_CHARS} characters.", field="text")
        if not self.text.strip():
            return self.filter
        words = Filter(words=(self.text,))
        return words if self.filter is None else Filter(all=(self.filter, words))

    @property
    def name(self) -> str:
        """Name of the list in cursors."""
        return f"papers in {self.collection} by {self.sort} {self.text.split()} {self.filter and self.filter.data()}"

    @property
    def place(self) -> tuple[type, ...]:
        """Types of the values in the sort key of a paper."""
        return (str, str) if self.sort is PaperSort.TITLE else (int, str, str)


async def find_papers(
    database: Database, query: PaperQuery, *, after: Place = (), limit: int = 20, collections: AllowedCollections = None
) -> list[Entry[Paper]]:
    """Return at most ``limit`` papers after a place of their list.

    Raises:
        InputError: The text is too long, or the filter is not acceptable for papers.
        NotFoundError: There is no such collection.
        DatabaseError: Neo4j failed.
    """
    looked_in = within(query.collection, collections)
    asked = {"collection": looked_in, **await passing_papers(database, query.narrowed, looked_in), "limit": limit}
    if query.sort is PaperSort.TITLE:
        title, id = after or ("", "")
        records = await database.read(cypher.load("papers/list"), **asked, after_title=title, after_id=id)
        found = [Entry(paper, (paper.title, paper.id)) for paper in (Paper.of(one["paper"]) for one in records)]
    else:
        records = await database.read(cypher.load("papers/sorted"), **asked, sort=query.sort.value, after=list(after))
        found = [Entry(Paper.of(record["paper"]), tuple(record["place"])) for record in records]
    if not found:
        await refuse_unknown_collection(database, asked["collection"], asked=query.collection)
    return found


async def count_found(database: Database, query: PaperQuery, *, collections: AllowedCollections = None) -> int:
    """Return the number of papers.

    Raises:
        InputError: As of :func:`find_papers`.
        DatabaseError: Neo4j failed.
    """
    looked_in = within(query.collection, collections)
    asked = await passing_papers(database, query.narrowed, looked_in)
    if asked["ids"] is not None and not asked["all_but"]:
        return len(asked["ids"])
    n_all = await reading.count_papers(database, collection=query.collection, collections=collections)
    return n_all - len(asked["ids"] or ())


async def facets_of(
    database: Database,
    query: PaperQuery,
    facets: Sequence[Facet],
    *,
    first: int = 20,
    collections: AllowedCollections = None,
) -> list[FacetCounts]:
    """Return the values that papers have in several respects, the most frequent first.

    Args:
        database: A prepared store.
        query: Query for papers; its order is ignored.
        facets: Facets.
        first: Most values of each facet, 1 to 50.
        collections: Allowed collections; None for all.

    Raises:
        InputError: ``first`` is out of range, or as of :func:`find_papers`.
        NotFoundError: There is no such collection.
        DatabaseError: Neo4j failed.
    """
    if not 1 <= first <= MOST_VALUES:
        raise InputError(f"first is {first}; it must be 1 to {MOST_VALUES}.", field="first")
    wanted = list(dict.fromkeys(facets))
    looked_in = within(query.collection, collections)
    asked = {"collection": looked_in, **await passing_papers(database, query.narrowed, looked_in)}
    records = await database.read(cypher.load("papers/facets"), **asked, facets=list(wanted), limit=first)
    if not records:
        await refuse_unknown_collection(database, asked["collection"], asked=query.collection)
    found = {facet: FacetCounts(facet, []) for facet in wanted}
    for record in records:
        found[Facet(record["facet"])].values.append(FacetValue(record["value"], record["id"], record["n"]))
    return list(found.values())


async def passing_papers(database: Database, filter: Filter | None, collection: str) -> dict[str, Any]:
    """Return the papers of a collection that pass a filter, as parameters of a statement.

    Returns:
        ``ids`` of papers, None for all; ``all_but``, True if these are the papers that do not pass.

    Raises:
        InputError: The filter has conditions on passages that lists of papers do not take.
        DatabaseError: Neo4j failed.
    """
    asked: dict[str, Any] = {"ids": None, "all_but": False}
    if filter is None:
        return asked
    passing = (await resolve(database, filter, (collection,))).passing
    if passing.kinds is not None or (passing.chunks is not None and passing.chunks.all_but):
        raise InputError(
            "filter: lists of papers take no kinds of passages, and nothing that leaves passages out.", field="filter"
        )
    if passing.papers is None:
        return asked
    return {"ids": sorted(passing.papers.ids), "all_but": passing.papers.all_but}


# Papers with the names of their authors, as commands and exports show them


PAPERS_AT_ONCE = 200


@dataclass(frozen=True)
class ListedPaper:
    """A paper with the names of its authors in order, and the tags and notes that an export adds."""

    paper: Paper
    authors: tuple[str, ...]
    tags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


async def listed_papers(database: Database, query: PaperQuery, *, limit: int) -> list[ListedPaper]:
    """Return at most ``limit`` papers of a list, each with its authors.

    Raises:
        InputError: As of :func:`papergraph.server.papers.find.find_papers`.
        NotFoundError: There is no such collection.
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
        NotFoundError: There is no such collection.
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


# Fields of a paper with the sources that state them, as interfaces of the network show them


@dataclass(frozen=True)
class PaperField(Record):
    """A field of a paper, with the source that states it."""

    name: Annotated[str, described("Name of the field.")]
    values: Annotated[tuple[str, ...], described("Its values; one unless it is a list, and none if it was emptied.")]
    provider: Annotated[Provider, described("Origin of the value: person, publisher, arxiv or document.")]
    source: Annotated[str, described("Address or file name of the source; empty for an edit.")]


async def fields_of(database: Database, paper: Paper) -> list[PaperField]:
    """Return the fields of a paper that are known or emptied, each with its source.

    Raises:
        NotFoundError: The paper is gone.
        DatabaseError: Neo4j failed.
    """
    return [_public(one) for one in await stated_fields(database, paper.id, collection=paper.collection)]


def _public(field: StatedField) -> PaperField:
    listed = field.value if isinstance(field.value, list | tuple) else [] if field.value is None else [field.value]
    source = "" if field.provider is Provider.PERSON else public_name(field.source)
    return PaperField(field.name, tuple(map(str, listed)), field.provider, source)


# Positions of chunks, and of parts such as quotes, on the pages of PDFs


async def line_boxes_of(
    database: Database, paper_ids: Sequence[str], *, collections: AllowedCollections = None
) -> list[str]:
    """Return the packed line boxes of papers, empty for one that was no PDF; one query for all.

    Raises:
        DatabaseError: Neo4j failed.
    """
    wanted = None if collections is None else list(collections)
    records = await database.read(cypher.load("papers/line_boxes"), ids=list(paper_ids), collections=wanted)
    found = {record["id"]: record["line_boxes"] for record in records}
    return [found.get(id, "") for id in paper_ids]


def regions_of_chunk(chunk: Chunk, line_boxes: str, *, start: int = 0, end: int | None = None) -> list[Region]:
    """Return the rectangles of a chunk, or of characters ``start`` to ``end`` of its text, one for each line.

    Cleaning may change the text of a chunk: then a part has the rectangles of the whole chunk.

    Args:
        chunk: The chunk.
        line_boxes: Those of its paper.
        start: First character of the text, from 0.
        end: Character after the last one; None for the end of the text.

    Raises:
        InputError: The characters are not in the text.
    """
    length = len(chunk.text)
    last = length if end is None else end
    if not 0 <= start <= last <= length:
        raise InputError(f"Characters {start} to {last} are not in the text of {length} characters.", field="start")
    if length != chunk.end_char - chunk.start_char:
        return regions_of(line_boxes, chunk.start_char, chunk.end_char)
    return regions_of(line_boxes, chunk.start_char + start, chunk.start_char + last)
