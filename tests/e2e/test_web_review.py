"""Review in a browser by keyboard: questions, authors, and the fields of a paper with their sources."""

import json
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Locator, Page, expect

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.ingest.enrichments.entities.resolution import read_reviews
from papergraph.ingest.fetch.works import Work
from papergraph.ingest.ingestor import delete
from papergraph.ingest.sources import Metadata
from papergraph.schema.ids import collection_term
from papergraph.server.operations.inbox import InboxState, keep_works, list_inbox
from papergraph.server.operations.ingest import IngestService
from papergraph.server.operations.service import Service
from papergraph.server.process.sockets import listen, url_of
from papergraph.server.process.uvicorn_server import serving
from papergraph.statement import Statement
from tests.support.browser import PHONE, axe_findings, go_to, see, watched
from tests.support.files import write
from tests.support.flat_settings import settings_of
from tests.support.ingestion import ingest
from tests.support.servers import RunningServer
from tests.support.typeset import pdf, prose
from tests.support.web_site import Site

pytestmark = [pytest.mark.slow, pytest.mark.browser]

REVIEWED = "reviewed"
QUESTIONS = """query ($review: ReviewFilter) {
  questions(collection: "reviewed", review: $review) { nodes { id text original } } }"""
AUTHORS = """{ papers(collection: "reviewed") { nodes { title authors { name } } } }"""
TWO_ENTITIES = Statement(
    "test/entities",
    "UNWIND $names AS name "
    "CREATE (e:Entity {id: name[0], name: name[1], type: 'Metric', aliases: []}) "
    "SET e.collection = 'main', e.collectionTerm = $term RETURN e.id AS id",
)
FORGET_ENTITIES = Statement(
    "test/forget", "MATCH (n:Entity|Review) WHERE n.id IN $ids OR n.kind = 'entities' DETACH DELETE n RETURN 1"
)
FIELDS = "query ($id: ID!) { paperFields(id: $id) { name values provider } }"


@pytest_asyncio.fixture(loop_scope="session")
async def paper(
    server: RunningServer, library: Database, embedder: Embedder, tmp_path: Path
) -> AsyncIterator[dict[str, Any]]:
    """One of three papers with questions, in a collection of their own."""
    head = "---\nyear: 2021\nauthors: [{}]\n---\n# {}\n\n## Methods\n\nWe {} the tides with a gauge and a clock.\n"
    files = [
        write(tmp_path / "one.md", head.format("Mira Calder", "Tides of Small Seas", "measure")),
        write(tmp_path / "two.md", head.format("M. Calderon", "Gauges of Large Seas", "predict")),
        write(tmp_path / "three.md", head.format("Ivo Brandt", "Clocks of Old Harbours", "time")),
    ]
    await ingest(library, embedder, files, collection=REVIEWED)
    done = server.papergraph(
        "enrich", "--enrichments", "questions", "--questions", "template", "--collection", REVIEWED
    )
    assert done.returncode == 0, done.stderr
    nodes = server.ask(f'{{ papers(collection: "{REVIEWED}") {{ nodes {{ id title }} }} }}')["papers"]["nodes"]
    yield next(node for node in nodes if node["title"].startswith("Tides"))
    server.client.delete(f"/v1/collections/{REVIEWED}").raise_for_status()


def questions(server: RunningServer, review: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = server.ask(QUESTIONS, review=review)["questions"]["nodes"]
    return found


async def press(page: Page, button: Locator) -> None:
    await go_to(page, button)
    await page.keyboard.press("Enter")


async def test_questions_are_accepted_edited_and_rejected_by_keys(site, server: RunningServer, paper) -> None:
    page = site.page
    before = questions(server, "NONE")
    assert len(before) >= 3, before
    await see(page, f"/review?in={REVIEWED}")
    items = page.get_by_role("list", name="Questions to review").get_by_role("listitem")
    await expect(items).to_have_count(len(before))
    assert await axe_findings(page) == []
    await page.keyboard.press("j")
    await expect(page.get_by_role("group", name=before[0]["text"], exact=True)).to_be_focused()
    await page.keyboard.press("a")
    await expect(page.get_by_role("group", name=before[1]["text"], exact=True)).to_be_focused()
    await page.keyboard.press("e")
    await expect(page.get_by_label("New text")).to_be_focused()
    assert await axe_findings(page) == []
    await page.keyboard.press("Control+a")
    await page.keyboard.type("How are tides measured?")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("group", name=before[2]["text"], exact=True)).to_be_focused()
    await page.keyboard.press("r")
    await expect(page.get_by_text(f"Rejected: {before[2]['text']}")).to_be_visible()
    await expect(items).to_have_count(len(before) - 3)
    await page.get_by_label("Questions that are").select_option("EDITED")
    await expect(page.get_by_text(f"before the edit: {before[1]['text']}")).to_be_visible()

    assert [one["text"] for one in questions(server, "ACCEPTED")] == [before[0]["text"]]
    edited = [(one["text"], one["original"]) for one in questions(server, "EDITED")]
    assert edited == [("How are tides measured?", before[1]["text"])]
    assert before[2]["text"] not in {one["text"] for one in questions(server, "NONE")}
    assert "review=EDITED" in page.url


