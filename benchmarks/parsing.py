"""Sections, body text and cost of PDF parsing: on real PDFs, and on papers set here, whose sections are known.

Usage: python -m benchmarks.parsing [--tuning]

Every second paper is held out: rules were written and tuned while looking only at the others (``--tuning`` shows these
alone). Without it both halves are measured and written.
"""

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pypdfium2
from tokenizers import Tokenizer

from benchmarks.common import data_folder, write_result
from benchmarks.typesetting import FORMS, gold_papers, typeset
from papergraph.embedding import find_model
from papergraph.ingest.chunkers import Chunker, ChunkOptions
from papergraph.ingest.graph.rows import body_coverage
from papergraph.ingest.parsers.pdf import document_of, read_in_child
from papergraph.ingest.parsers.pdf.reading import read_pdf
from papergraph.ingest.parsers.sandbox import SandboxLimits
from papergraph.ingest.sources import Format, RawDocument
from tests.support.damaged_pdfs import damaged_pdfs

RUN = 12
"""Length of a run in characters, without blanks and hyphens; a character counts as reached if a chunk has such a run.
"""

SEED = 20261121
HIDDEN = "outline hidden"
READ_ALL = """
import hashlib, json, resource, sys, time
from pathlib import Path
from papergraph.ingest.parsers.pdf import read_in_child
from papergraph.ingest.parsers.sandbox import RefusedError, SandboxLimits

outcomes = []
for path in sys.argv[1:]:
    data, start = Path(path).read_bytes(), time.perf_counter()
    try:
        outcome = hashlib.sha256(read_in_child(data, SandboxLimits()).text.encode()).hexdigest()
    except RefusedError as refusal:
        outcome = refusal.reason.value
    outcomes.append((outcome, time.perf_counter() - start))
print(json.dumps({"outcomes": outcomes, "peakKiB": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss}))
"""
"""Program of the child: prints the error or the hash of the text, and the seconds, of each file."""

TEI = {"tei": "http://www.tei-c.org/ns/1.0"}
REAL_HEADINGS = {
    "N18-3011": [
        "Abstract", "Introduction", "Structure of The Literature Graph", "Node Types", "Edge Types",
        "Extracting Metadata", "Entity Extraction and Linking", "Approaches", "Entity Extraction Models",
        "Knowledge Bases", "Entity Linking Models",
        "Other Research Problems", "Conclusion and Future Work", "References",
    ],
    "scirex-annotation-guidelines": [
        "Annotation Interface :", "Entity Typing :", "Type Specific Guidelines :", "PwC Entity Name Matching :",
        "Metrics to keep track of:",
    ],
}  # fmt: skip
"""Headings read from the pages, where neither outline nor TEI is complete."""


@dataclass(frozen=True)
class Case:
    """A PDF with what should be found in it; ``body`` is empty where it is not known.

    Without ``outline`` the file's outline is hidden from the section builder; where nothing else names the sections,
    the outline itself is what should be found.
    """

    name: str
    form: str
    held_out: bool
    data: bytes
    headings: list[str]
    body: str
    outline: bool = True


def cases(folder: Path, *, tuning: bool) -> Iterator[Case]:
    """Yield all PDFs to measure on."""
    for number, paper in enumerate(gold_papers(folder)):
        held_out = number % 2 == 1
        if held_out and tuning:
            continue
        for form in FORMS:
            yield Case(paper.name, form, held_out, typeset(paper, form), paper.headings, paper.body)
        yield Case(paper.name, HIDDEN, held_out, typeset(paper, "outlined"), paper.headings, paper.body, outline=False)
    for number, path in enumerate(sorted((folder / "pdf").glob("*.pdf"), key=lambda path: path.stem)):
        held_out = number % 2 == 0
        if held_out and tuning:
            continue
        yield from _real(path, held_out)


