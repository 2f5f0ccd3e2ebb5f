"""The web interface in a browser: its main tasks by keyboard and pointer, on the sample papers and on hostile ones."""

import json
import re
import shlex
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import pytest_asyncio
from fastapi import FastAPI
from playwright.async_api import Page, expect
from starlette.types import ASGIApp, Receive, Scope, Send

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.server.app import create_app
from papergraph.server.auth.access import KeyScope
from papergraph.server.auth.keys import create_key
from papergraph.server.operations.service import Service
from papergraph.server.process.sockets import listen, url_of
from papergraph.server.process.uvicorn_server import serving
from tests.support.browser import (
    ASK,
    PHONE,
    QUERY,
    QUESTION,
    SEARCH,
    UNDER_MARKS,
    axe_findings,
    bytes_loaded,
    see,
    watched,
)
from tests.support.files import write
from tests.support.ingestion import ingest
from tests.support.servers import RunningServer, served
from tests.support.typeset import pdf, prose

pytestmark = pytest.mark.browser

COMPARE = "/compare?q=Is+tabu+search+better+than+annealing%3F"
DARK = {"color_scheme": "dark"}
MOST_FIRST_BYTES = 64_000
"""Of all that the search page loads before it asks, compressed."""

SENTENCE = "Annealing reaches the lowest energy of the instance."
SEAS = f"""#align(center)[#text(16pt)[On the Tides of Small Seas]]

= Introduction
{prose(300)}

#pagebreak()

= Results
The sea is calm at noon. {SENTENCE} Waves rise later.

= Results
A second section has the same title, as it happens in books. {prose(700, first=1000)}"""

HOSTILE = "<img src=x onerror=\"document.title='stolen'\"> {{7*7}} \u202etitle reversed\u202c"
HOSTILE_PAPER = f"""# {HOSTILE}

## <script>alert(1)</script> & results

The zebrafish <b onmouseover=alert(2)>measured</b> [a link](javascript:alert(3)) about
$\\href{{javascript:alert(4)}}{{x}}$ units.
"""


def paper_of(server: RunningServer, title: str) -> str:
    nodes = server.ask("{ papers(first: 50) { nodes { id title } } }")["papers"]["nodes"]
    return next(str(node["id"]) for node in nodes if node["title"].startswith(title))


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, DARK, PHONE, DARK | PHONE], ids=["light", "dark", "phone", "dark phone"])
async def test_no_page_has_a_finding_of_axe_or_loads_from_elsewhere(browser, server, library, options):
    paper = paper_of(server, "Surface Codes")
    reader, graph = f"/p/{paper}", f"/graph?node={paper}"
    stored = server.client.post("/v1/ask", json={"question": QUESTION, "store": True}).json()["id"]

    async with watched(browser, server.url, **options) as seen:
        for path in (
            "/",
            f"{SEARCH}&alpha=0.6&why=2",
            ASK,
            f"/a/{stored}",
            "/papers?q=codes",
            "/papers?year=2023&author=Nobody",
            reader,
            f"{reader}?view=text",
            "/notes",
            "/inbox",
            "/tables",
            "/screening",
            "/zotero",
            "/add",
            "/jobs",
            "/collections",
            "/keys",
            "/signup",
            "/draft",
            COMPARE,
            "/cypher",
            "/map",
            "/graphql",
            "/api?op=searchPassages",
            "/review",
            "/review?view=authors",
            "/review?view=entities",
            "/review?view=papers",
            graph,
            "/graph",
        ):
            await see(seen.page, path)
            assert await axe_findings(seen.page) == [], path
        await seen.assert_clean()
        await see(seen.page, "/no-such-page")
        assert await axe_findings(seen.page) == []


async def test_from_the_first_page_to_a_quote_marked_in_its_paper(site):
    page = site.page
    await see(page, "/")
    await page.get_by_label("Search or question").fill(QUESTION)
    await page.get_by_role("button", name="Ask").click()
    await expect(page.locator("[aria-busy=false]")).to_be_visible()
    marker = page.get_by_role("button", name=re.compile("Source 1"))
    await marker.hover()
    shown = page.get_by_role("complementary", name="Quote of source 1").locator("mark")
    await expect(shown.first).to_be_visible()
    quote = await shown.all_inner_texts()
    await page.get_by_role("link", name="Open in the paper").click()

    marks = page.locator("main mark.quote")
    await expect(marks.first).to_be_in_viewport()
    assert "".join(await marks.all_inner_texts()) == "".join(quote)
    assert "97 physical qubits" in "".join(quote)