async def test_authors_become_one_person_and_two_again(site, server: RunningServer, paper) -> None:
    page = site.page
    await see(page, f"/review?in={REVIEWED}&view=authors")
    await go_to(page, page.get_by_label("Author", exact=True))
    await page.keyboard.type("cald")
    await press(page, page.get_by_role("button", name="M. Calderon"))
    await expect(page.get_by_role("region", name="M. Calderon")).to_contain_text("Gauges of Large Seas")
    await go_to(page, page.get_by_label("Same person as"))
    await page.keyboard.type("mira")
    await press(page, page.get_by_role("button", name="Mira Calder"))
    await expect(page.get_by_role("heading", name="Are both one person?")).to_be_visible()
    assert await axe_findings(page) == []
    await press(page, page.get_by_role("button", name="Merge", exact=True))
    region = page.get_by_role("region").filter(has_text="2 papers")
    await expect(region).to_contain_text("Tides of Small Seas")
    merged = server.ask(AUTHORS)["papers"]["nodes"]
    assert await axe_findings(page) == []
    await press(page, page.get_by_role("button", name="Undo all decisions"))
    await expect(page.get_by_text("1 decision undone.")).to_be_visible()

    assert {author["name"] for one in merged for author in one["authors"]} == {"M. Calderon", "Ivo Brandt"}
    after = {author["name"] for one in server.ask(AUTHORS)["papers"]["nodes"] for author in one["authors"]}
    assert after == {"Mira Calder", "M. Calderon", "Ivo Brandt"}


async def test_some_papers_become_those_of_another_person(site, server: RunningServer, paper) -> None:
    names = '{ suggest(collection: "reviewed", text: "cald", first: 20) { nodeId label text } }'
    found = {one["text"]: one["nodeId"] for one in server.ask(names)["suggest"] if one["label"] == "AUTHOR"}
    into = {"into": found["Mira Calder"]}
    server.client.post(f"/v1/authors/{found['M. Calderon']}/merge", json=into).raise_for_status()
    page = site.page
    await see(page, f"/review?in={REVIEWED}&view=authors&author={found['Mira Calder']}")
    await go_to(page, page.get_by_role("checkbox", name=re.compile("^Gauges")))
    await page.keyboard.press("Space")
    await press(page, page.get_by_role("button", name="Move them to another author"))
    await expect(page.get_by_text("1 paper now of another", exact=False)).to_be_visible()
    await expect(page.get_by_role("region")).to_contain_text("1 paper")

    assert found["Mira Calder"] not in page.url


async def test_a_field_of_a_paper_is_corrected_and_restored(site, server: RunningServer, paper) -> None:
    page = site.page
    await see(page, f"/p/{paper['id']}")
    await press(page, page.get_by_text("Fields and sources"))
    await press(page, page.get_by_role("button", name="Edit title"))
    await expect(page.get_by_label("New value of title")).to_be_focused()
    await page.keyboard.press("Control+a")
    await page.keyboard.type("Tides of <i>Small</i> Seas")
    assert await axe_findings(page) == []
    await press(page, page.get_by_role("button", name="Save"))
    await expect(page.get_by_role("heading", level=1)).to_have_text("Tides of <i>Small</i> Seas")
    (title,) = (one for one in server.ask(FIELDS, id=paper["id"])["paperFields"] if one["name"] == "title")
    await press(page, page.get_by_role("button", name="Undo the edit of title"))
    await expect(page.get_by_role("heading", level=1)).to_have_text("Tides of Small Seas")

    assert (title["values"], title["provider"]) == (["Tides of <i>Small</i> Seas"], "PERSON")
    assert await axe_findings(page) == []


@pytest_asyncio.fixture(loop_scope="session")
async def pair(library: Database) -> AsyncIterator[tuple[str, str]]:
    """Ids of two entities, which nothing mentions and no test sees afterwards."""
    ids = ("0" * 63 + "1", "0" * 63 + "2")
    names = [list(one) for one in zip(ids, ("mean reciprocal rank", "MRR"), strict=True)]
    await library.run_alone(TWO_ENTITIES, names=names, term=collection_term("main"))
    yield ids
    await library.run_alone(FORGET_ENTITIES, ids=list(ids))


