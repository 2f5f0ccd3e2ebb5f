"""Pages that manage a server, in a browser by keyboard: collections, API keys and sign-ups."""

import re
import shlex
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.server.auth.access import KeyScope
from papergraph.server.auth.keys import create_key
from papergraph.statement import Statement
from tests.support.browser import axe_findings, go_to, see, watched
from tests.support.servers import RunningServer, served

FORGET = Statement("test/forget", "MATCH (n:ApiKey|Session|Invitation) DELETE n")


@pytest_asyncio.fixture(loop_scope="session")
async def no_keys(library: Database) -> AsyncIterator[None]:
    """Forgets the keys of a test."""
    yield
    await library.run_alone(FORGET)


async def press(page: Page, name: str) -> None:
    await go_to(page, page.get_by_role("button", name=name, exact=True))
    await page.keyboard.press("Enter")


@pytest.mark.slow
async def test_a_collection_is_created_described_and_deleted(site, server: RunningServer) -> None:
    page = site.page
    await see(page, "/")
    await go_to(page, page.get_by_text("More", exact=True))
    await page.keyboard.press("Enter")
    await go_to(page, page.get_by_role("link", name="Collections"))
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", level=1, name="Collections")).to_be_visible()
    await go_to(page, page.get_by_label("Name"))
    await page.keyboard.type("tides")
    await press(page, "Create")
    await expect(page.get_by_text("“tides” is created.")).to_be_visible()
    await press(page, "Describe tides")
    await go_to(page, page.get_by_label("Title").first)
    await page.keyboard.type("Tides of <b>small</b> seas")
    await press(page, "Save")
    await expect(page.get_by_role("link", name="Tides of <b>small</b> seas")).to_be_visible()
    assert await axe_findings(page) == []
    described = {one["name"]: one for one in server.client.get("/v1/collections").json()["data"]}["tides"]
    await press(page, "Delete tides")
    await expect(page.get_by_role("heading", name="Delete “tides”?")).to_be_visible()
    assert await axe_findings(page) == []
    await press(page, "Delete it")
    await expect(page.get_by_text("“tides” is deleted.")).to_be_visible()

    assert described["title"] == "Tides of <b>small</b> seas"
    assert "tides" not in {one["name"] for one in server.client.get("/v1/collections").json()["data"]}
    await expect(page.get_by_label("Collection", exact=True).locator("option[value=tides]")).to_have_count(0)


@pytest.mark.slow
async def test_a_collection_shows_its_counts_and_a_second_of_its_name_is_refused(site, server: RunningServer) -> None:
    page = site.page
    await see(page, "/collections")
    many = next(one for one in server.client.get("/v1/collections").json()["data"] if one["name"] == "many")
    row = page.get_by_role("list", name="Collections").get_by_role("listitem").filter(has_text=re.compile("^many"))
    await expect(row).to_contain_text(f"{many['nPapers']} papers · {many['nChunks']} passages")
    await page.get_by_label("Name").fill("many")
    await page.get_by_role("button", name="Create", exact=True).click()

    await expect(page.get_by_role("alert")).to_contain_text("many")


@pytest.mark.slow
async def test_a_server_without_keys_says_how_to_require_one(site) -> None:
    page = site.page
    await see(page, "/keys")

    await expect(page.get_by_text("This server requires no key")).to_be_visible()
    await expect(page.get_by_role("button", name="Create the key")).to_have_count(0)
    assert await axe_findings(page) == []


@pytest.mark.slow
async def test_a_key_is_made_shown_once_used_and_revoked(
    browser, library: Database, embedder: Embedder, no_keys: None
) -> None:
    _, own = await create_key(library, name="own", scopes=[KeyScope.READ, KeyScope.ASK])
    async with served(library, embedder, server_require_api_key=True) as url, watched(browser, url) as seen:
        page = seen.page
        await page.goto("/keys")
        await page.get_by_label("API key").fill(own)
        await page.get_by_role("button", name="Log in").click()
        await go_to(page, page.get_by_label("Name"))
        await page.keyboard.type("reading group")
        await go_to(page, page.get_by_role("checkbox", name="ask"))
        await page.keyboard.press("Space")
        await go_to(page, page.get_by_role("checkbox", name="many"))
        await page.keyboard.press("Space")
        await press(page, "Create the key")
        made = page.get_by_role("region", name="New key")
        await expect(made).to_be_visible()
        key = await made.locator("code").first.inner_text()
        texts = {}
        for language in ("curl", "Python", "TypeScript"):
            await made.get_by_role("button", name=language).click()
            texts[language] = await made.locator("pre").inner_text()
        assert await axe_findings(page) == []
        async with httpx.AsyncClient(base_url=url, headers={"Authorization": f"Bearer {own}"}) as client:
            listed = [one for one in (await client.get("/v1/keys")).json()["data"] if one["name"] == "reading group"]
            await page.reload()
            await expect(page.get_by_role("list", name="Keys")).to_contain_text("reading group")
            await expect(page.locator("main")).not_to_contain_text(key)
            await press(page, "Revoke reading group")
            await press(page, "Revoke it")
            await expect(page.get_by_text("“reading group” is revoked", exact=False)).to_be_visible()
            after = [one for one in (await client.get("/v1/keys")).json()["data"] if one["name"] == "reading group"]

    assert [(one["scopes"], one["collections"]) for one in listed] == [(["read"], ["many"])]
    assert listed[0]["expiresAt"] is not None
    assert all(key in text and url in text for text in texts.values())
    assert [one["state"] for one in after] == ["revoked"]


