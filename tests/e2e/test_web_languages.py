"""Languages in the web interface: of papers, as a filter, and what the model does not support, in words."""

import re
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import expect

from papergraph.database import Database
from papergraph.statement import Statement
from tests.support.browser import axe_findings, go_to, see

pytestmark = pytest.mark.browser

CHANGE = Statement(
    "test/change",
    "MATCH (p:Paper {collection: 'many'}) WITH p ORDER BY p.id LIMIT 1 WITH p, p.language AS before "
    "SET p.language = $language RETURN p.id AS id, p.title AS title, before",
)
MANY = "?in=many"
WARNING = re.compile("^German text may be missed by searches: the embedding model .* supports English only")


@pytest_asyncio.fixture(loop_scope="session")
async def german(library: Database) -> AsyncIterator[dict[str, str]]:
    """A paper of the collection ``many`` that counts as German."""
    (paper,) = await library.run_alone(CHANGE, language="de")
    yield {"id": paper["id"], "title": paper["title"]}
    await library.run_alone(CHANGE, language=paper["before"])


@pytest.mark.slow
async def test_papers_of_a_language_are_chosen_and_its_warning_is_shown(site, german) -> None:
    page = site.page
    await see(page, f"/papers{MANY}")
    await expect(page.get_by_text(WARNING)).to_be_visible()
    await page.get_by_text("Filters", exact=True).click()
    chosen = page.get_by_label("Language")
    await go_to(page, chosen)
    await chosen.select_option("de")
    await expect(page.get_by_text("1 paper", exact=True)).to_be_visible()
    titles = await page.locator("main tbody th a").all_inner_texts()
    assert await axe_findings(page) == []
    await page.get_by_role("link", name=german["title"]).click()
    about = page.get_by_role("heading", name="About").locator("..")
    await expect(about).to_contain_text("German")
    await see(page, "/collections")
    many = page.get_by_role("listitem").filter(has=page.get_by_role("button", name="Enrich many"))
    await expect(many).to_contain_text(WARNING.pattern.removeprefix("^").split(":")[0])

    assert titles == [german["title"]]


@pytest.mark.slow
async def test_a_search_is_filtered_by_language_and_warns_of_a_foreign_query(site, german) -> None:
    page = site.page
    await see(page, f"/search{MANY}&q=measurements")
    box = page.get_by_role("group", name="Language").get_by_role("checkbox", name="German")
    await go_to(page, box)
    await page.keyboard.press("Space")
    await expect(page).to_have_url(re.compile("language=de"))
    await expect(page.get_by_text(re.compile("passages? in 1 paper"))).to_be_visible()
    assert await axe_findings(page) == []
    await see(page, "/search?q=Welche+Dekoder+werden+f%C3%BCr+den+Oberfl%C3%A4chencode+verglichen%3F")
    await expect(page.get_by_text(re.compile("^The query is in German, but the embedding model"))).to_be_visible()