@pytest.mark.slow
async def test_a_search_by_keyboard_alone(site):
    page = site.page
    await see(page, "/search")
    await page.keyboard.press("/")
    await page.keyboard.type(QUERY)
    await page.keyboard.press("Enter")
    first = page.get_by_role("link", name=re.compile("^Hit 1:"))
    await expect(first).to_be_visible()
    await expect(page).to_have_url(re.compile(r"q=Is\+tabu"))
    await page.get_by_role("searchbox").press("Tab")
    await page.keyboard.press("j")
    await expect(first).to_be_focused()
    await page.keyboard.press("e")
    await expect(page.get_by_role("heading", name="Why this is number 1")).to_be_visible()
    await expect(first).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(re.compile("/p/"))

    await expect(page.locator("main mark").first).to_be_in_viewport()
    await page.go_back()
    await expect(page.get_by_role("heading", name="Why this is number 1")).to_be_visible()


@pytest.mark.slow
async def test_every_state_of_a_search_is_in_its_address(site, browser, server):
    page = site.page
    await see(page, SEARCH)
    await page.get_by_label("Passages", exact=True).fill("5")
    await page.get_by_label("Passages", exact=True).press("Enter")
    await expect(page.get_by_text(re.compile("^5 passages in"))).to_be_visible()
    await page.get_by_role("slider").press("Home")
    await expect(page.get_by_text(re.compile("✓ (proven best|within)"))).to_be_visible()
    await page.get_by_role("checkbox", name=re.compile("^Body")).check()
    await expect(page.get_by_text("Filters (1)")).to_be_visible()
    await expect(page).to_have_url(re.compile("kind=body"))
    await expect(page.get_by_text(re.compile(r"passages? in")).first).to_be_visible()
    await page.wait_for_load_state("networkidle")

    asked = parse_qs(urlsplit(page.url).query)
    assert asked == {"q": [QUERY], "k": ["5"], "alpha": ["0"], "kind": ["body"]}
    hits = await page.locator("article h2").all_inner_texts()
    async with watched(browser, server.url) as other:
        await see(other.page, page.url)
        assert await other.page.locator("article h2").all_inner_texts() == hits
        assert await other.page.get_by_role("slider").input_value() == "0"


@pytest.mark.slow
async def test_a_page_as_a_query_gives_what_the_page_shows(site, server):
    page = site.page
    await see(page, f"{SEARCH}&k=3&alpha=0.5&fold=no")
    shown = [await link.get_attribute("href") for link in await page.locator("[data-hit]").all()]
    chunks = [parse_qs(urlsplit(address or "").query)["at"][0] for address in shown]
    await page.get_by_role("button", name="Use in code").click()
    texts = {}
    for form in ("GraphQL", "curl", "Command", "Python"):
        await page.get_by_role("button", name=form, exact=True).click()
        texts[form] = await page.locator("dialog pre").inner_text()

    query, variables = texts["GraphQL"].split("# variables\n")
    hits = server.ask(query, **json.loads(variables))["search"]["hits"]
    body = json.loads(shlex.split(texts["curl"].replace("\\\n", " "))[-1])
    over_rest = server.client.post("/v1/search", json=body).raise_for_status().json()["hits"]
    command = server.papergraph(*shlex.split(texts["Command"])[1:], "--json")
    python: dict[str, Any] = {}
    exec(texts["Python"].replace("print(", "found = ("), python)  # noqa: S102 what the page tells its user to run

    assert command.returncode == 0, command.stderr
    told = (hits, over_rest, json.loads(command.stdout)["hits"], python["found"]["hits"])
    assert [[hit["chunk"]["id"] for hit in one] for one in told] == [chunks] * 4


