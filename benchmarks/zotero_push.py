"""Push of 100 answers with 300 quotes of real PDFs to the double of the tests, twice; and where the highlights are.

Each quote is a sentence of a passage, drawn with a fixed seed. The rectangles of its highlight are mapped onto the
rendered page by PDFium, and compared with the regions that papergraph shows for the quote. The words in the rectangles,
as PDFium reads them, are compared with the quote. ``--pictures FOLDER`` draws ten of them as Zotero does. Neo4j and the
home are those of the settings:

    PAPERGRAPH_HOME=/tmp/zotero PYTHONPATH=. python -m benchmarks.zotero_push
"""

import asyncio
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium
from PIL import Image, ImageChops, ImageDraw
from rapidfuzz import fuzz

from benchmarks.common import RESULTS, data_folder
from papergraph import cypher
from papergraph.database import Database
from papergraph.evaluation.machine import machine
from papergraph.server.auth.access import everything
from papergraph.server.operations.zotero_access import ZoteroAccess, push_library
from papergraph.server.operations.zotero_push import PushReport, PushRequest
from papergraph.server.papers.find import line_boxes_of
from papergraph.server.papers.regions import regions_of
from papergraph.settings import read_settings
from papergraph.statement import Statement
from papergraph.store import open_store
from papergraph.text.alignment import squeezed
from tests.support.fake_zotero import FakeZotero

N_ANSWERS, PER_ANSWER, SEED, COLLECTION, SCALE = 100, 3, 20261129, "zotero-push", 10.0
SENTENCE = re.compile(r"[A-Z][^.!?]{40,250}[a-z]\. ")
LEAST_AGREEMENT = 90.0
N_PICTURES, PICTURE_SCALE = 10, 1.6
CHUNKS = Statement(
    "benchmark/chunks",
    "MATCH (c:Chunk {collection: $collection}) WHERE c.kind = 'body' AND c.startPage IS NOT NULL AND c.level = 0 "
    "RETURN c.id AS id, c.paperId AS paper, c.text AS text, c.startChar AS start, c.endChar AS end ORDER BY id",
)


async def store_answers(database: Database) -> dict[str, tuple[str, int, int]]:
    """Store answers, and return paper and characters of each quote."""
    rng, quotes = random.Random(SEED), []  # noqa: S311 a fixed sample
    for one in await database.read(CHUNKS, collection=COLLECTION):
        if one["end"] - one["start"] == len(one["text"]):
            quotes += [(one, found.start(), found[0].strip()) for found in SENTENCE.finditer(one["text"])]
    seen = {quote: (one, start) for one, start, quote in quotes}
    chosen = rng.sample(sorted(seen), N_ANSWERS * PER_ANSWER)
    for number in range(N_ANSWERS):
        cited = [
            _citation(n, *seen[quote], quote)
            for n, quote in enumerate(chosen[number * PER_ANSWER : (number + 1) * PER_ANSWER], start=1)
        ]
        content: dict[str, Any] = {"question": "What?", "text": "An answer [1].", "citations": cited, "sources": []}
        content |= {"dropped": [], "grounded": True, "llm_generated": False, "model": None, "warnings": []}
        content |= {"answerability": 0.9, "reason": None, "message": None, "named_query": None}
        told: dict[str, Any] = {"id": f"answer-{number:04}", "collection": COLLECTION, "principal": "p", "most": 999}
        told |= {"account": "127.0.0.1", "question": f"Question {number}?", "content": json.dumps(content)}
        await database.run_alone(cypher.load("answers/store_answer"), **told)
    places = {quote: seen[quote] for quote in chosen}
    return {
        quote: (one["paper"], one["start"] + start, one["start"] + start + len(quote))
        for quote, (one, start) in places.items()
    }


def _citation(number: int, one: Any, start: int, quote: str) -> dict[str, Any]:
    told = {"number": number, "chunk_id": one["id"], "paper_id": one["paper"], "paper_title": "A paper"}
    told |= {"section_path": [], "url": None, "file": None, "page": None, "quote": quote, "quoted": True}
    told |= {"start": start, "end": start + len(quote), "answer_start": 0, "answer_end": 3}
    return told | {"claim_start": 0, "claim_end": 3}


def deviation(page: pdfium.PdfPage, rects: list[list[float]], regions: list[Any]) -> float:
    """Return the largest distance in points of an edge on the rendered page from that of the quote's region."""
    bitmap = page.render(scale=SCALE)
    place, worst = bitmap.get_posconv(page), 0.0
    wide, high = page.get_size()
    for rect, region in zip(rects, regions, strict=True):
        corners = place.to_bitmap(rect[0], rect[1]), place.to_bitmap(rect[2], rect[3])
        (x0, x1), (y0, y1) = (sorted(edges) for edges in zip(*corners, strict=True))
        shown = (region.x0 * wide, region.y0 * high, region.x1 * wide, region.y1 * high)
        worst = max(worst, *(abs(a / SCALE - b) for a, b in zip((x0, y0, x1, y1), shown, strict=True)))
    return worst


