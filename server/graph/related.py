"""Related papers, and the places where papers stand on their pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, TypeVar

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import InputError
from papergraph.records import Record, described
from papergraph.schema.ids import check_id
from papergraph.schema.records import Affiliation, NodeRecord, Paper, Venue
from papergraph.server.graph.lists import CollectionListing, Listing, checked_text, node_of
from papergraph.server.graph.neighbourhood import Direction
from papergraph.server.retrieval.active_model import Searched
from papergraph.server.retrieval.candidates import Via
from papergraph.server.retrieval.scope import AllowedCollections, within
from papergraph.statement import Statement

# Ways through the graph: what collections there are, a way between two nodes, papers that are related


MOST_HOPS = 6
MOST_CHUNKS_OF_ENTITY = 1000
"""Entities that more chunks mention say too little of what two papers share."""


@dataclass(frozen=True)
class Collection(Record):
    """Collection with its counts."""

    name: Annotated[str, described("Name of the collection.")]
    n_papers: Annotated[int, described("Number of papers.")]
    n_sections: Annotated[int, described("Number of sections.")]
    n_chunks: Annotated[int, described("Number of chunks.")]
    ingested_at: Annotated[
        datetime, described("Time of the last write of a paper; of an empty collection, its creation.")
    ]
    subject: Annotated[str | None, described("Subject of its papers, if set.")]
    title: Annotated[str, described("Title for people; by default the name.")]
    description: Annotated[str | None, described("Use of the collection, if described.")]


@dataclass(frozen=True)
class MeaningCounts(Record):
    """Number of nodes of each kind in a collection beside papers, sections and chunks."""

    n_authors: Annotated[int, described("Number of authors.")] = 0
    n_references: Annotated[int, described("Number of references.")] = 0
    n_questions: Annotated[int, described("Number of questions.")] = 0
    n_entities: Annotated[int, described("Number of entities.")] = 0
    n_clusters: Annotated[int, described("Number of clusters.")] = 0


@dataclass(frozen=True)
class PathStep(Record):
    """Step of a path."""

    type: Annotated[str, described("Type of the relationship, as the graph names it.")]
    direction: Annotated[Direction, described("OUTGOING if the relationship points along the path.")]


@dataclass(frozen=True)
class Path:
    """A way between two nodes: one more of ``ids`` than of ``steps``."""

    ids: tuple[str, ...]
    steps: tuple[PathStep, ...]


class RelatedBy(StrEnum):
    """Relation between papers: vectors, shared entities, shared clusters, or citations."""

    VECTORS = "vectors"
    ENTITIES = "entities"
    CLUSTERS = "clusters"
    CITATIONS = "citations"


@dataclass(frozen=True)
class RelatedPaper(Record):
    """Related paper."""

    paper: Annotated[Paper, described("The related paper.")]
    score: Annotated[
        float, described("Higher is nearer; comparable within one kind of relation only. Of vectors (1 + cosine) / 2.")
    ]
    shared: Annotated[tuple[Via, ...], described("Up to five shared nodes, rarest first.")]


async def list_collections(database: Database, *, collections: AllowedCollections = None) -> list[Collection]:
    """Return the allowed collections by name; None allows all.

    Raises:
        DatabaseError: Neo4j failed.
    """
    records = await database.read(
        cypher.load("graph/collections"), collections=None if collections is None else list(collections)
    )
    return [
        Collection(
            record["collection"],
            record["n_papers"],
            record["n_sections"],
            record["n_chunks"],
            record["ingested_at"].to_native(),
            record["subject"],
            record["title"] or record["collection"],
            record["description"],
        )
        for record in records
    ]


async def meaning_counts(
    database: Database, names: Sequence[str], *, collections: AllowedCollections = None
) -> list[MeaningCounts]:
    """Return what each of several collections holds beside papers, sections and chunks; one query for all.

    Raises:
        DatabaseError: Neo4j failed.
    """
    records = await database.read(
        cypher.load("graph/stats"), ids=[name for name in names if collections is None or name in collections]
    )
    counts = {collection: MeaningCounts(*numbers) for collection, *numbers in records}
    return [counts.get(name, MeaningCounts()) for name in names]


async def shortest_path(
    database: Database,
    start: str,
    end: str,
    *,
    most: int = 4,
    collections: AllowedCollections = None,
    fields: tuple[str, str] = ("from", "to"),
) -> Path | None:
    """Return a shortest path between two nodes over relationships of any kind and direction, or None.

    Args:
        database: A prepared store.
        start: Id of a node.
        end: Id of another one.
        most: Most relationships, 1 to 6.
        collections: Allowed collections of all nodes on the path; None for all.
        fields: Names of the arguments with the ids, for errors.

    Raises:
        InputError: An id is malformed, both are equal, or ``most`` is out of range.
        DatabaseError: Neo4j failed or was too slow.
    """
    check_id(start, field=fields[0])
    check_id(end, field=fields[1])
    if start == end:
        raise InputError(f"{fields[0]} and {fields[1]} are the same node. Pass two different ids.", field=fields[1])
    if not 1 <= most <= MOST_HOPS:
        raise InputError(f"maxHops is {most}; it must be 1 to {MOST_HOPS}.", field="maxHops")
    records = await database.read(
        cypher.load("graph/path"),
        start=start,
        end=end,
        most=most,
        collections=None if collections is None else list(collections),
    )
    if not records:
        return None
    (record,) = records
    steps = tuple(
        PathStep(type, Direction.of(along)) for type, along in zip(record["types"], record["along"], strict=True)
    )
    return Path(tuple(record["ids"]), steps)


async def related_papers(
    database: Database,
    ids: Sequence[str],
    *,
    searched: Searched,
    by: RelatedBy,
    k: int = 10,
    collections: AllowedCollections = None,
) -> list[list[RelatedPaper]]:
    """Return the ``k`` papers nearest to each of several papers, best first; one query for all.

    Args:
        database: A prepared store.
        ids: Papers.
        searched: Active vectors.
        by: Kind of relation.
        k: Papers for each, 1 to 100.
        collections: Allowed collections; None for all.

    Raises:
        DatabaseError: Neo4j failed.

    Source: by citations, bibliographic coupling (Kessler 1963, doi:10.1002/asi.5090140103) and co-citation (Small 1973,
    doi:10.1002/asi.4630240406).
    """
    asked: dict[str, Any] = {
        "ids": list(ids),
        "k": k,
        "collections": None if collections is None else list(collections),
    }
    match by:
        case RelatedBy.VECTORS:
            records = await database.read(cypher.load("graph/related_by_vectors", searched.slot), **asked)
        case RelatedBy.ENTITIES:
            statement = cypher.load("graph/related_by_entities")
            records = await database.read(statement, most=MOST_CHUNKS_OF_ENTITY, **asked)
        case RelatedBy.CLUSTERS:
            records = await database.read(cypher.load("graph/related_by_clusters"), **asked)
        case RelatedBy.CITATIONS:
            records = await database.read(cypher.load("graph/related_by_citations"), **asked)
    related: dict[str, list[RelatedPaper]] = {id: [] for id in ids}
    for record in records:
        shared = tuple(Via(one["label"], one["id"], one["name"]) for one in record["shared"])
        related[record["parent_id"]].append(RelatedPaper(Paper.of(record["node"]), record["score"], shared))
    return [related[id][:k] for id in ids]


# Lists of venues and affiliations, and of the papers that these have, read page by page


P = TypeVar("P", bound=NodeRecord)

VENUES_OF_PAPERS = Listing(cypher.load("graph/venues_of_papers"), node_of(Venue.of), (str, str))
AFFILIATIONS_OF_PAPERS = Listing(cypher.load("graph/affiliations_of_papers"), node_of(Affiliation.of), (int, str))
AFFILIATIONS_OF_AUTHORS = Listing(
    cypher.load("graph/affiliations_of_authors"), node_of(Affiliation.of), (int, str, str)
)
PAPERS_OF_VENUES = Listing(cypher.load("graph/papers_of_venues"), node_of(Paper.of), (str, str))
PAPERS_OF_AFFILIATIONS = Listing(cypher.load("graph/papers_of_affiliations"), node_of(Paper.of), (str, str))


def venues_in(collection: str, *, text: str = "", collections: AllowedCollections = None) -> CollectionListing[Venue]:
    """Return the list of a collection's venues by name; ``text`` is what a spelling holds, in any case.

    Raises:
        InputError: ``text`` is longer than 200 characters, or the collection's name is not valid.
    """
    return _places(Venue, cypher.load("graph/venues"), collection, text, collections)


def affiliations_in(
    collection: str, *, text: str = "", collections: AllowedCollections = None
) -> CollectionListing[Affiliation]:
    """Return the list of a collection's affiliations by name; ``text`` is what a spelling holds, in any case.

    Raises:
        InputError: ``text`` is longer than 200 characters, or the collection's name is not valid.
    """
    return _places(Affiliation, cypher.load("graph/affiliations"), collection, text, collections)


def _places(
    record: type[P], statement: Statement, collection: str, text: str, collections: AllowedCollections
) -> CollectionListing[P]:
    asked = {"text": checked_text(text)}
    return CollectionListing(statement, record.of, (str, str), within(collection, collections), asked, collection)
