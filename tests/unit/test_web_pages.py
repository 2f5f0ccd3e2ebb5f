"""The pages and their files as the server sends them, and that they are those of the source."""

import gzip
import re
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
import pytest_asyncio
from graphql import build_schema, parse, validate

from papergraph.server.web.pages import GRAPHQL, HOME, ROUTES, files
from scripts.web import CHECKSUM, IGNORED, SOURCE, STATIC, source_checksum
from tests.support.servers import bare_application

BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
MOST_FILES, MOST_BYTES = 110, 3_500_000


@pytest_asyncio.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(bare_application())
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as opened:
        yield opened


def test_the_server_has_a_route_for_each_page_of_the_source():
    pages = {
        f"/{page.parent.relative_to(SOURCE / 'src/routes')}" for page in SOURCE.glob("src/routes/*/**/+page.svelte")
    }

    served = {route.replace("{", "[").replace("}", "]") for route in ROUTES}
    assert pages - {"/graphql"} == served - {HOME, GRAPHQL}


@pytest.mark.parametrize("path", ["/", "/search?q=a", "/ask", "/papers", "/p/abc"])
async def test_every_route_answers_a_browser_with_the_page(client, path):
    response = await client.get(path, headers=BROWSER)

    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/html")
    assert response.headers["cache-control"] == "no-cache"
    policy = response.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "connect-src 'self'" in policy
    assert "http" not in policy and "unsafe-eval'" not in policy.replace("wasm-unsafe-eval", "")
    assert re.search(r"script-src 'self' 'wasm-unsafe-eval' 'sha256-[\w+/=]+';", policy)
    for address in re.findall(r'(?:href|import\()="?([^"]*assets/[^"]+)"', response.text):
        asked = httpx.URL(f"http://localhost{path}").join(address)
        assert (await client.get(asked)).status_code == 200, asked


async def test_an_unknown_address_is_a_page_for_browsers_and_json_for_others(client):
    in_browser = await client.get("/nowhere/at/all", headers=BROWSER)
    other = await client.get("/nowhere/at/all")
    of_api = await client.get("/v1/papers/none/nothing", headers={"Accept": "application/json, text/html"})

    assert (in_browser.status_code, in_browser.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert 'new URL("../../", location)' in in_browser.text
    assert (other.status_code, of_api.status_code) == (404, 404)
    assert "No route matches GET /nowhere/at/all." in other.text


async def test_other_clients_get_the_json_of_the_front_page(client):
    assert (await client.get("/")).json()["graphql"] == "/graphql"
    assert (await client.get("/", headers={"Accept": "application/json"})).json()["name"] == "papergraph"


async def test_files_are_compressed_and_kept_for_as_long_as_their_name(client):
    name = next(name for name in sorted(files(0)) if name.endswith(".js"))

    plain = await client.get(f"/assets/{name}", headers={"Accept-Encoding": "identity"})
    packed = await client.get(f"/assets/{name}", headers={"Accept-Encoding": "gzip"})

    assert plain.content == packed.content == (STATIC / "assets" / name).read_bytes()
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert int(packed.headers["content-length"]) == len(gzip.compress(plain.content, 9, mtime=0))
    assert packed.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert packed.headers["content-type"].startswith("text/javascript")


@pytest.mark.parametrize("name", ["none.js", "../pages.py", "..%2fpages.py", "%2e%2e/pages.py", "/etc/passwd", "."])
async def test_no_other_file_is_sent(client, name):
    assert (await client.get(f"/assets/{name}")).status_code == 404


def test_the_build_is_that_of_the_source():
    assert (STATIC / CHECKSUM).read_text().strip() == source_checksum(), "make web builds it anew"


def test_the_build_is_small():
    built = [file for file in STATIC.rglob("*") if file.is_file()]

    assert len(built) <= MOST_FILES
    assert sum(file.stat().st_size for file in built) <= MOST_BYTES


def test_the_licence_of_every_bundled_package_is_there():
    text = (STATIC / "assets" / "LICENSES.txt").read_text()

    for package in ("svelte", "@sveltejs/kit", "katex"):
        assert re.search(rf"^{package} \d", text, re.MULTILINE), package


def test_every_query_of_the_pages_is_valid():
    schema = build_schema(Path("schema/schema.graphql").read_text())
    queries = sorted(SOURCE.rglob("*.graphql"))
    queries = [query for query in queries if not IGNORED & set(query.parts)]

    assert queries
    for query in queries:
        assert validate(schema, parse(query.read_text())) == [], query
