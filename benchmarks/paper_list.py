"""Latency of the first rows of the list of papers, by each order and filter, at 100,000 papers.

Usage: python -m benchmarks.paper_list

Papers without passages are written by Cypher: abstracts of 150 of 20,000 words, 30,000 authors, 500 venues, 40 years,
50 keywords, 5 formats, 4 languages, and tags of 1,000 papers. Each request asks for other words, years or names, so
that its filter is resolved anew. The operation is the file that the page sends
(``web/src/lib/queries/papers.graphql``): 50 rows and the number of all. Its variants take turns. Writes
results/paper_list.json, and ends with status 1 beyond the gate.
"""

import asyncio
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from benchmarks.common import environment_number, kept_store, percentiles, server, write_result
from papergraph.schema.ids import collection_term
from papergraph.statement import Statement
from papergraph.store import Address

N_PAPERS = environment_number("PAPERGRAPH_BENCH_PAPERS", 100_000)
N_REQUESTS = environment_number("PAPERGRAPH_BENCH_QUERIES", 20)
N_WARM_UP = 3
GATE_MS = 300.0
AT_ONCE = 10_000
"""Papers that one request to Neo4j writes."""
WRITING_S = 300.0

COLLECTION = "listed"
QUERY = Path("web/src/lib/queries/papers.graphql").read_text(encoding="utf-8")
COUNT = Statement("bench/count", "MATCH (paper:Paper {collection: $collection}) RETURN count(paper) AS n")
NAMED = Statement(
    "bench/named",
    """UNWIND range(0, 29999) AS i
    CALL (i) {
      MERGE (author:Author {id: 'author-' + i}) SET author.collection = $collection, author.name = 'Author Number ' + i,
        author.key = 'author ' + i, author.aliases = [],
        author.collectionTerm = $term
      FOREACH (_ IN CASE WHEN i < 500 THEN [1] ELSE [] END |
        MERGE (venue:Venue {id: 'venue-' + i})
        SET venue.collection = $collection, venue.name = 'Journal ' + i, venue.names = ['journal ' + i])
    } IN TRANSACTIONS OF 5000 ROWS""",
)
PAPERS = Statement(
    "bench/papers",
    """UNWIND range($first, $last) AS i
    CALL (i) {
      WITH i, (i * 7919) % $n AS j
      CREATE (paper:Paper {
        id: 'paper-' + i, collection: $collection, collectionTerm: $term,
        key: 'file:/' + i, keys: ['file:/' + i], sources: ['/' + i],
        nKeys: 1,
        title: 'Study of subject ' + j + ' by method ' + (i % 997),
        abstract: reduce(said = 'A study of subject ' + j, k IN range(1, 150) |
          said + ' word' + ((j * 31 + k * k * 7) % 20000)),
        year: 1985 + j % 40, categories: ['cs.' + (i % 20)], keywords: ['keyword ' + (i % 50)],
        format: ['pdf', 'latex', 'jats', 'html', 'record'][i % 5], language: ['en', 'de', 'fr', 'es'][i % 4],
        contentHash: toString(i), configHash: 'x', nSections: 0, nChunks: 0, nChars: 0, nPages: 12, notes: [],
        ingestedAt: datetime({epochSeconds: 1700000000 + j})
      })
      WITH paper, i
      MATCH (venue:Venue {id: 'venue-' + (i % 500)})
      CREATE (paper)-[:PUBLISHED_IN {name: venue.name}]->(venue)
      FOREACH (_ IN CASE WHEN i < 1000 THEN [1] ELSE [] END |
        CREATE (paper)-[:HAS_SOURCE]->(:Source {id: 'source-' + i, collection: $collection, name: '/' + i,
          key: 'file:/' + i, kind: 'text', contentHash: toString(i), configHash: 'x'}))
      WITH paper, i
      UNWIND range(0, 2) AS place
      MATCH (author:Author {id: 'author-' + ((i * 3 + place) % 30000)})
      CREATE (author)-[:WROTE {position: place, name: author.name}]->(paper)
    } IN TRANSACTIONS OF 2000 ROWS""",
)
VARIANTS: dict[str, Callable[[int], dict[str, Any]]] = {
    "by title": lambda n: {},
    "newest": lambda n: {"sort": "YEAR"},
    "last added": lambda n: {"sort": "INGESTED"},
    "most cited": lambda n: {"sort": "CITED"},
    "years": lambda n: {"filter": {"years": {"from": 1986 + n, "to": 1988 + n}}},
    "years, newest": lambda n: {"filter": {"years": {"from": 1990 + n, "to": 1993 + n}}, "sort": "YEAR"},
    "author": lambda n: {"filter": {"authors": [f"Author Number {1234 + n}"]}},
    "venue": lambda n: {"filter": {"venues": [f"Journal {77 + n}"]}},
    "keyword": lambda n: {"filter": {"keywords": [f"keyword {7 + n}"]}},
    "format": lambda n: {"filter": {"formats": ["pdf"], "years": {"from": n + 1}}},
    "language": lambda n: {"filter": {"languages": ["de"], "years": {"from": n + 1}}},
    "tag": lambda n: {"filter": {"tags": ["to cite"], "years": {"from": n + 1}}},
    "words": lambda n: {"text": f"subject {4711 + n}"},
    "a word of 750 papers": lambda n: {"text": f"word{10000 + n}"},
    "a word of all papers": lambda n: {"text": "subject " + "study " * (n + 1)},
}
"""Variables of the operation by number of the request."""


