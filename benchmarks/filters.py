"""Cost and recall of filters: each retriever and a whole search, with filters that pass 50 to 0.1 %.

Usage: python -m benchmarks.filters

The abstracts of SciFact, Cranfield and CSFCube are papers of one collection, a chunk each, in a store that is kept for
the next time; categories that half, a tenth, a hundredth and a thousandth of them have, and one to four of 4,000
authors, are drawn (seed 0). Queries are SciFact's and Cranfield's. With and without a filter take turns, so that what
else the machine does falls on both. A filter is resolved again for each query, without the cache of earlier ones.
"""

import asyncio
import itertools
import json
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import data_folder, environment_number, home_of_store, kept_store, percentiles, write_result
from benchmarks.corpora import remembering_embedder
from papergraph.database import Database
from papergraph.embedding import load_model
from papergraph.evaluation.corpus_store import WHOLE_RECORD
from papergraph.evaluation.task import Task, read_task
from papergraph.ingest.ingestor import Ingestor, JobSettings
from papergraph.schema.migrate import prepare
from papergraph.server.retrieval.active_model import ActiveModel
from papergraph.server.retrieval.candidates import Candidate
from papergraph.server.retrieval.filters import Filter, parse_filter, resolve
from papergraph.server.retrieval.request import SearchRequest
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.retrievers.fulltext import retrieve_by_fulltext
from papergraph.server.retrieval.retrievers.vector import retrieve_by_vector
from papergraph.server.retrieval.scope import Scope
from papergraph.server.retrieval.search import search
from papergraph.statement import Statement
from papergraph.store import Address

TASKS = ("scifact", "cranfield", "csfcube")
SHARES = {"half": 0.5, "tenth": 0.1, "hundredth": 0.01, "thousandth": 0.001}
N_SURNAMES, FIRST_YEAR, LAST_YEAR = 4000, 1990, 2024
N_WARM_UP = 5
N_QUERIES = environment_number("PAPERGRAPH_BENCH_QUERIES", 40)
N_AUTHORS = 100
K, K_MEASURED, GATE_RATIO, GATE_RECALL = 200, 10, 1.1, 0.99
WAYS = ("vector", "fulltext", "search", "searchNewFilter")
AUTHORS = Statement(
    "benchmark/authors",
    "CYPHER 25 MATCH (author:Author)-[:WROTE]->() WITH author.name AS name, count(*) AS n WHERE n = 1 "
    "RETURN name ORDER BY name LIMIT $n",
)
NUMBERS = itertools.count()
IDS = Statement("benchmark/ids", "CYPHER 25 MATCH (paper:Paper) RETURN paper.id AS id")


def main() -> None:
    with kept_store("filters") as address:
        write_result("filters", asyncio.run(measure(address)))


async def measure(address: Address) -> dict[str, Any]:
    tasks = [read_task(data_folder() / name) for name in TASKS]
    async with await address.connect() as database:
        n_papers = await loaded(database, tasks)
        model = ActiveModel(load_model("bge-small-en-v1.5"))
        queries = [query.text for task in tasks[:2] for query in task.queries]
        np.random.default_rng(0).shuffle(queries)
        names = [record["name"] for record in await database.read(AUTHORS, n=N_AUTHORS)]
        filters: dict[str, Filter] = {share: parse_filter({"categories": [share]}) for share in SHARES}
        filters["all but a tenth"] = parse_filter({"not": {"categories": ["tenth"]}})
        filters["another subject"] = parse_filter({"categories": ["csfcube"]})
        filters[f"{N_AUTHORS} authors"] = parse_filter({"authors": names})
        filters["1 author"] = parse_filter({"authors": names[:1]})
        asking = Asking(database, model, queries[: N_WARM_UP + N_QUERIES])
        figures = {name: await asking.figures(filter) for name, filter in filters.items()}
    return {
        "what": f"{n_papers} abstracts, {N_QUERIES} warm queries, {K} candidates of each retriever; milliseconds",
        "filters": figures,
        "gates": {
            "p50 over that without a filter": {
                "limit": GATE_RATIO,
                **{way: max(one[way]["ratio"] for one in figures.values()) for way in WAYS},
            },
            f"recall@{K_MEASURED} against exact": {
                "limit": GATE_RECALL,
                "worst": min(one["recall"] for one in figures.values()),
            },
        },
    }


