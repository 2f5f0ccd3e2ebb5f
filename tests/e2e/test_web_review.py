"""Review in a browser by keyboard: questions, authors, and the fields of a paper with their sources."""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Locator, Page, expect

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.ingest.enrichments.entities.resolution import read_reviews
from papergraph.schema.ids import collection_term
from papergraph.statement import Statement
from tests.support.browser import axe_findings, go_to, see
from tests.support.files import write
from tests.support.ingestion import ingest
from tests.support.servers import RunningServer

pytestmark = pytest.mark.slow

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
    await press(page, page.get_by_role("button", name="The chosen papers are another person's"))
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
    page, text = site.page, "# Tides of the Small Northern Seas\n\nEdition {} on gauges.\n"
    files = [write(tmp_path / f"{number}.md", text.format(number)) for number in (1, 2)]
    await ingest(library, embedder, files, collection=REVIEWED)
    await see(page, f"/review?in={REVIEWED}&view=papers")
    for name in ("Merge", "Undo"):
        await press(page, page.get_by_role("button", name=name, exact=True))
        await expect(page.get_by_text("is one paper" if name == "Merge" else "is undone")).to_be_visible()
    assert await axe_findings(page) == []
    await press(page, page.get_by_role("button", name="Different papers"))
    await expect(page.get_by_text("No pairs.")).to_be_visible()
