"""Entities as a person reads them: listed, shown, and found by their names."""

from dataclasses import dataclass
from typing import Any

import cypher
from papergraph.database import Database
from papergraph.errors import InputError, NotFoundError
from schema.ids import ID, check_collection, entity_id

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
    """An entity with the papers that mention it most, its relations, and what is held to be the same.

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
    """Return the entities that most chunks mention, of a type or with ``words`` in a name if that is asked for.

    Raises:
        InputError: The collection has no valid name, or ``limit`` is not in 1 to 10,000.
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
    """Return an entity by its name, in any case, or its id.

    Raises:
        NotFoundError: There is none.
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
