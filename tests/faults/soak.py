"""Everything at once for a time, with a model of what the store must hold: what is lost, and what grows.

Usage: python -m tests.faults.soak [--minutes 120] [--seed 0] [--out FILE]

A local Neo4j and ``papergraph serve`` run in a new home. Searches and questions go over HTTP; ingestions, changes,
deletions, enrichments, switches of the embedding model and backups are commands, as somebody types them. Now and then
the server is restarted or killed, Neo4j is killed, or a command is killed in the middle; the command is then repeated.
After each tenth of the time the store is compared with the model: a paper that is missing, that came back, or whose
text is another one is a loss. At the end the doctor examines the store, a backup reads all papers and tells which ones
earlier backups wrongly took to be unchanged, and the last backup is verified by a restore.
Memory, open files, connections and latency of each tenth are printed, or go to a file. It exits with 1 after a loss.
"""

import argparse
import asyncio
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import psutil

from papergraph.settings import Settings
from papergraph.statement import Statement
from papergraph.store import open_store
from tests.support.embedders import save_projected_model
from tests.support.waiting import free_port

COMMAND = str(Path(sys.executable).parent / "papergraph")
TENTHS, COMMAND_S, REQUEST_S, START_S = 10, 300.0, 30.0, 600.0
MARK = re.compile(r"\bsoak\d+v\d+\b")
TOPICS = ("annealing", "error correction", "dense retrieval", "graph search", "citation maps", "quantum noise")
CONTENT = Statement(
    "soak/content",
    "CYPHER 25 MATCH (paper:Paper) UNWIND paper.sources AS source "
    "RETURN source, COLLECT { MATCH (chunk:Chunk {paperId: paper.id}) RETURN chunk.text } AS texts",
)


@dataclass
class Tenth:
    """What was seen in a tenth of the time."""

    latencies: dict[str, list[float]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)

    def figures(self, losses: list[str], resources: dict[str, Any]) -> dict[str, Any]:
        """Return it for the results: milliseconds at the median and the 95th percentile."""
        latency = {
            name: {"n": len(of), "p50 ms": round(np.median(of) * 1000), "p95 ms": round(np.quantile(of, 0.95) * 1000)}
            for name, of in sorted(self.latencies.items())
        }
        return {
            "latency": latency,
            "done": dict(sorted(self.counts.items())),
            **resources,
            "losses": losses,
            "unexplained errors": self.errors,
        }


