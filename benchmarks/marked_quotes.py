"""Accuracy of marked quotes in the reader: Chromium reads back the text in the marks.

Usage: python -m benchmarks.marked_quotes FOLDER [--papers 10] [--answers 3] [--across 2] [--seed 20261124]

Papers are drawn with a seed from the PDFs of the folder and ingested into an empty store. Each is asked about some of
its own sentences; each citation is opened in the reader, at its address. Sentences that go on to the next page are
opened as well. The characters of PDF.js's text layer whose middle is in a mark, from left to right, are compared with
the quote. It is inside when these hold its letters and digits in order, at most :data:`MISSING` of them aside.
Letters that a file names as dingbats are read as the letters that they show. Needs Chromium.
Writes results/marked_quotes.json, with the seed in the name for another seed.
"""

import argparse
import asyncio
import os
import random
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, NamedTuple

import httpx
from playwright.async_api import Page

from benchmarks.common import empty_store, server, write_result
from benchmarks.regions import LONGEST, MISSING, SEED, SHORTEST, letters
from papergraph.ingest.parsers.pdf.glyphs import undo_dingbat
from papergraph.text.sentences import sentence_starts
from tests.support.browser import UNDER_MARKS, chromium, watched

GATE = 0.97
"""Share of quotes that must be inside."""

COLLECTION = "main"
DRAWN_WITHIN_MS = 60_000
PAPERS = "{ papers(first: 100) { nodes { id title nPages } } }"
CHUNKS = """query ($id: ID!, $after: String) { node(id: $id) { ... on Paper {
  chunks(first: 100, after: $after) {
    pageInfo { hasNextPage endCursor } nodes { id kind text startPage endPage } } } } }"""
REGIONS = """query ($id: ID!, $start: Int!, $end: Int!) {
  node(id: $id) { ... on Chunk { regions(start: $start, end: $end) { page } } } }"""
ASK = """query ($input: AskInput!) { ask(input: $input) { ... on Answer { citations { chunkId start end quote } } } }"""

SOME_REFUSED = 4
"""Exit status of an ingestion that refused documents."""


class Place(NamedTuple):
    """A quote: characters ``start`` to ``end`` of a chunk of a paper."""

    paper_id: str
    chunk_id: str
    start: int
    end: int
    quote: str


class Read(NamedTuple):
    """A quote with what stands under its marks: shares of its letters, and how the reader opened."""

    place: Place
    text: str
    held: float
    beside: float
    n_pages: int
    in_view: bool


class Graph:
    """The server's GraphQL."""

    def __init__(self, url: str) -> None:
        self._client = httpx.Client(base_url=url, timeout=120)

    def ask(self, query: str, **variables: Any) -> Any:
        """Return the data of a query."""
        answer = self._client.post("/graphql", json={"query": query, "variables": variables}).json()
        if answer.get("errors"):
            sys.exit(f"the server refused a query: {answer['errors']}")
        return answer["data"]

    def chunks(self, paper: str) -> list[dict[str, Any]]:
        """Return the passages of a paper."""
        found: list[dict[str, Any]] = []
        after = None
        while True:
            page = self.ask(CHUNKS, id=paper, after=after)["node"]["chunks"]
            found += page["nodes"]
            if not page["pageInfo"]["hasNextPage"]:
                return found
            after = page["pageInfo"]["endCursor"]


def sentences(chunk: dict[str, Any]) -> Iterator[tuple[int, int]]:
    """Yield the sentences of a passage of running text."""
    text = chunk["text"]
    starts = sentence_starts(text) or [len(text)]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        last = len(text[:end].rstrip())
        if SHORTEST <= last - start <= LONGEST:
            yield start, last


def quotes_of_answers(graph: Graph, paper: str, n: int, draw: random.Random) -> list[Place]:
    """Ask about ``n`` sentences of a paper and return the citations of the answers."""
    told = [
        chunk["text"][start:end]
        for chunk in graph.chunks(paper)
        if chunk["kind"] in ("body", "abstract")
        for start, end in sentences(chunk)
    ]
    found = []
    for sentence in draw.sample(told, min(n, len(told))):
        asked = {
            "question": f"What does the paper say about this: {' '.join(sentence.split())}",
            "filter": {"papers": [paper]},
            "minAnswerability": 0.0,
            "mode": "EXTRACTIVE",
            "collection": COLLECTION,
        }
        for one in graph.ask(ASK, input=asked)["ask"].get("citations", []):
            found.append(Place(paper, one["chunkId"], one["start"], one["end"], one["quote"]))
    return found


def quotes_across_pages(graph: Graph, paper: str, n: int) -> list[Place]:
    """Return up to ``n`` sentences of a paper that begin on a page and end on the next."""
    found: list[Place] = []
    for chunk in graph.chunks(paper):
        if chunk["kind"] != "body" or chunk["startPage"] == chunk["endPage"]:
            continue
        for start, end in sentences(chunk):
            regions = graph.ask(REGIONS, id=chunk["id"], start=start, end=end)["node"]["regions"]
            if len({region["page"] for region in regions}) > 1 and len(found) < n:
                found.append(Place(paper, chunk["id"], start, end, chunk["text"][start:end]))
    return found


