"""Pages in Debian's Chromium, driven by Playwright: what a page says on its console, loads and draws."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, BrowserContext, Page, async_playwright, expect

NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ("--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
SLOW_MS = 30_000
"""How long a page may take to show what a test waits for, on a machine that does much else."""

expect.set_options(timeout=SLOW_MS)

VIOLATIONS = """
window.violations = [];
document.addEventListener("securitypolicyviolation", event => window.violations.push(event.violatedDirective));
"""


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
    page.on("console", lambda line: seen.complaints.append(line.text) if line.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: seen.complaints.append(str(error)))
    page.on("dialog", lambda dialog: seen.complaints.append(f"dialog {dialog.message}"))
    page.on("request", lambda sent: note(seen, sent.url))
    try:
        yield seen
    finally:
        await context.close()


def note(seen: Watched, url: str) -> None:
    if not url.startswith((seen.origin, "data:", "blob:")):
        seen.elsewhere.append(url)


async def axe_findings(page: Page) -> list[str]:
    """Return what axe finds at fault on a page, one line each."""
    results = await Axe().run(page)
    return [
        f"{found['id']}: {node['target']} {node['html'][:200]}"
        for found in results.response["violations"]
        for node in found["nodes"]
    ]