class Soak:
    """The server under test, and the model of its content: the version of each document by its file."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311
        self.papers, self.archive, self.model = folder / "papers", folder / "archive", folder / "model"
        self.papers.mkdir()
        self.versions: dict[Path, int] = {}
        self.n_made, self.tenth, self.port = 0, Tenth(), free_port()
        self.environment = os.environ | {"PAPERGRAPH_HOME": str(folder / "home"), "PAPERGRAPH_WORKERS": "1"}
        self.log = (folder / "server.log").open("ab")
        self.server: subprocess.Popen[bytes] | None = None
        self.client = httpx.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=REQUEST_S)

    # What runs

    def command(self, *arguments: str | Path, kill_after_s: float | None = None) -> bool:
        """Run a command; return whether it succeeded. One that is killed did not, and that is no error."""
        start = time.monotonic()
        process = subprocess.Popen(
            [COMMAND, *map(str, arguments)],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        try:
            said, _ = process.communicate(timeout=kill_after_s or COMMAND_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            if kill_after_s is None:
                self.tenth.errors.append(f"{arguments[0]} took more than {COMMAND_S:g} s")
            return False
        self.tenth.latencies.setdefault(str(arguments[0]), []).append(time.monotonic() - start)
        if process.returncode and kill_after_s is None:
            self.tenth.errors.append(f"{' '.join(map(str, arguments[:2]))}: {said.decode()[-300:].strip()}")
        return process.returncode == 0

    def start(self) -> None:
        """Start Neo4j and the server where they do not run, and wait until searches are answered."""
        self.command("db", "start", "--quiet")
        if self.server is None or self.server.poll() is not None:
            arguments = [COMMAND, "serve", "--port", str(self.port)]
            self.server = subprocess.Popen(arguments, env=self.environment, stdout=self.log, stderr=self.log)
        deadline = time.monotonic() + START_S
        while not self._is_ready():
            if self.server.poll() is not None or time.monotonic() > deadline:
                raise SystemExit("the server is not ready; read server.log")
            time.sleep(0.2)

    def _is_ready(self) -> bool:
        try:
            return self.client.get("/readyz").status_code == 200
        except httpx.TransportError:
            return False

    def neo4j(self) -> psutil.Process | None:
        """Return the process of the store's Neo4j."""
        wanted = f"--home-dir={Path(self.environment['PAPERGRAPH_HOME']).resolve() / 'neo4j'}"
        return next((one for one in psutil.process_iter(["cmdline"]) if wanted in (one.info["cmdline"] or [])), None)

    def stop(self) -> None:
        """End the server and Neo4j."""
        if self.server is not None and self.server.poll() is None:
            self.server.terminate()
            self.server.wait(60)
        self.command("db", "stop")
        self.log.close()

    # What is done

    def ask(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Send a request that must be answered, and note how long it took."""
        start = time.monotonic()
        try:
            answer = self.client.post(path, json=body)
        except httpx.TransportError as error:
            self.tenth.errors.append(f"{path}: {type(error).__name__} {error}")
            return {}
        self.tenth.latencies.setdefault(path, []).append(time.monotonic() - start)
        if answer.status_code != 200:
            self.tenth.errors.append(f"{path}: {answer.status_code} {answer.text[:300]}")
            return {}
        found: dict[str, Any] = answer.json()
        return found

    def search(self) -> None:
        """Search for the mark of a paper that is there, and expect the paper."""
        if not self.versions:
            return
        path = self.random.choice(sorted(self.versions))
        mark = f"{path.stem}v{self.versions[path]}"
        found = self.ask("/v1/search", {"query": f"experiment {mark}", "pipeline": "fulltext", "k": 5})
        if found and mark not in json.dumps(found):
            self.tenth.errors.append(f"a search for {mark} did not find it")

    def question(self) -> None:
        """Ask a question; any answer or refusal will do."""
        self.ask("/v1/ask", {"question": f"What is known of {self.random.choice(TOPICS)}?"})

    def ingest(self) -> None:
        """Add up to three papers."""
        made = []
        for _ in range(self.random.randint(1, 3)):
            self.n_made += 1
            made.append(self.write(self.papers / f"soak{self.n_made}.md", 1))
        self.bring_in(made)

    def change(self) -> None:
        """Change a paper."""
        if self.versions:
            path = self.random.choice(sorted(self.versions))
            self.bring_in([self.write(path, self.versions[path] + 1)])

    def delete(self) -> None:
        """Delete a paper."""
        if len(self.versions) > 3:
            path = self.random.choice(sorted(self.versions))
            if self.command("papers", "delete", "--yes", path, "--quiet"):
                del self.versions[path]
                path.unlink()

    def write(self, path: Path, version: int) -> Path:
        """Write a version of a paper, with a mark that no other has, and expect it in the store."""
        topics = self.random.sample(TOPICS, 3)
        sections = "\n\n".join(
            f"## About {topic}\n\nThe experiment {path.stem}v{version} is about {topic}. We measure {topic} "
            f"{self.random.randint(2, 99)} times, and find that it agrees with Bates et al. 2020 in most cases."
            for topic in topics
        )
        path.write_text(f"# Paper {path.stem} on {topics[0]}\n\nWe study {', '.join(topics)}.\n\n{sections}\n")
        self.versions[path] = version
        return path

    def bring_in(self, paths: list[Path]) -> None:
        """Ingest files; one time in four the command is killed in the middle, and repeated."""
        if self.random.random() < 0.25:
            self.tenth.counts["killed commands"] += 1
            self.command("ingest", *paths, "--quiet", kill_after_s=self.random.uniform(0.5, 6.0))
        self.command("ingest", *paths, "--quiet")

    def enrich(self) -> None:
        """Make entities and questions of papers that lack them."""
        self.command("enrich", "--enrichments", self.random.choice(("entities", "questions")), "--quiet")

    def switch(self) -> None:
        """Go over to another embedding model and back."""
        if not self.model.exists():
            save_projected_model(self.model, dimension=64)
        if self.command("embeddings", "switch", self.model, "--duty-cycle", "1", "--quiet"):
            self.search()
            self.command("embeddings", "rollback", "--quiet")
            self.command("embeddings", "prune", "--quiet")

    def backup(self) -> None:
        """Back up, verify and prune."""
        if self.command("backup", self.archive, "--quiet"):
            self.command("backups", "verify", self.archive, "--quiet")
            self.command("backups", "prune", self.archive, "--keep", "2d", "--quiet")

    def count_unnoticed(self) -> int:
        """Read all papers, and return how many changed since an earlier backup that took them to be unchanged."""
        command = [COMMAND, "backup", str(self.archive), "--full", "--json"]
        said = subprocess.run(command, env=self.environment, stdout=subprocess.PIPE, check=True).stdout
        return len(json.loads(said)["changed_unnoticed"])

    def restart(self) -> None:
        """Stop the server, and start it again."""
        assert self.server is not None
        self.server.terminate()
        self.server.wait(60)
        self.start()

    def kill_server(self) -> None:
        """Kill the server, and start it again."""
        assert self.server is not None
        self.server.kill()
        self.server.wait()
        self.start()

    def kill_neo4j(self) -> None:
        """Kill Neo4j, and start it again."""
        if (process := self.neo4j()) is not None:
            process.kill()
            process.wait(30)
        self.start()

    @property
    def operations(self) -> dict[Callable[[], None], int]:
        """What is done, with how often."""
        return {
            self.search: 50,
            self.question: 8,
            self.ingest: 10,
            self.change: 6,
            self.delete: 4,
            self.enrich: 2,
            self.backup: 3,
            self.restart: 1,
            self.kill_server: 1,
            self.kill_neo4j: 1,
            self.switch: 1,
        }

    # What must hold

    def losses(self) -> list[str]:
        """Compare the store with the model."""
        return asyncio.run(self._losses())

    async def _losses(self) -> list[str]:
        settings = Settings().replace(home=Path(self.environment["PAPERGRAPH_HOME"]), neo4j={"uri": None})
        with open_store(settings) as address:
            async with await address.connect() as database:
                found = {record["source"]: record["texts"] for record in await database.read(CONTENT)}
        marks = {name: {mark for text in texts for mark in MARK.findall(text)} for name, texts in found.items()}
        expected = {str(path): {f"{path.stem}v{version}"} for path, version in self.versions.items()}
        return [
            f"{Path(name).name}: expected {sorted(expected.get(name, set()))}, found {sorted(marks.get(name, set()))}"
            for name in sorted(expected.keys() | marks.keys())
            if expected.get(name) != marks.get(name)
        ]

    def resources(self) -> dict[str, Any]:
        """Return memory, open files and connections of the server and of Neo4j."""
        processes = {
            "server": None if self.server is None else psutil.Process(self.server.pid),
            "neo4j": self.neo4j(),
        }
        return {
            name: {
                "MiB": round(process.memory_info().rss / 2**20),
                "files": process.num_fds(),
                "connections": len(process.net_connections()),
            }
            for name, process in processes.items()
            if process is not None
        }

    def run(self, minutes: float) -> list[dict[str, Any]]:
        """Do everything in a random order for a time, and return the figures of each tenth."""
        operations, begun, tenths = self.operations, time.monotonic(), []
        for operation in operations:  # each at least once, in this order
            self.do(operation)
        for number in range(TENTHS):
            end = begun + minutes * 60 * (number + 1) / TENTHS
            while time.monotonic() < end:
                self.do(self.random.choices(list(operations), list(operations.values()))[0])
            tenths.append(self.tenth.figures(self.losses(), self.resources()))
            print(json.dumps({"tenth": number + 1, **tenths[-1]}), file=sys.stderr)
            self.tenth = Tenth()
        return tenths

    def do(self, operation: Callable[[], None]) -> None:
        """Do one of the operations, and count it."""
        self.tenth.counts[operation.__name__] += 1
        operation()


def soak(folder: Path, *, minutes: float, seed: int) -> dict[str, Any]:
    """Run the test in a folder and return its figures."""
    test = Soak(folder, seed)
    try:
        test.start()
        test.ingest()
        tenths = test.run(minutes)
        is_healthy = test.command("doctor", "--quiet")
        test.backup()
        n_unnoticed = test.count_unnoticed()
        is_restorable = test.command("backups", "verify", test.archive, "--deep", "--quiet")
        last = test.tenth.figures(test.losses(), test.resources())
    finally:
        test.stop()
    return {
        "minutes": minutes,
        "seed": seed,
        "papers": len(test.versions),
        "tenths": tenths,
        "after the end": last,
        "the doctor finds nothing": is_healthy,
        "the last backup is restored": is_restorable,
        "changes that backups did not notice": n_unnoticed,
        "losses": sum(len(one["losses"]) for one in [*tenths, last]),
        "unexplained errors": sum(len(one["unexplained errors"]) for one in [*tenths, last]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=120.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="file for the figures [standard output]")
    chosen = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="papergraph-soak-"))
    figures = soak(folder, minutes=chosen.minutes, seed=chosen.seed)
    if chosen.out is None:
        print(json.dumps(figures, indent=2))
    else:
        chosen.out.write_text(json.dumps(figures, indent=2))
    wrong = ("losses", "unexplained errors", "changes that backups did not notice")
    if any(figures[name] for name in wrong) or not figures["the doctor finds nothing"]:
        sys.exit(f"losses or errors; everything is in {folder}")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
