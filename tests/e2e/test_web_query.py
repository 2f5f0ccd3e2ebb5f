"""Pages that compare and query, in a browser: pipelines side by side, the Cypher editor, enrichments."""

import csv
import json
import re
from pathlib import Path

import pyarrow.ipc
import pytest
from playwright.async_api import Page, expect

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.server.auth.access import KeyScope
from papergraph.server.auth.keys import create_key
from tests.support.browser import QUERY, axe_findings, bytes_loaded, go_to, see, watched
from tests.support.servers import RunningServer, served

pytestmark = pytest.mark.browser

COMPARE = "/compare?q=Is+tabu+search+better+than+annealing%3F&pipeline=default&pipeline=fast&k=5"
SELECT_WORDS = """element => {
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    let text = texts.nextNode();
    while (text.data.trim().length < 12) text = texts.nextNode();
    getSelection().selectAllChildren(element);
    getSelection().setBaseAndExtent(text, 0, text, text.data.length);
    return text.data;
}"""
"""Selects the first words of an element that no markup parts, and returns them."""
LARGEST_PAGE_BYTES = 150_000
"""Of the files of a page beyond those of the search page, compressed."""
LIMIT_TITLE = "MATCH (paper:Paper {collection: 'main'}) RETURN paper.title AS title ORDER BY title"


async def saved(page: Page, button: str, folder: Path) -> Path:
    async with page.expect_download() as waiting:
        await page.get_by_role("button", name=button, exact=True).click()
    file = await waiting.value
    await file.save_as(folder / file.suggested_filename)
    return folder / file.suggested_filename


async def write_query(page: Page, text: str) -> None:
    editor = page.get_by_role("textbox", name="Cypher query")
    await go_to(page, editor)
    await page.keyboard.press("Control+a")
    await page.keyboard.insert_text(text)


@pytest.mark.slow
async def test_citations_of_a_draft_are_compared_with_their_papers(site, tmp_path: Path) -> None:
    references = tmp_path / "refs.bib"
    references.write_text(
        "@article{qec, title = {Surface Codes and Their Logical Error Rates}}\n@misc{none, title={X}}\n"
    )
    draft = tmp_path / "draft.md"
    draft.write_text(
        "A patch of distance 7 uses 97 physical qubits [@qec]. A patch of distance 7 uses 98 physical qubits [@qec]. "
        "The tide is higher than the sea in winter [@none].\n"
    )
    page: Page = site.page
    await see(page, "/draft")
    await page.get_by_label("Bibliography").set_input_files(references)
    await page.get_by_label("or its text").fill(draft.read_text())
    await page.get_by_role("button", name="Check", exact=True).click()
    await expect(page.get_by_role("button", name="supported 1")).to_be_visible()
    await page.get_by_label("Draft: Markdown").set_input_files(draft)
    await page.get_by_role("button", name="Check", exact=True).click()

    for verdict in ("contradicts 1", "unchecked 1", "supported 1"):
        await expect(page.get_by_role("button", name=verdict)).to_be_visible()
    assert not await axe_findings(page)
    await page.get_by_role("button", name="contradicts 1").click()
    await expect(page.get_by_text("98 physical qubits")).to_be_visible()
    await expect(page.get_by_text("The tide is higher")).to_be_hidden()
    await page.get_by_role("link", name="Surface Codes and Their Logical Error Rates").first.click()
    await expect(page.get_by_role("heading", name="Surface Codes and Their Logical Error Rates").first).to_be_visible()