def _real(path: Path, held_out: bool) -> Iterator[Case]:
    headings, body = REAL_HEADINGS.get(path.stem, []), ""
    tei = path.with_suffix(".tei.xml")
    if tei.exists():
        root = ElementTree.parse(tei).getroot()  # noqa: S314 the project's own data
        text = root.find("tei:text/tei:body", TEI)
        assert text is not None
        body = "\n".join("".join(p.itertext()) for p in text.findall("tei:div/tei:p", TEI))
        headings = headings or [
            "Abstract",
            *("".join(h.itertext()) for h in text.findall("tei:div/tei:head", TEI)),
            "References",
        ]
    data = path.read_bytes()
    if headings:
        yield Case(path.stem, "real", held_out, data, headings, body)
    else:
        entries = [bookmark.get_title() for bookmark in pypdfium2.PdfDocument(data).get_toc()]
        yield Case(path.stem, "real", held_out, data, entries, body, outline=False)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tuning", action="store_true", help="only the half that rules are tuned on; writes nothing")
    parser.add_argument("--show", default="", help="name of a case to show the misses of")
    arguments = parser.parse_args()
    chunker = Chunker(_tokenizer(), ChunkOptions())
    rows = []
    for case in cases(data_folder() / "parsing", tuning=arguments.tuning):
        row = measure(case, chunker, show=arguments.show in f"{case.name}.{case.form}" and bool(arguments.show))
        rows.append(row)
        print(_line(row), flush=True)
    halves = {"tuned": False} if arguments.tuning else {"tuned": False, "heldOut": True}
    damage = None if arguments.tuning else damaged(data_folder() / "parsing" / "pdf" / "N18-3011.pdf")
    figures = {half: summary([row for row in rows if row["heldOut"] is held_out]) for half, held_out in halves.items()}
    if arguments.tuning:
        print(figures)
        return
    write_result("parsing", {"run": RUN, **figures, "damaged": damage, "papers": rows})


def measure(case: Case, chunker: Chunker, *, show: bool = False) -> dict[str, Any]:
    """Return the figures of one PDF."""
    file = RawDocument(f"/{case.name}.pdf", case.data, Format.PDF, "0" * 64)
    start = time.perf_counter()
    reading = (
        read_in_child(case.data, SandboxLimits())
        if case.outline
        else read_pdf(case.data, SandboxLimits(), outline=False)
    )
    document = document_of(file, reading)
    elapsed_s = time.perf_counter() - start
    found = [section.title for section in document.sections if section.kind != "front"]
    matched, missed, wrong = match(case.headings, found)
    chunks = list(chunker.chunks(document))
    text = "\n".join(chunk.text for chunk in chunks if document.sections[chunk.section].kind != "references")
    reached, unreached = reach(case.body, text)
    if show:
        print("  missed", missed, "\n  wrong ", wrong)
        print("  unreached", unreached[:25])
    return {
        "name": case.name,
        "form": case.form,
        "heldOut": case.held_out,
        "headingSource": document.heading_source.value,
        "nHeadings": len(case.headings),
        "nFound": len(found),
        "nMatched": matched,
        "bodyChars": len(fold(case.body)[0]),
        "bodyReached": reached,
        "bodyCoverage": round(body_coverage(document, chunks), 4),
        "pages": document.n_pages,
        "seconds": round(elapsed_s, 2),
    }


def damaged(path: Path) -> dict[str, Any]:
    """Return what became of fifty damaged copies of a PDF, the longest time and the most memory that one took.

    They are read from a small process of their own: a child's peak counts what its parent held when it was made.
    """
    whole = path.read_bytes()
    files = list(damaged_pdfs(whole, SEED))
    with tempfile.TemporaryDirectory() as folder:
        names = [Path(folder, f"{number}.pdf") for number in range(len(files) + 1)]
        for name, data in zip(names, (whole, *(file.data for file in files)), strict=True):
            name.write_bytes(data)
        command = [sys.executable, "-c", READ_ALL, *map(str, names)]
        told = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    (text, _), *rest = told["outcomes"]
    outcomes: Counter[str] = Counter()
    unexpected = []
    for file, (outcome, _) in zip(files, rest, strict=True):
        expected = outcome in file.reasons or (file.may_be_whole and outcome == text)
        outcomes["read to the letter" if outcome == text else outcome] += 1
        if not expected:
            unexpected.append(f"{file.name}: {outcome}")
    return {
        "files": outcomes.total(),
        "outcomes": dict(sorted(outcomes.items())),
        "unexpected": unexpected,
        "slowestSeconds": round(max(seconds for _, seconds in rest), 1),
        "peakMiB": round(told["peakKiB"] / 1024),
    }