async def test_entities_are_merged_and_split_by_keyboard(site, server: RunningServer, library: Database, pair) -> None:
    one, other = pair
    page = site.page
    await see(page, "/review")
    await press(page, page.get_by_role("button", name="Entities"))
    await go_to(page, page.get_by_label("Entity", exact=True))
    await page.keyboard.type("mean recip")
    await press(page, page.get_by_role("button", name="mean reciprocal rank"))
    await expect(page.get_by_role("heading", name="mean reciprocal rank")).to_be_visible()
    await go_to(page, page.get_by_role("searchbox", name="Same thing as"))
    await page.keyboard.type("MRR")
    await press(page, page.get_by_role("list", name="Same thing as: found").get_by_role("button", name="MRR"))
    same = page.get_by_role("list", name="Same thing as mean reciprocal rank")
    await expect(same).to_contain_text("by decision")
    await expect(page.get_by_text("For further names", exact=False)).to_contain_text("run the enrichment entities")
    assert await axe_findings(page) == []
    merged = await read_reviews(library, "main")
    await press(page, same.get_by_role("button", name="Another thing: MRR"))
    await expect(same).to_contain_text("No other name.")
    parted = await read_reviews(library, "main")
    left = server.client.get(f"/v1/entities/{one}/same-as").json()["data"]
    again = server.client.post(f"/v1/entities/{one}/merge", json={"other": other}).json()
    refused = server.client.post(f"/v1/entities/{one}/merge", json={"other": one})

    assert (merged, parted, left) == ({pair: "same"}, {pair: "different"}, [])
    assert (again["name"], again["otherName"], again["same"]) == ("mean reciprocal rank", "MRR", True)
    assert (refused.status_code, refused.json()["code"]) == (400, "BAD_USER_INPUT")


async def test_a_pair_of_papers_is_merged_and_the_merge_undone_by_keys(
    site, server: RunningServer, library: Database, embedder: Embedder, paper, tmp_path: Path
) -> None:
    page, text = site.page, "# Tides of the Small Northern Seas\n\n## Methods\n\nEdition {} has gauges and a clock.\n"
    files = [write(tmp_path / f"{number}.md", text.format(number)) for number in (1, 2)]
    await ingest(library, embedder, files, collection=REVIEWED)
    await see(page, f"/review?in={REVIEWED}&view=papers")
    for name in ("Merge", "Undo"):
        await press(page, page.get_by_role("button", name=name, exact=True))
        await expect(page.get_by_text("is one paper" if name == "Merge" else "is undone")).to_be_visible()
    assert await axe_findings(page) == []
    done = server.papergraph("enrich", "--enrichments", "questions", "--questions", "template", "-c", REVIEWED)
    assert done.returncode == 0, done.stderr
    await page.reload()
    await press(page, page.get_by_role("button", name="Merge", exact=True))
    dialog = page.get_by_role("dialog", name="Merge the papers?")
    await expect(dialog).to_contain_text("papergraph enrich --enrichments questions --collection reviewed")
    assert await axe_findings(page) == []
    await press(page, dialog.get_by_role("button", name="Merge them"))
    await expect(page.get_by_text("is one paper")).to_be_visible()
    await press(page, page.get_by_role("button", name="Undo", exact=True))
    await press(page, page.get_by_role("button", name="Different papers"))
    await expect(page.get_by_text("No pairs.")).to_be_visible()


@pytest.fixture
def catalogue() -> Iterator[Site]:
    """A double of Crossref with one work, found by its title."""
    with Site() as site:
        work = {
            "DOI": "10.1000/182",
            "type": "journal-article",
            "title": ["On the Tides of Small Seas"],
            "author": [{"given": "Ada", "family": "Lovelace"}, {"given": "Kurt", "family": "Gödel"}],
            "container-title": ["Journal of Tides"],
            "issued": {"date-parts": [[1951]]},
        }
        site.pages["/works"] = json.dumps({"message": {"items": [work]}}).encode()
        site.pages["/works/10.1000%2F182"] = json.dumps({"message": work}).encode()
        yield site


