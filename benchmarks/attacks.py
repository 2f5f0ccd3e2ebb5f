"""Attacks on a server that requires keys, on loopback, each for half a minute, and what other keys notice of them.

Part ``attacks`` of ``python -m benchmarks.hostile``. F1 to F5 are the findings of an audit that they are from.

F1  LaTeX of 900 kB that took hours in the server, as uploads and jobs of a key with ``ingest``
F2  Cypher of a few hundred characters that the planner did not come back from, by a key with ``cypher``
F3  Cypher that ends Neo4j by its memory, by the same key; and Neo4j of store and replica killed, as such a query would
F4  200 WebSockets without a key from three addresses, opened again as soon as they are closed
F5  text of 800 kB that stopped the worker, as uploads and jobs of a key with ``ingest``
"""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.typing import Subprotocol

from benchmarks.common import percentiles
from papergraph import local_neo4j
from papergraph.schema.checksum import graph_checksum
from papergraph.server.auth.access import KeyScope
from papergraph.server.auth.keys import create_key
from papergraph.settings import Settings
from papergraph.store import Address

COMMAND = str(Path(sys.executable).parent / "papergraph")
ATTACK_S, AFTER_S, NORMAL_S = 25.0, 8.0, 25.0
SEARCH_EVERY_S, HEALTH_EVERY_S = 0.25, 0.1
READY_S, JOB_S = 240.0, 180.0
N_SOCKETS = 200
ADDRESSES = ("127.0.0.1", "127.0.0.2", "127.0.0.3")
SEARCH = 'query ($query: String!) { search(input: {query: $query, pipeline: "fused", k: 10}) { hits { rank } } }'
WORDS = ("surface code", "annealing schedule", "graph of qubits", "logical error", "tabu search", "decoder", "noise")

HEAD = "\\documentclass{article}\n\\begin{document}\nHello\n"
TEX = [
    HEAD + "\\iffalse " * 100_000,
    HEAD + "\\begin{verbatim} " * 50_000,
    HEAD + "\\begin{comment} " * 50_000,
    HEAD + "\\begin{lstlisting} " * 50_000,
]
TEXT = ["Title\n\na" + " " * 400_000 + "b\n\n" + " " * 400_000]
PLANNER = [
    "MATCH (p:Paper) WHERE " + " XOR ".join(f"p.a{n}=1" for n in range(30)) + " RETURN p.id",
    "RETURN " + "+".join(["1"] * 2000) + " AS n",
    "RETURN " + "NOT " * 2000 + "true AS n",
    "MATCH (m:Paper) RETURN m" + ".a" * 2000 + " AS n",
    " UNION ".join(["RETURN 1 AS n"] * 900),
    "MATCH " + ", ".join(f"(a{n}:Paper)-[:CITES]->(b{n}:Paper)" for n in range(60)) + " RETURN count(*) AS n",
    "RETURN 1 AS n" + " NEXT RETURN n" * 900,
    "WITH 1 AS x " + "WITH x + x AS x " * 60 + "RETURN x",
]
HEAP: list[tuple[str, dict[str, Any]]] = [
    (
        "RETURN size([x IN $l | replace($s,'x',$s)+toString(x)]) AS n",
        {"s": "x" * 14_000, "l": list(range(200))},
    ),
    ("RETURN size(replace($s, 'x', $s)) AS n", {"s": "x" * 14_000}),
    ("WITH $s AS s " + "WITH s + s AS s " * 40 + "RETURN size(s) AS n", {"s": "x" * 14_000}),
    ("RETURN size([x IN range(1, 300000000) | x]) AS n", {}),
    ("RETURN size(reduce(a = [1], x IN range(1, 40) | a + a)) AS n", {}),
    ("UNWIND range(1, 1000000000) AS x RETURN collect(x) AS n", {}),
]

Attack = Callable[[str, Mapping[str, str]], Coroutine[Any, Any, dict[str, int]]]
"""Attacks a server by its address with keys by their names, and returns what it answered and how often."""

GATES: Mapping[str, Callable[[Mapping[str, Any]], bool]] = {
    "/healthz p95 < 50 ms": lambda told: told["/healthz ms"]["p95"] < 50,
    "searches of another key without errors": lambda told: told["search errors"] == {},
    "their p99 at most 5 times the normal one": lambda told: told["search ms"]["p99"] <= 5 * told["normal p99 ms"],
    "the job of another key completes": lambda told: told["job"] == "done",
}
AFTER_A_KILL: Mapping[str, Callable[[Mapping[str, Any]], bool]] = {
    "ready again within 30 s": lambda told: told["s until ready again"] <= 30,
    "checksum unchanged": lambda told: told["checksum unchanged"],
}


