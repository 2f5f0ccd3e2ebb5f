"""Neighbourhood of nodes: relationships in a direction, and paths."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import InputError, NotFoundError
from papergraph.records import Id, Record, described
from papergraph.schema.ids import check_id
from papergraph.server.retrieval.scope import AllowedCollections

# Direction of a relationship as one of its nodes sees it


class Direction(StrEnum):
    """Direction of a relationship: away from the node before it, or towards that node."""

    OUTGOING = "outgoing"
    INCOMING = "incoming"

    @classmethod
    def of(cls, is_outgoing: bool) -> "Direction":
        """Return the direction of a relationship that leads away from its node, or does not."""
        return cls.OUTGOING if is_outgoing else cls.INCOMING


# The neighbourhood of nodes, for drawing: nodes with names and counts, and the relationships between them


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
class MoreNeighbours(Record):
    """Neighbours of a node by one type of relationship that are left out."""

    type: Annotated[LinkType, described("Type of the relationship.")]
    n: Annotated[int, described("Number of neighbours.")]


@dataclass
class NearNode(Record):
    """Node of a neighbourhood."""

    node_id: Annotated[Id, described("Id of the node.")]
    label: Annotated[str, described("Type of the node, such as Paper.")]
    name: Annotated[str, described("Title, name, or beginning of a text.")]
    degree: Annotated[int, described("Number of relationships of any type.")]
    more: Annotated[list[MoreNeighbours], described("Neighbours that are left out, of a requested node.")] = field(
        default_factory=list
    )


@dataclass(frozen=True)
class NearLink(Record):
    """Relationship between two nodes of a neighbourhood."""

    from_id: Annotated[Id, described("Id of the node where it begins.")]
    to_id: Annotated[Id, described("Id of the node where it ends.")]
    type: Annotated[LinkType, described("Type of the relationship.")]
    weight: Annotated[float | None, described("Similarity, 0 to 1, if the relationship has one.")]


@dataclass(frozen=True)
class Neighbourhood(Record):
    """Nodes, the requested ones first, and relationships between them."""

    nodes: Annotated[list[NearNode], described("The nodes.")]
    links: Annotated[list[NearLink], described("The relationships.")]
    truncated: Annotated[bool, described("True if neighbours are left out.")]


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
        ids: 1 to 20 nodes; missing ones are left out if at least one exists.
        types: Relationships to follow, in both directions; None for all.
        per_type: Neighbours of each node by each type, 1 to 50; the most similar first.
        first: Nodes in all, 1 to 500.
        collections: Allowed collections; None for all.

    Raises:
        InputError: An argument is out of range, or an id is malformed.
        NotFoundError: All nodes are missing.
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
            nodes[record["id"]].more.append(MoreNeighbours(type, record["n"] - shown))
    return Neighbourhood(
        list(nodes.values()), list(links.values()), is_cut or any(node.more for node in nodes.values())
    )
