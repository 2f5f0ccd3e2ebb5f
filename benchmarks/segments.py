"""Whether searches slow down with the number of segments that a vector index has before it merges them, and what helps.

Usage: PAPERGRAPH_DATA=… python -m benchmarks.segments [WAY …]

Bare chunks with vectors as real ones have them (``benchmarks.realistic``) go into a store that starts empty, with the
vector index alone. ``small`` writes 200 to a transaction, up to 520,000 (or PAPERGRAPH_BENCH_CHUNKS); the other ways a
fifth as many: ``large`` 2,000 to a transaction, ``merge-10`` and ``merge-4`` with Neo4j's setting for how many segments
are merged at a time, ``afterwards`` with the index made after the load. At each window Lucene's segments are counted,
and queries are asked, questions of real people for 200 candidates as the vector retriever asks, with recall@10 against
the comparison with every vector. ``large`` is then rebuilt, its index dropped and made again, as Neo4j does it
by default and into as few segments as can be. Figures of a way replace its former ones in results/segments.json.
"""

import asyncio
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import psutil

import cypher
from benchmarks.common import (
    RESULTS,
    data_folder,
    empty_store,
    environment_number,
    home_of_store,
    index_files,
    kept_store,
    write_result,
)
from benchmarks.extrapolate import extrapolated
from benchmarks.growth import clocks
from benchmarks.realistic import Mixture, fitted
from evaluation.task import read_task
from papergraph import local_neo4j
from papergraph.database import Database
from papergraph.embedding import Floats, PackagedModel, load_model
from papergraph.statement import Statement
from schema.ids import DEFAULT_COLLECTION
from schema.migrate import prepare