@pytest.mark.slow
async def test_an_answer_comes_with_its_sources_and_a_follow_up_stays_beside_it(site):
    page = site.page
    await see(page, ASK)
    await expect(page.get_by_text("word for word from the papers")).to_be_visible()
    await expect(page.get_by_role("list", name="Sources").get_by_role("link").first).to_be_visible()
    copied = {}
    for form in ("text", "Markdown", "formatted text", "BibTeX keys"):
        await page.get_by_label("Form of the copy").select_option(f"as {form}")
        await page.get_by_role("button", name="Copy with sources").click()
        await expect(page.get_by_role("button", name="Copied")).to_be_visible()
        copied[form] = await page.evaluate("navigator.clipboard.readText()")
        await expect(page.get_by_role("button", name="Copy with sources")).to_be_visible()
    assert "[1] " in copied["text"] and "1. [" in copied["Markdown"] and "\n   > " in copied["Markdown"]
    assert copied["formatted text"] == copied["text"]
    (key,) = {*re.findall(r"\[@([^\]]+)\]", copied["BibTeX keys"])} & {
        *re.findall(r"@\w+\{([^,]+),", copied["BibTeX keys"])
    }
    await page.get_by_label("Follow-up question").fill("And which decoder is faster?")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("article")).to_have_count(2)
    await expect(page.get_by_text(re.compile("understood as: .*decoder"))).to_be_visible()

    assert key
    assert parse_qs(urlsplit(page.url).query)["q"] == [QUESTION, "And which decoder is faster?"]
    await page.go_back()
    await expect(page.get_by_role("article")).to_have_count(1)


@pytest.mark.slow
async def test_an_answer_is_shown_again_at_its_address_rated_and_deleted(site, server):
    page = site.page
    await see(page, ASK)
    await page.get_by_role("button", name="Copy permanent link").click()
    address = await page.evaluate("navigator.clipboard.readText()")
    text = await page.locator("article .prose").first.inner_text()
    await see(page, address)
    assert await page.locator("article .prose").first.inner_text() == text
    await expect(page.get_by_role("complementary", name="Quote of source 1").locator("mark")).not_to_have_count(0)
    await page.get_by_role("button", name="Bad answer").click()
    await page.get_by_label("Reason of the rating").fill("too short")
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("Saved")).to_be_visible()
    await page.reload()
    await expect(page.get_by_role("button", name="Bad answer", pressed=True)).to_be_visible()

    rated = server.client.get(f"/v1/answers/{address.rpartition('/')[2]}").json()
    assert [(one["verdict"], one["comment"]) for one in rated["ratings"]] == [("down", "too short")]
    await page.get_by_role("button", name="Delete").click()
    await page.get_by_role("button", name="Delete it").click()
    await expect(page.get_by_role("heading", name="Ask the papers")).to_be_visible()
    assert server.client.get(f"/v1/answers/{address.rpartition('/')[2]}").status_code == 404


@pytest.mark.slow
async def test_filters_are_those_of_the_whole_collection(site, server):
    page = site.page
    await see(page, SEARCH)
    asked = "{ paperFacets(facets: [AUTHOR], first: 8) { values { value n } } }"
    values = server.ask(asked)["paperFacets"][0]["values"]
    group = page.get_by_role("group", name="Author", exact=True)
    shown = [" ".join(text.split()) for text in await group.get_by_role("listitem").all_inner_texts()]
    assert shown == [f"{one['value']} {one['n']}" for one in values] != []
    await group.get_by_role("checkbox", name=re.compile(values[-1]["value"])).check()
    await expect(page).to_have_url(re.compile("author="))
    await expect(page.get_by_text("Filters (1)")).to_be_visible()
    await expect(group.get_by_role("checkbox")).to_have_count(len(values))


@pytest.mark.slow
async def test_a_refusal_says_why_and_what_came_nearest(site):
    page = site.page
    await see(page, "/ask?q=Which+football+team+won+the+cup+in+1974%3F")
    await expect(page.get_by_role("heading", name="The papers do not seem to answer this")).to_be_visible()
    await expect(page.get_by_role("heading", name="Nearest passages")).to_be_visible()
    await page.get_by_role("button", name="Answer anyway").click()
    await expect(page).to_have_url(re.compile("least=0.2"))
    await page.get_by_role("link", name="Search instead").click()
    await expect(page).to_have_url(re.compile("/search"))


@pytest.mark.slow
async def test_a_refusal_lists_what_was_not_done_as_asked(site):
    page = site.page
    await see(page, "/ask?q=Welche+Mannschaft+gewann+1974+den+Pokal+im+Fu%C3%9Fball%3F")
    await expect(page.get_by_role("heading", name="The papers do not seem to answer this")).to_be_visible()
    await expect(page.get_by_text("supports English only")).to_be_visible()


