"""Stored chunks, papers, entities and clusters: read for the enrichment, and listed for people."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from neo4j import Record

from papergraph import cypher
from papergraph.batches import pages
from papergraph.database import Database
from papergraph.embedding import Floats
from papergraph.errors import InputError, NotFoundError
from papergraph.ingest.enrichments.clusters.similarity import Doubles, Ints, Mentions
from papergraph.ingest.enrichments.prose import is_prose, prose
from papergraph.statement import Statement
from papergraph.vector_slots import VectorSlot

# Input of clusters, read from the graph in pages; things are numbered in the order of ids


HALF = "8"
"""Ids from here on are read at the same time as those before."""

CHUNKS_AT_ONCE, PAPERS_AT_ONCE, ENTITIES_AT_ONCE, TEXTS_AT_ONCE = 2000, 2000, 2000, 2000
DEADLINE_S = 120.0


@dataclass(frozen=True)
class Chunks:
    """A collection's chunks.

    Attributes:
        ids: Their ids, in order.
        papers: Id of each one's paper.
        vectors: Shape (n, d); zero for chunks of references, code and the like, which are similar to nothing.
        known: Pairs that are related as similar.
        changed: Numbers of chunks that are new, or lost one that they were similar to.
    """

    ids: tuple[str, ...]
    papers: tuple[str, ...]
    vectors: Floats
    known: tuple[Ints, Ints]
    changed: Ints


@dataclass(frozen=True)
class Papers:
    """A collection's papers, those that cite each other as two lists of numbers; NaN where one has no rank yet."""

    ids: tuple[str, ...]
    titles: tuple[str, ...]
    page_ranks: Doubles
    cites: tuple[Ints, Ints]

    @property
    def numbers(self) -> dict[str, int]:
        """The number of each id."""
        return {id: number for number, id in enumerate(self.ids)}


@dataclass(frozen=True)
class Entities:
    """A collection's entities, with the chunks and papers that mention them, each pair once."""

    ids: tuple[str, ...]
    names: tuple[str, ...]
    page_ranks: Doubles
    chunks: Ints
    of_chunks: Ints
    mentions: Mentions


@dataclass(frozen=True)
class StoredCluster:
    """A cluster as it stands."""

    id: str
    kind: str
    name: str
    hash: str | None
    field: str | None
    n_members: int
    keywords: tuple[str, ...]
    children: tuple[str, ...]
    papers: tuple[str, ...]


async def read_chunks(
    database: Database, collection: str, model_sha256: str, slot: VectorSlot, dimension: int
) -> Chunks:
    """Read a collection's chunks that have a vector of a model."""
    statement = cypher.load("enrichments/cluster_chunks", slot)
    halves = await asyncio.gather(
        *(
            _all(database, statement, CHUNKS_AT_ONCE, after, before, collection=collection, model=model_sha256)
            for after, before in (("", HALF), (HALF, "g"))
        )
    )
    rows = [record for half in halves for record in half]
    number = {record["id"]: at for at, record in enumerate(rows)}
    known = _columns([(at, number[other]) for at, r in enumerate(rows) for other in r["similar"] if other in number])
    now = np.bincount(np.concatenate(known), minlength=len(rows))
    before = np.array([-1 if record["n_similar"] is None else record["n_similar"] for record in rows], dtype=np.int64)
    vectors = np.array([record["vector"] for record in rows], dtype=np.float32).reshape(len(rows), dimension)
    vectors[[not _is_prose(record) for record in rows]] = 0.0
    return Chunks(
        tuple(number), tuple(record["paper_id"] for record in rows), vectors, known, np.flatnonzero(now != before)
    )


async def read_papers(database: Database, collection: str) -> Papers:
    """Read a collection's papers."""
    statement = cypher.load("enrichments/cluster_papers")
    rows = await _all(database, statement, PAPERS_AT_ONCE, collection=collection)
    number = {record["id"]: at for at, record in enumerate(rows)}
    cites = [(at, number[other]) for at, r in enumerate(rows) for other in sorted(r["cites"]) if other in number]
    return Papers(
        tuple(number),
        tuple(record["title"] for record in rows),
        _ranks(rows),
        _columns(cites),
    )


async def read_entities(database: Database, collection: str) -> list[Record]:
    """Read a collection's entities with the chunks that mention them, for :func:`entities_of`."""
    statement = cypher.load("enrichments/cluster_mentions")
    return await _all(database, statement, ENTITIES_AT_ONCE, collection=collection)