@pytest.mark.slow
async def test_the_first_request_of_a_new_key_works(
    browser, library: Database, embedder: Embedder, no_keys: None
) -> None:
    _, own = await create_key(library, name="own", scopes=[KeyScope.READ, KeyScope.ASK], collections=["main"])
    async with served(library, embedder, server_require_api_key=True) as url, watched(browser, url) as seen:
        page = seen.page
        await page.goto("/keys")
        await page.get_by_label("API key").fill(own)
        await page.get_by_role("button", name="Log in").click()
        await expect(page.get_by_text("You are logged in with “own”")).to_be_visible()
        await expect(page.get_by_role("checkbox", name="ingest")).to_have_count(0)
        await page.get_by_label("Name").fill("script")
        await page.get_by_role("button", name="Create the key").click()
        curl = await page.get_by_role("group", name="First request", exact=True).inner_text()
        sent: list[str] = shlex.split(curl.replace("\\\n", " "))
        headers = dict(sent[i + 1].split(": ", 1) for i, word in enumerate(sent) if word == "-H")
        async with httpx.AsyncClient(timeout=60) as client:
            answer: dict[str, Any] = (await client.post(sent[2], headers=headers, content=sent[-1])).json()
        await page.get_by_role("button", name="Python").click()
        python = await page.get_by_role("group", name="First request", exact=True).inner_text()

    assert [hit["rank"] for hit in answer["hits"]] == [1, 2, 3]
    compile(python, "first request", "exec")


@pytest.mark.slow
async def test_an_administrator_invites_and_whoever_opens_the_link_gets_a_key(
    browser, library: Database, embedder: Embedder, no_keys: None
) -> None:
    _, own = await create_key(library, name="own", scopes=[KeyScope.ADMIN])
    async with served(library, embedder, server_require_api_key=True, sign_up="invite") as url:
        async with watched(browser, url) as seen:
            page = seen.page
            await page.goto("/keys")
            await page.get_by_label("API key").fill(own)
            await page.get_by_role("button", name="Log in").click()
            form = page.get_by_role("form", name="New invitation")
            await go_to(page, form.get_by_label("For", exact=True))
            await page.keyboard.type("reading group")
            await go_to(page, form.get_by_role("checkbox", name="many"))
            await page.keyboard.press("Space")
            await press(page, "Create the invitation")
            made = page.get_by_role("region", name="New invitation")
            await expect(made).to_be_visible()
            link = await made.locator("code").inner_text()
            assert await axe_findings(page) == []
        async with watched(browser, url) as seen:
            page = seen.page
            await page.goto(link)
            principal = page.get_by_role("region", name="Invitation")
            await expect(principal).to_contain_text(re.compile(r"Rights\s*read, ask\s*Collections\s*many"))
            await expect(principal).to_contain_text("is good for 1 key until")
            await go_to(page, page.get_by_label("Name"))
            await page.keyboard.type("Ada")
            await press(page, "Get a key")
            shown = page.get_by_role("region", name="New key")
            await expect(shown).to_be_visible()
            key = await shown.locator("code").first.inner_text()
            first = await shown.locator("pre").inner_text()
            assert await axe_findings(page) == []
            await expect(page).to_have_url(f"{url}/signup")
            await seen.assert_clean()
        async with httpx.AsyncClient(base_url=url, headers={"Authorization": f"Bearer {key}"}) as client:
            viewer = (await client.get("/v1/viewer")).json()
        async with watched(browser, url) as seen:
            page = seen.page
            await page.goto(link)
            await expect(page.get_by_role("alert")).to_contain_text("used up")

    assert (viewer["name"], viewer["scopes"], viewer["collections"]) == ("Ada", ["read", "ask"], ["many"])
    assert key in first and url in first


@pytest.mark.slow
async def test_a_server_without_sign_ups_says_so(site) -> None:
    await see(site.page, "/signup")

    await expect(site.page.get_by_text("Nobody can sign up on this server.")).to_be_visible()
    await expect(site.page.get_by_role("button", name="Get a key")).to_have_count(0)
