"""The installed command in an environment of its own, and a real server with papers to ask."""

import os
import socket
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest
import pytest_asyncio
from neo4j import AsyncGraphDatabase
from platformdirs import user_cache_path
from playwright.async_api import Browser

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.server.selection.kernels import compile_all
from tests.pytest_neo4j import Neo4jServer
from tests.support.browser import Watched, chromium, watched
from tests.support.command import Papergraph, settings_for
from tests.support.files import write
from tests.support.graphs import assert_healthy
from tests.support.library import MANY, Library
from tests.support.sdk_builds import JavaClient, java_client, typescript_client
from tests.support.servers import RunningServer, app_client, connect, running


@pytest.fixture(scope="session", autouse=True)
def compiled() -> None:
    """Compile the solver before the first request, as a server does; on a new machine it takes seconds."""
    compile_all()


@pytest.fixture(scope="session")
def server(neo4j_server: Neo4jServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A ``papergraph serve`` on the session's Neo4j; what it serves is what ``library`` put there."""
    with running(Papergraph(tmp_path_factory.mktemp("serving"), settings_for(neo4j_server))) as started:
        yield started


@pytest.fixture(scope="module")
def working_server(neo4j_server: Neo4jServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server with a worker, which takes the jobs of every test meanwhile."""
    home = tmp_path_factory.mktemp("working")
    with running(Papergraph(home, settings_for(neo4j_server)), workers=1) as started:
        yield started


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
        await kept_library.see_to(database)
        if pytestconfig.getoption("--all"):
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


@pytest.fixture(scope="session")
def typescript(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the client for TypeScript, built once."""
    return typescript_client(tmp_path_factory.mktemp("typescript"))


@pytest.fixture(scope="session")
def java(tmp_path_factory: pytest.TempPathFactory) -> JavaClient:
    """The client for Java, built once."""
    return java_client(tmp_path_factory.mktemp("java"))


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """Chromium, for all tests of pages; they are skipped where there is none."""
    async with chromium() as opened:
        yield opened


@pytest_asyncio.fixture(loop_scope="session")
async def site(browser: Browser, server: RunningServer, library: Database) -> AsyncIterator[Watched]:
    """A page of the running server; whatever a test does, it must stay clean."""
    async with watched(browser, server.url) as seen:
        yield seen
        await seen.assert_clean()


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A cache of its own that has the jars of the real one."""
    folder = tmp_path / "cache"
    folder.mkdir()
    for jars in Path(os.environ.get("PAPERGRAPH_CACHE", user_cache_path("papergraph"))).glob("neo4j-*"):
        (folder / jars.name).symlink_to(jars)
    return folder