@pytest.mark.slow
async def test_an_answer_of_the_graph_names_its_query_and_marks_no_quote(site):
    page = site.page
    await see(page, "/ask?q=How+many+papers+are+there%3F")
    await expect(page.get_by_text("rows of the graph, by the query count_papers")).to_be_visible()
    await page.get_by_role("button", name="Copy permanent link").click()
    for address in ("/ask?q=List+all+papers", await page.evaluate("navigator.clipboard.readText()")):
        await see(page, address)
        await expect(page.get_by_text("rows of the graph, by the query")).to_be_visible()
        await expect(page.get_by_text("word for word")).to_have_count(0)
        await expect(page.locator("aside mark")).to_have_count(0)


@pytest.mark.slow
async def test_the_palette_goes_to_papers_and_questions(site):
    page = site.page
    await see(page, "/")
    await page.keyboard.press("Control+k")
    await page.keyboard.type("leiden")
    await expect(page.get_by_role("option", name=re.compile("Topic Maps of Citation Graphs.*paper"))).to_be_visible()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", level=1, name=re.compile("Leiden"))).to_be_visible()
    await page.keyboard.press("Control+k")
    await page.keyboard.type("why do clusters split")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(re.compile(r"/ask\?q=why\+do"))


@pytest.mark.slow
async def test_the_theme_is_kept(site):
    page = site.page
    await see(page, "/")
    await page.get_by_role("button", name="Theme: system").click()
    await page.get_by_role("button", name="Theme: light").click()
    await page.reload()
    await expect(page.get_by_role("button", name="Theme: dark")).to_be_visible()
    assert await page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(22, 24, 27)"


@pytest.mark.slow
async def test_titles_and_texts_of_papers_are_text_whatever_they_hold(browser, server, library, embedder, tmp_path):
    await ingest(library, embedder, [write(tmp_path / "hostile.md", HOSTILE_PAPER)], collection="hostile")
    async with watched(browser, server.url) as seen:
        await see(seen.page, "/search?q=zebrafish+measured&in=hostile&why=1")
        await expect(seen.page.get_by_role("link", name=re.compile("^Hit 1: <img src=x"))).to_be_visible()
        await seen.page.get_by_role("link", name=re.compile("^Hit 1:")).click()
        await expect(seen.page.get_by_role("heading", level=1)).to_contain_text("<img src=x onerror=")
        await expect(seen.page.get_by_role("heading", name="<script>alert(1)</script> & results")).to_be_visible()
        await expect(seen.page.locator("main")).to_contain_text("<b onmouseover=alert(2)>measured</b>")
        for page in ("/papers?in=hostile", "/?in=hostile", "/ask?in=hostile&q=What+is+measured+about+zebrafish%3F"):
            await see(seen.page, page)
            await expect(seen.page.locator("main")).to_contain_text("<img src=x onerror=")
        assert await seen.page.locator("main img, main b, main [onerror], main a[href^=javascript]").count() == 0
        await seen.assert_clean()


CHUNKS = """{ papers(collection: "seas") { nodes { id chunks(first: 100) { nodes {
  id text startPage } } } } }"""
