"""Behaviour under load: beside the bare driver, for minutes at 80 % of the capacity, and at three times the capacity.

Usage: PAPERGRAPH_DATA=… python -m benchmarks.load [throughput] [mixed] [overload] [processes]
                                                            the first three by default

The store is that of ``python -m benchmarks.filters`` (10,786 abstracts). The server, Neo4j and this process,
which makes the load, share the machine; processor times of server and Neo4j are measured. Writes results/load.json,
and ends with status 1 beyond a gate.

throughput  The same statements by GraphQL (pipeline `fast`, with the query's embedding) and by the bare driver (with
            ready vectors), eight clients that ask one after the other, in turns; the driver also with the files as they
            are written, whose records are not gathered (docs/design/retrieval.md#rows). Queries come again, and the
            server keeps their vectors; their share is measured, and the time of queries that were never asked.
mixed       Searches, pages, nodes and lists at even distances, at 80 % of what eight clients reach with them; for
            PAPERGRAPH_BENCH_SECONDS, 300 by default.
overload    The same at three times what eight clients reach, for 30 s, with /healthz asked ten times a second.
processes   The searches of ``throughput`` by a server of two processes.
"""

import asyncio
import itertools
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import httpx
import numpy as np
import psutil
from neo4j import AsyncDriver, AsyncGraphDatabase, Record, RoutingControl

from benchmarks.common import (
    data_folder,
    earlier_result,
    environment_number,
    home_of_store,
    kept_store,
    percentiles,
    server,
    write_result,
)
from benchmarks.filters import TASKS, loaded
from benchmarks.graphql_latency import HITS
from papergraph import local_neo4j
from papergraph.database import Database
from papergraph.embedding import load_model
from papergraph.evaluation.task import read_task
from papergraph.server.retrieval.request import SearchRequest
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.search import search
from papergraph.statement import Statement
from papergraph.store import Address

N_CLIENTS = 8
N_RECORDED = 100
"""Queries whose statements are recorded for the bare driver."""
ROUNDS, ROUND_S = 5, environment_number("PAPERGRAPH_BENCH_ROUND_SECONDS", 8)
MIXED_S = environment_number("PAPERGRAPH_BENCH_SECONDS", 300)
OVERLOAD_S = 30
MOST_OPEN = 2000
"""Requests that the generator has open at once; more would be counted as not sent."""
N_POOLS = 16
"""Pools of connections; httpx looks through all connections of a pool for each request."""
K = 10
TAILS = (50, 95, 99)
GATES: Mapping[str, tuple[tuple[str, ...], Callable[[float], bool]]] = {
    "throughput over the bare driver >= .5": (("throughput", "ratio"), lambda ratio: ratio >= 0.5),
    "processor time of the server for a search <= 12 ms": (
        ("throughput", "graphql", "processor ms per answer", "server"),
        lambda ms: ms <= 12,
    ),
    "mixed: no errors": (("mixed", "errors"), lambda n: n == 0),
    "mixed: p99 <= 5 x p50": (("mixed", "p99 over p50"), lambda ratio: ratio <= 5),
    "mixed: memory within 5 %": (("mixed", "memory, last fifth over second"), lambda ratio: ratio <= 1.05),
    "overload: 200, 429 or 503": (("overload", "other statuses"), lambda n: n == 0),
    "overload: with Retry-After": (("overload", "refusals without Retry-After"), lambda n: n == 0),
    "overload: /healthz p95 <= 50 ms": (("overload", "/healthz", "p95"), lambda ms: ms <= 50),
    "overload: as before within 5 s": (("overload", "seconds until as before"), lambda seconds: seconds <= 5),
}
"""Gates by description: path of the figure in the results, and the condition that it meets."""
IDS = Statement("benchmark/load", "CYPHER 25 MATCH (paper:Paper) RETURN paper.id AS id ORDER BY id LIMIT 2000")

SEARCH = f"""
query ($query: String!, $pipeline: String!, $selection: SelectionInput) {{
  search(input: {{query: $query, k: 10, pipeline: $pipeline, selection: $selection}}) {{{HITS}}}
}}
"""
PAGE = """
query ($after: String) {
  papers(first: 20, after: $after) { nodes { id title authors { name } } pageInfo { endCursor } }
}
"""
NODE = """
query ($id: ID!) {
  node(id: $id) {
    ... on Paper { title sections(first: 10) { nodes { title } } chunks(first: 5) { nodes { text } } }
  }
}
"""
LISTS = "{ entities(first: 20) { nodes { name } } clusters(first: 20) { nodes { name } } collections { name } }"

