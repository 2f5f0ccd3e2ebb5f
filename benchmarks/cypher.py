"""Cypher of users: cost of the guard, and latency of searches beside harmless and hostile queries.

Usage: PAPERGRAPH_DATA=… python -m benchmarks.cypher

On Cranfield, with a server as ``papergraph serve`` starts it:

* the guard: a query by ``POST /v1/cypher``'s functions and the same by the driver alone, one after the other;
* side by side: four clients search without pause, alone, then beside eight researchers with keys of their own who ask
  questions that are soon answered, then beside eight whose queries never end by themselves.

Writes results/cypher.json.
"""

import asyncio
import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import httpx

from benchmarks.common import data_folder, environment_number, evaluated_store, percentiles, server, write_result
from papergraph.database import Database
from papergraph.evaluation.task import read_task
from papergraph.server.auth.access import KeyScope, Principal, everything
from papergraph.server.auth.keys import create_key
from papergraph.server.operations.cypher import table_for
from papergraph.server.user_cypher.request import CypherRequest
from papergraph.server.user_cypher.runner import CypherRunner
from papergraph.statement import Statement

DEADLINE_S = 5.0
CONFIG = Path(__file__).parent / "cypher.toml"
"""Settings of the server, with the same deadline."""
COLLECTION = "main"
SEARCHERS, RESEARCHERS = 4, 8
KIND = (
    "MATCH (p:Paper) RETURN p.title AS title ORDER BY title LIMIT 20",
    "MATCH (p:Paper)-[:HAS_SECTION]->(s)-[:HAS_CHUNK]->(c) RETURN p.title, count(c) AS n ORDER BY n DESC LIMIT 10",
    "MATCH (c:Chunk) WHERE c.text CONTAINS 'boundary layer' RETURN count(c) AS n",
)
HOSTILE = {
    "triple product": "UNWIND range(1, 9999) AS a UNWIND range(1, 9999) AS b UNWIND range(1, 99) AS c RETURN sum(c)",
    "list of 10^8": "UNWIND range(1, 100000000) AS x WITH collect(x) AS list RETURN size(list)",
    "10^8 rows": "UNWIND range(1, 100000000) AS x WITH x WHERE x < 0 RETURN count(x)",
    "deep path": "MATCH w = (a:Chunk)-[*1..15]-(b:Chunk) RETURN count(w)",
}
LOOKUP = "MATCH (p:Paper) WHERE p.collection = $collection RETURN p.title AS title LIMIT 1"


async def main() -> None:
    """Measure and write."""
    seconds = environment_number("PAPERGRAPH_BENCH_SECONDS", 30)
    task = read_task(data_folder() / "cranfield")
    queries = [query.text for query in task.queries]
    with evaluated_store(task) as address:
        async with await address.connect() as database:
            figures: dict[str, Any] = {
                "guard": await guard(database, CypherRunner(address, at_once=2, deadline_s=DEADLINE_S))
            }
            keys = [
                (await create_key(database, name=f"researcher {n}", scopes=[KeyScope.ADMIN]))[1]
                for n in range(RESEARCHERS)
            ]
            config = {"PAPERGRAPH_CONFIG": str(CONFIG), "PAPERGRAPH_SERVER_REQUIRE_API_KEY": "true"}
            with server(address, **config) as (url, _):
                await side_by_side(url, queries, keys, (), seconds=5)
                figures["alone"] = await side_by_side(url, queries, keys, (), seconds=seconds)
                figures["beside kind ones"] = await side_by_side(url, queries, keys, KIND, seconds=seconds)
                hostile = tuple(HOSTILE.values())
                figures["beside hostile ones"] = await side_by_side(url, queries, keys, hostile, seconds=seconds)
                figures["hostile, each alone"] = await ends(url, keys[0])
    alone = figures["alone"]["search ms"]["p99"]
    for name in ("beside kind ones", "beside hostile ones"):
        figures[name]["search p99 by that alone"] = round(figures[name]["search ms"]["p99"] / alone, 2)
    write_result("cypher", figures)
    print(json.dumps(figures, indent=1))


