"""Clusters that stand, to choose from and to look at."""

from dataclasses import dataclass

import cypher
from papergraph.database import Database
from papergraph.errors import InputError, NotFoundError

SHORTEST_BEGINNING = 6
KINDS = ("metadata", "topic", "community")
DEADLINE_S = 30.0


@dataclass(frozen=True)
class ListedCluster:
    """A cluster.

    Attributes:
        id: Its id.
        kind: ``metadata``, ``topic`` or ``community``.
        name: What it is called.
        field: Of metadata, the field.
        level: Height: 0 without finer clusters.
        n_members: How many papers, or of a topic chunks, belong to it.
        keywords: Terms that set it apart, the strongest first.
    """

    id: str
    kind: str
    name: str
    field: str | None
    level: int
    n_members: int
    keywords: tuple[str, ...]


@dataclass(frozen=True)
class Relative:
    """A cluster above or below another one."""

    id: str
    name: str
    n_members: int


@dataclass(frozen=True)
class Member:
    """A paper of a cluster, and how many of its members the paper is, or has."""

    key: str
    title: str
    n: int


@dataclass(frozen=True)
class WholeCluster:
    """A cluster with what is above and below it, and its papers, those with most members first."""

    cluster: ListedCluster
    collection: str
    parents: tuple[Relative, ...]
    children: tuple[Relative, ...]
    papers: tuple[Member, ...]


async def list_clusters(
    database: Database, *, collection: str, kind: str | None = None, level: int | None = None, limit: int = 50
) -> list[ListedCluster]:
    """Return clusters of a collection, the largest first.

    Raises:
        InputError: There is no such kind.
        DatabaseError: Neo4j failed.
    """
    if kind is not None and kind not in KINDS:
        raise InputError(f"{kind[:80]!r} is no kind of cluster: {', '.join(KINDS)}", field="kind")
    records = await database.read(
        cypher.load("enrichments/list_clusters"),
        collection=collection,
        kind=kind,
        level=level,
        limit=limit,
        deadline_s=DEADLINE_S,
    )
    return [ListedCluster(**record.data() | {"keywords": tuple(record["keywords"])}) for record in records]


async def find_cluster(database: Database, *, collection: str, begin: str, n_papers: int = 0) -> WholeCluster:
    """Return a cluster by its id, or by the beginning of it, with some of its papers.

    Raises:
        InputError: The beginning is shorter than six digits, or of several clusters.
        NotFoundError: There is none in the collection.
        DatabaseError: Neo4j failed.
    """
    if len(begin) < SHORTEST_BEGINNING:
        raise InputError(
            f"{begin!r} is too short for a cluster: give at least {SHORTEST_BEGINNING} digits", field="cluster"
        )
    records = await database.read(cypher.load("enrichments/find_cluster"), begin=begin, limit=2, deadline_s=DEADLINE_S)
    if len(records) > 1:
        raise InputError(f"several clusters begin with {begin[:80]!r}; give more of the id", field="cluster")
    if not records or records[0]["collection"] != collection:
        raise NotFoundError("cluster", begin[:80], field="cluster")
    (record,) = records
    fields = {name: record[name] for name in ("id", "kind", "name", "field", "level", "n_members")}
    members = await database.read(
        cypher.load("enrichments/cluster_members"), id=record["id"], limit=n_papers, deadline_s=DEADLINE_S
    )
    return WholeCluster(
        ListedCluster(**fields, keywords=tuple(record["keywords"])),
        collection,
        tuple(Relative(**one) for one in record["parents"]),
        tuple(Relative(**one) for one in record["children"]),
        tuple(Member(**member.data()) for member in members),
    )
