"""The installed command in an environment of its own, and a real server with papers to ask."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import psutil
import pytest
import pytest_asyncio
from neo4j import AsyncGraphDatabase

from ingest.doctor import examine
from ingest.run import ingest
from papergraph.database import Database
from papergraph.embedding import Floats, SentenceTransformerModel
from papergraph.settings import Settings
from schema.migrate import prepare
from server.access.policy import Policy
from server.app import create_app
from server.graphql.rules import Rules
from server.listening import url_of
from server.opening import desk_of
from server.retrieval.reading import count_papers
from server.retrieval.resources import Resources, equipped
from server.service import Service
from server.serving import listen, serving
from server.upstream import Upstream
from tests.conftest import Leaks, assert_healthy
from tests.pytest_neo4j import Neo4jServer, wipe

COMMAND = Path(sys.prefix) / "bin" / "papergraph"
SAMPLES = Path("ingest/samples")
N_SAMPLES = 12
KEEP = ["SchemaVersion", "EmbeddingModel"]
MANY = 105
NOWHERE = "0" * 64


@dataclass(frozen=True)
class Papergraph:
    """The command line with settings of its own, as somebody has it in a terminal."""

    home: Path
    settings: Mapping[str, str] = field(default_factory=dict)

    def __call__(
        self, *arguments: str | Path, stdin: str = "", timeout_s: float = 240, **settings: str
    ) -> "subprocess.CompletedProcess[str]":
        """Run a command to its end."""
        return subprocess.run(
            [COMMAND, *arguments],
            input=stdin,
            env=self._environment(settings),
            capture_output=True,
            text=True,
            timeout=timeout_s,
        )

    @contextmanager
    def started(self, *arguments: str | Path, **settings: str) -> Iterator["Started"]:
        """Start a command that goes on by itself, and end it at the latest when the context is left."""
        self.home.mkdir(parents=True, exist_ok=True)
        output = self.home / f"output-{time.monotonic_ns()}.txt"
        with output.open("wb") as file:
            process = subprocess.Popen(
                [COMMAND, *arguments],
                env=self._environment(settings),
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                preexec_fn=_hear_ctrl_c,
            )
        try:
            yield Started(process, output)
        finally:
            if process.poll() is None:
                process.terminate()
                try:
                    process.wait(30)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
        assert not Leaks.KEY.search(output.read_text(errors="replace")), f"{arguments} wrote a key"

    def neo4j_processes(self) -> list[psutil.Process]:
        """Return the Java processes that serve this home, found by their command lines alone."""
        wanted = f"--home-dir={self.home.resolve() / 'neo4j'}"
        return [process for process in psutil.process_iter(["cmdline"]) if wanted in (process.info["cmdline"] or [])]

    def _environment(self, settings: Mapping[str, str]) -> dict[str, str]:
        wide = {"COLUMNS": "250"}  # so that no line is broken
        return {**os.environ, **wide, "PAPERGRAPH_HOME": str(self.home), **self.settings, **settings}


def _hear_ctrl_c() -> None:
    """Give a command back the signal that it would be deaf to where a script runs these tests in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@dataclass(frozen=True)
class Started:
    """A running command; ``output`` holds what it has written to both streams until now."""

    process: "subprocess.Popen[bytes]"
    output: Path

    def wait_for(self, text: str, *, timeout_s: float = 180) -> str:
        """Return all output once ``text`` is in it."""
        deadline = time.monotonic() + timeout_s
        while text not in (said := self.output.read_text()):
            assert self.process.poll() is None, f"ended with {self.process.returncode}:\n{said}"
            assert time.monotonic() < deadline, f"no {text!r} within {timeout_s:g} s:\n{said}"
            time.sleep(0.05)
        return said

    def send(self, number: signal.Signals, *, timeout_s: float) -> int:
        """Send a signal and return the exit status that follows."""
        self.process.send_signal(number)
        return self.process.wait(timeout_s)


@dataclass(frozen=True)
class RunningServer:
    """A ``papergraph serve`` that runs, and the command line beside it, which finds it."""

    url: str
    papergraph: Papergraph
    client: httpx.Client

    @property
    def port(self) -> int:
        return httpx.URL(self.url).port or 0

    def ask(self, operation: str, /, **variables: Any) -> dict[str, Any]:
        """Return the data of a GraphQL query that has no errors."""
        answer = self.answer(operation, **variables)
        assert "errors" not in answer, answer
        data: dict[str, Any] = answer["data"]
        return data

    def error(self, operation: str, /, **variables: Any) -> dict[str, Any]:
        """Return the one error of a GraphQL query."""
        (error,) = self.answer(operation, **variables)["errors"]
        return dict(error)

    def answer(self, operation: str, /, **variables: Any) -> dict[str, Any]:
        """Return the whole answer to a GraphQL query, of whatever kind."""
        response = self.client.post("/graphql", json={"query": operation, "variables": variables})
        assert response.status_code == 200, response.text
        answer: dict[str, Any] = response.json()
        return answer


class QuickVectors:
    """Stands in for the embedding model where only the number of papers matters: any vectors, but at once."""

    def __init__(self, model: SentenceTransformerModel) -> None:
        self.card, self.tokenizer = model.card, model.tokenizer

    def encode_documents(self, texts: Sequence[str]) -> Floats:
        vectors = np.random.default_rng(len(texts)).normal(size=(len(texts), self.card.dimension))
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)

    def encode_query(self, text: str) -> Floats:
        return self.encode_documents([text])[0]