async def test_corrections_of_a_bare_pdf_are_accepted_rejected_and_undone_and_its_record_is_split_off(
    browser, catalogue: Site, library: Database, embedder: Embedder, tmp_path: Path
) -> None:
    front = '#align(center)[#text(16pt, weight: "bold")[On the Tides of Small Seas]\n\nAda Lovelace]\n'
    bare = tmp_path / "bare.pdf"
    bare.write_bytes(pdf(f"{front}= Introduction\n{prose(300)}\n= Results\n{prose(300, first=300)}"))
    await ingest(library, embedder, [bare], collection="bare")
    addresses = dict.fromkeys(("mirrors_crossref", "mirrors_openalex", "mirrors_pubmed"), catalogue.url(""))
    intake = IngestService.of(settings_of({"home": tmp_path, "fetch_catalogues": True, **addresses}))
    with listen("127.0.0.1", 0) as sock:
        service = Service(library, embedder, intake=intake)
        async with serving(service, sock), watched(browser, url_of(sock)) as seen:
            page = seen.page
            await see(page, "/papers?in=bare")
            link = page.get_by_role("link", name="On the Tides of Small Seas")
            await see(page, f"{await link.get_attribute('href')}?view=text")  # the file was not kept
            await press(page, page.get_by_text("Fields and sources"))
            await press(page, page.get_by_role("button", name="Look up corrections"))
            panel = page.get_by_role("region", name="Corrections")
            await expect(panel.get_by_role("listitem").filter(has_text="year: 1951")).to_contain_text(
                "title:On the Tides"
            )
            assert await axe_findings(page) == []
            await press(page, panel.get_by_role("button", name="Accept year"))
            fields = page.get_by_label("Fields of the paper")
            await expect(fields).to_contain_text("1951 edited by a person")
            await expect(panel.get_by_text("year: 1951")).to_have_count(0)
            await press(page, panel.get_by_role("button", name="Reject authors"))
            await expect(panel.get_by_text("authors is not proposed again.")).to_be_visible()
            await press(page, page.get_by_role("button", name="Look up corrections"))
            await expect(panel.get_by_text("doi: 10.1000/182")).to_be_visible()
            await expect(panel.get_by_text("Gödel")).to_have_count(0)
            await press(page, page.get_by_role("button", name="Undo the edit of year"))
            await expect(fields).not_to_contain_text("1951")
            await press(page, panel.get_by_role("button", name="Accept doi"))
            await expect(fields).to_contain_text("10.1000/182")

            record = write(
                tmp_path / "tides.bib", "@article{l1951, title={On the tides}, doi={10.1000/182}, year=1951}"
            )
            await ingest(library, embedder, [record], collection="bare")
            await page.reload()
            await press(page, page.get_by_text("Fields and sources"))
            box = page.get_by_role("checkbox", name="tides.bib#l1951")
            await go_to(page, box)
            await page.keyboard.press("Space")
            await press(page, page.get_by_role("button", name="The chosen are another paper"))
            await expect(page.get_by_role("link", name="On the tides", exact=True).first).to_be_visible()
            assert await axe_findings(page) == []
            await press(page, page.get_by_role("button", name="Undo the split"))
            await expect(page.get_by_role("checkbox", name=re.compile("bare.pdf|tides.bib"))).to_have_count(2)
            await seen.assert_clean()
    await delete(library, [str(bare), str(record)], collection="bare")


async def test_chosen_papers_are_exported_in_a_format_and_a_style(site, paper, tmp_path: Path) -> None:
    page = site.page
    await see(page, f"/papers?in={REVIEWED}")
    await page.get_by_label("Choose all shown").check()
    for form in ("BibTeX", "ieee"):
        await page.get_by_label("Form of the export").select_option(form)
        async with page.expect_download() as started:
            await press(page, page.get_by_role("button", name="Export 3 papers"))
        saved = await started.value
        await saved.save_as(tmp_path / saved.suggested_filename)
    texts = {name: (tmp_path / name).read_text("utf-8") for name in ("papers.bib", "papers.txt")}
    await page.goto(f"/p/{paper['id']}")
    await page.get_by_label("Form of the reference").select_option("apa")
    await press(page, page.get_by_role("button", name="Copy reference"))
    await expect(page.get_by_role("button", name="Copied")).to_be_visible()

    assert texts["papers.bib"].count("@") == 3
    assert "M. Calder" in texts["papers.txt"] and "Tides of Small Seas" in texts["papers.txt"]
    assert "Calder, M. (2021)" in await page.evaluate("navigator.clipboard.readText()")