PARTS = ("throughput", "saturation", "mixed", "overload", "processes")
N_PROCESSES = 2
VECTORS = re.compile(r'papergraph_query_vectors_total\{outcome="(\w+)"\} (\S+)')
Ask = Callable[[], Coroutine[Any, Any, int]]


@dataclass
class Load:
    """Requests of an interval, and their outcomes.

    Attributes:
        seconds: How long it took.
        ms: Time of each answer of status 200.
        statuses: How many had which status; 0 for none at all.
        without_pause: Refusals without ``Retry-After``.
        processor_s: What each process took.
    """

    seconds: float = 0.0
    ms: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    without_pause: int = 0
    processor_s: dict[str, float] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        """Answers of status 200 for each second."""
        return len(self.ms) / self.seconds

    def percentile(self, q: float) -> float:
        """Return a percentile of the times, in milliseconds."""
        return round(float(np.percentile(self.ms, q)), 1)

    def add(self, other: "Load") -> None:
        """Count another while in."""
        self.seconds += other.seconds
        self.ms += other.ms
        self.statuses += other.statuses
        for name, seconds in other.processor_s.items():
            self.processor_s[name] = self.processor_s.get(name, 0.0) + seconds

    def shown(self) -> dict[str, Any]:
        """Return it for the results."""
        n = max(len(self.ms), 1)
        return {
            "per second": round(self.rate, 1),
            **percentiles(self.ms, TAILS),
            "statuses": {str(status): n for status, n in sorted(self.statuses.items())},
            "processor ms per answer": {name: round(1000 * s / n, 2) for name, s in self.processor_s.items()},
        }


class Parts:
    """The processes whose time is taken, with their children."""

    def __init__(self, **processes: psutil.Process) -> None:
        self._processes = processes

    def taken(self) -> dict[str, float]:
        """Return the processor time that each has taken until now, in seconds."""
        return {
            name: sum(map(_processor_s, (process, *process.children()))) for name, process in self._processes.items()
        }

    def since(self, before: Mapping[str, float]) -> dict[str, float]:
        """Return what each has taken since."""
        return {name: seconds - before[name] for name, seconds in self.taken().items()}


def _processor_s(process: psutil.Process) -> float:
    return float(sum(process.cpu_times()[:2]))


