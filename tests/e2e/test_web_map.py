"""The map page in a browser: colours, a lasso and its twin by keyboard, hits of a search, 50,000 points."""

import json
import re
from typing import Any

import pytest
from playwright.async_api import Locator, Page, Route, expect

from tests.support.browser import axe_findings, bytes_loaded, go_to, see
from tests.support.maps import large_map
from tests.support.servers import RunningServer

pytestmark = [pytest.mark.slow, pytest.mark.browser]

N_POINTS = 50_000
MOST_PAGE_BYTES = 150_000
MOST_HEAP_BYTES = 400_000_000
N_ROWS = 100
FRAMES = "performance.getEntriesByName('map-frame').length"
HEAP = "performance.memory.usedJSHeapSize"
DARK_PIXELS = """() => {
  const canvas = document.querySelector('canvas');
  const pixels = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer);
  const ground = pixels[0];
  return pixels.filter(one => one !== ground).length;
}"""


def rows_of(page: Page) -> Locator:
    return page.get_by_role("group", name="Table of papers").get_by_role("row")


async def test_from_the_navigation_to_a_search_in_chosen_papers_by_keyboard(site, server: RunningServer) -> None:
    page = site.page
    told = server.client.get("/v1/map").json()
    await see(page, "/map?q=qubits")
    await expect(page.get_by_role("heading", level=1, name="Map of main")).to_be_visible()
    assert await axe_findings(page) == []
    assert await rows_of(page).count() == 1 + min(N_ROWS, len(told["ids"]))
    words = page.get_by_label("Words in titles")
    await go_to(page, words)
    await page.keyboard.type("surface")
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(re.compile("find=surface"))
    await expect(page.get_by_text("1 paper chosen")).to_be_visible()
    link = page.get_by_role("link", name="Search in these")
    (wanted,) = [id for id, title in zip(told["ids"], told["titles"], strict=True) if "surface" in title.lower()]
    assert f"paper={wanted}" in (await link.get_attribute("href") or "")
    await go_to(page, link)
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("button", name="1 chosen")).to_be_visible()

    assert told["method"] == "pca" and not told["truncated"]


async def test_a_lasso_becomes_a_filter_and_survives_a_reload(site, server: RunningServer) -> None:
    page = site.page
    n = len(server.client.get("/v1/map").json()["ids"])
    await see(page, "/map")
    await page.get_by_role("button", name="Lasso").click()
    box = await page.get_by_role("application", name=re.compile("^Map of")).bounding_box()
    assert box is not None
    corners = [(0.02, 0.02), (0.5, 0.02), (0.5, 0.98), (0.02, 0.98)]
    places = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in corners]
    await page.mouse.move(*places[0])
    await page.mouse.down()
    for place in places[1:]:
        await page.mouse.move(*place, steps=5)
    await page.mouse.up()
    await expect(page).to_have_url(re.compile("lasso="))
    chosen = await rows_of(page).count() - 1
    await page.reload()
    await expect(page.get_by_role("link", name="Search in these")).to_have_attribute("href", re.compile("paper="))

    assert 0 < chosen < n
    assert await rows_of(page).count() - 1 == chosen
    await page.get_by_role("button", name="Choose all").click()
    await expect(rows_of(page)).to_have_count(n + 1)


async def test_hits_of_a_search_stand_first_and_colours_are_by_year(site) -> None:
    page = site.page
    await see(page, "/map?q=tabu+search")
    await expect(rows_of(page).nth(1).get_by_role("cell").last).to_have_text("yes")
    await page.get_by_label("Colour").select_option("year")
    await expect(page).to_have_url(re.compile("colour=year"))
    legend = page.get_by_role("region", name="Legend")
    await expect(legend.get_by_role("heading", name="Years")).to_be_visible()
    year = legend.get_by_role("button").first
    name = await year.inner_text()
    await year.click()
    await expect(year).to_have_attribute("aria-pressed", "true")
    await expect(page).to_have_url(re.compile("year="))

    assert re.match(r"[0-9]{4}", name)
    assert await axe_findings(page) == []


async def test_the_map_is_reached_from_a_search(site) -> None:
    page = site.page
    await see(page, "/search?q=tabu+search")
    await page.get_by_role("link", name="Map", exact=True).last.click()
    await expect(page).to_have_url(re.compile(r"/map\?q=tabu"))
    await expect(page.get_by_role("heading", level=1)).to_be_visible()


async def test_fifty_thousand_points_are_drawn_listed_in_parts_and_narrowed(site) -> None:
    page = site.page
    body = json.dumps(large_map(N_POINTS))
    loaded = bytes_loaded(page)

    async def answer(route: Route) -> None:
        await route.fulfill(status=200, content_type="application/json", body=body)

    await page.route("**/v1/map?*", answer)
    await see(page, "/map")
    await expect(page.get_by_text("50,000 papers of 50,001 papers, a random sample")).to_be_visible()
    await expect(page.get_by_text("A search takes at most 200 chosen papers.")).to_be_hidden()
    drawn = await page.evaluate(DARK_PIXELS)
    before = await page.evaluate(FRAMES)
    await page.get_by_role("application", name="Map of 50000 papers").focus()
    for _ in range(10):
        await page.keyboard.press("ArrowLeft")
    await page.get_by_role("button", name="Zoom in").click()
    await expect(rows_of(page)).to_have_count(N_ROWS + 1)
    await page.get_by_role("button", name="Show 100 more").click()
    await expect(rows_of(page)).to_have_count(2 * N_ROWS + 1)
    await page.get_by_role("region", name="Legend").get_by_role("button").first.click()
    await expect(page).to_have_url(re.compile("topic="))
    await expect(page.get_by_role("link", name="Search in these")).to_have_attribute("href", re.compile("topic="))
    await page.unroute("**/v1/map?*")

    assert drawn > 20_000, "pixels that are not ground"
    assert await page.evaluate(FRAMES) > before
    assert await page.evaluate(HEAP) < MOST_HEAP_BYTES
    assert sum(size for url, size in loaded.items() if "/assets/" in url) <= MOST_PAGE_BYTES


async def test_a_collection_without_places_or_with_an_error_says_the_next_step(site) -> None:
    page = site.page
    empty: dict[str, Any] = {name: [] for name in ("topics", "ids", "titles", "years", "x", "y", "topicNumbers")}
    empty |= {"nPapers": 3000, "nUnplaced": 3000, "truncated": False, "method": None}

    async def answer(route: Route) -> None:
        await route.fulfill(status=200, content_type="application/json", body=json.dumps(empty))

    await page.route("**/v1/map?*", answer)
    await see(page, "/map")
    await expect(page.get_by_text("The papers have no places yet.")).to_be_visible()
    assert await axe_findings(page) == []
    await page.unroute("**/v1/map?*")
    await see(page, "/map?in=nowhere")
    await expect(page.get_by_text("There are no papers in this collection.")).to_be_visible()
