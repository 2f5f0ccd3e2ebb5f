"""Pages that manage a server, in a browser by keyboard: collections, API keys and sign-ups."""

import re
import shlex
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.server.auth.access import KeyScope, everything
from papergraph.server.auth.keys import create_key
from papergraph.server.operations.annotations import NewAnnotation, annotate
from papergraph.server.papers.annotations import AnnotationKind
from papergraph.statement import Statement
from tests.support.browser import PHONE, axe_findings, go_to, see, watched
from tests.support.command import Papergraph
from tests.support.fake_zotero import FakeZotero
from tests.support.files import write
from tests.support.servers import RunningServer, running, served

pytestmark = pytest.mark.browser

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


@pytest.mark.slow
async def test_zotero_is_followed_and_written_to_from_its_page(
    browser, library: Database, papergraph: Papergraph, tmp_path: Path
) -> None:
    with FakeZotero() as zotero:
        zotero.add("A", "Tides of small seas", tags=[{"tag": "sea"}])
        zotero.attach("F", write(tmp_path / "storage" / "F" / "tides.md", "# Tides\n\nThe sea rises.\n"), parent="A")
        own = {"PAPERGRAPH_ZOTERO_URL": zotero.url, "PAPERGRAPH_ZOTERO_KEY": zotero.key}
        command = replace(papergraph, settings={**papergraph.settings, **own})
        with running(command) as server:
            async with watched(browser, server.url, **PHONE) as seen:
                await _sync(seen.page, command)
                (paper,) = server.ask('{ papers(collection: "zotero") { nodes { id } } }')["papers"]["nodes"]
                wanted = NewAnnotation(papers=[paper["id"]], kind=AnnotationKind.TAG, text="to cite")
                await annotate(library, everything(), wanted)
                await _push(seen.page, zotero)
                zotero.status = 403
                await see(seen.page, "/zotero?in=zotero")
                away = seen.page.get_by_role("status").filter(has_text="Allow other applications in Zotero")
                await expect(away).to_be_visible()
                assert await axe_findings(seen.page) == []
                await seen.assert_clean()
            server.client.delete("/v1/collections/zotero").raise_for_status()
            for one in server.client.get("/v1/watches").json()["data"]:
                server.client.delete(f"/v1/watches/{one['id']}").raise_for_status()


async def _sync(page: Page, command: Papergraph) -> None:
    await see(page, "/zotero?in=zotero")
    await expect(page.get_by_role("list", name="Libraries")).to_have_text("users/0: 1 item")
    await press(page, "Show what a sync brings")
    await expect(page.get_by_role("list", name="Incoming")).to_contain_text("new: Tides of small seas")
    assert await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert await axe_findings(page) == []
    await press(page, "Sync from Zotero")
    await expect(page.get_by_text("The sync is due.")).to_be_visible()
    ran = command.process("watch", "run")
    assert ran.returncode == 0, ran.stderr


async def _push(page: Page, zotero: FakeZotero) -> None:
    await see(page, "/zotero?in=zotero")
    changes = page.get_by_role("list", name="Changes")
    await expect(changes).to_contain_text("create item: Tides of small seas")
    await press(page, "Show what a push writes")
    planned = page.get_by_role("region", name="Push")
    await expect(planned).to_contain_text("change tags: Tides of small seas: to cite")
    assert zotero.n_writes == 0
    await press(page, "Write to Zotero")
    await expect(page.get_by_text("1 object written to Zotero.")).to_be_visible()
    assert [one["tag"] for one in zotero.items["A"]["tags"]] == ["sea", "to cite"]
    assert await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert await axe_findings(page) == []
    undo = page.get_by_role("button", name=re.compile("^Undo change"))
    await go_to(page, undo)
    await page.keyboard.press("Enter")
    await expect(changes).to_contain_text("taken back")
    assert [one["tag"] for one in zotero.items["A"]["tags"]] == ["sea"]