def match(gold: Iterable[str], found: Iterable[str]) -> tuple[int, list[str], list[str]]:
    """Return how many titles were found, which were missed, and which are none; each counts once."""
    wanted = Counter(map(bare, gold))
    given = Counter(map(bare, found))
    missed, wrong = wanted - given, given - wanted
    return (wanted & given).total(), sorted(missed.elements()), sorted(wrong.elements())


def bare(title: str) -> str:
    """Return a title's letters and digits, without case and number."""
    title = re.sub(r"^(?:\d+(?:\.\d+)*|[A-Z](?=\.)(?:\.\d+)*)\.?\s+", "", title)
    return "".join(c for c in unicodedata.normalize("NFKC", title).casefold() if c.isalnum())


def fold(text: str) -> tuple[str, list[int]]:
    """Return a text's letters and digits, and the place of each in the text."""
    folded, places = [], []
    for place, character in enumerate(text):
        for c in unicodedata.normalize("NFKC", character).casefold():
            if c.isalnum():
                folded.append(c)
                places.append(place)
    return "".join(folded), places


def reach(gold: str, text: str) -> tuple[int, list[str]]:
    """Return how many of the gold text's characters are reached, and the pieces that are not."""
    wanted, places = fold(gold)
    given = fold(text)[0]
    runs = {given[start : start + RUN] for start in range(len(given) - RUN + 1)}
    covered = bytearray(len(wanted))
    for start in range(len(wanted) - RUN + 1):
        if wanted[start : start + RUN] in runs:
            covered[start : start + RUN] = b"\1" * RUN
    pieces = [gold[places[m.start()] : places[m.end() - 1] + 1] for m in re.finditer(rb"\0+", bytes(covered))]
    return sum(covered), pieces


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return recall and precision over all headings, the share of body reached, and time per page."""

    def total(name: str, chosen: list[dict[str, Any]]) -> int:
        return sum(row[name] for row in chosen)

    def figures(chosen: list[dict[str, Any]]) -> dict[str, Any]:
        known = [row for row in chosen if row["bodyChars"]]
        return {
            "pdfs": len(chosen),
            "titleRecall": round(total("nMatched", chosen) / total("nHeadings", chosen), 4),
            "titlePrecision": round(total("nMatched", chosen) / total("nFound", chosen), 4),
            "bodyReached": round(total("bodyReached", known) / total("bodyChars", known), 4) if known else None,
            "leastBodyReached": round(min(row["bodyReached"] / row["bodyChars"] for row in known), 4)
            if known
            else None,
            "leastBodyShare": min(row["bodyCoverage"] for row in chosen),
            "secondsPerPdf": round(statistics.median(row["seconds"] for row in chosen), 2),
        }

    by_form = {
        form: [row for row in rows if row["form"] == form and row["nHeadings"]] for form in (*FORMS, HIDDEN, "real")
    }
    scored = [row for row in rows if row["nHeadings"]]
    return {**figures(scored), "byForm": {form: figures(chosen) for form, chosen in by_form.items() if chosen}}


def _line(row: dict[str, Any]) -> str:
    share = row["bodyReached"] / row["bodyChars"] if row["bodyChars"] else float("nan")
    return (
        f"{row['name']:30} {row['form']:14} {row['headingSource']:9} R {row['nMatched']}/{row['nHeadings']} "
        f"P {row['nMatched']}/{row['nFound']} body {share:.4f} share {row['bodyCoverage']:.4f} {row['seconds']} s"
    )


def _tokenizer() -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(find_model("bge-small-en-v1.5") / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


if __name__ == "__main__":
    main()