class Asking:
    """The same queries with a filter and without, in turns."""

    def __init__(self, database: Database, model: ActiveModel, queries: list[str]) -> None:
        self._database, self._model, self._queries = database, model, queries
        self._resources = Resources.of(database, model)

    async def figures(self, filter: Filter) -> dict[str, Any]:
        applied = await resolve(self._database, filter, ("main",))
        scope = Scope.filtered(("main",), applied.passing)
        every = tuple(record["id"] for record in await self._database.read(IDS))
        passing = tuple(id for id in every if applied.passing.papers is None or id in applied.passing.papers)
        recalls, fewer = [], 0
        for query in self._queries[:N_QUERIES]:
            found = (await self._vector(query, scope))[:K_MEASURED]
            exact = (await self._vector(query, Scope(("main",), paper_ids=passing)))[:K_MEASURED]
            recalls.append(len({*ids(found)} & {*ids(exact)}) / len(exact))
            fewer += len(found) < min(K_MEASURED, len(passing))
        whole = Scope(("main",))
        ways: dict[str, tuple[Callable[[str], Awaitable[Any]], Callable[[str], Awaitable[Any]]]] = {
            "vector": (lambda query: self._vector(query, scope), lambda query: self._vector(query, whole)),
            "fulltext": (lambda query: self._fulltext(query, scope), lambda query: self._fulltext(query, whole)),
            "search": (lambda query: self._search(query, filter), lambda query: self._search(query, None)),
            "searchNewFilter": (
                lambda query: self._search(query, never_asked(filter)),
                lambda query: self._search(query, None),
            ),
        }
        figures: dict[str, Any] = {
            "filter": str(applied.passing),
            "papers": len(passing),
            "recall": round(float(np.mean(recalls)), 4),
            "queriesWithFewer": fewer,
            "resolveP50": percentiles(
                [await timed(resolve, self._database, never_asked(filter), "main") for _ in range(20)]
            )["p50"],
        }
        for name, (filtered, plain) in ways.items():
            figures[name] = await self._in_turns(filtered, plain)
        print(json.dumps({"filter": str(filter), **figures}), flush=True)
        return figures

    async def _in_turns(
        self, filtered: Callable[[str], Awaitable[Any]], plain: Callable[[str], Awaitable[Any]]
    ) -> dict[str, float]:
        times: dict[str, list[float]] = {"with": [], "without": []}
        for number, query in enumerate(self._queries):
            both = [("with", filtered), ("without", plain)]
            for name, ask in both if number % 2 else both[::-1]:
                ms = await timed(ask, query)
                if number >= N_WARM_UP:
                    times[name].append(ms)
        with_, without = percentiles(times["with"]), percentiles(times["without"])
        return {
            "p50": with_["p50"],
            "p95": with_["p95"],
            "p50Without": without["p50"],
            "p95Without": without["p95"],
            "ratio": round(with_["p50"] / without["p50"], 2),
        }

    async def _vector(self, query: str, scope: Scope) -> list[Candidate]:
        return await retrieve_by_vector(self._database, self._model, query, scope, k=K)

    async def _fulltext(self, query: str, scope: Scope) -> list[Candidate]:
        return await retrieve_by_fulltext(self._database, query, scope, k=K)

    async def _search(self, query: str, filter: Filter | None) -> None:
        model = ActiveModel(self._model.searched.embedder)  # which has not seen the query yet
        found = await search(
            replace(self._resources, model=model), SearchRequest(query, pipeline="fused", k=K_MEASURED, filter=filter)
        )
        assert found.hits or filter is not None


def never_asked(filter: Filter) -> Filter:
    """Return a filter that lets the same pass and that nothing is known of yet."""
    return parse_filter({"all": [filter.data(), {"not": {"papers": [f"none {next(NUMBERS)}"]}}]})


async def loaded(database: Database, tasks: list[Task]) -> int:
    """Bring the abstracts into the store if they are not all there, and return how many papers it holds."""
    embedder = remembering_embedder()
    await prepare(database, embedder.card)
    if len(await database.read(IDS)) < sum(1 for _ in records(tasks)):
        file = home_of_store("filters") / "papers.jsonl"
        await asyncio.to_thread(write_records, file, tasks)
        await Ingestor(database, embedder).ingest([file], settings=JobSettings(WHOLE_RECORD))
    return len(await database.read(IDS))


def write_records(file: Path, tasks: list[Task]) -> None:
    file.write_text("".join(json.dumps(record) + "\n" for record in records(tasks)), encoding="utf-8")


def records(tasks: list[Task]) -> Iterator[dict[str, Any]]:
    drawn = np.random.default_rng(0)
    letters = drawn.integers(97, 123, size=(N_SURNAMES, 8), dtype=np.uint8)
    surnames = [bytes(row).decode().capitalize() for row in letters]
    for task in tasks:
        for document in task.documents:
            title, _, text = document.file_text.partition("\n")
            if title.strip():
                shares = [name for name, share in SHARES.items() if drawn.random() < share]
                places = np.minimum(drawn.zipf(1.5, size=drawn.integers(1, 5)), N_SURNAMES) - 1
                yield {
                    "id": f"{task.name}-{document.id}",
                    "title": title[:300],
                    "abstract": text.strip() or title,
                    "authors": [f"Ada {surnames[place]}" for place in dict.fromkeys(places.tolist())],
                    "year": int(drawn.integers(FIRST_YEAR, LAST_YEAR + 1)),
                    "categories": [task.name, *shares],
                }


async def timed(ask: Callable[..., Awaitable[Any]], *arguments: Any) -> float:
    start = time.perf_counter()
    await ask(*arguments)
    return 1000 * (time.perf_counter() - start)


def ids(candidates: list[Candidate]) -> list[str]:
    return [candidate.chunk_id for candidate in candidates]


if __name__ == "__main__":
    main()
