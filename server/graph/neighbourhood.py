"""The neighbourhood of nodes, for drawing: nodes with names and counts, and the relationships between them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import cypher
from papergraph.database import Database
from papergraph.errors import InputError, NotFoundError
from schema.ids import check_id
from server.retrieval.scope import AllowedCollections

MOST_IDS, MOST_PER_TYPE, MOST_NODES = 20, 50, 500


class LinkType(StrEnum):
    """Type of relationship that a neighbourhood follows, as the graph names it."""

    WROTE = "WROTE"
    CITES = "CITES"
    HAS_SECTION = "HAS_SECTION"
    HAS_CHUNK = "HAS_CHUNK"
    HAS_REFERENCE = "HAS_REFERENCE"
    CITES_REFERENCE = "CITES_REFERENCE"
    ANSWERED_BY = "ANSWERED_BY"
    MENTIONS = "MENTIONS"
    RELATED_TO = "RELATED_TO"
    SAME_AS = "SAME_AS"
    SIMILAR = "SIMILAR"
    IN_CLUSTER = "IN_CLUSTER"
    PARENT_OF = "PARENT_OF"


@dataclass(frozen=True)
class More:
    """Neighbours by one type that are left out."""

    type: LinkType
    n: int


@dataclass
class NearNode:
    """A node of a neighbourhood.

    Attributes:
        id, label, name: Of the node; the name is a title, a name or the beginning of a text.
        degree: Its relationships of any type.
        more: Neighbours that are left out, of a node that was asked for.
    """

    id: str
    label: str
    name: str
    degree: int
    more: list[More] = field(default_factory=list)


@dataclass(frozen=True)
class NearLink:
    """A relationship from one node to another; ``weight`` is a similarity in [0, 1], where it has one."""

    from_id: str
    to_id: str
    type: LinkType
    weight: float | None


@dataclass(frozen=True)
class Neighbourhood:
    """Nodes, those that were asked for first, and relationships between them; ``truncated`` if nodes are left out."""

    nodes: list[NearNode]
    links: list[NearLink]
    truncated: bool


async def neighbourhood(
    database: Database,
    ids: Sequence[str],
    *,
    types: Sequence[LinkType] | None = None,
    per_type: int = 10,
    first: int = 150,
    collections: AllowedCollections = None,
) -> Neighbourhood:
    """Return the nodes with some ids and those around them.

    Args:
        database: A prepared store.
        ids: 1 to 20 nodes; those that are not there are left out if another one is.
        types: Relationships to follow, in both directions; None for all.
        per_type: Neighbours of each node by each type, 1 to 50; the most similar first.
        first: Nodes in all, 1 to 500.
        collections: The collections that the asker reaches; None for all.

    Raises:
        InputError: An argument is out of its range, or an id is none.
        NotFoundError: None of the nodes is there.
        DatabaseError: Neo4j failed.
    """
    bounds = ((len(ids), MOST_IDS, "ids"), (per_type, MOST_PER_TYPE, "perType"), (first, MOST_NODES, "first"))
    for value, most, name in bounds:
        if not 1 <= value <= most:
            raise InputError(f"{name}: {value} is not allowed; 1 to {most} are.", field=name)
    records = await database.read(
        cypher.load("graph/neighbourhood"),
        ids=[check_id(id, field="ids") for id in dict.fromkeys(ids)],
        types=[one.value for one in (LinkType if types is None else types)],
        limit=per_type,
        collections=None if collections is None else list(collections),
    )
    if not records:
        raise NotFoundError("node", ids[0], field="ids")
    nodes = {one["id"]: NearNode(one["id"], one["label"], one["name"], one["degree"]) for one in records}
    links: dict[tuple[str, str, LinkType], NearLink] = {}
    is_cut = False
    for record in (one for one in records if one["type"] is not None):
        type, near = LinkType(record["type"]), record["neighbours"]
        shown = 0
        for one in near:
            if one["id"] not in nodes and len(nodes) >= first:
                is_cut = True
                continue
            shown += 1
            nodes.setdefault(one["id"], NearNode(one["id"], one["label"], one["name"], one["degree"]))
            ends = (record["id"], one["id"]) if one["outward"] else (one["id"], record["id"])
            links[*ends, type] = NearLink(*ends, type, one["weight"])
        if record["n"] > shown:
            nodes[record["id"]].more.append(More(type, record["n"] - shown))
    return Neighbourhood(
        list(nodes.values()), list(links.values()), is_cut or any(node.more for node in nodes.values())
    )
