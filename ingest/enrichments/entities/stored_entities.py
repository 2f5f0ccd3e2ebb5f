"""Stored entities: rows that they are written by, and queries for people."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from papergraph import cypher
from papergraph.batches import Row, batches
from papergraph.database import Database
from papergraph.errors import InputError, NotFoundError
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.entities.extraction import FoundEntity
from papergraph.neo4j_errors import Transaction
from papergraph.schema.ids import ID, check_collection, collection_term, entity_id, entity_key, normalise
from papergraph.vector_slots import VectorSlot

# Entities as a person reads them: listed, shown, and found by their names


MOST_LISTED = 10_000
DEADLINE_S = 60.0


@dataclass(frozen=True)
class Listed:
    """An entity in a list."""

    id: str
    name: str
    type: str
    aliases: tuple[str, ...]
    n_chunks: int
    n_papers: int


@dataclass(frozen=True)
class Shown:
    """Entity with the papers that mention it most, its relations, and names of the same thing.

    ``papers`` have key, title and n_chunks; ``related`` start, type, end, by and paper; ``same`` id, name, score and
    evidence.
    """

    id: str
    name: str
    type: str
    aliases: tuple[str, ...]
    papers: tuple[dict[str, Any], ...]
    related: tuple[dict[str, Any], ...]
    same: tuple[dict[str, Any], ...]


async def list_entities(
    database: Database, collection: str, *, words: str = "", type: str = "", limit: int = 50
) -> list[Listed]:
    """Return the most frequently mentioned entities, filtered by ``type`` and by ``words`` in a name.

    Raises:
        InputError: The collection's name is invalid, or ``limit`` is outside 1 to 10,000.
        DatabaseError: Neo4j failed.
    """
    check_collection(collection)
    if not 1 <= limit <= MOST_LISTED:
        raise InputError(f"limit is {limit}. Set it to 1 to {MOST_LISTED}.", field="limit")
    records = await database.read(
        cypher.load("enrichments/list_entities"),
        collection=collection,
        words=words.lower(),
        type=type,
        limit=limit,
        deadline_s=DEADLINE_S,
    )
    return [Listed(**{**record.data(), "aliases": tuple(record["aliases"])}) for record in records]


async def show_entity(database: Database, collection: str, name: str, *, limit: int = 20) -> Shown:
    """Return an entity by its id or its name; case is ignored.

    Raises:
        NotFoundError: The collection lacks the entity.
        DatabaseError: Neo4j failed.
    """
    check_collection(collection)
    id = name if ID.fullmatch(name) else entity_id(collection, name)
    records = await database.read(cypher.load("enrichments/show_entity"), id=id, limit=limit, deadline_s=DEADLINE_S)
    if not records:
        raise NotFoundError("entity", name, field="entity")
    (record,) = records
    said: dict[str, Any] = record.data()
    lists = {key: tuple(said[key]) for key in ("aliases", "papers", "related", "same")}
    return Shown(said["id"], said["name"], said["type"], **lists)


# Result of the enrichment for a paper, and its form in the graph


BY_GIVEN = "given"
FIRST_WORD = {"gazetteer": 0, "abbreviation": 8, "terms": 9}
"""Priority of methods that find the same mention, lowest number first; pipelines and models rank between them."""


@dataclass(frozen=True)
class Mention:
    """That a chunk names an entity; the fields are those of ``MENTIONS``."""

    chunk_id: str
    entity_id: str
    names: tuple[str, ...]
    aliases: tuple[str, ...]
    type: str
    extractor: str
    offsets: tuple[int, ...]


@dataclass(frozen=True)
class Relation:
    """That a paper says how two entities are related; the fields are those of ``RELATED_TO``."""

    start_id: str
    end_id: str
    type: str
    chunk_ids: tuple[str, ...]
    extractor: str


@dataclass(frozen=True)
class Made:
    """Entities and relations of a paper.

    Attributes:
        mentions: In the order of chunks, then of ids.
        relations: In the order of ids; both ends occur in ``mentions``.
        n_disallowed: Number of a model's triples that the schema forbids; they are dropped.
        n_unanswered: Number of chunks with an unusable answer of the model.
    """

    mentions: tuple[Mention, ...] = ()
    relations: tuple[Relation, ...] = ()
    n_disallowed: int = 0
    n_unanswered: int = 0

    @property
    def entity_ids(self) -> set[str]:
        """Ids of all that is mentioned."""
        return {mention.entity_id for mention in self.mentions}


@dataclass
class _Gathered:
    names: set[str] = field(default_factory=set)
    aliases: set[str] = field(default_factory=set)
    starts: set[int] = field(default_factory=set)
    said: list[tuple[int, str, str]] = field(default_factory=list)


def mentions_of(chunk_id: str, collection: str, found: Iterable[FoundEntity]) -> list[Mention]:
    """Return what a chunk mentions, one for each entity, in the order of ids."""
    by_entity: dict[str, _Gathered] = defaultdict(_Gathered)
    for one in found:
        gathered = by_entity[entity_id(collection, one.name)]
        gathered.names.add(one.name)
        gathered.aliases |= {alias for alias in one.aliases if normalise(alias) != normalise(one.name)}
        if one.start >= 0:
            gathered.starts.add(one.start)
        gathered.said.append((FIRST_WORD.get(one.by, 1), one.by, one.type))
    mentions = []
    for id, gathered in sorted(by_entity.items()):
        _, by, type = min(gathered.said)
        names, aliases = tuple(sorted(gathered.names)), tuple(sorted(gathered.aliases))
        mentions.append(Mention(chunk_id, id, names, aliases, type, by, tuple(sorted(gathered.starts))))
    return mentions


async def write_rows(
    transaction: Transaction,
    paper_id: str,
    collection: str,
    made: Made,
    resources: EnrichmentContext,
    slot: VectorSlot,
    *,
    given: bool,
) -> None:
    """Replace the entities and relations of a paper.

    All entities that change are locked first, in the order of ids, which prevents deadlocks.
    """
    before = await transaction.run(cypher.load("enrichments/mentioned_entities"), ids=[paper_id])
    touched = sorted({record["id"] for record in before} | made.entity_ids)
    term = collection_term(collection)
    for ids in batches(touched):
        rows = [{"id": id, "collection": collection, "collectionTerm": term} for id in ids]
        await transaction.run(cypher.load("enrichments/hold_entities"), rows=rows)
    keep = [f"{mention.chunk_id} {mention.entity_id}" for mention in made.mentions]
    await transaction.run(cypher.load("enrichments/forget_mentions"), id=paper_id, given=given, keep=keep)
    for mentions in batches(made.mentions):
        await transaction.run(cypher.load("enrichments/write_mentions"), rows=[_mention(one) for one in mentions])
    for relations in batches(made.relations):
        rows = [_relation(one, paper_id) for one in relations]
        await transaction.run(cypher.load("enrichments/write_relations"), rows=rows)
    await _follow(transaction, touched, resources, slot)


async def _follow(
    transaction: Transaction, touched: Sequence[str], resources: EnrichmentContext, slot: VectorSlot
) -> None:
    """Name entities by their mentions, and embed those without a vector by what their names share."""
    bare: dict[str, str] = {}
    for ids in batches(touched):
        records = await transaction.run(cypher.load("enrichments/follow_entities", slot), ids=ids)
        bare |= {record["id"]: entity_key(record["name"]) for record in records}
    vectors = await resources.embed(list(bare.values()))
    rows = [
        {"id": id, "vector": vectors[text].tolist(), "properties": resources.vector_properties(text, slot)}
        for id, text in bare.items()
    ]
    for batch in batches(rows):
        await transaction.run(cypher.load("enrichments/write_entity_vectors", slot), rows=batch)


def _mention(one: Mention) -> Row:
    properties: Mapping[str, Any] = {
        "names": list(one.names),
        "aliases": list(one.aliases),
        "type": one.type,
        "extractor": one.extractor,
        "offsets": list(one.offsets),
    }
    return {"chunk_id": one.chunk_id, "entity_id": one.entity_id, "properties": properties}


def _relation(one: Relation, paper_id: str) -> Row:
    properties = {"type": one.type, "paperId": paper_id, "chunkIds": list(one.chunk_ids), "extractor": one.extractor}
    return {"start_id": one.start_id, "end_id": one.end_id, "properties": properties}