def client_of(url: str, key: str | None) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=url, headers={"X-API-Key": key} if key else {}, timeout=60)


class Attacked:
    """A server, a worker, and the clients that are measured beside an attack."""

    def __init__(self, url: str, keys: Mapping[str, str], address: Address, home: Path) -> None:
        self.url, self.keys, self.address, self.home = url, keys, address, home
        self.n_jobs = 0

    def client(self, key: str | None) -> httpx.AsyncClient:
        return client_of(self.url, self.keys[key] if key else None)

    async def measured(self, attack: str | None) -> dict[str, Any]:
        """Run an attack by its name, and return what other keys noticed of it meanwhile and shortly after."""
        healthy: list[float] = []
        times: list[float] = []
        errors: Counter[str] = Counter()
        async with self.client("reader") as reader, self.client(None) as prober, self.client("ingester") as other:
            watching = [
                asyncio.create_task(_repeat(lambda: _healthz(prober, healthy), HEALTH_EVERY_S)),
                asyncio.create_task(_repeat(lambda: _search(reader, times, errors), SEARCH_EVERY_S)),
            ]
            try:
                start = time.monotonic()
                bringing = asyncio.create_task(self._ingest(other)) if attack else None
                answers = await asyncio.to_thread(self._attacked_by, attack) if attack else await _rest(NORMAL_S)
                await asyncio.sleep(AFTER_S if attack else 0)
                job = await bringing if bringing else ("none", 0.0)
            finally:
                for task in watching:
                    task.cancel()
                await asyncio.gather(*watching, return_exceptions=True)
        return {
            "answers to the attacker": answers,
            "/healthz ms": percentiles(healthy, (50, 95, 99)),
            "search ms": percentiles(times, (50, 95, 99)),
            "searches": len(times),
            "search errors": dict(errors),
            "job": job[0],
            "job s": round(job[1], 1),
            "s": round(time.monotonic() - start, 1),
        }

    def _attacked_by(self, attack: str) -> dict[str, int]:
        """Attack from a process of its own, which waits for the server and those who measure as one elsewhere would."""
        with ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=os.nice, initargs=(10,)) as elsewhere:
            return elsewhere.submit(_attack, attack, self.url, self.keys).result()

    async def _ingest(self, client: httpx.AsyncClient) -> tuple[str, float]:
        """Have a small paper ingested, and return how the job ended and how long it took."""
        self.n_jobs += 1
        start = time.monotonic()
        await asyncio.sleep(1.0)  # behind the attacker
        text = f"# A paper of another key, number {self.n_jobs}\n\n## Method\n\nWe look at it {time.time()}.\n"
        brought = await client.post("/v1/uploads", files={"file": ("paper.md", text.encode(), "text/markdown")})
        body = {"uploads": [brought.raise_for_status().json()["id"]], "collection": "beta"}
        job = (await client.post("/v1/jobs", json=body)).raise_for_status().json()["id"]
        while time.monotonic() - start < JOB_S:
            told = (await client.get(f"/v1/jobs/{job}")).json()
            if told["state"] not in ("queued", "running"):
                return told["state"] if told["states"].get("done") == 1 else str(told["states"]), _since(start)
            await asyncio.sleep(0.5)
        return "not in time", _since(start)


async def _rest(seconds: float) -> dict[str, int]:
    await asyncio.sleep(seconds)
    return {}


async def _repeat(do: Callable[[], Awaitable[None]], every_s: float) -> None:
    while True:
        await do()
        await asyncio.sleep(every_s)


async def _healthz(client: httpx.AsyncClient, times: list[float]) -> None:
    start = time.perf_counter()
    try:
        (await client.get("/healthz")).raise_for_status()
        times.append(1000 * _since_perf(start))
    except httpx.HTTPError:
        times.append(60_000.0)


