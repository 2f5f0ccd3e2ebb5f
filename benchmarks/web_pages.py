"""Weight and latency of the web interface, beside an empty page in the same run.

Usage: papergraph demo, then python -m benchmarks.web_pages [http://127.0.0.1:8000] [--runs 7]

Sizes are those of the compressed files that a page loads in a browser without a cache: ``first`` with the search page,
``lazy`` beyond these with each other page, PDF.js's worker aside. LCP is the time of the largest contentful paint, INP
the longest time from an input to the next paint (both by PerformanceObserver; medians of the runs). The empty page is
one of the same browser without scripts. Needs Chromium. Writes results/web_pages.json.
"""

import argparse
import asyncio
import statistics
import sys
from typing import Any

from playwright.async_api import Browser

from benchmarks.common import write_result
from tests.support.browser import chromium, watched

MOST_FIRST, MOST_LAZY = 68_500, 150_000
"""Compressed bytes; of the first load, 15 % more than on 2026-11-26."""

LONGEST_LCP_MS, LONGEST_INP_MS, LONGEST_FIRST_SENTENCE_MS = 1000, 200, 500
QUESTION = "How many physical qubits does a distance-7 patch need?"
SEARCH = "/search?q=Is+tabu+search+better+than+annealing%3F"
ASK = "/ask?q=How+many+physical+qubits+does+a+distance-7+patch+need%3F"
PDF_WORKER = "pdf.worker"

OBSERVE = """
window.lcp = 0; window.inp = 0;
new PerformanceObserver(list => { for (const one of list.getEntries()) window.lcp = one.startTime; })
  .observe({type: "largest-contentful-paint", buffered: true});
new PerformanceObserver(list => { for (const one of list.getEntries())
  if (one.interactionId) window.inp = Math.max(window.inp, one.duration); })
  .observe({type: "event", buffered: true, durationThreshold: 16});
"""
EMPTY = "<!doctype html><title>empty</title><h1>Search</h1><label>Query <input type=search></label>"


async def files_of(browser: Browser, url: str, path: str) -> dict[str, int]:
    """Return the sizes of the files that a page loads, in compressed bytes, by address."""
    async with watched(browser, url) as seen:
        loaded: dict[str, int] = {}
        seen.page.on("response", lambda got: loaded.__setitem__(got.url, int(got.headers.get("content-length", 0))))
        await seen.page.goto(path)
        await seen.page.wait_for_load_state("networkidle")
        return {name: size for name, size in loaded.items() if "/assets/" in name}


async def times_of(browser: Browser, url: str, path: str | None) -> tuple[float, float]:
    """Return LCP and INP of a page in milliseconds, where a word is typed and a button is clicked; None is empty."""
    async with watched(browser, url) as seen:
        await seen.page.add_init_script(OBSERVE)
        if path is None:
            await seen.page.route("**/empty", lambda route: route.fulfill(body=EMPTY, content_type="text/html"))
        await seen.page.goto(path or "/empty")
        await seen.page.wait_for_load_state("networkidle")
        lcp = float(await seen.page.evaluate("window.lcp"))
        await seen.page.get_by_role("searchbox").focus()
        await seen.page.keyboard.type(" on dense", delay=60)
        if path is not None:
            await seen.page.get_by_role("button", name="Why").first.click()
            await seen.page.get_by_role("heading", name="Why this is number").first.wait_for()
        await seen.page.wait_for_timeout(300)
        return lcp, float(await seen.page.evaluate("window.inp"))


async def first_sentence_of(browser: Browser, url: str) -> float:
    """Return the time from the question to the first sentence of its answer, in milliseconds."""
    async with watched(browser, url) as seen:
        await seen.page.goto("/ask")
        await seen.page.get_by_label("Question").fill(QUESTION)
        return float(
            await seen.page.evaluate(
                """() => new Promise(resolve => {
                  const start = performance.now();
                  new MutationObserver((_, observer) => {
                    if (!document.querySelector("article .claim")) return;
                    observer.disconnect(); resolve(performance.now() - start);
                  }).observe(document.querySelector("main"), {subtree: true, childList: true});
                  document.querySelector("main form").requestSubmit();
                })"""
            )
        )


async def measure(url: str, n_runs: int) -> dict[str, Any]:
    """Return all figures of a server that has the sample papers."""
    async with chromium() as browser:
        first = await files_of(browser, url, SEARCH)
        reader = await reader_of(browser, url)
        pages = {"home": "/", "ask": ASK, "papers": "/papers", "reader": reader}
        lazy = {name: await files_of(browser, url, path) for name, path in pages.items()}
        empty = [await times_of(browser, url, None) for _ in range(n_runs)]
        search = [await times_of(browser, url, SEARCH) for _ in range(n_runs)]
        answers = [await first_sentence_of(browser, url) for _ in range(n_runs)]
    median = statistics.median
    return {
        "firstBytes": sum(first.values()),
        "lazyBytes": {
            name: sum(size for file, size in files.items() if file not in first and PDF_WORKER not in file)
            for name, files in lazy.items()
        },
        "lcpMs": {"empty": median(lcp for lcp, _ in empty), "search": median(lcp for lcp, _ in search)},
        "inpMs": {"empty": median(inp for _, inp in empty), "search": median(inp for _, inp in search)},
        "firstSentenceMs": median(answers),
        "runs": n_runs,
    }


async def reader_of(browser: Browser, url: str) -> str:
    """Return the address of the first paper."""
    async with watched(browser, url) as seen:
        await seen.page.goto("/papers")
        return await seen.page.locator("main a[href*='/p/']").first.get_attribute("href") or ""


def main() -> None:
    """Measure, write the figures, and end with 1 where one is over its limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", nargs="?", default="http://127.0.0.1:8000")
    parser.add_argument("--runs", type=int, default=7)
    given = parser.parse_args()
    figures = asyncio.run(measure(given.url, given.runs))
    limits = {
        "firstBytes": MOST_FIRST,
        "lazyBytes": MOST_LAZY,
        "lcpMs": LONGEST_LCP_MS,
        "inpMs": LONGEST_INP_MS,
        "firstSentenceMs": LONGEST_FIRST_SENTENCE_MS,
    }
    write_result("web_pages", {"limits": limits, **figures})
    told = {
        "firstBytes": figures["firstBytes"],
        "lazyBytes": max(figures["lazyBytes"].values()),
        "lcpMs": figures["lcpMs"]["search"] - figures["lcpMs"]["empty"],
        "inpMs": figures["inpMs"]["search"] - figures["inpMs"]["empty"],
        "firstSentenceMs": figures["firstSentenceMs"],
    }
    if over := [name for name, limit in limits.items() if told[name] > limit]:
        sys.exit(f"over the limit: {', '.join(over)}")


if __name__ == "__main__":
    main()
