"""How many pictures a second the map and the graph draw in Chromium without a GPU, while somebody moves them.

Usage: papergraph demo, then python -m benchmarks.web_frames [http://127.0.0.1:8000] [--runs 3]

The map has 50,000 synthetic points; it is dragged, zoomed by the wheel, and a lasso is drawn around most points, with
one event of the mouse for each frame that the browser is ready for. The graph has the most nodes that its page shows;
it is measured while its layout moves. A figure is the number of drawings in a second; of several runs the median.
Needs Chromium, which draws by software. Writes results/web_frames.json.
"""

import argparse
import asyncio
import json
import math
import statistics
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from playwright.async_api import Browser, Page, Route

from benchmarks.common import write_result
from tests.support.browser import chromium, see, watched
from tests.support.maps import large_map

N_POINTS = 50_000
LEAST_PER_S = 30
"""Drawings in a second (issue 30)."""

N_STEPS = 90
"""Events of the mouse in a run."""

Act = Callable[[Page, float, float, float], Awaitable[None]]


async def drag(page: Page, x: float, y: float, radius: float) -> None:
    """Move the map to and fro."""
    await page.mouse.move(x, y)
    await page.mouse.down()
    for side in (1, -1, 0):
        await page.mouse.move(x + side * radius, y + side * radius / 2, steps=N_STEPS // 3)
    await page.mouse.up()


async def turn(page: Page, x: float, y: float, radius: float) -> None:
    """Zoom in and out by the wheel."""
    await page.mouse.move(x, y)
    for step in range(N_STEPS):
        await page.mouse.wheel(0, -40 if step < N_STEPS / 2 else 40)


async def draw_lasso(page: Page, x: float, y: float, radius: float) -> None:
    """Draw a circle around most points."""
    await page.keyboard.down("Shift")
    await page.mouse.move(x + radius, y)
    await page.mouse.down()
    for step in range(N_STEPS):
        angle = 2 * math.pi * step / N_STEPS
        await page.mouse.move(x + radius * math.cos(angle), y + radius * math.sin(angle))
    await page.mouse.up()
    await page.keyboard.up("Shift")


ACTS: dict[str, Act] = {"pan": drag, "zoom": turn, "lasso": draw_lasso}


async def drawings_per_s(page: Page, name: str) -> float:
    """Return how often a page drew, between its first and its last drawing of a name."""
    starts = await page.evaluate(f"performance.getEntriesByName('{name}').map(one => one.startTime)")
    return (len(starts) - 1) * 1000 / (starts[-1] - starts[0]) if len(starts) > 1 else 0.0


@asynccontextmanager
async def large_map_page(browser: Browser, url: str) -> AsyncIterator[Page]:
    """Give the page of a map with many points."""
    body = json.dumps(large_map(N_POINTS))

    async def answer(route: Route) -> None:
        await route.fulfill(status=200, content_type="application/json", body=body)

    async with watched(browser, url) as seen:
        await seen.page.route("**/v1/map?*", answer)
        await see(seen.page, "/map")
        yield seen.page


async def map_rates(page: Page) -> dict[str, float]:
    """Return the drawings in a second of each way to move a map."""
    box = await page.get_by_role("application").bounding_box()
    if box is None:
        raise RuntimeError("the page has no map")
    x, y, radius = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, 0.4 * box["height"]
    found = {}
    for name, act in ACTS.items():
        await page.evaluate("performance.clearMeasures()")
        await act(page, x, y, radius)
        found[name] = await drawings_per_s(page, "map-frame")
    return found


async def graph_rate(browser: Browser, url: str) -> tuple[float, int]:
    """Return the drawings in a second while the layout of the largest graph moves, and its number of nodes."""
    async with watched(browser, url) as seen:
        papers = await (await seen.page.request.get("/v1/papers?first=20")).json()
        await see(seen.page, "/graph?" + "&".join(f"node={one['id']}" for one in papers["data"]))
        await seen.page.wait_for_timeout(4000)
        rows = await seen.page.get_by_role("group", name="Table of nodes").get_by_role("row").count()
        return await drawings_per_s(seen.page, "graph-frame"), rows - 1


async def measure(url: str, n_runs: int) -> dict[str, Any]:
    """Return all figures of a server that has the sample papers."""
    async with chromium() as browser:
        maps = []
        for _ in range(n_runs):
            async with large_map_page(browser, url) as page:
                maps.append(await map_rates(page))
        graphs = [await graph_rate(browser, url) for _ in range(n_runs)]
    median = statistics.median
    return {
        "mapPoints": N_POINTS,
        "mapPerS": {name: round(median(one[name] for one in maps), 1) for name in ACTS},
        "graphNodes": min(n for _, n in graphs),
        "graphPerS": round(median(rate for rate, _ in graphs), 1),
        "runs": n_runs,
    }


def main() -> None:
    """Measure, write the figures, and end with 1 where one is below the limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", nargs="?", default="http://127.0.0.1:8000")
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    figures = asyncio.run(measure(given.url, given.runs))
    write_result("web_frames", {"leastPerS": LEAST_PER_S, **figures})
    told = {**figures["mapPerS"], "graph": figures["graphPerS"]}
    if slow := [name for name, rate in told.items() if rate < LEAST_PER_S]:
        sys.exit(f"below {LEAST_PER_S} drawings in a second: {', '.join(slow)}")


if __name__ == "__main__":
    main()
