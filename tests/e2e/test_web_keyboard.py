"""The main task of each page in a browser by keyboard alone: the search page's is in test_web.py."""

import re
from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.support.browser import ASK, QUESTION, Watched, axe_findings, go_to, see
from tests.support.files import write
from tests.support.servers import RunningServer

pytestmark = [pytest.mark.slow, pytest.mark.browser]


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