REGIONS = """query ($id: ID!, $start: Int!, $end: Int!) {
  node(id: $id) { ... on Chunk { regions(start: $start, end: $end) { page } } } }"""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def seas(server: RunningServer, library: Database, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A paper that is a PDF, with its chunks."""
    path = tmp_path_factory.mktemp("seas") / "seas.pdf"
    path.write_bytes(pdf(SEAS))
    done = server.papergraph("ingest", path, "--collection", "seas")
    assert done.returncode == 0, done.stderr
    (paper,) = server.ask(CHUNKS)["papers"]["nodes"]
    return dict(paper)


def across_pages(server: RunningServer, paper: dict[str, Any]) -> tuple[str, int, int, str]:
    """Return a sentence that begins on a page and ends on the next: its chunk, characters and text."""
    for chunk in paper["chunks"]["nodes"]:
        for match in re.finditer(r"[^.]+\.", chunk["text"]):
            start, end = match.end() - len(match[0].lstrip()), match.end()
            regions = server.ask(REGIONS, id=chunk["id"], start=start, end=end)["node"]["regions"]
            if len({region["page"] for region in regions}) == 2:
                return chunk["id"], start, end, match[0]
    raise AssertionError("no sentence goes on to the next page")


async def marked(page: Page, paper: str, chunk: str, start: int, end: int) -> str:
    """Return the letters under the marks of a quote, as PDF.js's text layer has them."""
    await page.goto(f"/p/{paper}?at={chunk}&quote={start}-{end}")
    await expect(page.locator(".region").first).to_be_in_viewport()
    for number in await page.evaluate("[...document.querySelectorAll('section:has(.region)')].map(page => page.id)"):
        await page.locator(f"#{number}").scroll_into_view_if_needed()
        await expect(page.locator(f"#{number}[data-drawn]")).to_be_visible()
    return letters(await page.evaluate(UNDER_MARKS))


@pytest.mark.slow
async def test_a_pdf_opens_at_its_page_with_the_quote_marked_to_the_letter(site, seas):
    page = site.page
    (chunk,) = [one for one in seas["chunks"]["nodes"] if SENTENCE in one["text"]]
    start = chunk["text"].index(SENTENCE)
    under_marks = await marked(page, seas["id"], chunk["id"], start, start + len(SENTENCE))
    await expect(page.get_by_role("combobox", name="Collection")).to_have_value("seas")
    findings = await axe_findings(page)
    find = page.get_by_label("Find in this paper")
    await find.fill(SENTENCE[:20].lower())
    await expect(page.get_by_text("1 of 1", exact=True)).to_be_visible()
    await page.get_by_label("Page", exact=True).fill("1")
    await page.get_by_label("Page", exact=True).press("Enter")
    await expect(page.locator("#page-1")).to_be_in_viewport()
    await page.get_by_role("button", name="Larger pages").click()
    await expect(page.get_by_text("125 %")).to_be_visible()
    async with page.expect_download() as saved:
        await page.get_by_role("button", name="PDF with notes").click()
    assert (await (await saved.value).path()).read_bytes().startswith(b"%PDF-")
    await find.fill("")
    await page.get_by_role("button", name="Text", exact=True).click()
    text = "".join(await page.locator("main mark.quote").all_inner_texts())
    findings += await axe_findings(page)

    assert findings == []
    assert chunk["startPage"] == 2
    assert under_marks == letters(SENTENCE)
    assert letters(text) == letters(SENTENCE)


@pytest.mark.slow
async def test_a_table_is_made_filled_decided_by_keys_and_exported(site, server, seas, tmp_path: Path):
    page = site.page
    await see(page, "/tables?in=seas")
    await page.get_by_role("button", name="New table").click()
    await page.get_by_label("Name").first.fill("tides")
    await page.get_by_label("Name").nth(1).fill("sea")
    await page.get_by_label("Question").fill("Is the sea calm at noon?")
    await page.get_by_label("Phrases to look for").fill("calm at noon")
    assert await axe_findings(page) == []
    await page.get_by_role("button", name="Create the table").click()
    await page.get_by_role("button", name="Fill the table").click()
    await expect(page.get_by_text("Filling 1 paper: queued")).to_be_visible()
    worked = server.papergraph("worker", "--once")
    assert worked.returncode == 0, worked.stderr
    await expect(page.get_by_text("The table is filled.")).to_be_visible()
    cell = page.get_by_role("button", name=re.compile("calm at noon.*sea of On the Tides"))
    await cell.click()
    aside = page.get_by_role("complementary", name="Cell")
    await expect(aside.locator(".region").first).to_be_visible()
    assert await axe_findings(page) == []
    await page.keyboard.press("a")
    await expect(aside.get_by_text("set by a person")).to_be_visible()
    await page.keyboard.press("e")
    await aside.get_by_label("Value").fill("calm")
    await aside.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("button", name=re.compile("^calm ✓"))).to_be_visible()
    async with page.expect_download() as started:
        await page.get_by_role("button", name="Export").click()
    saved = await started.value
    await saved.save_as(tmp_path / saved.suggested_filename)
    rows = server.client.get("/v1/tables/rows", params={"table": "tides", "collection": "seas"}).json()["data"]
    await page.get_by_role("button", name="Delete…").click()
    await page.get_by_role("button", name="Delete it").click()
    await expect(page.get_by_text("There is no table in “seas” yet.")).to_be_visible()

    assert saved.suggested_filename == "tides.xlsx"
    assert (tmp_path / "tides.xlsx").read_bytes().startswith(b"PK")
    (found,) = rows[0]["cells"]
    assert (found["isLocked"], found["finding"]["value"], found["finding"]["maker"]) == (True, "calm", "person")
    assert "calm at noon" in found["machine"]["quotes"][0]["text"]


