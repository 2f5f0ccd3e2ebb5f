"""Pages in Debian's Chromium, driven by Playwright: what a page says on its console, loads and draws."""

import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, async_playwright, expect

QUESTION = "How many physical qubits does a distance-7 patch need?"
QUERY = "Is tabu search better than annealing?"
SEARCH = "/search?q=Is+tabu+search+better+than+annealing%3F"
ASK = "/ask?q=How+many+physical+qubits+does+a+distance-7+patch+need%3F"
NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ("--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 780}, "has_touch": True, "is_mobile": True}
SLOW_MS = 30_000
"""How long a page may take to show what a test waits for, on a machine that does much else."""

expect.set_options(timeout=SLOW_MS)

VIOLATIONS = """
window.violations = [];
document.addEventListener("securitypolicyviolation", event => window.violations.push(event.violatedDirective));
"""

UNDER_MARKS = """() => {
  const marks = [...document.querySelectorAll(".region")];
  const held = marks.map(mark => ({ ...mark.getBoundingClientRect().toJSON(), mark, letters: [] }));
  for (const page of new Set(held.map(({mark}) => mark.closest("section")))) {
    const walker = document.createTreeWalker(page.querySelector(".textLayer"), NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const range = document.createRange();
      for (let i = 0; i < node.data.length; i++) {
        range.setStart(node, i); range.setEnd(node, i + 1);
        const { left, right, top, bottom } = range.getBoundingClientRect();
        const [x, y] = [(left + right) / 2, (top + bottom) / 2];
        const away = one => Math.abs((one.top + one.bottom) / 2 - y);
        const around = held.filter(one => one.left <= x && x <= one.right && one.top <= y && y <= one.bottom);
        around.sort((one, other) => away(one) - away(other))[0]?.letters.push([x, node.data[i]]);
      }
    }
  }
  const inOrder = letters => letters.sort(([one], [other]) => one - other).map(([, letter]) => letter);
  return held.map(({ letters }) => inOrder(letters).join("")).join(" ");
}"""
"""Characters of the text layer whose middle is in a mark, from mark to mark, each from left to right."""


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """Give a browser; skip where there is none."""
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    if path is None:
        pytest.skip("there is no Chromium here: apt-get install --no-install-recommends chromium")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        try:
            yield browser
        finally:
            await browser.close()


@dataclass
class Watched:
    """A page, and what it did that no page should do."""

    page: Page
    origin: str
    complaints: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)

    async def assert_clean(self) -> None:
        assert self.complaints == []
        assert self.elsewhere == []
        assert await self.page.evaluate("window.violations") == []


@asynccontextmanager
async def watched(browser: Browser, url: str, **options: Any) -> AsyncIterator[Watched]:
    """Give a page in a context of its own, which is at no address yet; relative addresses are those of ``url``."""
    context: BrowserContext = await browser.new_context(base_url=url, **options)
    context.set_default_timeout(SLOW_MS)
    await context.grant_permissions(["clipboard-read", "clipboard-write"])
    await context.add_init_script(VIOLATIONS)
    page = await context.new_page()
    seen = Watched(page, f"{urlsplit(url).scheme}://{urlsplit(url).netloc}")
    page.on("console", lambda line: complain(seen, line))
    page.on("pageerror", lambda error: seen.complaints.append(str(error)))
    page.on("dialog", lambda dialog: seen.complaints.append(f"dialog {dialog.message}"))
    page.on("request", lambda sent: note(seen, sent.url))
    try:
        yield seen
    finally:
        await context.close()


def complain(seen: Watched, line: ConsoleMessage) -> None:
    if line.type in ("error", "warning"):
        seen.complaints.append(f"{line.text} {line.location.get('url', '')}".rstrip())


def note(seen: Watched, url: str) -> None:
    if not url.startswith((seen.origin, "data:", "blob:")):
        seen.elsewhere.append(url)


async def see(page: Page, path: str) -> None:
    """Open a page and wait until it shows what it asked for."""
    await page.goto(path)
    await expect(page.get_by_role("heading", level=1)).to_be_attached()
    await expect(page.locator("main")).not_to_contain_text(re.compile(r"Searching…|Opening the |searching…|reading \d"))
    await page.wait_for_load_state("networkidle")


REACHABLE = "a[href], button, input, select, textarea, summary, [tabindex]"
SPARE_STEPS = 20
"""Presses of Tab beyond those for all elements of a page: the browser's own, and what comes up meanwhile."""


async def go_to(page: Page, wanted: Locator) -> None:
    """Press Tab until an element has the focus, for one round of the page."""
    await expect(wanted).to_be_visible()
    presses = 0
    while presses < await page.locator(REACHABLE).count() + SPARE_STEPS:  # what is there while the page loads grows
        if await wanted.evaluate("one => one === document.activeElement"):
            return
        await page.keyboard.press("Tab")
        presses += 1
    pytest.fail(f"{presses} presses of Tab do not reach {wanted}")


async def axe_findings(page: Page) -> list[str]:
    """Return what axe finds at fault on a page, one line each."""
    results = await Axe().run(page)
    return [
        f"{found['id']}: {node['target']} {node['html'][:200]}"
        for found in results.response["violations"]
        for node in found["nodes"]
    ]


def bytes_loaded(page: Page) -> dict[str, int]:
    """Return what tells of each file that a page loads from now on, by its address, how many bytes it has."""
    loaded: dict[str, int] = {}
    page.on("response", lambda got: loaded.__setitem__(got.url, int(got.headers.get("content-length", 0))))
    return loaded