async def test_papers_are_filtered_chosen_tagged_moved_and_deleted_with_undo(
    site, server: RunningServer, library: Database, paper
) -> None:
    page = site.page
    titles = page.locator("main tbody th a")
    await see(page, f"/papers?in={REVIEWED}")
    await expect(titles).to_have_count(3)
    await page.get_by_text("Filters", exact=True).click()
    await page.get_by_label("Author", exact=True).fill("Ivo Brandt")
    await page.keyboard.press("Enter")
    await expect(titles).to_have_text(["Clocks of Old Harbours"])
    await expect(page).to_have_url(re.compile("author=Ivo\\+Brandt"))
    assert await axe_findings(page) == []
    await page.get_by_role("button", name="Author: Ivo Brandt ✕").click()
    await expect(titles).to_have_count(3)
    await page.get_by_label("Choose Clocks of Old Harbours").check()
    await page.get_by_label("Tag for the chosen papers").fill("harbours")
    await page.get_by_role("button", name="Add tag").click()
    await expect(page.locator("main tbody tr", has_text="Clocks").locator(".tags")).to_have_text("harbours")
    assert await axe_findings(page) == []
    await page.get_by_label("Tag", exact=True).fill("Harbours")
    await page.keyboard.press("Enter")
    await expect(titles).to_have_text(["Clocks of Old Harbours"])
    await page.get_by_label("Choose Clocks of Old Harbours").check()

    await page.get_by_label("Collection to copy to").fill("moved")
    await page.get_by_role("button", name="Move there").click()
    await expect(page.get_by_text("Moved 1 paper to “moved”.")).to_be_visible()
    await page.get_by_role("button", name="Tag: Harbours ✕").click()
    await expect(titles).to_have_count(2)
    moved = server.client.get("/v1/papers", params={"collection": "moved"}).json()["data"]
    tags = server.client.get("/v1/annotations", params={"collection": "moved"}).json()["data"]
    await page.get_by_label("Choose all shown").check()
    await page.get_by_role("button", name="Delete…").click()
    await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await expect(titles).to_have_count(0)
    await page.get_by_role("button", name="Undo").click()
    await expect(titles).to_have_count(2)
    await page.get_by_label("Choose Tides of Small Seas").check()
    await page.get_by_role("button", name="Delete…").click()
    await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await expect(page.get_by_text("Deleted 1 paper.", exact=True)).to_be_visible(timeout=20_000)
    await expect(titles).to_have_text(["Gauges of Large Seas"])
    left = server.client.get("/v1/papers", params={"collection": REVIEWED}).json()["data"]
    await delete(library, [one["id"] for one in moved], collection="moved")

    assert [one["title"] for one in moved] == ["Clocks of Old Harbours"]
    assert [(one["kind"], one["text"]) for one in tags] == [("tag", "harbours")]
    assert [one["title"] for one in left] == ["Gauges of Large Seas"]


@pytest.mark.parametrize("options", [{}, PHONE], ids=["desk", "phone"])
async def test_finds_of_an_inbox_are_decided_by_keyboard(
    browser, server: RunningServer, library: Database, embedder: Embedder, options
) -> None:
    works = [
        Work(Metadata(title=f"Tides of harbour number {n}", abstract="They rise.", doi=f"10.1000/in{n}"), "openalex")
        for n in range(3)
    ]
    server.client.post("/v1/collections", json={"name": "inboxed"}).raise_for_status()
    await keep_works(library, embedder, works, collection="inboxed", source="watch-page")
    async with watched(browser, server.url, **options) as seen:
        page = seen.page
        items = page.get_by_role("article")
        await see(page, "/inbox?in=inboxed")
        await expect(items).to_have_count(3)
        assert await axe_findings(page) == []
        assert await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        for number, (button, told) in enumerate(
            (("Accept", "becomes a paper"), ("Reject", "is rejected"), ("Never again", "never returns"))
        ):
            title = works[number].metadata.title or ""
            item = page.get_by_role("article", name=title)
            await press(page, item.get_by_role("button", name=button, exact=True))
            await expect(page.get_by_text(f"“{title}” {told}.")).to_be_visible()
            await expect(items).to_have_count(2 - number)
        await press(page, page.get_by_role("button", name="Undo"))
        await expect(page.get_by_role("article", name=title)).to_be_visible()
        await press(page, page.get_by_role("button", name="Rejected", exact=True))
        await expect(items).to_contain_text(["Tides of harbour number 1"])
        assert await axe_findings(page) == []
        await press(page, items.get_by_role("button", name="Back to the inbox"))
        await expect(items).to_have_count(0)
        await seen.assert_clean()
    states = {one.title[-1]: one.state.value for one in await list_inbox(library, "inboxed", states=list(InboxState))}
    server.client.delete("/v1/collections/inboxed").raise_for_status()

    assert states == {"0": "accepted", "1": "new", "2": "new"}
    assert await list_inbox(library, "inboxed", states=list(InboxState)) == []