def free_port() -> int:
    """Return a port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def settings_for(neo4j: Neo4jServer) -> dict[str, str]:
    """Return the settings that make the command work with a Neo4j."""
    return {
        "PAPERGRAPH_NEO4J_URI": neo4j.uri,
        "PAPERGRAPH_NEO4J_USER": neo4j.user,
        "PAPERGRAPH_NEO4J_PASSWORD": neo4j.password,
        "PAPERGRAPH_NEO4J_DATABASE": neo4j.database,
    }


async def connect(neo4j: Neo4jServer) -> Database:
    return await Database.connect(neo4j.uri, user=neo4j.user, password=neo4j.password, name=neo4j.database)


@pytest.fixture
def papergraph(neo4j_server: Neo4jServer, tmp_path: Path) -> Papergraph:
    """The command line on the session's Neo4j, in a home of its own, where no server runs."""
    return Papergraph(tmp_path / "home", settings_for(neo4j_server))


@pytest.fixture(scope="session")
def server(neo4j_server: Neo4jServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A ``papergraph serve`` on the session's Neo4j; what it serves is what ``library`` put there."""
    papergraph = Papergraph(tmp_path_factory.mktemp("serving"), settings_for(neo4j_server))
    url = f"http://127.0.0.1:{(port := free_port())}"
    with papergraph.started("serve", "--port", str(port)) as started:
        started.wait_for("serving; Ctrl-C stops")
        with httpx.Client(base_url=url, timeout=30) as client:
            yield RunningServer(url, papergraph, client)


@pytest.fixture(scope="session")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for each collection of ``library`` beside ``main``."""
    folder = tmp_path_factory.mktemp("papers")
    for number in range(MANY):
        write(
            folder / "many" / f"{number:03}.md",
            f"---\nauthors: [Writer {number % 7}, Writer {number % 5 + 7}]\n---\n# Paper {number:03}\n\n"
            f"## Start\n\nMeasurement {number} is about to begin.\n\n## End\n\nIt gave {number * number}.\n",
        )
    write(
        folder / "cited" / "doi.md", "---\ndoi: 10.1000/Abc\n---\n# Known by its DOI\n\nIt is cited as 10.1000/abc.\n"
    )
    write(folder / "unsearched" / "list.md", "# Nothing but references\n\n## References\n\n[1] A paper on qubits.\n")
    return folder


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def library(
    neo4j_server: Neo4jServer, embedder: SentenceTransformerModel, papers: Path
) -> AsyncIterator[Database]:
    """The samples in ``main``, 105 small papers in ``many``, one paper with a DOI in ``cited``, and one that has only
    a list of references, which is not searched, in ``unsearched``; what is there already is left alone."""
    async with await connect(neo4j_server) as database:
        await prepare(database, embedder.card)
        if await count_papers(database, collection="main") != N_SAMPLES or not (await examine(database)).healthy:
            await wipe(database.driver, database=database.name, keep=KEEP)
        await ingest(database, embedder, [SAMPLES])
        for collection in ("many", "cited", "unsearched"):
            report = await ingest(database, QuickVectors(embedder), [papers / collection], collection=collection)
            assert not report.failed
        await assert_healthy(database)
        yield database


@pytest_asyncio.fixture(loop_scope="session")
async def app(library: Database, embedder: SentenceTransformerModel) -> AsyncIterator[httpx.AsyncClient]:
    """The application within this process, where one can count, patch and break."""
    async with app_client(library, embedder) as client:
        yield client


def app_client(
    database: Database, embedder: SentenceTransformerModel | None = None, rules: Rules | None = None
) -> httpx.AsyncClient:
    """Return a client of the application over a database, within this process."""
    application = create_app(Service(database, embedder), rules=rules)  # type: ignore[arg-type]
    return httpx.AsyncClient(transport=httpx.ASGITransport(application), base_url="http://localhost")


@asynccontextmanager
async def served(library: Database, embedder: SentenceTransformerModel, **chosen: Any) -> AsyncIterator[str]:
    """Give the address of a server with these settings, within this process and on a real socket."""
    settings = Settings(**chosen)
    async with AsyncExitStack() as stack:
        resources = await stack.enter_async_context(equipped(settings, Resources.of(library, embedder)))
        if (upstream := Upstream.of(settings)) is not None:
            await stack.enter_async_context(upstream)
        sock = stack.enter_context(listen("127.0.0.1", 0))
        desk = await stack.enter_async_context(desk_of(settings, library))
        service = Service(library, embedder, equipment=resources, upstream=upstream, desk=desk)
        await stack.enter_async_context(serving(service, sock, Policy.of(settings)))
        yield url_of(sock)


def write(path: Path, text: str | bytes) -> Path:
    """Write a file, folders and all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.fixture
def black_hole() -> Iterator[str]:
    """The address of something that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0), backlog=50) as listener:
        yield f"bolt://127.0.0.1:{listener.getsockname()[1]}"


@pytest_asyncio.fixture(loop_scope="session")
async def nothing_there() -> AsyncIterator[Database]:
    """A database that is not there, for what is answered without asking it."""
    async with Database(AsyncGraphDatabase.driver("bolt://127.0.0.1:1", auth=("neo4j", "x"))) as database:
        yield database


@pytest.fixture
def dead_end() -> str:
    """The address of a Neo4j that is not there."""
    return f"bolt://127.0.0.1:{free_port()}"


def wait_until(condition: Callable[[], bool], *, timeout_s: float) -> float:
    """Wait for a condition and return the seconds it took; fail when it does not come true in time."""
    start = time.monotonic()
    while not condition():
        assert time.monotonic() - start < timeout_s, f"not within {timeout_s:g} s"
        time.sleep(0.05)
    return time.monotonic() - start