@pytest.mark.slow
async def test_a_paper_gets_tags_notes_and_highlights(site, server: RunningServer) -> None:
    page: Page = site.page
    nodes = server.ask("{ papers(first: 50) { nodes { id title } } }")["papers"]["nodes"]
    paper = next(str(node["id"]) for node in nodes if node["title"].startswith("Surface Codes"))
    await see(page, f"/p/{paper}")
    await page.get_by_role("button", name="☆ star").click()
    await expect(page.get_by_role("button", name="★ starred")).to_be_visible()
    await page.get_by_label("State").select_option("reading")
    await page.get_by_label("New tag").fill("thesis")
    await page.get_by_label("New tag").press("Enter")
    await page.get_by_label("New note").fill("Compare the tables.")
    await page.get_by_role("button", name="Add note").click()
    await expect(page.get_by_text("Compare the tables.")).to_be_visible()
    await page.get_by_text("97 physical qubits").first.scroll_into_view_if_needed()
    chosen = " ".join((await page.get_by_text("97 physical qubits").first.evaluate(SELECT_WORDS)).split())
    await page.get_by_role("button", name="Highlight in green").click()
    await expect(page.locator(".notes .quote")).to_contain_text(chosen)
    await expect(page.locator(".highlight.green").first).to_be_attached()
    await page.get_by_role("button", name="Comment").click()
    await page.get_by_label("Comment").fill("The overhead.")
    await page.get_by_label("Colour").select_option("pink")
    await page.get_by_role("button", name="Save", exact=True).click()
    await expect(page.locator(".highlight.pink").first).to_be_attached()
    assert not await axe_findings(page)

    await see(page, "/notes?q=overhead+compare")
    await expect(page.get_by_text("No note or highlight has these words.")).to_be_visible()
    await see(page, "/notes?q=the+overhead")
    assert not await axe_findings(page)
    await page.locator(".quote").get_by_role("link").click()
    await expect(page.locator(".region").or_(page.locator("mark.quote")).first).to_be_visible()
    await expect(page.locator(".notes .quote")).to_contain_text(chosen)
    await expect(page.get_by_label("State")).to_have_value("reading")
    await page.get_by_role("button", name="Remove tag thesis").click()
    await expect(page.get_by_text("thesis", exact=True)).to_have_count(0)
    while await page.locator(".notes").get_by_role("button", name="Delete").count():
        before = await page.locator(".notes li").count()
        await page.locator(".notes").get_by_role("button", name="Delete").first.click()
        await expect(page.locator(".notes li")).to_have_count(before - 1)
    await page.get_by_role("button", name="★ starred").click()
    await page.get_by_label("State").select_option("")
    await expect(page.get_by_role("button", name="☆ star")).to_be_visible()


@pytest.mark.slow
async def test_two_pipelines_show_what_they_share(site, server: RunningServer) -> None:
    page = site.page
    await see(page, "/search")
    await page.keyboard.press("/")
    await page.keyboard.type(QUERY)
    await page.keyboard.press("Enter")
    await go_to(page, page.get_by_role("link", name="Compare", exact=True))
    await page.keyboard.press("Enter")
    await expect(page.get_by_text(re.compile("hits? in all columns"))).to_be_visible()
    await page.goto(COMPARE)
    await expect(page.get_by_text(re.compile("hits? in all columns"))).to_be_visible()
    ids = [
        [
            hit["chunk"]["id"]
            for hit in server.client.post("/v1/search", json={"query": QUERY, "k": 5, "pipeline": name}).json()["hits"]
        ]
        for name in ("default", "fast")
    ]
    shared = set(ids[0]) & set(ids[1])
    fast = page.get_by_role("list", name="Hits of fast")

    await expect(page.get_by_text(re.compile(f"^{len(shared)} hits? in all columns"))).to_be_visible()
    assert await fast.get_by_role("listitem").count() == len(ids[1])
    assert await fast.get_by_text("only here", exact=True).count() == len(set(ids[1]) - shared)
    assert await fast.get_by_role("link", name=re.compile("in default$")).count() == len(shared)
    assert await axe_findings(page) == []


@pytest.mark.slow
async def test_a_query_is_written_completed_run_and_saved(site, server: RunningServer, tmp_path: Path) -> None:
    page = site.page
    loaded = bytes_loaded(page)
    await see(page, "/search")
    first = {url for url in loaded if "/assets/" in url}
    await see(page, "/cypher")
    await write_query(page, "MATCH (paper:")
    await page.keyboard.type("Pap")
    await expect(page.get_by_role("option", name="Paper", exact=True)).to_be_visible()
    assert await axe_findings(page) == []
    await page.keyboard.press("Escape")
    await write_query(page, LIMIT_TITLE)
    await page.keyboard.press("Control+Enter")
    rows = page.get_by_role("group", name="Rows").get_by_role("row")
    wanted = server.client.post("/v1/cypher", json={"query": LIMIT_TITLE}).json()["rows"]
    await expect(rows).to_have_count(len(wanted) + 1)
    assert await axe_findings(page) == []
    lines = list(csv.reader((await saved(page, "CSV", tmp_path)).open(encoding="utf-8", newline="")))
    arrow = pyarrow.ipc.open_stream((await saved(page, "Arrow", tmp_path)).read_bytes()).read_all()
    await page.reload()
    await expect(page.get_by_role("textbox", name="Cypher query")).to_contain_text("ORDER BY title")

    assert lines == [["title"], *wanted]
    assert arrow.column("title").to_pylist() == [title for (title,) in wanted]
    assert sum(size for url, size in loaded.items() if "/assets/" in url and url not in first) <= LARGEST_PAGE_BYTES


