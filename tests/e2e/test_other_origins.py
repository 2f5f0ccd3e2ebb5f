"""Pages of another origin in Chromium: stock clients work if the origin is allowed, and sessions never do."""

import asyncio
import json
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, Page

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.ingest.jobs import queue as jobs
from papergraph.server.auth.access import KeyScope
from papergraph.server.auth.keys import create_key
from papergraph.statement import Statement
from tests.support import node
from tests.support.browser import SLOW_MS
from tests.support.files import write
from tests.support.ingestion import enqueue
from tests.support.servers import served
from tests.support.web_site import Site

pytestmark = [pytest.mark.slow, pytest.mark.clients]

CLIENTS = {"@urql/core", "@apollo/client", "graphql-sse", "graphql-ws"}
REFUSED_QUERY = "Failed to load resource: the server responded with a status of 400 (Bad Request)"
"""What Chromium itself says of an answer with status 400, as GraphQL over HTTP has it for a query with a fault."""

KEYS = Statement("test/keys", "MATCH (k:ApiKey {name: $name}) RETURN count(k) AS n")
ADDED = "added by another origin"
FORGET = Statement("test/forget", "MATCH (n:ApiKey|Session) DELETE n")
PAGE = b"""<!doctype html><title>Elsewhere</title><link rel="icon" href="data:,"><script src="/page.js"></script>"""


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site of another origin on this machine, whose page has the clients."""
    project = node.node_project(Path("tests/clients"), tmp_path_factory.mktemp("clients"))
    node.built(project / "node_modules/.bin/esbuild", "page.mjs", "--bundle", "--outfile=page.js", folder=project)
    with Site() as site:
        site.pages["/"] = PAGE
        site.pages["/page.js"] = (project / "page.js").read_bytes()
        site.types["/page.js"] = "text/javascript"
        yield site


@pytest_asyncio.fixture(loop_scope="session")
async def admin(library: Database) -> AsyncIterator[str]:
    """The key of an administrator."""
    _, key = await create_key(library, name="an administrator", scopes=[KeyScope.ADMIN])
    yield key
    await library.run_alone(FORGET)


@asynccontextmanager
async def page_at(context: BrowserContext, address: str) -> AsyncIterator[tuple[Page, list[str]]]:
    """Give a page, and what its console says."""
    page, told = await context.new_page(), []
    page.on("console", lambda line: told.append(line.text) if line.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: told.append(str(error)))
    page.set_default_timeout(SLOW_MS)
    await page.goto(address)
    yield page, told
    await page.close()


@dataclass
class Exchange:
    """A request as it goes over the network, and the status of its answer."""

    url: str = ""
    cookie: str = ""
    status: int = 0


async def exchanges_of(context: BrowserContext, page: Page) -> dict[str, Exchange]:
    """Return the requests of a page from now on, by their ids; also those whose answer the page may not read."""
    found: dict[str, Exchange] = defaultdict(Exchange)
    network = await context.new_cdp_session(page)
    network.on("Network.requestWillBeSentExtraInfo", lambda told: note(found[told["requestId"]], told["headers"]))
    network.on(
        "Network.responseReceivedExtraInfo",
        lambda told: setattr(found[told["requestId"]], "status", told["statusCode"]),
    )
    network.on(
        "Network.requestWillBeSent", lambda told: setattr(found[told["requestId"]], "url", told["request"]["url"])
    )
    await network.send("Network.enable")
    return found


def note(exchange: Exchange, headers: dict[str, str]) -> None:
    exchange.cookie = next((value for name, value in headers.items() if name.lower() == "cookie"), "")


async def results_of(page: Page, **given: Any) -> dict[str, dict[str, Any]]:
    """Run the clients in a page; return what each got."""
    async with asyncio.timeout(SLOW_MS / 1000):
        found = await page.evaluate("given => window.results(given)", given)
    return {one.pop("client"): one for one in found}


@pytest.mark.parametrize("keys_required", [False, True])
async def test_stock_clients_of_an_allowed_origin_query_change_follow_and_are_refused_without_a_warning(
    browser: Browser,
    library: Database,
    embedder: Embedder,
    elsewhere: Site,
    admin: str,
    keys_required: bool,
    tmp_path: Path,
):
    job = await enqueue(library, embedder, [write(tmp_path / "a.md", "# A\n\nText.\n")], collection="followed")
    await jobs.cancel(library, job.id)
    origin = elsewhere.url("")
    context = await browser.new_context()
    allowed = {"server_allowed_origins": [origin], "server_require_api_key": keys_required}
    async with served(library, embedder, **allowed) as url, page_at(context, elsewhere.url("/")) as (page, told):
        results = await results_of(page, url=url, job=job.id, key=admin if keys_required else None)
    await context.close()
    await jobs.forget(library, job.id)

    assert set(results) == CLIENTS, results
    for name, result in results.items():
        assert "main" in [one["name"] for one in result["query"]["collections"]], (name, result)
        assert result["mutation"] == {"cancelJob": {"__typename": "Job"}}, (name, result)
        assert "nonsense" in result["refused"]["error"], (name, result)
        assert result["states"] == ["CANCELLED"], (name, result)
        assert result["warnings"] == [], (name, result)
    assert set(told) <= {REFUSED_QUERY}
    assert len(told) <= len(CLIENTS)


async def test_an_origin_that_is_not_allowed_learns_and_changes_nothing(
    browser: Browser, library: Database, embedder: Embedder, elsewhere: Site, tmp_path: Path
):
    job = await enqueue(library, embedder, [write(tmp_path / "a.md", "# A\n\nText.\n")], collection="followed")
    context = await browser.new_context()
    other = ["http://localhost:1", elsewhere.url("").replace("127.0.0.1", "localhost")]
    async with (
        served(library, embedder, server_allowed_origins=other) as url,
        page_at(context, elsewhere.url("/")) as (page, told),
    ):
        results = await results_of(page, url=url, job=job.id, retryAttempts=0)
    state = (await jobs.find_job(library, job.id)).state
    await context.close()
    await jobs.cancel(library, job.id)
    await jobs.forget(library, job.id)

    assert set(results) == CLIENTS
    for name, result in results.items():
        assert "main" not in json.dumps(result), (name, result)
        assert "cancelJob" not in json.dumps(result), (name, result)
        assert "CANCELLED" not in json.dumps(result), (name, result)
    assert state.value == "queued"
    assert any("blocked by CORS policy" in line for line in told)


@pytest.mark.parametrize("allowed", [True, False])
async def test_a_session_of_the_server_is_no_use_to_a_page_of_another_origin(
    browser: Browser, library: Database, embedder: Embedder, elsewhere: Site, admin: str, allowed: bool
):
    origins = [elsewhere.url("")] if allowed else []
    context = await browser.new_context()
    async with served(library, embedder, server_require_api_key=True, server_allowed_origins=origins) as url:
        async with page_at(context, url) as (own, _):
            begun = await own.evaluate(
                """async (key) => (await fetch("/v1/session", {
                  method: "POST", headers: { authorization: `Bearer ${key}` },
                })).status""",
                admin,
            )
            read = await own.evaluate("async () => (await (await fetch('/v1/viewer')).json()).name")
        async with page_at(context, elsewhere.url("/")) as (page, _):
            exchanges = await exchanges_of(context, page)
            async with asyncio.timeout(SLOW_MS / 1000):
                found = await page.evaluate("([server, name]) => window.attempts(server, name)", [url, ADDED])
            async with page.expect_navigation():
                await page.evaluate("address => { location.href = address }", f"{url}/v1/viewer")
            navigated = await page.inner_text("body")
        async with httpx.AsyncClient(base_url=url) as nobody:
            anonymous = (await nobody.get("/v1/viewer")).status_code
        (added,) = await library.read(KEYS, name=ADDED)
    await context.close()

    assert (begun, read, anonymous) == (201, "an administrator", 401)
    with_session = [one for one in exchanges.values() if "papergraph-session" in one.cookie]
    assert len(with_session) >= 4, exchanges
    assert {one.status for one in with_session} <= {401, 403}, exchanges
    assert {found["read"], found["query"], found["create"]} == {"TypeError: Failed to fetch"}, found
    assert {found["simple"], found["form"]} == {"opaque" if allowed else "TypeError: Failed to fetch"}, found
    assert {found["events"], found["image"], found["socket"]} == {"refused"}, found
    assert "an administrator" not in navigated, navigated
    assert added["n"] == 0
