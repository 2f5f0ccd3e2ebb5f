"""The main task of each page in a browser by keyboard alone: the search page's is in test_web.py."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, expect

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.server.auth.access import KeyScope
from papergraph.server.auth.keys import ApiKey, create_key
from papergraph.statement import Statement
from tests.support.browser import ASK, QUESTION, Watched, axe_findings, go_to, see, watched
from tests.support.files import write
from tests.support.ingestion import ingest
from tests.support.servers import RunningServer, served

pytestmark = [pytest.mark.slow, pytest.mark.browser]

SHELF = "shelf"
FORGET = Statement("test/forget", "MATCH (n:ApiKey|Session) DELETE n")


@pytest_asyncio.fixture(loop_scope="session")
async def shelf(server: RunningServer, library: Database, embedder: Embedder, tmp_path: Path) -> AsyncIterator[str]:
    """Collection of three papers, of which nothing stays, nor of the collection that they are moved to."""
    text = "---\nyear: {}\nauthors: [{}]\n---\n# {}\n\n## Methods\n\nThe gauge rises. At noon it shows {} feet.\n"
    papers = [(2021, "Mira Calder", "Tides", 4), (2022, "Ivo Brandt", "Clocks", 5), (2022, "Ana Reis", "Gauges", 6)]
    files = [write(tmp_path / f"{one[2]}.md", text.format(*one)) for one in papers]
    await ingest(library, embedder, files, collection=SHELF)
    yield SHELF
    for name in (SHELF, "attic"):
        server.client.delete(f"/v1/collections/{name}")


async def press(page: Page, wanted: Locator) -> None:
    await go_to(page, wanted)
    await page.keyboard.press("Enter")


async def write_in(page: Page, field: Locator, text: str) -> None:
    await go_to(page, field)
    await page.keyboard.press("Control+a")
    await page.keyboard.type(text)


async def tick(page: Page, *names: str) -> None:
    for name in names:
        await go_to(page, page.get_by_role("checkbox", name=name))
        await page.keyboard.press("Space")


async def test_from_home_to_an_answer(site: Watched) -> None:
    page = site.page
    await see(page, "/")
    await page.keyboard.press("/")
    await page.keyboard.type(QUESTION)
    await go_to(page, page.get_by_role("button", name="Ask", exact=True))
    await page.keyboard.press("Enter")

    await expect(page.get_by_text("word for word from the papers")).to_be_visible()


async def test_from_a_question_to_its_quote_in_the_paper(site: Watched) -> None:
    page = site.page
    await see(page, "/ask")
    await page.keyboard.press("/")
    await page.keyboard.type(QUESTION)
    await page.keyboard.press("Enter")
    await go_to(page, page.get_by_role("button", name=re.compile("^Source 1")).first)
    await expect(page.get_by_role("complementary", name="Quote of source 1").locator("mark").first).to_be_visible()
    await go_to(page, page.get_by_role("link", name="Open in the paper"))
    await page.keyboard.press("Enter")

    await expect(page.locator("main mark.quote").first).to_be_in_viewport()


async def test_a_stored_answer_is_rated(site: Watched, server: RunningServer) -> None:
    page = site.page
    stored = server.client.post("/v1/ask", json={"question": QUESTION, "store": True}).json()["id"]
    await see(page, f"/a/{stored}")
    await go_to(page, page.get_by_role("button", name="Good answer"))
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("Saved")).to_be_visible()

    (rating,) = server.client.get(f"/v1/answers/{stored}").json()["ratings"]
    assert rating["verdict"] == "up"


async def test_a_paper_is_opened_from_the_list_and_read(site: Watched) -> None:
    page = site.page
    await see(page, "/papers")
    await go_to(page, page.get_by_role("searchbox"))
    await page.keyboard.type("surface codes")
    await expect(page).to_have_url(re.compile(r"q=surface\+codes"))
    await go_to(page, page.get_by_role("link", name=re.compile("^Surface Codes")))
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", level=1, name=re.compile("^Surface Codes"))).to_be_visible()
    await go_to(page, page.get_by_role("navigation", name="Sections of the paper").get_by_role("link").last)
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(re.compile("#s-"))
    await go_to(page, page.get_by_role("button", name="Copy BibTeX"))
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("button", name="Copied")).to_be_focused()

    assert "@" in await page.evaluate("navigator.clipboard.readText()")


async def test_files_are_added_and_what_becomes_of_each_is_shown(
    site: Watched, server: RunningServer, tmp_path: Path
) -> None:
    page = site.page
    write(tmp_path / "tides.md", "# Tides of small seas\n\n## Start\n\nThe ebb lasts six hours.\n")
    write(tmp_path / "empty.pdf", "%PDF-1.7 and nothing more")
    write(tmp_path / "notes.xyz", "no format")
    await see(page, "/add?in=shore")
    await go_to(page, page.get_by_label("Choose files"))
    await page.get_by_label("Choose files").set_input_files(
        [tmp_path / name for name in ("tides.md", "empty.pdf", "notes.xyz")]
    )
    await expect(page.get_by_role("list", name="Files to add")).to_contain_text("This kind of file cannot be read")
    await go_to(page, page.get_by_role("button", name="Check 2 documents"))
    await page.keyboard.press("Enter")
    add = page.get_by_role("button", name="Add 1 paper")
    await expect(page.get_by_text(re.compile("^1 paper with . passages?; 1 refused; about"))).to_be_visible()
    await expect(add).to_be_focused()
    assert await axe_findings(page) == []
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(re.compile(r"/jobs\?job="))
    await expect(page.get_by_role("heading", name="Adding papers")).to_be_visible()
    worked = server.papergraph("worker", "--once")
    assert worked.returncode == 0, worked.stderr

    documents = page.get_by_role("list", name="Documents").get_by_role("listitem")
    await expect(documents.filter(has_text="Tides of small seas")).to_contain_text("done")
    await expect(documents.filter(has_text="empty.pdf")).to_contain_text("the end of the file is missing")
    await expect(page.get_by_text("1 of 2 documents done · 1 refused or failed")).to_be_visible()
    await go_to(page, page.get_by_role("link", name="Show the papers"))
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("link", name="Tides of small seas")).to_be_visible()
    await see(page, "/jobs")
    await expect(page.get_by_role("link", name=re.compile("tides.md")).first).to_be_visible()


async def test_the_frame_has_a_skip_link_and_a_list_of_keys(site: Watched) -> None:
    page = site.page
    await see(page, ASK)
    await page.keyboard.press("Tab")
    await expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    await page.keyboard.press("Enter")
    await page.keyboard.press("?")
    await expect(page.get_by_role("heading", name="Keys")).to_be_visible()
    await page.keyboard.press("Escape")

    await expect(page.get_by_role("heading", name="Keys")).to_be_hidden()


async def test_papers_are_chosen_tagged_starred_copied_and_exported(
    site: Watched, server: RunningServer, shelf: str
) -> None:
    page = site.page
    await see(page, f"/papers?in={shelf}")
    await tick(page, "Choose Clocks", "Choose Gauges")
    await expect(page.get_by_text("2 papers chosen")).to_be_visible()
    await write_in(page, page.get_by_label("Tag for the chosen papers"), "instruments")
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("Tagged 2 papers “instruments”.")).to_be_visible()
    await press(page, page.get_by_role("button", name="Star"))
    await expect(page.get_by_text("Starred 2 papers.")).to_be_visible()
    await go_to(page, page.get_by_label("Reading state of the chosen papers"))
    for key in ("ArrowDown", "ArrowDown", "Enter"):
        await page.keyboard.press(key)
    await expect(page.get_by_text("Set the reading state.")).to_be_visible()
    await write_in(page, page.get_by_label("Collection to copy to"), "attic")
    await press(page, page.get_by_role("button", name="Copy there"))
    await expect(page.get_by_text("Copied 2 papers to “attic”.")).to_be_visible()
    await tick(page, "with tags and notes")
    async with page.expect_download() as started:
        await press(page, page.get_by_role("button", name="Export 2 papers"))
    exported = (await (await started.value).path()).read_text("utf-8")
    marks = server.client.get("/v1/annotations", params={"collection": shelf}).json()["data"]

    assert exported.count("@") == 2 and "instruments" in exported
    assert sorted((one["kind"], one["text"]) for one in marks) == [
        ("star", ""), ("star", ""), ("state", "reading"), ("state", "reading"), ("tag", "instruments"),
        ("tag", "instruments"),
    ]  # fmt: skip


async def test_papers_are_filtered_and_a_filter_is_saved_restored_and_forgotten(site: Watched, shelf: str) -> None:
    page = site.page
    titles = page.locator("main tbody th a")
    await see(page, f"/papers?in={shelf}")
    await press(page, page.get_by_text("Filters", exact=True))
    await write_in(page, page.get_by_label("From year"), "2022")
    await write_in(page, page.get_by_label("To year"), "2022")
    await page.keyboard.press("Enter")
    await expect(titles).to_have_text(["Clocks", "Gauges"])
    await write_in(page, page.get_by_label("Author", exact=True), "Ana Reis")
    await page.keyboard.press("Enter")
    await expect(titles).to_have_text(["Gauges"])
    await go_to(page, page.get_by_role("combobox", name="Reading state", exact=True))
    for key in ("ArrowDown", "ArrowDown", "Tab"):
        await page.keyboard.press(key)
    await expect(titles).to_have_count(0)
    await press(page, page.get_by_role("button", name="Reading state: reading ✕"))
    await expect(titles).to_have_text(["Gauges"])
    await write_in(page, page.get_by_label("Name of this filter"), "Ana's")
    await page.keyboard.press("Enter")
    await press(page, page.get_by_role("button", name="Remove all filters"))
    await expect(titles).to_have_count(3)
    await press(page, page.get_by_role("button", name="Ana's", exact=True))
    await expect(titles).to_have_text(["Gauges"])
    await press(page, page.get_by_role("button", name="Forget the filter Ana's"))
    await expect(page.get_by_role("group", name="Saved filters")).to_have_count(0)


async def test_papers_are_moved_and_deleted_and_both_are_undone(
    site: Watched, server: RunningServer, shelf: str
) -> None:
    page = site.page
    titles = page.locator("main tbody th a")

    def titles_of(collection: str) -> list[str]:
        listed = server.client.get("/v1/papers", params={"collection": collection})
        return sorted(one["title"] for one in listed.json().get("data", []))

    async def move(name: str) -> None:
        await tick(page, f"Choose {name}")
        await write_in(page, page.get_by_label("Collection to copy to"), "attic")
        await press(page, page.get_by_role("button", name="Move there"))
        await expect(page.get_by_role("button", name="Undo")).to_be_focused()

    async def delete(name: str) -> None:
        await tick(page, f"Choose {name}")
        await press(page, page.get_by_role("button", name="Delete…"))
        dialog = page.get_by_role("dialog", name="Delete 1 paper?")
        await press(page, dialog.get_by_role("button", name="Delete"))
        await expect(page.get_by_role("button", name="Undo")).to_be_focused()

    await see(page, f"/papers?in={shelf}")
    for act in (move, delete):
        await act("Clocks")
        await expect(titles).to_have_text(["Gauges", "Tides"])
        assert await axe_findings(page) == []
        await page.keyboard.press("Enter")
        await expect(page.get_by_text("1 paper stayed.")).to_be_visible()
        await expect(titles).to_have_text(["Clocks", "Gauges", "Tides"])
    undone = titles_of(shelf), titles_of("attic")
    await move("Clocks")
    await expect(page.get_by_text("Moved 1 paper to “attic”.")).to_be_visible()
    await delete("Gauges")
    await write_in(page, page.get_by_label("Words of titles"), "Tides Gauges")
    await expect(page.get_by_text("Deleted 1 paper.", exact=True)).to_be_visible()

    assert undone == (["Clocks", "Gauges", "Tides"], [])
    assert (titles_of(shelf), titles_of("attic")) == (["Tides"], ["Clocks"])


async def test_a_paper_is_starred_tagged_noted_and_highlighted_with_a_comment(
    site: Watched, server: RunningServer, shelf: str
) -> None:
    page = site.page
    nodes = server.ask('{ papers(collection: "shelf") { nodes { id title } } }')["papers"]["nodes"]
    await see(page, f"/p/{next(one['id'] for one in nodes if one['title'] == 'Gauges')}")
    await write_in(page, page.get_by_label("Find in this paper"), "AT NOON it")
    await press(page, page.get_by_role("button", name="Highlight", exact=True))
    await expect(page.locator("mark.highlight")).to_have_text("At noon it")
    await press(page, page.get_by_role("button", name="Comment"))
    await expect(page.get_by_label("Comment")).to_be_focused()
    await page.keyboard.type("Or at high water?")
    await go_to(page, page.get_by_label("Colour"))
    await page.keyboard.type("green")
    await press(page, page.get_by_role("button", name="Save", exact=True))
    await expect(page.locator("mark.highlight.green")).to_have_count(1)
    await press(page, page.get_by_role("button", name="☆ star"))
    await expect(page.get_by_role("button", name="★ starred")).to_be_visible()
    await go_to(page, page.get_by_label("State"))
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "Enter"):
        await page.keyboard.press(key)
    await write_in(page, page.get_by_label("New tag"), "water")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("button", name="Remove tag water")).to_be_visible()
    await write_in(page, page.get_by_label("New note"), "Compare with the clocks.")
    await press(page, page.get_by_role("button", name="Add note"))
    await expect(page.locator(".notes")).to_contain_text("Compare with the clocks.")
    stored = server.client.get("/v1/annotations", params={"collection": shelf}).json()["data"]
    note = page.get_by_role("listitem").filter(has_text="Compare with the clocks.")
    await press(page, note.get_by_role("button", name="Delete"))
    await expect(note).to_have_count(0)
    await press(page, page.get_by_role("button", name="Remove tag water"))
    await expect(page.get_by_role("button", name="Remove tag water")).to_have_count(0)

    assert {(one["kind"], one["text"], one["quote"], one["colour"]) for one in stored} == {
        ("highlight", "Or at high water?", "At noon it", "green"),
        ("star", "", None, None),
        ("state", "read", None, None),
        ("tag", "water", None, None),
        ("note", "Compare with the clocks.", None, None),
    }


async def test_a_follow_up_is_asked(site: Watched) -> None:
    page = site.page
    await see(page, ASK)
    await write_in(page, page.get_by_label("Follow-up question"), "How many of them are for data?")
    await page.keyboard.press("Enter")

    await expect(page).to_have_url(re.compile("q=.*q=How\\+many\\+of\\+them"))
    answered = re.compile("word for word from the papers|no answer", re.IGNORECASE)
    await expect(page.get_by_text(answered)).to_have_count(2)


async def keys(database: Database) -> tuple[ApiKey, str]:
    """Return a key of a reader, and the secret of an administrator."""
    _, own = await create_key(database, name="own", scopes=[KeyScope.ADMIN])
    reader, _ = await create_key(database, name="Ada", scopes=[KeyScope.READ], collections=["main"])
    return reader, own


async def test_a_role_is_given_changed_and_taken_back(
    browser: Browser, library: Database, embedder: Embedder, shelf: str
) -> None:
    reader, own = await keys(library)
    roles = []
    async with served(library, embedder, server_require_api_key=True) as url, watched(browser, url) as seen:
        page = seen.page
        await page.goto("/collections")
        await write_in(page, page.get_by_label("API key"), own)
        await page.keyboard.press("Enter")
        await press(page, page.get_by_role("button", name=f"People of {shelf}"))
        await write_in(page, page.get_by_label("Id of a key"), reader.id)
        await press(page, page.get_by_role("button", name="Give the role"))
        given = page.get_by_role("combobox", name=re.compile("^Ada"))
        for pressed, role in (((), "ANNOTATE"), (("ArrowDown", "Enter"), "EDIT"), (("Home", "Enter"), "")):
            if pressed:
                await go_to(page, given)
            for one in pressed:
                await page.keyboard.press(one)
            if role:
                await expect(given).to_have_value(role)
            else:
                await expect(given).to_have_count(0)
            assert await axe_findings(page) == []
            headers = {"Authorization": f"Bearer {own}"}
            found = await page.request.get(f"{url}/v1/collections/{shelf}/roles", headers=headers)
            roles.append([one["role"] for one in (await found.json())["data"] if one["key"] == reader.id])
    await library.run_alone(FORGET)

    assert roles == [["annotate"], ["edit"], []]