def entities_of(rows: Sequence[Record], chunks: Chunks, papers: Papers) -> Entities:
    """Return entities with what mentions them, of chunks and papers that were read."""
    number = {id: at for at, id in enumerate(chunks.ids)}
    pairs = [(number[id], at) for at, record in enumerate(rows) for id in record["chunks"] if id in number]
    of_chunks, of = _columns(pairs)
    n = max(1, len(rows))
    codes = np.unique(paper_of(chunks, papers)[of_chunks] * n + of)
    return Entities(
        tuple(record["id"] for record in rows),
        tuple(record["name"] for record in rows),
        _ranks(rows),
        of,
        of_chunks,
        Mentions(codes // n, codes % n),
    )


def paper_of(chunks: Chunks, papers: Papers) -> Ints:
    """Return the number of each chunk's paper."""
    number = papers.numbers
    return np.array([number[paper] for paper in chunks.papers], dtype=np.int64)


async def read_texts(database: Database, collection: str, ids: Sequence[str]) -> list[str]:
    """Read the prose of some of a collection's chunks, in the order of ``ids``."""
    rows = await _all(database, cypher.load("enrichments/cluster_texts"), TEXTS_AT_ONCE, collection=collection)
    texts = {record["id"]: prose(record["text"], kind=record["kind"]) for record in rows}
    return [texts.get(id, "") for id in ids]


async def read_clusters(database: Database, collection: str, slot: VectorSlot) -> dict[str, StoredCluster]:
    """Read a collection's clusters, by id."""
    records = await database.read(
        cypher.load("enrichments/clusters", slot), collection=collection, deadline_s=DEADLINE_S
    )
    found = {}
    for record in records:
        lists = {name: tuple(record[name]) for name in ("keywords", "children", "papers")}
        found[record["id"]] = StoredCluster(**record.data() | lists)
    return found


def _is_prose(chunk: Record) -> bool:
    return is_prose(chunk["text"], prose(chunk["text"], kind=chunk["kind"]))


async def _all(
    database: Database, statement: Statement, limit: int, after: str = "", before: str = "g", **parameters: Any
) -> list[Record]:
    """Return all rows of a query that gives them in pages, by id; ids are hexadecimal, so all are before ``g``."""
    found = pages(database, statement, limit=limit, after=after, before=before, **parameters)
    return [record async for page in found for record in page]


def _columns(pairs: Sequence[tuple[int, int]]) -> tuple[Ints, Ints]:
    array = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return array[:, 0], array[:, 1]


def _ranks(rows: Sequence[Record]) -> Doubles:
    return np.array([np.nan if row["page_rank"] is None else row["page_rank"] for row in rows], dtype=np.float64)


# Clusters that stand, to choose from and to look at


SHORTEST_BEGINNING = 6
KINDS = ("metadata", "topic", "community")
LIST_DEADLINE_S = 30.0


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
        deadline_s=LIST_DEADLINE_S,
    )
    return [ListedCluster(**record.data() | {"keywords": tuple(record["keywords"])}) for record in records]


async def find_cluster(database: Database, *, collection: str, begin: str, n_papers: int = 0) -> WholeCluster:
    """Return a cluster by its id or a prefix of the id, with some of its papers.

    Raises:
        InputError: The prefix is shorter than six digits, or ambiguous.
        NotFoundError: The collection lacks the cluster.
        DatabaseError: Neo4j failed.
    """
    if len(begin) < SHORTEST_BEGINNING:
        raise InputError(
            f"{begin!r} is too short for a cluster: give at least {SHORTEST_BEGINNING} digits", field="cluster"
        )
    statement = cypher.load("enrichments/find_cluster")
    records = await database.read(statement, begin=begin, limit=2, deadline_s=LIST_DEADLINE_S)
    if len(records) > 1:
        raise InputError(f"several clusters begin with {begin[:80]!r}; give more of the id", field="cluster")
    if not records or records[0]["collection"] != collection:
        raise NotFoundError("cluster", begin[:80], field="cluster")
    (record,) = records
    fields = {name: record[name] for name in ("id", "kind", "name", "field", "level", "n_members")}
    members = await database.read(
        cypher.load("enrichments/cluster_members"), id=record["id"], limit=n_papers, deadline_s=LIST_DEADLINE_S
    )
    return WholeCluster(
        ListedCluster(**fields, keywords=tuple(record["keywords"])),
        collection,
        tuple(Relative(**one) for one in record["parents"]),
        tuple(Relative(**one) for one in record["children"]),
        tuple(Member(**member.data()) for member in members),
    )
