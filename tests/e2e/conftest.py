"""The installed command in an environment of its own, and a real server with papers to ask."""

import socket
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest
import pytest_asyncio
from neo4j import AsyncGraphDatabase

from papergraph.database import Database
from papergraph.embedding import Embedder
from tests.pytest_neo4j import Neo4jServer
from tests.support.command import Papergraph, settings_for
from tests.support.files import write
from tests.support.graphs import assert_healthy
from tests.support.library import MANY, Library
from tests.support.servers import RunningServer, app_client, connect
from tests.support.waiting import free_port, wait_until


@pytest.fixture(scope="session")
def server(neo4j_server: Neo4jServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A ``papergraph serve`` on the session's Neo4j; what it serves is what ``library`` put there."""
    papergraph = Papergraph(tmp_path_factory.mktemp("serving"), settings_for(neo4j_server))
    url = f"http://127.0.0.1:{(port := free_port())}"
    with papergraph.started("serve", "--port", str(port)) as started:
        started.wait_for("serving; Ctrl-C stops")
        with httpx.Client(base_url=url, timeout=30) as client:
            wait_until(lambda: client.get("/readyz").status_code == 200, timeout_s=60)
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


@pytest.fixture(scope="session")
def kept_library(papers: Path, embedder: Embedder) -> Library:
    return Library(papers, embedder)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def library(
    neo4j_server: Neo4jServer, kept_library: Library, pytestconfig: pytest.Config
) -> AsyncIterator[Database]:
    """The samples in ``main``, 105 small papers in ``many``, one paper with a DOI in ``cited``, and one that has only
    a list of references, which is not searched, in ``unsearched``; what other tests have left beside them stays."""
    async with await connect(neo4j_server) as database:
        if not await kept_library.see_to(database) and not pytestconfig.getoption("--quick"):
            await assert_healthy(database)
        yield database


@pytest_asyncio.fixture(loop_scope="session")
async def app(library: Database, embedder: Embedder) -> AsyncIterator[httpx.AsyncClient]:
    """The application within this process, where one can count, patch and break."""
    async with app_client(library, embedder) as client:
        yield client


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