@pytest.mark.slow
async def test_search_results_are_screened_by_keys_at_a_phones_width(site, server, tmp_path: Path):
    page = site.page
    await page.set_viewport_size({"width": 390, "height": 844})
    await see(page, "/screening?in=main")
    await page.get_by_role("button", name="New screening").click()
    await page.get_by_label("Name").fill("harbours")
    await page.get_by_label("Reasons of exclusion").fill("no trial; old")
    assert await axe_findings(page) == []
    await page.get_by_role("button", name="Create the screening").click()
    records = "".join(
        f"TY  - JOUR\nTI  - {title} of the harbour number {n}\nAB  - About {title}, nothing else.\nER  - \n\n"
        for n in range(4)
        for title in ("Tides and currents", "Roots and plants")
    )
    (tmp_path / "one.ris").write_text(records)
    await page.get_by_label("Database").fill("PubMed")
    await page.get_by_label("Files").set_input_files(tmp_path / "one.ris")
    await expect(page.get_by_text("one.ris: 8 records, 0 of them duplicates")).to_be_visible()
    for _ in range(4):
        card = page.locator("article")
        await expect(card).to_be_visible()
        title = await card.get_attribute("aria-label")
        await page.keyboard.press("i" if "Tides" in str(title) else "e")
        if "Roots" in str(title):
            await expect(page.get_by_role("group", name="Reason of the exclusion")).to_be_visible()
            assert await axe_findings(page) == []
            await page.keyboard.press("1")
        await expect(page.locator("main").get_by_role("status")).to_contain_text(str(title))
    assert await axe_findings(page) == []
    await page.keyboard.press("u")
    await expect(page.get_by_text("is open again")).to_be_visible()
    assert await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    await page.get_by_role("button", name="Progress").click()
    await expect(page.get_by_role("img", name=re.compile("PRISMA flow diagram: 8 records"))).to_be_visible()
    assert await axe_findings(page) == []
    status = server.client.get("/v1/screenings/status", params={"screening": "harbours"}).json()["data"][0]
    await page.get_by_role("button", name="Delete…").click()
    await page.get_by_role("button", name="Delete it").click()
    await expect(page.get_by_text("There is no screening in “main” yet.")).to_be_visible()

    abstract = status["stages"][0]
    assert abstract["nIncluded"] + abstract["nExcluded"] == 3


@pytest.mark.slow
async def test_a_quote_that_goes_on_to_the_next_page_is_marked_on_both(site, server, seas):
    chunk, start, end, sentence = across_pages(server, seas)

    assert await marked(site.page, seas["id"], chunk, start, end) == letters(sentence)
    assert await site.page.locator("section:has(.region)").count() == 2


def letters(text: str) -> str:
    return re.sub(r"[^a-z]", "", text.lower())


@pytest.mark.slow
async def test_a_server_that_is_away_is_waited_for(browser, server, library):
    async with watched(browser, server.url) as seen:
        await see(seen.page, "/search")
        await seen.page.context.set_offline(True)
        await seen.page.get_by_role("searchbox").fill(QUERY)
        await seen.page.keyboard.press("Enter")
        await expect(seen.page.get_by_text("it may be restarting", exact=False).first).to_be_visible()
        await expect(seen.page.get_by_text("no answer")).to_be_visible()
        await seen.page.context.set_offline(False)
        sent: list[str] = []
        seen.page.on("request", lambda one: sent.append(one.url))
        await expect(seen.page.get_by_role("link", name=re.compile("^Hit 1:"))).to_be_visible()
        assert len(sent) < 10, "the page asks again once, and does not go on asking"