async def _search(client: httpx.AsyncClient, times: list[float], errors: Counter[str]) -> None:
    start = time.perf_counter()
    query = f"{WORDS[len(times) % len(WORDS)]} {len(times)}"
    try:
        answer = await client.post("/graphql", json={"query": SEARCH, "variables": {"query": query}})
        body = answer.json()
        if answer.status_code != 200 or body.get("errors"):
            errors[f"{answer.status_code} {(body.get('errors') or [{}])[0].get('extensions', {}).get('code', '')}"] += 1
    except httpx.HTTPError as error:
        errors[type(error).__name__] += 1
    times.append(1000 * _since_perf(start))


def uploads_of(texts: Sequence[str], ending: str) -> Attack:
    """Return an attack that brings files, and has all of them ingested, for as long as it lasts."""

    async def attack(url: str, keys: Mapping[str, str]) -> dict[str, int]:
        statuses: Counter[str] = Counter()
        end = time.monotonic() + ATTACK_S
        async with client_of(url, keys["attacker"]) as client:
            while time.monotonic() < end:
                ids = []
                for text in texts:
                    file = {"file": (f"a.{ending}", f"{text}{time.time()}".encode(), "text/plain")}
                    answer = await client.post("/v1/uploads", files=file)
                    statuses[f"upload {answer.status_code}"] += 1
                    ids += [answer.json()["id"]] if answer.status_code == 201 else []
                if ids:
                    answer = await client.post("/v1/jobs", json={"uploads": ids, "collection": "alpha"})
                    statuses[f"job {answer.status_code}"] += 1
                await asyncio.sleep(5.0)
        return dict(statuses)

    return attack


def queries_of(queries: Sequence[tuple[str, dict[str, Any]]]) -> Attack:
    """Return an attack that sends queries, four at a time, for as long as it lasts."""

    async def attack(url: str, keys: Mapping[str, str]) -> dict[str, int]:
        statuses: Counter[str] = Counter()
        end = time.monotonic() + ATTACK_S

        async def send(first: int) -> None:
            number = first
            async with client_of(url, keys["researcher"]) as client:
                while time.monotonic() < end:
                    query, parameters = queries[number % len(queries)]
                    with suppress(httpx.HTTPError):
                        answer = await client.post("/v1/cypher", json={"query": query, "parameters": parameters})
                        statuses[str(answer.status_code)] += 1
                    number += 1
                    await asyncio.sleep(0.05)

        await asyncio.gather(*(send(first) for first in range(4)))
        return dict(statuses)

    return attack


async def sockets(url: str, _: Mapping[str, str]) -> dict[str, int]:
    """Keep 200 WebSockets without a key open, or try to."""
    told: Counter[str] = Counter()
    end = time.monotonic() + ATTACK_S
    address = url.replace("http", "ws") + "/graphql"
    protocol = Subprotocol("graphql-transport-ws")

    async def hold(number: int) -> None:
        while time.monotonic() < end:
            try:
                from_ = (ADDRESSES[number % len(ADDRESSES)], 0)
                async with connect(address, subprotocols=[protocol], local_addr=from_, open_timeout=30) as opened:
                    told["opened"] += 1
                    async with asyncio.timeout(10):
                        await opened.recv()
            except ConnectionClosed as closed:
                told[f"closed {closed.rcvd.code if closed.rcvd else ''}"] += 1
            except (InvalidHandshake, OSError, TimeoutError):
                told["refused"] += 1
                await asyncio.sleep(0.5)

    await asyncio.gather(*(hold(number) for number in range(N_SOCKETS)))
    return dict(told)


ATTACKS: Mapping[str, Attack] = {
    "F1 LaTeX": uploads_of(TEX, "tex"),
    "F2 planner": queries_of([(query, {}) for query in PLANNER]),
    "F3 heap": queries_of(HEAP),
    "F4 sockets": sockets,
    "F5 text": uploads_of(TEXT, "txt"),
}


def _attack(name: str, url: str, keys: Mapping[str, str]) -> dict[str, int]:
    return asyncio.run(ATTACKS[name](url, keys))


