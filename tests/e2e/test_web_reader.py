"""The reader in a browser: tables and formulas of a text, related papers, selected text, and passages like a hit."""

import re

import pytest
from playwright.async_api import expect

from tests.support.browser import SEARCH, Watched, see
from tests.support.servers import RunningServer

pytestmark = [pytest.mark.slow, pytest.mark.browser]

PAPER = "Dense Passage Retrieval"


def address_of(server: RunningServer) -> str:
    """Return the address of a sample paper with a table and formulas."""
    nodes = server.ask("{ papers(first: 50) { nodes { id title } } }")["papers"]["nodes"]
    return next(f"/p/{node['id']}" for node in nodes if node["title"].startswith(PAPER))


async def test_tables_and_formulas_of_a_text_are_drawn(site: Watched, server: RunningServer) -> None:
    page = site.page
    await see(page, address_of(server))
    table = page.get_by_role("group", name="Table").first
    await expect(table.get_by_role("columnheader").first).to_be_visible()
    assert await table.get_by_role("row").count() > 2
    await expect(page.locator("main math").first).to_be_visible()
    await site.assert_clean()


async def test_papers_are_related_in_four_ways(site: Watched, server: RunningServer) -> None:
    page = site.page
    await see(page, address_of(server))
    ways = page.get_by_role("group", name="Related by")
    section = page.locator("section", has=page.get_by_role("heading", name="Related papers"))
    for name in ("similar text", "citations", "entities", "topics"):
        await ways.get_by_role("button", name=name).click()
        await expect(ways.get_by_role("button", name=name, pressed=True)).to_be_visible()
        await expect(
            section.get_by_role("link").first.or_(section.get_by_text("None by this relation."))
        ).to_be_visible()
    await ways.get_by_role("button", name="similar text").click()
    await expect(section.get_by_role("link").first).to_have_attribute("href", re.compile("/p/"))


async def test_selected_text_is_searched_for_or_asked_about(site: Watched, server: RunningServer) -> None:
    page = site.page
    await see(page, address_of(server))
    menu = page.get_by_role("group", name="Selected text")
    await page.locator("main .text .chunk").first.click(click_count=3)
    await expect(menu.get_by_role("link", name="Ask about this")).to_have_attribute("href", re.compile(r"/ask\?q=What"))
    await menu.get_by_role("link", name="Search this").click()
    await expect(page).to_have_url(re.compile(r"/search\?q="))
    await expect(page.get_by_role("link", name=re.compile("^Hit 1:"))).to_be_visible()


async def test_passages_like_a_hit_are_listed_or_their_enrichment_is_named(site: Watched) -> None:
    page = site.page
    await see(page, SEARCH)
    await page.get_by_role("button", name=re.compile("^Similar")).first.click()
    await expect(page.locator("main")).to_contain_text(re.compile("links no similar passage|similarity"))