@pytest.mark.slow
async def test_a_refused_query_is_told_with_the_id_of_its_request(browser, server, library):
    async with watched(browser, server.url) as seen:
        await see(seen.page, "/search?q=qubits&pipeline=nonsense")
        alert = seen.page.get_by_role("alert")
        await expect(alert).to_contain_text("nonsense")
        await expect(alert).to_contain_text("request")
        assert re.search(r"request\s+[0-9a-f]{32}", await alert.inner_text())


@pytest.mark.slow
async def test_a_server_with_keys_asks_for_one(browser, library, embedder):
    _, key = await create_key(library, name="web", scopes=[KeyScope.READ], collections=["main"])
    async with served(library, embedder, server_require_api_key=True) as url, watched(browser, url) as seen:
        await seen.page.goto(SEARCH)
        await seen.page.get_by_label("API key").fill(key)
        await seen.page.get_by_role("button", name="Log in").click()
        await expect(seen.page.get_by_role("link", name=re.compile("^Hit 1:"))).to_be_visible()
        assert key not in seen.page.url
        assert key not in await seen.page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")
        assert await seen.page.evaluate("document.cookie") == ""
        await seen.page.reload()
        await expect(seen.page.get_by_role("link", name=re.compile("^Hit 1:"))).to_be_visible()
        await seen.page.get_by_role("button", name="Log out").click()
        await expect(seen.page.get_by_label("API key")).to_be_visible()


@pytest.mark.slow
async def test_a_key_that_does_not_count_is_refused(browser, library, embedder):
    async with served(library, embedder, server_require_api_key=True) as url, watched(browser, url) as seen:
        await seen.page.goto(SEARCH)
        await seen.page.get_by_label("API key").fill("pg_no_such_key")
        await seen.page.get_by_role("button", name="Log in").click()
        await expect(seen.page.get_by_role("alert")).to_contain_text("key")
        await expect(seen.page.get_by_label("API key")).to_be_visible()
        await expect(seen.page.get_by_role("button", name="Log out")).to_have_count(0)


class BelowAPath:
    """Takes a path off, as a proxy does, and answers nothing beside it."""

    def __init__(self, app: ASGIApp, path: str) -> None:
        self._app, self._path = app, path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert scope["path"].startswith(self._path), scope["path"]
        await self._app({**scope, "path": scope["path"][len(self._path) :]}, receive, send)


@pytest.mark.slow
async def test_it_works_below_a_path(browser, library, embedder, monkeypatch):
    def below(*arguments: Any, **options: Any) -> FastAPI:
        return BelowAPath(create_app(*arguments, **options), "/kb")  # type: ignore[return-value]

    monkeypatch.setattr("papergraph.server.process.uvicorn_server.create_app", below)
    with listen("127.0.0.1", 0) as sock:
        async with serving(Service(library, embedder), sock), watched(browser, f"{url_of(sock)}/kb/") as seen:
            await see(seen.page, f"{url_of(sock)}/kb/")
            await seen.page.get_by_label("Search or question").fill(QUERY)
            await seen.page.keyboard.press("Enter")
            await seen.page.get_by_role("link", name=re.compile("^Hit 1:")).click()
            await expect(seen.page).to_have_url(re.compile("/kb/p/"))
            await expect(seen.page.locator("main mark").first).to_be_visible()
            assert urlsplit(seen.page.url).path.startswith("/kb/p/")
            await seen.page.reload()
            await expect(seen.page.locator("main mark").first).to_be_visible()
            await seen.assert_clean()


@pytest.mark.slow
async def test_the_first_load_is_small(browser, server, library):
    async with watched(browser, server.url) as seen:
        loaded = bytes_loaded(seen.page)
        await see(seen.page, SEARCH)
        files = {url: size for url, size in loaded.items() if "/assets/" in url}

    assert len(files) > 5
    assert all(size > 0 for size in files.values()), files
    assert sum(files.values()) <= MOST_FIRST_BYTES, files


def test_pages_can_be_switched_off(embedder: Embedder, tmp_path: Path):
    from papergraph.server.auth.server_limits import ServerLimits
    from tests.support.servers import bare_application

    with_pages = {getattr(route, "path", "") for route in bare_application().routes}
    without = create_app(bare_application().state.service, ServerLimits(web=False))

    assert "/search" in with_pages
    assert "/search" not in {getattr(route, "path", "") for route in without.routes}