@pytest.mark.slow
async def test_a_named_query_fills_its_form_and_rows_are_cut_visibly(site, server: RunningServer) -> None:
    page = site.page
    await see(page, "/cypher")
    await go_to(page, page.get_by_role("button", name="coauthors", exact=True))
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(re.compile("name=coauthors"))
    (query,) = (
        one for one in server.ask("{ queries { name parameters { name } } }")["queries"] if one["name"] == "coauthors"
    )
    names = [one["name"] for one in query["parameters"]]
    field = page.get_by_role("group", name="Parameters").get_by_label(re.compile("^collection"))
    await expect(field).to_have_value("main")
    assert await page.get_by_role("group", name="Parameters").get_by_role("textbox").count() == len(names)
    await page.get_by_role("button", name="Run").click()
    await expect(page.get_by_text(re.compile(r"\d+ rows?, "))).to_be_visible()
    await write_query(page, LIMIT_TITLE)
    await page.get_by_label("At most").fill("2")
    await page.get_by_role("button", name="Run").click()

    await expect(page.get_by_text("2 rows,", exact=False)).to_contain_text("cut at the limit of rows")


@pytest.mark.slow
async def test_rows_with_nodes_are_drawn(site) -> None:
    page = site.page
    await see(page, "/cypher?view=graph")
    await write_query(page, "MATCH (author:Author)-[r:WROTE]->(paper:Paper {collection: 'main'}) RETURN * LIMIT 5")
    await page.get_by_role("button", name="Run").click()
    await expect(page.get_by_role("img", name=re.compile(r"^Drawing of \d+ nodes and 5 links"))).to_be_visible()

    assert await axe_findings(page) == []


@pytest.mark.slow
async def test_an_error_names_its_place_and_puts_the_cursor_there(site) -> None:
    page = site.page
    site.complaints.clear()
    await see(page, "/cypher")
    await write_query(page, "MATCH (paper:Paper)\nRETURN paper.title ORDR BY 1")
    await page.keyboard.press("Control+Enter")
    await expect(page.get_by_role("alert")).to_contain_text("line 2")

    await expect(page.get_by_role("textbox", name="Cypher query")).to_be_focused()
    assert all("status of 4" in line for line in site.complaints), site.complaints
    site.complaints.clear()


@pytest.mark.slow
async def test_a_key_without_the_right_is_told_so(browser, library: Database, embedder: Embedder) -> None:
    _, key = await create_key(library, name="reader", scopes=[KeyScope.READ], collections=["main"])
    async with served(library, embedder, server_require_api_key=True) as url, watched(browser, url) as seen:
        await seen.page.goto("/keys")
        await seen.page.get_by_label("API key").fill(key)
        await seen.page.get_by_role("button", name="Log in").click()
        await expect(seen.page.get_by_role("button", name="Log out")).to_be_visible()
        await seen.page.goto("/cypher")

        await expect(seen.page.get_by_role("alert").first).to_contain_text("Your API key does not allow this.")


@pytest.mark.slow
async def test_a_collection_is_enriched_after_an_estimate(site, server: RunningServer) -> None:
    page = site.page
    await see(page, "/collections")
    await go_to(page, page.get_by_role("button", name="Enrich many"))
    await page.keyboard.press("Enter")
    form = page.get_by_role("form", name="Enrich many")
    await go_to(page, form.get_by_role("checkbox", name=re.compile("^Names and mentions")))
    await page.keyboard.press("Space")
    estimate = server.client.get("/v1/enrichments/estimate", params={"collection": "many", "enrichments": "links"})
    due = estimate.json()["nDue"]
    await expect(form).to_contain_text(f"{due} papers of ")
    await expect(form).to_contain_text("no request to a language model")
    assert await axe_findings(page) == []
    await go_to(page, form.get_by_role("button", name="Start analysis"))
    await page.keyboard.press("Enter")
    link = form.get_by_role("link", name="Follow the job")
    job = str(await link.get_attribute("href")).partition("job=")[2]
    told = server.client.get(f"/v1/jobs/{job}").json()
    server.client.post(f"/v1/jobs/{job}/cancel", json={})

    assert (told["kind"], told["collection"]) == ("enrichments", "many"), json.dumps(told)
