"""Lists of the graph that are read page by page: what papers, chunks, entities, clusters and questions have.

Every list is a query of ``cypher/graph`` that reads a page for each of several nodes, or for a collection, in an order
that is stable: each entry has a place, a list of values, and the next page holds what has greater ones.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

from neo4j import Record as DriverRecord

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import InputError
from papergraph.records import NOT_IN_GRAPHQL, Id, Record, described
from papergraph.schema.records import Chunk, Cluster, Entity, Paper, Question, Reference
from papergraph.server.graph.neighbourhood import Direction
from papergraph.server.retrieval.scope import AllowedCollections, refuse_unknown_collection, within
from papergraph.statement import Statement

R = TypeVar("R")
Place = Sequence[str | int | float]
"""Sort key of an entry in its list; empty for the beginning."""

CLUSTER_KINDS = ("metadata", "topic", "community")
GENERATORS = ("model", "written", "template", "extractive")
REVIEWS = ("accepted", "edited", "none")
NARROWED_BY = ("text", "types", "kind", "level", "field", "generator", "review")
MOST_TEXT_CHARS = 200


@dataclass(frozen=True)
class Entry(Generic[R]):
    """An entry of a list with its place."""

    record: R
    place: tuple[str | int | float, ...]


@dataclass(frozen=True)
class Listing(Generic[R]):
    """A list that nodes of one kind have.

    Attributes:
        statement: The query, by whose name cursors and counts call it.
        read: Makes an entry's record.
        place: Types of the values that say where an entry stands.
    """

    statement: Statement
    read: Callable[[DriverRecord], R]
    place: tuple[type | tuple[type, ...], ...]

    @property
    def name(self) -> str:
        """Name, such as ``papers_cited``."""
        return self.statement.name.rpartition("/")[2]


@dataclass(frozen=True)
class EntityOfPaper(Record):
    """An entity that a paper mentions."""

    entity: Annotated[Entity, described("The entity.")]
    n_chunks: Annotated[int, described("Number of mentioning chunks of the paper.")]


@dataclass(frozen=True)
class EntityMention(Record):
    """An entity that a chunk mentions."""

    entity: Annotated[Entity, described("The entity.")]
    names: Annotated[tuple[str, ...], described("Spellings in the chunk.")]
    offsets: Annotated[tuple[int, ...], described("Offsets of the mentions in the text, from 0.")]
    extractor: Annotated[str, described("Extractor of the mention.")]


@dataclass(frozen=True)
class ChunkMention(Record):
    """A chunk that mentions an entity."""

    chunk: Annotated[Chunk, described("The chunk.")]
    names: Annotated[tuple[str, ...], described("Spellings in the chunk.")]
    offsets: Annotated[tuple[int, ...], described("Offsets of the mentions in the text, from 0.")]
    extractor: Annotated[str, described("Extractor of the mention.")]


@dataclass(frozen=True)
class Relation(Record):
    """Relation between entities, stated by a paper."""

    entity: Annotated[Entity, described("Related entity.")]
    type: Annotated[str, described("Relation type of the schema.")]
    direction: Annotated[Direction, described("Outgoing if the relation points to the other entity.")]
    paper_id: Annotated[Id, described("Paper with the statement."), NOT_IN_GRAPHQL]
    chunk_ids: Annotated[tuple[Id, ...], described("Chunks with the statement.")]
    extractor: Annotated[str, described("Extractor of the relation.")]


@dataclass(frozen=True)
class SameEntity(Record):
    """Same entity under another name."""

    entity: Annotated[Entity, described("The other entity.")]
    score: Annotated[float, described("Confidence, 0 to 1.")]
    evidence: Annotated[str, described("Evidence: name, abbreviation, vector or review.")]


@dataclass(frozen=True)
class SimilarChunk(Record):
    """Similar chunk of another paper."""

    chunk: Annotated[Chunk, described("The other chunk.")]
    score: Annotated[float, described("Cosine similarity.")]


M = TypeVar("M", EntityMention, ChunkMention)


def _mention(made: type[M], of: Callable[[Mapping[str, Any]], Any]) -> Callable[[DriverRecord], M]:
    def read(record: DriverRecord) -> M:
        said = record["mention"]
        return made(of(record["node"]), tuple(said["names"]), tuple(said["offsets"] or ()), said["extractor"])

    return read


def node_of(of: Callable[[Mapping[str, Any]], R]) -> Callable[[DriverRecord], R]:
    return lambda record: of(record["node"])


def _relation(record: DriverRecord) -> Relation:
    said = record["relation"]
    return Relation(
        Entity.of(record["node"]),
        said["type"],
        Direction.of(record["outward"]),
        said["paperId"],
        tuple(said["chunkIds"] or ()),
        said["extractor"],
    )


NUMBER = (int, float)
REFERENCES_OF_PAPERS = Listing(cypher.load("graph/references_of_papers"), node_of(Reference.of), (int,))
REFERENCES_OF_CHUNKS = Listing(cypher.load("graph/references_of_chunks"), node_of(Reference.of), (int,))
CHUNKS_OF_REFERENCES = Listing(cypher.load("graph/chunks_of_references"), node_of(Chunk.of), (int,))
PAPERS_CITED = Listing(cypher.load("graph/papers_cited"), node_of(Paper.of), (str, str))
PAPERS_CITING = Listing(cypher.load("graph/papers_citing"), node_of(Paper.of), (str, str))
PAPERS_OF_CLUSTERS = Listing(cypher.load("graph/papers_of_clusters"), node_of(Paper.of), (str, str))
CHUNKS_OF_CLUSTERS = Listing(cypher.load("graph/chunks_of_clusters"), node_of(Chunk.of), (str, int))
ENTITIES_OF_PAPERS = Listing(
    cypher.load("graph/entities_of_papers"),
    lambda record: EntityOfPaper(Entity.of(record["node"]), record["n_chunks"]),
    (int, str),
)
ENTITIES_OF_CHUNKS = Listing(cypher.load("graph/entities_of_chunks"), _mention(EntityMention, Entity.of), (str, str))
CHUNKS_OF_ENTITIES = Listing(cypher.load("graph/chunks_of_entities"), _mention(ChunkMention, Chunk.of), (str, int))
PAPERS_OF_ENTITIES = Listing(cypher.load("graph/papers_of_entities"), node_of(Paper.of), (str, str))
RELATIONS_OF_ENTITIES = Listing(cypher.load("graph/relations_of_entities"), _relation, (str, str, str, str, str, str))
SAME_ENTITIES = Listing(
    cypher.load("graph/same_entities"),
    lambda record: SameEntity(Entity.of(record["node"]), record["same"]["score"], record["same"]["evidence"]),
    (NUMBER, str),
)
QUESTIONS_OF_PAPERS = Listing(cypher.load("graph/questions_of_papers"), node_of(Question.of), (str,))
QUESTIONS_OF_CHUNKS = Listing(cypher.load("graph/questions_of_chunks"), node_of(Question.of), (str,))
CHUNKS_OF_QUESTIONS = Listing(cypher.load("graph/chunks_of_questions"), node_of(Chunk.of), (int,))
SIMILAR_CHUNKS = Listing(
    cypher.load("graph/similar_chunks"),
    lambda record: SimilarChunk(Chunk.of(record["node"]), record["score"]),
    (NUMBER, str),
)
CLUSTERS_OF_MEMBERS = Listing(cypher.load("graph/clusters_of_members"), node_of(Cluster.of), (str, int, str, str))
CLUSTERS_BELOW = Listing(cypher.load("graph/clusters_below"), node_of(Cluster.of), (int, str))


async def entries_of(
    database: Database,
    ids: Sequence[str],
    *,
    listing: Listing[R],
    after: Place = (),
    limit: int = 20,
    collections: AllowedCollections = None,
) -> list[list[Entry[R]]]:
    """Return a page of a list for each of several nodes; one query for all.

    Args:
        database: A prepared store.
        ids: Nodes that have it.
        listing: The list.
        after: Sort key of the previous page's last entry; empty for the first page.
        limit: Entries for each, at least 1.
        collections: Allowed collections; None for all.

    Raises:
        DatabaseError: Neo4j failed.
    """
    statement = listing.statement
    records = await database.read(
        statement, ids=list(ids), after=list(after), limit=limit, collections=_list(collections)
    )
    entries: dict[str, list[Entry[R]]] = defaultdict(list)
    for record in records:
        entries[record["parent_id"]].append(Entry(listing.read(record), tuple(record["place"])))
    return [entries[id] for id in ids]


async def count_entries(
    database: Database, ids: Sequence[str], *, listing: Listing[Any], collections: AllowedCollections = None
) -> list[int]:
    """Return the length of each node's list; one query for all.

    Raises:
        DatabaseError: Neo4j failed.
    """
    records = await database.read(
        cypher.load("graph/count_parts"), ids=list(ids), list=listing.name, collections=_list(collections)
    )
    counts = {record["parent_id"]: record["n"] for record in records}
    return [counts.get(id, 0) for id in ids]


@dataclass(frozen=True)
class CollectionListing(Generic[R]):
    """A list that a collection has.

    Attributes:
        statement: The query that reads a page of it.
        of: Makes an entry's record of a node's properties.
        place: Types of the values that say where an entry stands.
        collection: Whose list, from :func:`papergraph.server.retrieval.scope.within`.
        narrowed: What it is narrowed to.
        asked: What messages and cursors call the collection.
    """

    statement: Statement
    of: Callable[[Mapping[str, Any]], R]
    place: tuple[type, ...]
    collection: str
    narrowed: Mapping[str, Any]
    asked: str

    @property
    def name(self) -> str:
        """Name in cursors, which contains the collection and the filters."""
        return f"{self.kind} of {self.asked} {dict(self.narrowed)}"

    @property
    def kind(self) -> str:
        """Kind of its entries, such as ``entities``."""
        return self.statement.name.rpartition("/")[2]


def entities_in(
    collection: str, *, text: str = "", types: Sequence[str] | None = None, collections: AllowedCollections = None
) -> CollectionListing[Entity]:
    """Return the list of a collection's entities by name; ``text`` is what a name of theirs holds, in any case.

    Raises:
        InputError: ``text`` is longer than 200 characters, or the collection's name is not valid.
    """
    asked = {"text": checked_text(text), "types": None if types is None else list(types)}
    statement = cypher.load("graph/entities")
    return CollectionListing(statement, Entity.of, (str, str), within(collection, collections), asked, collection)


def checked_text(text: str) -> str:
    """Return what is looked for in names in small letters.

    Raises:
        InputError: It is longer than 200 characters.
    """
    if len(text) > MOST_TEXT_CHARS:
        raise InputError(f"text must have at most {MOST_TEXT_CHARS} characters.", field="text")
    return text.lower()


def clusters_in(
    collection: str,
    *,
    kind: str | None = None,
    level: int | None = None,
    field: str | None = None,
    collections: AllowedCollections = None,
) -> CollectionListing[Cluster]:
    """Return the list of a collection's clusters by kind, level and name.

    Raises:
        InputError: The kind is unknown, or the collection's name is invalid.
    """
    _check_among(kind, CLUSTER_KINDS, "kind")
    asked = {"kind": kind, "level": level, "field": field}
    statement = cypher.load("graph/clusters")
    return CollectionListing(
        statement, Cluster.of, (str, int, str, str), within(collection, collections), asked, collection
    )


def questions_in(
    collection: str, *, generator: str | None = None, review: str | None = None, collections: AllowedCollections = None
) -> CollectionListing[Question]:
    """Return the list of a collection's questions in the order of ids; ``review`` "none" selects unreviewed ones.

    Raises:
        InputError: The generator or review is unknown, or the collection's name is invalid.
    """
    _check_among(generator, GENERATORS, "generator")
    _check_among(review, REVIEWS, "review")
    asked = {"generator": generator, "review": review}
    statement = cypher.load("graph/questions")
    return CollectionListing(statement, Question.of, (str,), within(collection, collections), asked, collection)


async def page_of(
    database: Database, listing: CollectionListing[R], *, after: Place = (), limit: int = 20
) -> list[Entry[R]]:
    """Return a page of a collection's list.

    Args:
        database: A prepared store.
        listing: The list.
        after: Sort key of the previous page's last entry; empty for the first page.
        limit: Entries, at least 1.

    Raises:
        NotFoundError: There is no such collection.
        DatabaseError: Neo4j failed.
    """
    statement = listing.statement
    records = await database.read(
        statement, collection=listing.collection, after=list(after), limit=limit, **listing.narrowed
    )
    if not records:
        await refuse_unknown_collection(database, listing.collection, asked=listing.asked)
    return [Entry(listing.of(record["node"]), tuple(record["place"])) for record in records]


async def length_of(database: Database, listing: CollectionListing[Any]) -> int:
    """Return how many entries a collection's list has.

    Raises:
        DatabaseError: Neo4j failed.
    """
    (record,) = await database.read(
        cypher.load("graph/count_listed"),
        list=listing.kind,
        collection=listing.collection,
        **{**dict.fromkeys(NARROWED_BY), **listing.narrowed},
    )
    return int(record["n"])


def _check_among(value: str | None, allowed: Sequence[str], field: str) -> None:
    if value is not None and value not in allowed:
        raise InputError(f"{field} is {value[:80]!r}; it must be one of {', '.join(allowed)}.", field=field)


def _list(collections: AllowedCollections) -> list[str] | None:
    return None if collections is None else list(collections)