N_CHUNKS = environment_number("PAPERGRAPH_BENCH_CHUNKS", 520_000)
WINDOW = max(N_CHUNKS // 20, 1000)
INDEX, STORE, K, N_WANTED, CHUNKS_PER_PAPER = "chunk_embedding", "segments", 200, 10, 30
N_QUERIES, N_WARM_UP, LONG_S = 40, 10, 3600.0
EXPECTED = (1_000_000, 3_000_000, 10_000_000)
MERGED_AT_A_TIME = "internal.dbms.index.vector.standard_merge_factor"
COMPACTION = "internal.dbms.index.vector.post_population_compaction"

WRITE = Statement(
    "benchmark/write",
    """
    CYPHER 25
    UNWIND $rows AS row
    CREATE (chunk:Chunk {id: row.id, paperId: row.paper, collection: $collection, kind: 'body', year: 2020})
    WITH row, chunk
    CALL db.create.setNodeVectorProperty(chunk, 'embedding', row.vector)
    """,
)
ANYWHERE = Statement(
    "benchmark/anywhere",
    f"""
    CYPHER 25
    MATCH (chunk:Chunk) SEARCH chunk IN (VECTOR INDEX {INDEX} FOR $query_vector LIMIT $k) SCORE AS score
    RETURN chunk.id AS chunk_id, score ORDER BY score DESC
    """,
    gathered=("chunk_id", "score"),
)
SHOW = Statement(
    "benchmark/index",
    f"CYPHER 25 SHOW INDEXES YIELD name, createStatement WHERE name = '{INDEX}' RETURN createStatement",
)
NAMES = Statement(
    "benchmark/names", "CYPHER 25 SHOW INDEXES YIELD name, type WHERE type IN ['VECTOR', 'FULLTEXT'] RETURN name"
)
DROP = Statement("benchmark/drop", f"CYPHER 25 DROP INDEX {INDEX}")
AWAIT = Statement("benchmark/await", f"CALL db.awaitIndex('{INDEX}', {int(LONG_S)})")


@dataclass(frozen=True)
class Way:
    """How chunks are written.

    Attributes:
        per_transaction: Number of chunks.
        share: Of all the chunks, which are written.
        afterwards: Whether the index is made after the load.
        more: Settings of Neo4j.
    """

    per_transaction: int = 200
    share: float = 0.2
    afterwards: bool = False
    more: Mapping[str, str] = field(default_factory=dict)


WAYS = {
    "small": Way(share=1.0),
    "large": Way(per_transaction=2000),
    "merge-10": Way(more={MERGED_AT_A_TIME: "10"}),
    "merge-4": Way(more={MERGED_AT_A_TIME: "4"}),
    "afterwards": Way(per_transaction=2000, afterwards=True),
}
REBUILDS: Mapping[str, Mapping[str, str]] = {"by default": {}, "into one": {COMPACTION: "FULL"}}


class Asking:
    """Real queries, and what of them is right among the vectors that were written."""

    def __init__(self, database: Database, vectors: Floats) -> None:
        self._database, self._vectors = database, vectors

    async def figures(self, queries: Floats, *, n_written: int) -> dict[str, float]:
        """Return the milliseconds of a query, and recall@10 among the first ``n_written`` vectors.

        The query is the vector retriever's; beside it stands one that is not narrowed to a collection and kinds.
        """
        sha256 = PackagedModel().card.sha256
        asked = {"model": sha256, "state": "active", "collections": [DEFAULT_COLLECTION], "kinds": ["body"], "k": K}
        ms, found = await self._asked(cypher.gathered("retrieval/vector_top_k"), queries, asked)
        anywhere, _ = await self._asked(ANYWHERE, queries, {"k": K})
        exact = np.argpartition(-queries @ self._vectors[:n_written].T, N_WANTED, axis=1)[:, :N_WANTED]
        recalls = [len({*one} & {*right}) for one, right in zip(found, exact.tolist(), strict=True)]
        return {
            "p50": round(float(np.percentile(ms, 50)), 1),
            "p95": round(float(np.percentile(ms, 95)), 1),
            "p50, not narrowed": round(float(np.percentile(anywhere, 50)), 1),
            "recall": round(sum(recalls) / (N_WANTED * len(recalls)), 4),
        }

    async def _asked(
        self, statement: Statement, queries: Floats, asked: Mapping[str, Any]
    ) -> tuple[list[float], list[list[int]]]:
        """Return the milliseconds of each query and the numbers of its first ten chunks, once all is warm."""
        ms, found = [], []
        for query in [*queries[:N_WARM_UP], *queries]:
            start = time.perf_counter()
            rows = await self._database.rows(statement, query_vector=query.tolist(), **asked)
            ms.append(1000 * (time.perf_counter() - start))
            found.append([int(row[0]) for row in rows[:N_WANTED]])
        return ms[N_WARM_UP:], found[N_WARM_UP:]


def main() -> None:
    chosen = sys.argv[1:] or list(WAYS)
    if unknown := [name for name in chosen if name not in WAYS]:
        sys.exit(f"no such way: {', '.join(unknown)}; there are {', '.join(WAYS)}")
    mixture, queries = fitted()[1].mixture, real_queries(N_QUERIES)
    for name in chosen:
        way = WAYS[name]
        vectors = drawn(mixture, int(N_CHUNKS * way.share))
        with empty_store(STORE):
            pass
        with kept_store(STORE, way.more) as address:
            figures = asyncio.run(_connected(address, loaded, way, vectors, queries))
        figures["segments on disk after a stop"] = segments_on_disk()
        if name == "large":
            figures["rebuilt"] = {}
            for kind, more in REBUILDS.items():
                with kept_store(STORE, more) as address:
                    figures["rebuilt"][kind] = asyncio.run(_connected(address, rebuilt, vectors, queries))
        published(name, figures)


def segments_on_disk() -> int:
    """Return the segments of the one vector index of the store; while Neo4j runs, it keeps small new ones in memory."""
    return sum(files.n_segments for files in local_neo4j.index_files(home_of_store(STORE), ["vector"]).values())


def published(name: str, figures: dict[str, Any]) -> None:
    """Write the figures of a way beside those of others."""
    file = RESULTS / "segments.json"
    old = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    old.pop("measuredOn", None)
    write_result("segments", old | {name: figures | {"expected": expected(figures["windows"])}})


def expected(windows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the milliseconds of a query for larger indexes, by the windows from a fifth of the chunks on."""
    fifth = max(window["chunks"] for window in windows) / 5
    kept = [window for window in windows if window["chunks"] >= fifth and "p50" in window]
    if len(kept) < 8:
        return {}
    sizes = [window["chunks"] for window in kept]
    return {
        f"{at:,} chunks": {way: extrapolated(sizes, [window[way] for window in kept], at) for way in ("p50", "p95")}
        for at in EXPECTED
    }


def real_queries(n: int) -> Floats:
    """Return vectors of questions and claims of real people, shape (n, d)."""
    model = load_model("bge-small-en-v1.5")
    texts = [query.text for name in ("covidqa", "scifact") for query in read_task(data_folder() / name).queries]
    chosen = np.random.default_rng(0).permutation(texts)[:n]
    return np.stack([model.encode_query(str(text)) for text in chosen])


def drawn(mixture: Mixture, n_chunks: int) -> Floats:
    """Return vectors of papers with 30 chunks each, shape (n_chunks, d)."""
    random = np.random.default_rng(1)
    sizes = [CHUNKS_PER_PAPER] * 1000
    parts = [mixture.draw(sizes, random) for _ in range(-(-n_chunks // sum(sizes)))]
    return np.concatenate(parts)[:n_chunks]


async def _connected(address: Any, work: Any, *arguments: Any) -> dict[str, Any]:
    async with await replace(address, deadline_s=60.0).connect() as database:
        return dict(await work(database, *arguments))


async def loaded(database: Database, way: Way, vectors: Floats, queries: Floats) -> dict[str, Any]:
    """Write the vectors; return what they cost, the segments and the queries' figures by window."""
    await prepare(database, PackagedModel().card)
    made = Statement("benchmark/make", (await database.read(SHOW))[0]["createStatement"])
    for record in await database.read(NAMES):
        if record["name"] != INDEX or way.afterwards:
            await database.run_alone(Statement("benchmark/drop", f"CYPHER 25 DROP INDEX {record['name']}"))
    neo4j = psutil.Process(local_neo4j.status(home_of_store(STORE)).pid)
    asking, windows = Asking(database, vectors), []
    spent, since = np.zeros(3), 0
    longest = 0.0
    for start, rows in transactions(vectors, way.per_transaction):
        before = clocks(neo4j)
        await database.run_alone(WRITE, deadline_s=LONG_S, rows=rows, collection=DEFAULT_COLLECTION)
        took = clocks(neo4j) - before
        spent, longest = spent + took, max(longest, float(took[0]))
        n_written = start + len(rows)
        if n_written - since >= WINDOW or n_written == len(vectors):
            each = spent / (n_written - since) * 1000
            window = {
                "chunks": n_written,
                "seconds per 1,000 chunks": round(float(each[0]), 3),
                "processor of Neo4j": round(float(each[2]), 3),
                "longest transaction s": round(longest, 2),
            }
            if not way.afterwards:
                window |= await state(database) | await asking.figures(queries, n_written=n_written)
            windows.append(window)
            print(json.dumps(window), file=sys.stderr, flush=True)
            spent, since, longest = np.zeros(3), n_written, 0.0
    figures: dict[str, Any] = {"chunks per transaction": way.per_transaction, "settings": dict(way.more)}
    if way.afterwards:
        figures["made afterwards"] = await timed_index(database, made) | await asked(database, vectors, queries)
    return figures | {"windows": windows}


async def rebuilt(database: Database, vectors: Floats, queries: Floats) -> dict[str, Any]:
    """Drop the index and make it again; return the seconds, the segments, and the queries' figures."""
    made = Statement("benchmark/make", (await database.read(SHOW))[0]["createStatement"])
    await database.run_alone(DROP, deadline_s=LONG_S)
    figures = await timed_index(database, made) | await asked(database, vectors, queries)
    print(json.dumps(figures), file=sys.stderr, flush=True)
    return figures


async def timed_index(database: Database, made: Statement) -> dict[str, Any]:
    """Make the index; return the seconds until it is there, and the processor's."""
    neo4j = psutil.Process(local_neo4j.status(home_of_store(STORE)).pid)
    before = clocks(neo4j)
    await database.run_alone(made, deadline_s=LONG_S)
    await database.read(AWAIT, deadline_s=LONG_S)
    took = clocks(neo4j) - before
    return {"seconds": round(float(took[0]), 1), "processor of Neo4j": round(float(took[2]), 1)}


async def asked(database: Database, vectors: Floats, queries: Floats) -> dict[str, Any]:
    return await state(database) | await Asking(database, vectors).figures(queries, n_written=len(vectors))


async def state(database: Database) -> dict[str, Any]:
    """Return the segments and bytes of the index."""
    found = (await index_files(database, STORE))[INDEX]
    return {"segments on disk": found["segments"], "MiB": round(found["bytes"] / 2**20)}


def transactions(vectors: Floats, n: int) -> Iterator[tuple[int, Sequence[dict[str, Any]]]]:
    """Yield the number of the first chunk and the rows of each transaction; an id is the number."""
    for start in range(0, len(vectors), n):
        yield (
            start,
            [
                {"id": str(start + number), "paper": str((start + number) // CHUNKS_PER_PAPER), "vector": vector}
                for number, vector in enumerate(vectors[start : start + n].tolist())
            ],
        )


if __name__ == "__main__":
    main()