async def read_back(page: Page, place: Place) -> Read:
    """Open a quote in the reader and return what stands under its marks."""
    await page.goto("about:blank")
    await page.goto(f"/p/{place.paper_id}?at={place.chunk_id}&quote={place.start}-{place.end}")
    await page.locator(".region").first.wait_for(timeout=DRAWN_WITHIN_MS)
    numbers = await page.evaluate(
        "[...new Set([...document.querySelectorAll('.region')].map(mark => mark.closest('section').id))]"
    )
    await page.wait_for_timeout(100)
    in_view = await page.locator(".region").first.evaluate(
        "mark => { const {top, bottom} = mark.getBoundingClientRect(); return top >= 0 && bottom <= innerHeight; }"
    )
    for number in numbers:
        await page.locator(f"#{number}").scroll_into_view_if_needed()
        await page.locator(f"#{number}[data-drawn]").wait_for(timeout=DRAWN_WITHIN_MS)
    text = await page.evaluate(UNDER_MARKS)
    wanted, read = letters(place.quote), letters("".join(undo_dingbat(character) or character for character in text))
    blocks = SequenceMatcher(None, wanted, read, autojunk=False).get_matching_blocks()
    n_held = sum(block.size for block in blocks)
    n_letters = max(1, len(wanted))
    return Read(place, text, n_held / n_letters, (len(read) - n_held) / n_letters, len(numbers), in_view)


async def read_all(url: str, places: list[Place]) -> AsyncIterator[Read]:
    """Open quotes one by one; a page with an error, a violation or a request elsewhere ends it."""
    async with chromium() as browser, watched(browser, url) as seen:
        for place in places:
            yield await read_back(seen.page, place)
        await seen.assert_clean()


async def measure(url: str, n_papers: int, n_answers: int, n_across: int, draw: random.Random) -> dict[str, Any]:
    """Ask, open and compare, and return the figures."""
    graph = Graph(url)
    papers = [one for one in graph.ask(PAPERS)["papers"]["nodes"] if one["nPages"]][:n_papers]
    answered = [place for one in papers for place in quotes_of_answers(graph, one["id"], n_answers, draw)]
    across = [place for one in papers for place in quotes_across_pages(graph, one["id"], n_across)]
    found = [read async for read in read_all(url, [*answered, *across])]
    for read in found:
        if read.held < 1 or read.beside:
            print(f"{read.held:.3f} {read.beside:.3f} {read.place.quote!r}\n      {read.text[:400]!r}", file=sys.stderr)
    return {
        "papers": len(papers),
        "answers": len(papers) * n_answers,
        "gate": GATE,
        "citations": figures(found[: len(answered)]),
        "acrossPages": figures(found[len(answered) :]),
        "all": figures(found),
    }


def figures(found: list[Read]) -> dict[str, Any]:
    """Return the shares of quotes that are inside, exact to the letter, and in view when the reader opens."""
    if not found:
        return {"quotes": 0}
    return {
        "quotes": len(found),
        "inside": round(sum(one.held >= 1 - MISSING for one in found) / len(found), 4),
        "toTheLetter": round(sum(one.held == 1 for one in found) / len(found), 4),
        "beside": round(sum(one.beside for one in found) / len(found), 4),
        "inView": round(sum(one.in_view for one in found) / len(found), 4),
        "onTwoPages": sum(one.n_pages > 1 for one in found),
    }


def main() -> None:
    """Draw papers, ingest them, and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--papers", type=int, default=10)
    parser.add_argument("--answers", type=int, default=3)
    parser.add_argument("--across", type=int, default=2)
    parser.add_argument("--seed", type=int, default=SEED)
    given = parser.parse_args()
    files = sorted(given.folder.glob("*.pdf"))
    drawn = random.Random(given.seed).sample(files, min(2 * given.papers, len(files)))  # noqa: S311  # some have no text
    with empty_store("marked_quotes") as address, server(address, PAPERGRAPH_WORKERS="0") as (url, process):
        environment = {**os.environ, **process.environ()}
        command = [str(Path(sys.executable).parent / "papergraph"), "ingest", *map(str, drawn)]
        if (status := subprocess.run(command, env=environment).returncode) not in (0, SOME_REFUSED):
            sys.exit(f"papergraph ingest ended with status {status}")
        result = asyncio.run(
            measure(url, given.papers, given.answers, given.across, random.Random(given.seed))  # noqa: S311
        )
    name = "marked_quotes" if given.seed == SEED else f"marked_quotes_{given.seed}"
    write_result(name, {"seed": given.seed, **result})
    if result["all"]["inside"] < GATE:
        sys.exit(1)


if __name__ == "__main__":
    main()
