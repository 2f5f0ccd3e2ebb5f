"""How long the server takes to refuse queries that are meant to hurt, and how much memory.

Usage: python -m benchmarks.graphql_refusals

The whole application within this process, without a Neo4j: a query that would reach it has failed. Times are the
process's own processor time, which is the latency of a machine that does nothing else. Writes
results/graphql_refusals.json, and ends with status 1 beyond a bar.
"""

import asyncio
import gc
import sys
import time

import httpx
import numpy as np
import psutil
from neo4j import AsyncGraphDatabase

from benchmarks.common import write_result
from papergraph.database import Database
from server.app import create_app
from server.service import Service

N_TIMES = 100
MOST_MS_OF_A_BOMB, MOST_MS, MOST_GROWTH_MB = 50, 200, 20

LEVELS = (
    "papers(first: 30) { nodes { authors { papers(first: 30) { nodes { sections(first: 30) { nodes { id } } } } } } }"
)
PAGES = "papers(first: 100) {{ nodes {{ sections(first: 100) {{ nodes {{ id }} }} }} }}"
DEEP_JSON = b'{"query": "{ __typename }", "variables": ' + b'{"a":' * 100_000 + b"1" + b"}" * 100_001

BOMBS = {
    "literal": "{ " + LEVELS + " }",
    "variables": "query ($n: Int!) { " + LEVELS.replace("30", "$n") + " }",
    "fragments": "{ ...a } fragment a on Query { papers(first: 30) { ...b } }"
    " fragment b on PaperConnection { nodes { ...c } }"
    " fragment c on Paper { authors { papers(first: 30) { nodes { sections(first: 30) { nodes { id } } } } } }",
    "inline fragments": "{ ... on Query { " + LEVELS.replace("{ id }", "{ ... { ... on Node { id } } }") + " } }",
    "aliases": "{ " + " ".join(f"a{n}: {PAGES.format()}" for n in range(15)) + " }",
}


def doubling(n: int) -> str:
    """Return a query over n fragments, each of which spreads the next one twice."""
    fragments = " ".join(f"fragment f{k} on Paper {{ ...f{k + 1} ...f{k + 1} }}" for k in range(n))
    return f"{{ papers {{ nodes {{ ...f0 }} }} }} {fragments} fragment f{n} on Paper {{ id }}"


ABUSE: dict[str, str | bytes] = {
    "circular fragments": "{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }",
    "50 fragments that double each other": doubling(50),
    "180 fragments that double each other": doubling(180),
    "10000 fields": "{ " + " ".join(f"a{n}" for n in range(10_000)) + " }",
    "1900 unknown fields": "{ papers { nodes { " + " ".join(f"a{n}" for n in range(1900)) + " } } }",
    "480 times the same field": "{ papers { nodes { " + "authors { id } " * 480 + "} } }",
    "300 directives": "{ papers { nodes { " + "id @a " * 300 + "} } }",
    "100 aliases": "{ " + " ".join(f"a{n}: __typename" for n in range(100)) + " }",
    "100000 levels of JSON": DEEP_JSON,
    "50 MB": b" " * 50_000_000,
}


async def main() -> int:
    database = Database(AsyncGraphDatabase.driver("bolt://127.0.0.1:1", auth=("neo4j", "x")))
    application = create_app(Service(database, None))  # type: ignore[arg-type]
    transport = httpx.ASGITransport(application)
    async with database, httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        for query in BOMBS.values():
            await refused(client, query)
        gc.collect()
        gc.freeze()  # as the server does
        before = psutil.Process().memory_info().rss
        bombs = {name: await timed(client, query) for name, query in BOMBS.items()}
        growth_mb = (psutil.Process().memory_info().rss - before) / 1e6
        abuse = {name: await timed(client, query) for name, query in ABUSE.items()}
    write_result(
        "graphql_refusals",
        {
            "what": f"{N_TIMES} refusals of each, within one process, milliseconds of processor time",
            "bombs": bombs,
            "abuse": abuse,
            "memory grown by all bombs, MB": round(growth_mb, 1),
            "bars": {"bomb p99": MOST_MS_OF_A_BOMB, "abuse p99": MOST_MS, "MB": MOST_GROWTH_MB},
        },
    )
    slow = [name for name, ms in bombs.items() if ms["p99"] > MOST_MS_OF_A_BOMB]
    slow += [name for name, ms in abuse.items() if ms["p99"] > MOST_MS]
    print("beyond the bar:", ", ".join(slow) or "none")
    return 1 if slow or growth_mb > MOST_GROWTH_MB else 0


async def timed(client: httpx.AsyncClient, query: str | bytes) -> dict[str, float]:
    times = []
    for _ in range(N_TIMES):
        start = time.process_time()
        await refused(client, query)
        times.append(1000 * (time.process_time() - start))
    return {f"p{q}": round(float(np.percentile(times, q)), 1) for q in (50, 99)}


async def refused(client: httpx.AsyncClient, query: str | bytes) -> None:
    headers = {"accept": "application/graphql-response+json", "content-type": "application/json"}
    if isinstance(query, bytes):
        response = await client.post("/graphql", content=query, headers=headers)
    else:
        response = await client.post("/graphql", json={"query": query, "variables": {"n": 30}}, headers=headers)
    assert response.status_code in (400, 413), response.text
    assert response.json()["errors"][0]["extensions"]["code"] in ("QUERY_TOO_COMPLEX", "BAD_USER_INPUT")


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
