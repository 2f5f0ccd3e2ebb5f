"""Pages for developers in a browser: the GraphQL editor, and the reference of the REST API."""

import json
import re
import shlex
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from playwright.async_api import Page, expect

from tests.support.browser import axe_findings, bytes_loaded, go_to, see
from tests.support.servers import RunningServer

pytestmark = pytest.mark.browser

LARGEST_PAGE_BYTES = 150_000
"""Of the files of a page beyond those of the search page, compressed."""
TITLES = "query Titles($first: Int!) { papers(first: $first, sort: YEAR) { nodes { title } } }"


async def write_operation(page: Page, text: str) -> None:
    await go_to(page, page.get_by_role("textbox", name="GraphQL operation"))
    await page.keyboard.press("Control+a")
    await page.keyboard.insert_text(text)


def test_browsers_get_the_editor_and_other_clients_the_api(server: RunningServer) -> None:
    query = {"query": "{ __typename }"}
    with httpx.Client(base_url=server.url) as client:
        page = client.get("/graphql", headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
        api = [
            client.get("/graphql", params=query, headers={"Accept": accept})
            for accept in ("*/*", "application/json", "application/graphql-response+json, text/html;q=0.5")
        ]
        posted = client.post("/graphql", json=query, headers={"Accept": "text/html, application/json"})

    assert (page.status_code, page.headers["content-type"].partition(";")[0]) == (200, "text/html")
    assert "Accept" in page.headers["vary"]
    assert [one.json()["data"] for one in (*api, posted)] == [{"__typename": "Query"}] * 4


@pytest.mark.slow
async def test_an_operation_is_completed_run_and_kept_in_the_address(site, server: RunningServer) -> None:
    page = site.page
    loaded = bytes_loaded(page)
    await see(page, "/search")
    first = {url for url in loaded if "/assets/" in url}
    await see(page, "/graphql")
    await write_operation(page, "{ papers { nodes { tit")
    await page.keyboard.type("l")
    await expect(page.get_by_role("option", name=re.compile("^title"))).to_be_visible()
    assert await axe_findings(page) == []
    await page.keyboard.press("Escape")
    await write_operation(page, TITLES)
    await go_to(page, page.get_by_label("Variables, as JSON"))
    await page.keyboard.insert_text('{"first": 2}')
    await page.keyboard.press("Control+Enter")
    answer = page.get_by_role("group", name="Answer")
    await expect(answer).to_be_visible()
    shown = json.loads(await answer.inner_text())
    assert await axe_findings(page) == []
    told = server.client.post("/graphql", json={"query": TITLES, "variables": {"first": 2}}).json()
    await expect(page.get_by_text(re.compile(rf"cost {told['extensions']['cost']['requested']:,}$"))).to_be_visible()
    await page.reload()
    await expect(page.get_by_role("textbox", name="GraphQL operation")).to_contain_text("query Titles")

    assert shown["data"] == told["data"]
    assert len(shown["data"]["papers"]["nodes"]) == 2
    assert parse_qs(urlsplit(page.url).query)["variables"] == ['{"first": 2}']
    assert sum(size for url, size in loaded.items() if "/assets/" in url and url not in first) <= LARGEST_PAGE_BYTES


@pytest.mark.slow
async def test_an_example_of_the_schema_is_chosen_and_run(site) -> None:
    page = site.page
    await see(page, "/graphql")
    await go_to(page, page.get_by_role("button", name="collections", exact=True))
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("textbox", name="GraphQL operation")).to_contain_text("nPapers")
    await page.keyboard.press("Control+Enter")

    await expect(page.get_by_role("group", name="Answer")).to_contain_text('"name": "main"')


@pytest.mark.slow
async def test_a_subscription_shows_its_events(site) -> None:
    page = site.page
    await see(page, "/graphql")
    await go_to(page, page.get_by_role("button", name="answer", exact=True))
    await page.keyboard.press("Enter")
    await page.keyboard.press("Control+Enter")

    await expect(page.get_by_text(re.compile(r"\d+ events"))).to_be_visible()
    await expect(page.get_by_role("group", name="Answer")).to_contain_text('"answer"')


@pytest.mark.slow
async def test_what_is_wrong_with_an_operation_is_told(site) -> None:
    page = site.page
    site.complaints.clear()
    await see(page, "/graphql")
    await write_operation(page, "{ nonsense }")
    await page.keyboard.press("Control+Enter")
    await expect(page.get_by_text(re.compile("Cannot query field 'nonsense'")).first).to_be_visible()

    assert all("status of 4" in line for line in site.complaints), site.complaints
    site.complaints.clear()


@pytest.mark.slow
async def test_the_reference_of_the_api_shows_an_operation_whose_example_runs(site, server: RunningServer) -> None:
    page = site.page
    await see(page, "/api")
    described = server.client.get("/openapi.json").json()
    n_operations = sum(len(methods) for methods in described["paths"].values())
    await expect(page.get_by_text(f"{n_operations} operations")).to_be_visible()
    assert await axe_findings(page) == []
    await go_to(page, page.get_by_label("Find an operation"))
    await page.keyboard.type("post search")
    await go_to(page, page.get_by_role("button", name="POST /v1/search", exact=True))
    await page.keyboard.press("Enter")
    shown = page.get_by_role("region", name="Search").locator("li", has_text="POST /v1/search")
    await expect(shown.get_by_text("Body application/json")).to_be_visible()
    assert await axe_findings(page) == []
    command = shlex.split((await shown.locator("pre").inner_text()).replace("\\\n", " "))
    done = server.client.post("/v1/search", json=json.loads(command[-1]))
    address = page.url
    await page.goto("/")
    await page.goto(address)

    await expect(page.get_by_text("Body application/json")).to_be_visible()
    assert command[:2] == ["curl", "-sf"]
    assert command[4].endswith("/v1/search")
    assert done.status_code == 200, done.text
