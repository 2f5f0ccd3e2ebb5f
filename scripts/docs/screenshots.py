"""Take the pictures of ``docs/web`` from a server that has the sample papers.

Usage: papergraph demo, then python -m scripts.docs.screenshots [http://127.0.0.1:8000]

Needs Chromium. Colours are reduced to 64, so that a picture stays below :data:`MOST_BYTES`. Sheets show every page
small, at the widths of a desk and of a phone, light and dark; the answer that they show is stored and deleted.
"""

import asyncio
import io
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import httpx
from PIL import Image
from playwright.async_api import Page, Route

from tests.support.browser import PHONE, QUESTION, chromium, watched

FOLDER = Path(__file__).parents[2] / "docs" / "web"
MOST_BYTES = 150_000
N_COLOURS = 64
GAP = 8
WIDE = {"viewport": {"width": 1200, "height": 680}}
DARK = {**WIDE, "color_scheme": "dark"}
MOST_BYTES_OF_SHEETS = 400_000
DESK: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}
SHEETS: dict[str, tuple[Mapping[str, Any], int, int]] = {
    "1280-light": (DESK, 4, 420),
    "1280-dark": ({**DESK, "color_scheme": "dark"}, 4, 420),
    "390-light": (PHONE, 8, 210),
    "390-dark": ({**PHONE, "color_scheme": "dark"}, 8, 210),
}
"""Size and theme of a sheet, its columns, and the width of a page on it."""
SEARCH = "/search?q=Is+tabu+search+better+than+annealing%3F&alpha=0.6&why=2"
ASK = "/ask?q=How+many+physical+qubits+does+a+distance-7+patch+need%3F"


async def stay(page: Page) -> None:
    """Change nothing on a page."""


async def open_quote(page: Page) -> None:
    """Go from an answer to its quote in the paper."""
    await page.get_by_role("link", name="Open in the paper").click()
    await page.locator("main mark.quote, main .region").first.wait_for()


async def run_named_query(page: Page) -> None:
    """Run the named query of the page."""
    await page.get_by_role("button", name="Run").click()
    await page.get_by_role("group", name="Rows", exact=True).wait_for()


async def show_questions(page: Page) -> None:
    """Wait for the questions of a review."""
    await page.get_by_role("list", name="Questions to review").get_by_role("listitem").first.wait_for()


async def show_invitation(page: Page) -> None:
    """Show an invitation of another server: the one with the sample papers requires no keys."""
    answers: dict[str, dict[str, Any]] = {
        "sign-up": {"signUp": "invite"},
        "sign-up/invitation": {
            "name": "the reading group",
            "scopes": ["read", "ask"],
            "collections": ["reading"],
            "requestsPerMinute": 60,
            "costPerMinute": None,
            "nLeft": 10,
            "expiresAt": "2027-01-15T12:00:00Z",
            "keyExpiresAt": "2027-06-30T12:00:00Z",
        },
    }
    for path, body in answers.items():
        await page.route(f"**/v1/{path}", partial(answer, body=body))
    await page.goto("/papers")
    await page.goto("/signup#pi_abcd1234_example")
    await page.get_by_role("region", name="Invitation").wait_for()


async def answer(route: Route, body: Mapping[str, Any]) -> None:
    """Answer a request of a page with a body."""
    await route.fulfill(json=dict(body))


async def run_operation(page: Page) -> None:
    """Run the first operation of the GraphQL editor."""
    await page.get_by_role("button", name="Run").click()
    await page.get_by_role("group", name="Answer").wait_for()


Picture = tuple[str, Mapping[str, Any], Callable[[Page], Awaitable[None]]]
PICTURES: dict[str, Picture] = {
    "home": ("/", WIDE, stay),
    "search": (SEARCH, WIDE, stay),
    "ask": (ASK, WIDE, stay),
    "reader": (ASK, WIDE, open_quote),
    "compare": ("/compare?q=Is+tabu+search+better+than+annealing%3F&pipeline=default&pipeline=fast", WIDE, stay),
    "cypher": ("/cypher?name=coauthors", WIDE, run_named_query),
    "map": ("/map?q=annealing", WIDE, stay),
    "review": ("/review", WIDE, show_questions),
    "graphql": ("/graphql", WIDE, run_operation),
    "signup": ("/signup", WIDE, show_invitation),
    "dark": (SEARCH, DARK, stay),
    "phone": (ASK, PHONE, stay),
}
"""Address, size and theme, and what is done on the page, by the name of the file."""


