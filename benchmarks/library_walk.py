"""Steps and time of a library's tasks on the pages alone: import, tidy, find, read, mark, note, ask, export, delete.

Usage: python -m benchmarks.library_walk FILE [FILE ...]

FILES are PDFs, of which one is real_pdfs/pdf/drop-impact-supplement.pdf, and a bibliography; one import takes them
together. A step is a click, a choice of files, or a text with its Enter; every page is reached from the one before.
Chromium takes the steps on an empty store, so times have no reading or thinking in them. Writes
results/library_walk.json.
"""

import asyncio
import re
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from playwright.async_api import Locator, Page, expect

from benchmarks.common import empty_store, server, write_result
from tests.support.browser import chromium, watched

COLLECTION = "shelf"
WORDS, QUESTION, NOTE = "the", "What is the minimum grid size of the simulations?", "Compare with the other papers."
IMPORT_S = 1800


class Walk:
    """A page, with the steps and the time of each task."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.tasks: dict[str, dict[str, Any]] = {}
        self._task = ""

    @asynccontextmanager
    async def task(self, name: str) -> AsyncIterator[None]:
        """Count what is done as a task's."""
        self._task, start = name, time.perf_counter()
        self.tasks[name] = {"steps": 0}
        yield
        self.tasks[name]["seconds"] = round(time.perf_counter() - start, 1)

    def button(self, name: str | re.Pattern[str]) -> Locator:
        return self.page.get_by_role("button", name=name)

    def link(self, name: str) -> Locator:
        return self.page.get_by_role("link", name=name)

    async def click(self, wanted: Locator) -> None:
        await self._step(wanted.click())

    async def type(self, field: Locator, text: str) -> None:
        await self._step(field.fill(text))
        await field.press("Enter")

    async def choose(self, field: Locator, files: list[Path]) -> None:
        await self._step(field.set_input_files(files))

    async def select(self, field: Locator, value: str) -> None:
        await self._step(field.select_option(value))

    async def _step(self, act: Any) -> None:
        self.tasks[self._task]["steps"] += 1
        await act


async def walk(url: str, files: list[Path]) -> dict[str, Any]:
    """Do all tasks, and return their steps and times."""
    async with chromium() as browser, watched(browser, url, viewport={"width": 1280, "height": 800}) as seen:
        done, page = Walk(seen.page), seen.page
        button, link = done.button, done.link
        await page.goto(f"/add?in={COLLECTION}")
        async with done.task("import"):
            await done.choose(page.get_by_label("Choose files"), files)
            await done.click(button(re.compile("^Check [0-9]+ documents")))
            await done.click(button(re.compile("^Add [0-9]+ papers")))
            told = await ended(page)
        async with done.task("tidy: tag two papers and set their reading state"):
            await done.click(link("Show the papers"))
            titles = page.locator("main tbody th a")
            await expect(titles.nth(1)).to_be_visible()
            for row in (0, 1):
                await done.click(page.locator("main tbody input[type=checkbox]").nth(row))
            await done.type(page.get_by_label("Tag for the chosen papers"), "to cite")
            await expect(page.get_by_text("Tagged 2 papers")).to_be_visible()
            await done.select(page.get_by_label("Reading state of the chosen papers"), "reading")
            await expect(page.get_by_text("Set the reading state.")).to_be_visible()
        async with done.task("find a paper, and a passage"):
            title = await titles.nth(2).inner_text()
            await done.type(page.get_by_label("Words of titles"), title)
            await expect(titles).to_have_count(1)
            await done.click(link("Search").first)
            await expect(page).to_have_url(re.compile("/search"))
            await done.type(page.get_by_role("searchbox").first, QUESTION)
            await expect(page.locator("main article").first).to_be_visible()
        async with done.task("read: open it"):
            await done.click(page.locator("main article a").first)
            await expect(page.get_by_role("heading", level=1)).to_be_visible()
        async with done.task("mark: find words, highlight them, comment"):
            await done.type(page.get_by_label("Find in this paper"), WORDS)
            await done.click(page.get_by_role("button", name="Highlight", exact=True))
            await done.click(page.get_by_role("button", name="Comment").first)
            await done.type(page.get_by_label("Comment"), NOTE)
            await done.click(page.get_by_role("button", name="Save", exact=True))
        async with done.task("note"):
            await done.type(page.get_by_label("New note"), NOTE)
            await done.click(button("Add note"))
            await expect(page.locator(".notes")).to_contain_text(NOTE)
        async with done.task("ask, and open the quote on its page"):
            await done.click(link("Ask").first)
            await expect(page).to_have_url(re.compile("/ask"))
            await done.type(page.get_by_label("Question"), QUESTION)
            await expect(page.get_by_text("word for word from the papers")).to_be_visible()
            await done.click(link("Open in the paper"))
            await expect(page.locator("main mark.quote, main .region").first).to_be_visible()
        async with done.task("export all as BibTeX"):
            await done.click(link("Papers").first)
            await expect(page).to_have_url(re.compile("/papers"))
            await done.click(page.get_by_label("Choose all shown"))
            async with page.expect_download():
                await done.click(button(re.compile("^Export [0-9]+ papers")))
        async with done.task("delete one, and undo"):
            await done.click(page.get_by_label("Choose all shown"))
            await done.click(page.locator("main tbody input[type=checkbox]").first)
            await done.click(button("Delete…"))
            await done.click(page.get_by_role("dialog").get_by_role("button", name="Delete"))
            await done.click(button("Undo"))
            await expect(page.get_by_text("1 paper stayed.")).to_be_visible()
    return {"files": len(files), "told": told, "tasks": done.tasks}


async def ended(page: Page) -> str:
    """Wait for the end of a job; return what the page says of it.

    Raises:
        TimeoutError: It takes more than half an hour.
    """
    async with asyncio.timeout(IMPORT_S):
        while True:
            told = await page.locator("main").inner_text()
            if found := re.search(r"([0-9]+) of ([0-9]+) documents done.*", told):
                refused = re.search(r"([0-9]+) refused or failed", found[0])
                if int(found[1]) + int(refused[1] if refused else 0) == int(found[2]):
                    return found[0]
            await asyncio.sleep(0.2)


def main() -> None:
    files = [Path(name) for name in sys.argv[1:]]
    if not files:
        sys.exit("usage: python -m benchmarks.library_walk FILE [FILE ...]")
    with empty_store("library_walk") as address, server(address) as (url, _):
        write_result("library_walk", asyncio.run(walk(url, files)))


if __name__ == "__main__":
    main()