def draw(server: FakeZotero, folder: Path) -> None:
    """Draw every thirtieth highlight on its page, with its rectangles in Zotero's colour, and its words above."""
    folder.mkdir(parents=True, exist_ok=True)
    marks = [one for one in server.items.values() if one["itemType"] == "annotation"]
    for number, one in enumerate(marks[:: max(1, len(marks) // N_PICTURES)][:N_PICTURES]):
        position = json.loads(one["annotationPosition"])
        page = pdfium.PdfDocument(server.files[one["parentItem"]])[position["pageIndex"]]
        bitmap = page.render(scale=PICTURE_SCALE)
        place, shown = bitmap.get_posconv(page), bitmap.to_pil().convert("RGB")
        marked = Image.new("RGB", shown.size, "white")
        for rect in position["rects"]:
            corners = place.to_bitmap(rect[0], rect[1]), place.to_bitmap(rect[2], rect[3])
            (x0, x1), (y0, y1) = (sorted(edges) for edges in zip(*corners, strict=True))
            ImageDraw.Draw(marked).rectangle((x0, y0, x1, y1), fill=one["annotationColor"])
        shown = ImageChops.multiply(shown, marked)
        ImageDraw.Draw(shown).text((10, 10), one["annotationText"], fill="red")
        shown.save(folder / f"{number:02}.png")


async def measure(server: FakeZotero) -> dict[str, Any]:
    """Push twice, and return the figures."""
    settings = read_settings()
    with open_store(settings) as address:
        async with await address.connect() as database:
            places = await store_answers(database)
            access, wanted = ZoteroAccess.of(settings), PushRequest(collection=COLLECTION)
            reports: list[PushReport] = []
            seconds, writes = [], []
            for _ in range(2):
                begun = time.perf_counter()
                reports.append(await push_library(access, database, everything(), wanted))
                seconds.append(round(time.perf_counter() - begun, 1))
                writes.append(server.n_writes)
            marks = [one for one in server.items.values() if one["itemType"] == "annotation"]
            worst, different, pages = 0.0, [], dict[str, pdfium.PdfDocument]()
            by_words = {squeezed(quote): place for quote, place in places.items()}
            for one in marks:
                paper, start, end = by_words[squeezed(one["annotationText"])]
                position = json.loads(one["annotationPosition"])
                path = str(server.files[one["parentItem"]])
                page = pages.setdefault(path, pdfium.PdfDocument(path))[position["pageIndex"]]
                (lines,) = await line_boxes_of(database, [paper])
                of_page = [each for each in regions_of(lines, start, end) if each.page == position["pageIndex"] + 1]
                worst = max(worst, deviation(page, position["rects"], of_page))
                text = page.get_textpage()
                words = "".join(text.get_text_bounded(*rect) for rect in position["rects"])
                part = squeezed(one["annotationText"])
                agreement = fuzz.partial_ratio(squeezed(words), part)
                if agreement < LEAST_AGREEMENT:
                    place = f"{Path(path).name}, page {position['pageIndex'] + 1}"
                    different.append(f"{place}: {agreement:.0f} {part[:60]}")
    kinds = [one.kind for one in reports[0].changes]
    return {
        "n_answers": kinds.count("note"),
        "n_highlights": kinds.count("highlight"),
        "n_unplaced": len(reports[0].unplaced),
        "second_changes": len(reports[1].changes),
        "writes": writes,
        "seconds": seconds,
        "largest_deviation_points": round(worst, 3),
        "other_words": different,
    }


def main() -> None:
    """Sync the PDFs, push, and print the figures."""
    files = sorted((data_folder() / "real_pdfs" / "pdf").glob("*.pdf"))
    with tempfile.TemporaryDirectory() as folder, FakeZotero() as server:
        for number, file in enumerate(files):
            kept = Path(folder) / f"F{number:04}" / file.name
            kept.parent.mkdir()
            kept.write_bytes(file.read_bytes())
            server.add(f"I{number:04}", f"Paper {number}")
            server.attach(f"F{number:04}", kept, parent=f"I{number:04}")
        os.environ |= {"PAPERGRAPH_ZOTERO_URL": server.url, "PAPERGRAPH_ZOTERO_KEY": server.key}
        command = [str(Path(sys.prefix) / "bin" / "papergraph"), "zotero", "sync", "-q", "--collection", COLLECTION]
        subprocess.run(command, check=True)
        result = asyncio.run(measure(server))
        if "--pictures" in sys.argv:
            draw(server, Path(sys.argv[sys.argv.index("--pictures") + 1]))
    print(json.dumps(result, indent=1))
    if "--write" in sys.argv:
        result |= {"n_pdfs": len(files), "seed": SEED, "machine": machine()}
        (RESULTS / "zotero_push.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