async def attacks(settings: Settings, address: Address) -> dict[str, Any]:
    """Attack a server in every way, and kill its Neo4j and that of its replica.

    Args:
        settings: Whose home has the store.
        address: Its Neo4j, which runs.
    """
    keys = await made_keys(address)
    await asyncio.to_thread(run, settings.home, "db", "replica", "--collection", "main", "--quiet")
    port = free_port()
    figures: dict[str, Any] = {}
    with process(settings.home, "serve", "--port", str(port)), process(settings.home, "worker"):
        attacked = Attacked(f"http://127.0.0.1:{port}", keys, address, settings.home)
        await ready(attacked)
        normal = await attacked.measured(None)
        figures["normal"] = normal
        for name in ATTACKS:
            told = await attacked.measured(name) | {"normal p99 ms": normal["search ms"]["p99"]}
            figures[name] = told | {"missed": [gate for gate, is_met in GATES.items() if not is_met(told)]}
            print(name, figures[name], flush=True)
        for kind, home in (("store", settings.home), ("replica", local_neo4j.replica_home(settings))):
            told = await killed(attacked, kind, home)
            missed = [gate for gate, is_met in AFTER_A_KILL.items() if not is_met(told)]
            figures[f"F3 Neo4j of the {kind} killed"] = told | {"missed": missed}
            print(kind, told, flush=True)
    local_neo4j.stop(local_neo4j.replica_home(settings))
    figures["missed"] = [
        f"{name}: {gate}" for name, told in figures.items() if isinstance(told, dict) for gate in told.get("missed", [])
    ]
    return figures


async def made_keys(address: Address) -> dict[str, str]:
    """Return the keys of attackers and of those beside them; collections of theirs exist once they bring papers."""
    wanted = {
        "reader": ([KeyScope.READ], ["main"]),
        "ingester": ([KeyScope.INGEST, KeyScope.READ], ["beta"]),
        "attacker": ([KeyScope.INGEST], ["alpha"]),
        "researcher": ([KeyScope.CYPHER], None),
    }
    async with await address.connect() as database:
        return {
            name: (await create_key(database, name=name, scopes=scopes, collections=collections))[1]
            for name, (scopes, collections) in wanted.items()
        }


async def killed(attacked: Attacked, kind: str, home: Path) -> dict[str, Any]:
    """Kill a Neo4j, and return how long the server took to have it running again."""
    pid = local_neo4j.status(home).pid
    before = await checksum_of(attacked.address)
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    start = time.monotonic()
    while local_neo4j.status(home).pid == pid:  # noqa: ASYNC110 another process
        await asyncio.sleep(0.05)
    await ready(attacked)
    seconds = _since(start)
    return {
        "s until ready again": round(seconds, 1),
        "checksum unchanged": await checksum_of(attacked.address) == before,
        "another process": local_neo4j.status(home).pid != pid,
    }


async def checksum_of(address: Address) -> str:
    async with await address.connect() as database:
        return str(await graph_checksum(database))


async def ready(attacked: Attacked) -> None:
    """Return when the server answers searches, and Cypher of keys; end after a while."""
    deadline = time.monotonic() + READY_S
    async with attacked.client("researcher") as client, attacked.client("reader") as reader:
        while time.monotonic() < deadline:
            with suppress(httpx.HTTPError, ValueError, KeyError):
                state = (await client.get("/readyz")).json()
                cypher = await client.post("/v1/cypher", json={"query": "RETURN 1 AS n"})
                found = await reader.post("/graphql", json={"query": SEARCH, "variables": {"query": "qubits"}})
                if state["faults"] == [] and cypher.status_code == 200 and not found.json().get("errors"):
                    return
            await asyncio.sleep(0.2)
    sys.exit(f"the server was not ready within {READY_S} s")


@contextmanager
def process(home: Path, *arguments: str) -> Iterator[None]:
    """Run a command of papergraph on a home while the context is open."""
    with subprocess.Popen([COMMAND, *arguments], env=environment(home), stdout=subprocess.DEVNULL) as running:
        try:
            yield
        finally:
            running.terminate()
            try:
                running.wait(60)
            except subprocess.TimeoutExpired:
                running.kill()


def run(home: Path, *arguments: str) -> None:
    """Run a command of papergraph to its end."""
    subprocess.run([COMMAND, *arguments], env=environment(home), stdout=subprocess.DEVNULL, check=True, timeout=600)


def environment(home: Path) -> dict[str, str]:
    ours = {"PAPERGRAPH_HOME": str(home), "PAPERGRAPH_SERVER_REQUIRE_API_KEY": "true", "PAPERGRAPH_LOG_LEVEL": "error"}
    others = {name: value for name, value in os.environ.items() if not name.startswith("PAPERGRAPH_NEO4J_")}
    return others | ours


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _since(start: float) -> float:
    return time.monotonic() - start


def _since_perf(start: float) -> float:
    return time.perf_counter() - start