async def guard(database: Database, desk: CypherRunner) -> dict[str, Any]:
    """Return milliseconds of a query through the desk and by the driver alone, its plan being kept by Neo4j."""
    principal = everything("benchmark")
    other = Principal("researcher", frozenset({KeyScope.CYPHER}))
    taken: dict[str, list[float]] = {"guarded": [], "guarded, one collection's key": [], "driver": []}
    question = CypherRequest(LOOKUP, {"collection": COLLECTION})
    statement = Statement("look-up", LOOKUP)
    async with desk:
        for _ in range(300):
            start = time.perf_counter()
            await table_for(principal, desk, question)
            between = time.perf_counter()
            await database.read(statement, collection=COLLECTION)
            taken["guarded"].append(1000 * (between - start))
            taken["driver"].append(1000 * ((start := time.perf_counter()) - between))
            await table_for(other, desk, question)
            taken["guarded, one collection's key"].append(1000 * (time.perf_counter() - start))
    found: dict[str, Any] = {name: quantiles(values[100:]) for name, values in taken.items()}
    return found | {"overhead p50": round(found["guarded"]["p50"] - found["driver"]["p50"], 2)}


async def side_by_side(
    url: str, queries: list[str], keys: list[str], texts: tuple[str, ...], *, seconds: float
) -> dict[str, Any]:
    """Return what searchers and researchers waited for, each with what became of it."""
    until = time.perf_counter() + seconds
    searched: list[float] = []
    asked: list[float] = []
    became: Counter[str] = Counter()
    answered: Counter[int] = Counter()

    async def search(number: int) -> None:
        async with httpx.AsyncClient(base_url=url, timeout=60, headers={"X-API-Key": keys[number]}) as client:
            for text in queries[number::SEARCHERS] * 100:
                if (start := time.perf_counter()) > until:
                    return
                answer = await client.post("/v1/search", json={"query": text, "collection": COLLECTION, "k": 5})
                searched.append(1000 * (time.perf_counter() - start))
                became[f"search {answer.status_code}"] += 1

    async def research(number: int) -> None:
        async with httpx.AsyncClient(base_url=url, timeout=90, headers={"X-API-Key": keys[number]}) as client:
            while (start := time.perf_counter()) < until:
                answer = await client.post("/v1/cypher", json={"query": texts[number % len(texts)]})
                asked.append(1000 * (time.perf_counter() - start))
                became[f"cypher {answer.status_code}"] += 1
                answered[number] += 1

    workers = [search(number) for number in range(SEARCHERS)]
    await asyncio.gather(*workers, *(research(number) for number in range(RESEARCHERS) if texts))
    found: dict[str, Any] = {"search ms": quantiles(searched), "became": dict(sorted(became.items()))}
    if texts:
        each = [answered[number] for number in range(RESEARCHERS)]
        found |= {"cypher ms": quantiles(asked), "answers to each researcher": each}
    return found


async def ends(url: str, key: str) -> dict[str, Any]:
    """Return the seconds until each hostile query was answered, whose deadline is two."""
    found: dict[str, Any] = {}
    async with httpx.AsyncClient(base_url=url, timeout=90, headers={"X-API-Key": key}) as client:
        for name, text in HOSTILE.items():
            start = time.perf_counter()
            answer = await client.post("/v1/cypher", json={"query": text, "deadlineMs": 2000})
            found[name] = {"s": round(time.perf_counter() - start, 2), "status": answer.status_code}
    return found


def quantiles(values: list[float]) -> dict[str, float]:
    """Return the number of values, and quantiles of them."""
    return {"n": len(values)} | percentiles(values, (50, 95, 99))


if __name__ == "__main__":
    asyncio.run(main())
