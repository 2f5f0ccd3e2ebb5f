"""Overhead of GraphQL over the bare driver: the same statements, both with the query's embedding, one client.

Usage: python -m benchmarks.graphql_latency

Needs the corpus that ``papergraph eval retrieval $PAPERGRAPH_DATA/scifact`` loads. The server is another process, asked
over HTTP. Both ways take turns, so that what else the machine does falls on both. Writes results/graphql_latency.json.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial

import httpx
from neo4j import AsyncDriver, AsyncGraphDatabase, RoutingControl

from benchmarks.common import data_folder, evaluated_store, percentiles, server, write_result
from papergraph import cypher
from papergraph.embedding import Embedder, load_model
from papergraph.evaluation.task import Task, read_task
from papergraph.schema.ids import DEFAULT_COLLECTION
from papergraph.server.retrieval.lucene import fulltext_query
from papergraph.server.retrieval.scope import SEARCHED_KINDS
from papergraph.store import Address

N_WARM_UP = 50
N_QUERIES = 200
K = 10
N_CANDIDATES = 200
"""Candidates of each retriever, as in the pipeline ``fused``."""

HITS = """
    hits {
      rank score sectionPath
      retrievers { retriever rank score }
      paper { id title }
      section { id title }
      chunk { id text }
      previous { id } next { id }
    }
"""
"""GraphQL fields of each hit on a page of results."""

OPERATION = f"""
query ($query: String!, $k: Int!, $collection: String!) {{
  search(input: {{query: $query, k: $k, collection: $collection, pipeline: "fused"}}) {{{HITS}}}
}}
"""


async def main(address: Address, task: Task) -> None:
    queries = [query.text for query in task.queries]
    embedder = load_model("bge-small-en-v1.5")
    times: dict[str, list[float]] = {"graphql": [], "driver": []}
    with server(address) as (url, _):
        async with (
            httpx.AsyncClient(base_url=url, timeout=30.0) as client,
            AsyncGraphDatabase.driver(address.uri, auth=(address.user, address.password)) as driver,
        ):
            for number, query in enumerate((queries * 2)[: N_WARM_UP + N_QUERIES]):
                graphql_s = await timed(partial(over_graphql, client, query))
                driver_s = await timed(partial(over_driver, driver, embedder, query))
                if number >= N_WARM_UP:
                    times["graphql"].append(1000 * graphql_s)
                    times["driver"].append(1000 * driver_s)
    figures = {name: percentiles(ms, (50, 95, 99), digits=2) for name, ms in times.items()}
    write_result(
        "graphql_latency",
        {
            "what": f"search, k = {K}, one client, {N_QUERIES} warm queries over 5183 abstracts; milliseconds",
            **figures,
            "p50 ratio": round(figures["graphql"]["p50"] / figures["driver"]["p50"], 3),
        },
    )


async def timed(call: Callable[[], Awaitable[None]]) -> float:
    start = time.perf_counter()
    await call()
    return time.perf_counter() - start


async def over_graphql(client: httpx.AsyncClient, query: str) -> None:
    body = {"query": OPERATION, "variables": {"query": query, "k": K, "collection": DEFAULT_COLLECTION}}
    answer = (await client.post("/graphql", json=body)).json()
    assert len(answer["data"]["search"]["hits"]) == K, answer


async def over_driver(driver: AsyncDriver, embedder: Embedder, query: str) -> None:
    vector = embedder.encode_query(query).tolist()
    text = fulltext_query(query, collections=[DEFAULT_COLLECTION], kinds=SEARCHED_KINDS)
    found: list[str] = []
    place = {"collections": [DEFAULT_COLLECTION], "kinds": list(SEARCHED_KINDS)}
    for name, parameters in (
        ("retrieval/vector_top_k", {"query_vector": vector, "model": embedder.card.sha256, "state": "active", **place}),
        ("retrieval/fulltext_top_k", {"fulltext_query": text}),
    ):
        records, _, _ = await driver.execute_query(
            cypher.load(name).text, parameters | {"k": N_CANDIDATES}, routing_=RoutingControl.READ
        )
        found += [record["chunk_id"] for record in records]
    records, _, _ = await driver.execute_query(
        cypher.load("retrieval/passages").text,
        {"chunk_ids": list(dict.fromkeys(found))[:K]},
        routing_=RoutingControl.READ,
    )
    assert len(records) == K


if __name__ == "__main__":
    scifact = read_task(data_folder() / "scifact")
    with evaluated_store(scifact) as address:
        asyncio.run(main(address, scifact))