async def measure(address: Address) -> dict[str, Any]:
    """Return percentiles of each variant in milliseconds."""
    load = os.getloadavg()[0]
    with server(address) as (url, _):  # it creates the indexes, without which writing takes hours
        async with await address.connect() as database:
            await filled(database)
        async with httpx.AsyncClient(base_url=url, timeout=60.0) as client:
            await tag(client)
            ms = await timed_variants(client)
    return {
        "what": f"one client, {N_REQUESTS} warm requests of each variant in turns, milliseconds",
        "papers": N_PAPERS,
        "loadBefore": round(load, 2),
        **{name: percentiles(times) for name, times in ms.items()},
        "gates": {"p95": GATE_MS},
    }


async def filled(database: Any) -> None:
    """Write the missing papers."""
    (found,) = await database.read(COUNT, collection=COLLECTION)
    if found["n"] < N_PAPERS:
        await database.run_alone(NAMED, collection=COLLECTION, term=collection_term(COLLECTION), deadline_s=WRITING_S)
    for first in range(found["n"], N_PAPERS, AT_ONCE):
        last = min(first + AT_ONCE, N_PAPERS) - 1
        numbers = {"n": N_PAPERS, "first": first, "last": last, "term": collection_term(COLLECTION)}
        await database.run_alone(PAPERS, collection=COLLECTION, **numbers, deadline_s=WRITING_S)


async def tag(client: httpx.AsyncClient) -> None:
    """Tag the first 1,000 papers, 100 at a time."""
    for first in range(0, 1000, 100):
        papers = [f"paper-{number}" for number in range(first, first + 100)]
        body = {"papers": papers, "kind": "tag", "text": "to cite"}
        (await client.post("/v1/annotations", json=body)).raise_for_status()


async def timed_variants(client: httpx.AsyncClient) -> dict[str, list[float]]:
    """Return the times of the warm requests, which take turns."""
    times: dict[str, list[float]] = {name: [] for name in VARIANTS}
    for number in range(N_WARM_UP + N_REQUESTS):
        for name, variant in VARIANTS.items():
            body = {"query": QUERY, "variables": {"collection": COLLECTION, "first": 50, **variant(number)}}
            start = time.perf_counter()
            answer = (await client.post("/graphql", json=body)).json()
            seconds = time.perf_counter() - start
            assert "errors" not in answer and answer["data"]["papers"]["nodes"], (name, answer)
            if number >= N_WARM_UP:
                times[name].append(1000 * seconds)
    return times


if __name__ == "__main__":
    with kept_store("paper_list") as at:
        figures = asyncio.run(measure(at))
    write_result("paper_list", figures)
    sys.exit(int(any(figures[name]["p95"] > GATE_MS for name in VARIANTS)))