async def take(url: str) -> None:
    """Write all pictures.

    Raises:
        SystemExit: A picture is larger than it may be.
    """
    async with chromium() as browser:
        for name, (address, options, act) in PICTURES.items():
            async with watched(browser, url, reduced_motion="reduce", **options) as seen:
                await seen.page.goto(address)
                await seen.page.wait_for_load_state("networkidle")
                await act(seen.page)
                await seen.page.wait_for_load_state("networkidle")
                await seen.assert_clean()
                write(name, Image.open(io.BytesIO(await seen.page.screenshot())), MOST_BYTES)


PAGES = (
    *("/", "/papers", "/p/{paper}", SEARCH, ASK, "/a/{answer}", "/notes", "/collections", "/add", "/jobs", "/inbox"),
    *(
        "/tables",
        "/screening",
        "/zotero",
        "/draft",
        "/review",
        "/map?q=annealing",
        "/graph",
        "/signup",
        "/keys",
        "/api",
    ),
    *("/compare?q=Is+tabu+search+better+than+annealing%3F&pipeline=default&pipeline=fast", "/cypher?name=coauthors"),
    "/graphql",
)
"""Addresses of all pages."""


async def take_sheets(url: str) -> None:
    """Write the sheets.

    Raises:
        SystemExit: A sheet is larger than it may be.
    """
    async with httpx.AsyncClient(base_url=url, timeout=60.0) as client, chromium() as browser:
        paper = (await client.get("/v1/papers", params={"first": 1})).json()["data"][0]["id"]
        asked = {"question": QUESTION, "mode": "extractive", "store": True}
        answer_id = (await client.post("/v1/ask", json=asked)).json()["id"]
        for name, (options, columns, width) in SHEETS.items():
            pictures = []
            for address in PAGES:
                async with watched(browser, url, reduced_motion="reduce", **options) as seen:
                    await seen.page.goto(address.format(paper=paper, answer=answer_id))
                    await seen.page.wait_for_load_state("networkidle")
                    pictures.append(Image.open(io.BytesIO(await seen.page.screenshot())).convert("RGB"))
            write(f"pages-{name}", sheet(pictures, columns, width), MOST_BYTES_OF_SHEETS)
        await client.delete(f"/v1/answers/{answer_id}")


def sheet(pictures: Sequence[Image.Image], columns: int, width: int) -> Image.Image:
    """Return pictures beside and below each other, each at one width."""
    height = width * pictures[0].height // pictures[0].width
    rows = -(-len(pictures) // columns)
    whole = Image.new("RGB", (columns * (width + GAP) + GAP, rows * (height + GAP) + GAP), "#888888")
    for place, picture in enumerate(pictures):
        row, column = divmod(place, columns)
        small = picture.resize((width, height), Image.Resampling.LANCZOS)
        whole.paste(small, (GAP + column * (width + GAP), GAP + row * (height + GAP)))
    return whole


def write(name: str, picture: Image.Image, most_bytes: int) -> None:
    """Write a picture with few colours.

    Raises:
        SystemExit: It is larger than it may be.
    """
    target = io.BytesIO()
    picture.convert("RGB").quantize(N_COLOURS, dither=Image.Dither.NONE).save(target, "PNG", optimize=True)
    content = target.getvalue()
    if len(content) > most_bytes:
        raise SystemExit(f"{name}.png has {len(content)} bytes, more than {most_bytes}")
    (FOLDER / f"{name}.png").write_bytes(content)


async def main(url: str) -> None:
    await take(url)
    await take_sheets(url)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8000"))