class Recording(Database):
    """Keeps what is asked of Neo4j."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.asked: list[tuple[Statement, dict[str, Any]]] = []

    async def _run_alone(self, statement: Statement, parameters: dict[str, Any], **how: Any) -> list[Record]:
        """Keep the statement and do it."""
        self.asked.append((statement, parameters))
        return await super()._run_alone(statement, parameters, **how)


class Asking:
    """GraphQL queries of the clients."""

    def __init__(self, clients: Sequence[httpx.AsyncClient], queries: Sequence[str], paper_ids: Sequence[str]) -> None:
        self._clients, self._queries, self._ids = itertools.cycle(clients), queries, paper_ids
        self._drawn = random.Random(0)  # noqa: S311 the same load each time
        self._load = Load()
        self._n_new = 0

    async def post(self, query: str, variables: Mapping[str, Any]) -> int:
        """Ask, and count what comes."""
        start = time.perf_counter()
        status = 0
        try:
            answer = await next(self._clients).post("/graphql", json={"query": query, "variables": variables})
            status = answer.status_code
            if status == 200 and b'"errors"' in answer.content:
                status = 1
            if status in (429, 503) and "Retry-After" not in answer.headers:
                self._load.without_pause += 1
        except httpx.HTTPError:
            pass
        self._load.statuses[status] += 1
        if status == 200:
            self._load.ms.append(1000 * (time.perf_counter() - start))
        return status

    async def fast(self) -> int:
        """Search as the bare driver does."""
        return await self.post(SEARCH, {"query": self._drawn.choice(self._queries), "pipeline": "fast"})

    async def new(self) -> int:
        """Search for what was never asked."""
        self._n_new += 1
        query = f"{self._drawn.choice(self._queries)} {self._n_new}"
        return await self.post(SEARCH, {"query": query, "pipeline": "fast"})

    async def vectors(self) -> dict[str, float]:
        """Return how many vectors of queries the server has kept and made until now."""
        told = (await next(self._clients).get("/metrics")).text
        return {outcome: float(n) for outcome, n in VECTORS.findall(told)}

    async def mixed(self) -> int:
        """Ask what a page of a frontend asks: mostly searches."""
        query, paper_id = self._drawn.choice(self._queries), self._drawn.choice(self._ids)
        kind = self._drawn.random()
        if kind < 0.4:
            return await self.post(SEARCH, {"query": query, "pipeline": "fast"})
        if kind < 0.55:
            return await self.post(SEARCH, {"query": query, "pipeline": "default"})
        if kind < 0.6:
            selection = {"k": K, "alpha": 0.7}
            return await self.post(SEARCH, {"query": query, "pipeline": "default", "selection": selection})
        if kind < 0.75:
            return await self.post(PAGE, {"after": None})
        if kind < 0.9:
            return await self.post(NODE, {"id": paper_id})
        return await self.post(LISTS, {})

    def taken(self) -> Load:
        """Return what was counted since the last time."""
        load, self._load = self._load, Load()
        return load


async def in_a_circle(ask: Ask, seconds: float) -> float:
    """Have each of eight clients ask again as soon as it is answered; return how long that took."""
    start = time.monotonic()

    async def client() -> None:
        while time.monotonic() - start < seconds:
            await ask()

    await asyncio.gather(*(client() for _ in range(N_CLIENTS)))
    return time.monotonic() - start


async def at_a_rate(ask: Ask, per_second: float, seconds: float, *, each_second: Callable[[], None]) -> float:
    """Ask at even distances whatever is still open; return how long until the last answer."""
    start = time.monotonic()
    open_ones: set[asyncio.Task[int]] = set()
    said = 0
    for number in range(int(per_second * seconds)):
        due = start + number / per_second
        if (pause := due - time.monotonic()) > 0:
            await asyncio.sleep(pause)
        if number / per_second >= said:
            each_second()
            said += 1
        if len(open_ones) < MOST_OPEN:
            task = asyncio.create_task(ask())
            open_ones.add(task)
            task.add_done_callback(open_ones.discard)
    await asyncio.gather(*open_ones)
    return time.monotonic() - start


async def counted(asking: Asking, parts: Parts, asked: Awaitable[float]) -> Load:
    """Return what a while of load came to."""
    asking.taken()
    before = parts.taken()
    seconds = await asked
    load = asking.taken()
    load.seconds, load.processor_s = seconds, parts.since(before)
    return load


async def throughput(asking: Asking, parts: Parts, driver: AsyncDriver, recorded: Sequence[Any]) -> dict[str, Any]:
    """Return answers per second by GraphQL and by the bare driver, in turns.

    The driver sends the same statements, and then the files as they are written, whose records come one by one.
    """
    drawn, bare_ms = random.Random(1), []  # noqa: S311

    async def bare(as_written: bool) -> int:
        start = time.perf_counter()
        for statement, parameters in drawn.choice(recorded):
            text = statement.text if as_written else statement.sent
            await driver.execute_query(text, parameters, routing_=RoutingControl.READ)
        bare_ms.append(1000 * (time.perf_counter() - start))
        return 200

    by_graphql, by_driver, as_written, new = Load(), Load(), Load(), Load()
    ways = ((by_driver, partial(bare, False)), (as_written, partial(bare, True)))
    await in_a_circle(asking.fast, 3)
    for _, ask in ways:
        await in_a_circle(ask, 3)
    kept, made = 0.0, 0.0
    for _ in range(ROUNDS):
        before_it = await asking.vectors()
        by_graphql.add(await counted(asking, parts, in_a_circle(asking.fast, ROUND_S)))
        after_it = await asking.vectors()
        kept += after_it.get("kept", 0.0) - before_it.get("kept", 0.0)
        made += after_it.get("made", 0.0) - before_it.get("made", 0.0)
        new.add(await counted(asking, parts, in_a_circle(asking.new, ROUND_S)))
        for load, ask in ways:
            before, bare_ms = parts.taken(), []
            seconds = await in_a_circle(ask, ROUND_S)
            load.add(Load(seconds, bare_ms, Counter({200: len(bare_ms)}), 0, parts.since(before)))
    return {
        "what": f"pipeline fast, k = {K}, {N_CLIENTS} clients, {ROUNDS} times {ROUND_S} s each way; milliseconds",
        "statements per search": round(float(np.mean([len(one) for one in recorded])), 2),
        "graphql": by_graphql.shown(),
        "share of query vectors that were kept": round(kept / max(kept + made, 1.0), 3),
        "graphql, queries never asked": new.shown(),
        "bare driver": by_driver.shown(),
        "bare driver, files as written": as_written.shown(),
        "ratio": round(by_graphql.rate / by_driver.rate, 3),
        "ratio of queries never asked": round(new.rate / by_driver.rate, 3),
        "ratio to files as written": round(by_graphql.rate / as_written.rate, 3),
    }


async def by_processes(address: Address, neo4j: psutil.Process, queries: Sequence[str]) -> dict[str, Any]:
    """Return searches per second by a server of several processes."""
    with server(address, PAPERGRAPH_SERVER_PROCESSES=str(N_PROCESSES)) as (url, serving):
        async with httpx.AsyncClient(base_url=url, timeout=30.0) as client:
            asking, load = Asking([client], queries, []), Load()
            parts = Parts(server=serving, neo4j=neo4j)
            await in_a_circle(asking.fast, 10)
            for _ in range(ROUNDS):
                load.add(await counted(asking, parts, in_a_circle(asking.fast, ROUND_S)))
    return {"what": f"pipeline fast, {N_PROCESSES} processes, {N_CLIENTS} clients; milliseconds", **load.shown()}


async def mixed(asking: Asking, parts: Parts, serving: psutil.Process, saturation: float) -> dict[str, Any]:
    """Return what minutes of load at 80 % of saturation came to."""
    memory: list[int] = []
    load = await counted(
        asking,
        parts,
        at_a_rate(
            asking.mixed, 0.8 * saturation, MIXED_S, each_second=lambda: memory.append(serving.memory_info().rss)
        ),
    )
    fifths = [float(np.median(fifth)) / 2**20 for fifth in np.array_split(memory, 5)]
    return {
        "what": f"searches, pages, nodes and lists at even distances for {MIXED_S} s; milliseconds",
        "asked per second": round(0.8 * saturation, 1),
        **load.shown(),
        "errors": sum(n for status, n in load.statuses.items() if status != 200),
        "p99 over p50": round(load.percentile(99) / load.percentile(50), 2),
        "memory in MiB over fifths": [round(mib) for mib in fifths],
        "memory, last fifth over second": round(fifths[4] / fifths[1], 3),
    }


async def overload(asking: Asking, parts: Parts, url: str, saturation: float) -> dict[str, Any]:
    """Return what load beyond all measure came to, whether probes were answered, and how soon it was over."""
    alone = await counted(asking, parts, one_after_the_other(asking.fast, 30))
    alive_ms: list[float] = []
    async with httpx.AsyncClient(base_url=url, timeout=30.0) as probe:
        probing = asyncio.create_task(probed(probe, alive_ms))
        load = await counted(
            asking, parts, at_a_rate(asking.mixed, 3 * saturation, OVERLOAD_S, each_second=lambda: None)
        )
        probing.cancel()
    over = time.monotonic()
    while time.monotonic() - over < 30:
        after = await counted(asking, parts, one_after_the_other(asking.fast, 5))
        if after.statuses == Counter({200: 5}) and after.percentile(50) <= 2 * alone.percentile(50):
            break
    return {
        "what": f"the same at three times saturation for {OVERLOAD_S} s; milliseconds",
        "asked per second": round(3 * saturation, 1),
        **load.shown(),
        "other statuses": sum(n for status, n in load.statuses.items() if status not in (200, 429, 503)),
        "refusals without Retry-After": load.without_pause,
        "/healthz": percentiles(alive_ms, TAILS),
        "seconds until as before": round(time.monotonic() - over, 1),
    }


async def one_after_the_other(ask: Ask, n: int) -> float:
    start = time.monotonic()
    for _ in range(n):
        await ask()
    return time.monotonic() - start


async def probed(client: httpx.AsyncClient, ms: list[float]) -> None:
    while True:
        start = time.perf_counter()
        (await client.get("/healthz")).raise_for_status()
        ms.append(1000 * (time.perf_counter() - start))
        await asyncio.sleep(max(0.0, 0.1 - (time.perf_counter() - start)))


async def recorded_searches(address: Address, queries: Sequence[str]) -> list[list[tuple[Statement, dict[str, Any]]]]:
    """Return the statements that each search by ``fast`` asks."""
    async with await Recording.connect(address.uri, user=address.user, password=address.password) as database:
        resources = Resources.of(database, load_model("bge-small-en-v1.5"))
        found = []
        for query in queries[:N_RECORDED]:
            database.asked = []
            await search(resources, SearchRequest(query, pipeline="fast", k=K))
            found.append(database.asked)
    return found


async def measure(address: Address, neo4j: psutil.Process, chosen: Sequence[str]) -> dict[str, Any]:
    """Return the figures of the parts that were chosen."""
    tasks = [read_task(data_folder() / name) for name in TASKS]
    queries = [query.text for task in tasks[:2] for query in task.queries]
    async with await address.connect() as database:
        await loaded(database, tasks)
        paper_ids = [record["id"] for record in await database.read(IDS)]
    recorded = await recorded_searches(address, queries) if "throughput" in chosen else []
    figures: dict[str, Any] = {}
    room = httpx.Limits(max_connections=None, max_keepalive_connections=256)
    unlimited = {"PAPERGRAPH_LIMITS_COST_PER_MINUTE": "0", "PAPERGRAPH_LIMITS_REQUESTS_PER_MINUTE": "0"}
    with server(address, **unlimited) as (url, serving):
        async with (
            AsyncExitStack() as stack,
            AsyncGraphDatabase.driver(address.uri, auth=(address.user, address.password)) as driver,
        ):
            clients = [httpx.AsyncClient(base_url=url, timeout=30.0, limits=room) for _ in range(N_POOLS)]
            for client in clients:
                await stack.enter_async_context(client)
            parts = Parts(server=serving, neo4j=neo4j)
            asking = Asking(clients, queries, paper_ids)
            if "throughput" in chosen:
                figures["throughput"] = await throughput(asking, parts, driver, recorded)
                print(json.dumps(figures["throughput"], indent=2), flush=True)
            if {"mixed", "overload"} & {*chosen}:
                await in_a_circle(asking.mixed, 10)
                reached = await counted(asking, parts, in_a_circle(asking.mixed, 20))
                figures["saturation"] = {"what": f"the mixture, {N_CLIENTS} clients", **reached.shown()}
                print(json.dumps(figures["saturation"], indent=2), flush=True)
            if "mixed" in chosen:
                figures["mixed"] = await mixed(asking, parts, serving, reached.rate)
                print(json.dumps(figures["mixed"], indent=2), flush=True)
            if "overload" in chosen:
                figures["overload"] = await overload(asking, parts, url, reached.rate)
    if "processes" in chosen:
        figures["processes"] = await by_processes(address, neo4j, queries)
    return figures


def gates(figures: Mapping[str, Any]) -> dict[str, bool]:
    """Return for each gate whose part was measured whether it is met."""
    met = {}
    for name, (path, is_met) in GATES.items():
        found: Any = figures
        for key in path:
            found = found.get(key, {})
        if found != {}:
            met[name] = is_met(found)
    return met


def main(chosen: Sequence[str]) -> int:
    """Measure, write the results, and return 1 beyond a gate."""
    chosen = chosen or ("throughput", "mixed", "overload")
    with kept_store("filters") as address:
        neo4j = psutil.Process(local_neo4j.status(home_of_store("filters")).pid)
        figures = asyncio.run(measure(address, neo4j, chosen))
    figures = {name: part for name, part in (earlier_result("load") | figures).items() if name in PARTS}
    met = gates(figures)
    write_result("load", {**figures, "gates": met})
    print("beyond the gate:", ", ".join(name for name, is_met in met.items() if not is_met) or "none")
    return 0 if all(met.values()) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
