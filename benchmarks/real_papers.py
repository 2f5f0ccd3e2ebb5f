"""Parser of real PDFs against gold that people made by reading the pages, with the gates.

Usage: python -m benchmarks.real_papers [-o SYSTEM.json] [--jobs 2] [--worst 5] [FILE ...]

The sandboxed parser reads each PDF of ``PAPERGRAPH_DATA/real_pdfs`` into the form that the scorer there expects.
No database is needed. Named files restrict the run to those PDFs; the gates then say little, and no result is kept.
"""

import argparse
import hashlib
import importlib.util
import json
import re
import resource
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks.common import data_folder, write_result
from papergraph.errors import SourceError
from papergraph.ingest.parsers import Document, parse, sandbox
from papergraph.ingest.parsers.document import ElementKind
from papergraph.ingest.sources import Format, RawDocument

GATES: dict[str, tuple[str, float]] = {
    "refused": ("<=", 0.0),
    "title exact": (">=", 0.95),
    "author F1": (">=", 0.95),
    "authors exact list": (">=", 0.85),
    "year right": (">=", 0.9),
    "year wrong": ("<=", 0.02),
    "year given where none is printed": ("<=", 0.02),
    "doi right": (">=", 1.0),
    "doi given where none is printed": ("<=", 0.0),
    "abstract found (start and end)": (">=", 0.9),
    "headings recall": (">=", 0.95),
    "headings precision": (">=", 0.95),
    "references recall": (">=", 0.95),
    "references precision": (">=", 0.95),
    "reference title field right (of found)": (">=", 0.85),
    "citation marks linked right": (">=", 0.85),
    "captions recall": (">=", 0.95),
    "table cells found as cells": (">=", 0.8),
    "sentences recall": (">=", 0.98),
    "sentences in order": (">=", 0.99),
    "U+FFFD per 10k characters": ("<=", 1.0),
}
"""Gates of the parser; shares in [0, 1]."""

PAGES_PER_SECOND = 8.0
"""Least pages per second of processor time, the child process included."""

CAPTION = re.compile(
    r"\W{0,4}(Figure|Fig\.?|FIGURE|FIG\.?|Table|TABLE|Tab\.|Tabela|Figura|Abbildung|Tabelle)\s*"
    r"((?:[A-Z]\.?)?\d+|[IVX]+)\s*[.:|–-]?\s*"
)
CONTEXT_BEFORE, CONTEXT_AFTER = 60, 80


def read(path: Path) -> dict[str, Any]:
    """Return what the parser makes of a PDF in the scorer's form, with the seconds that it took."""
    data = path.read_bytes()
    start = time.perf_counter()
    try:
        document = parse(RawDocument(str(path), data, Format.PDF, hashlib.sha256(data).hexdigest()))
    except SourceError as error:
        return {"refused": f"{error.reason}: {error.detail}", "seconds": time.perf_counter() - start, "pages": 0}
    return {**system_form(document), "seconds": time.perf_counter() - start, "pages": document.n_pages or 0}


def system_form(document: Document) -> dict[str, Any]:
    """Return a document as the scorer expects it; like the graph, the text leaves headings out."""
    text = _text_of_sections(document)
    captions, tables = _captions_and_tables(document)
    references = [
        {"title": one.title, "year": one.year, "doi": one.doi, "raw": one.text, "label": one.label}
        for one in document.references
    ]
    return {
        "title": document.title,
        "authors": list(document.authors),
        "year": document.year,
        "doi": document.doi,
        "arxiv": document.arxiv_id,
        "abstract": document.abstract,
        "headings": [
            {"level": section.level, "title": section.title} for section in document.sections if section.kind != "front"
        ],
        "references": references,
        "citation_marks": list(_marks(document, text)),
        "captions": captions,
        "tables": tables,
        "text": text,
    }


def _text_of_sections(document: Document) -> str:
    parts, reached = [], 0
    for section in document.sections:
        parts += [" " * (section.start - reached), document.text[section.start : section.end]]
        reached = section.end
    return "".join(parts)


def _marks(document: Document, text: str) -> Iterator[dict[str, Any]]:
    where: dict[int, list[int]] = {}
    for cited in document.cited_at:
        where.setdefault(cited.start, []).append(cited.reference)
    for at, to in sorted(where.items()):
        context = text[max(0, at - CONTEXT_BEFORE) : at + CONTEXT_AFTER]
        yield {"text": text[at : at + CONTEXT_BEFORE], "to": to, "context": context}


def _captions_and_tables(document: Document) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    captions: list[dict[str, Any]] = []
    tables: list[dict[str, Any]] = []
    for element in document.elements:
        if element.kind not in (ElementKind.CAPTION, ElementKind.TABLE):
            continue
        text = document.text[element.start : element.end]
        match = CAPTION.match(text)
        if match:
            kind = "table" if match[1].casefold().startswith("tab") else "figure"
            captions.append({"kind": kind, "number": match[2], "text": text[match.end() : match.end() + 300]})
        if element.kind is ElementKind.TABLE:
            before = captions[-1] if captions and captions[-1]["kind"] == "table" else None
            number = match[2] if match else _number_of(element.label) or (before["number"] if before else None)
            tables.append({"caption_number": number, "rows": _rows(text)})
    return captions, tables


def _number_of(label: str) -> str | None:
    match = CAPTION.match(label)
    return match[2] if match else None


def _rows(text: str) -> list[list[str]]:
    """Return the cells of a table in Markdown, parted by tabs, or by two blanks."""
    rows = []
    for line in map(str.strip, text.split("\n")):
        if not line.strip("|:-+= "):
            continue
        if line.count("|") >= 2:
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
        else:
            rows.append([cell.strip() for cell in re.split(r"\t|\s{2,}", line)])
    return rows


def scorer(folder: Path) -> ModuleType:
    """Import the scorer that lies beside the gold."""
    spec = importlib.util.spec_from_file_location("real_pdfs_score", folder / "score.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def score(folder: Path, gold: Path, system: Path, worst: int) -> Mapping[str, Any]:
    """Print the scorer's own table, and return its measures."""
    with tempfile.TemporaryDirectory() as temporary:
        out = Path(temporary) / "scores.json"
        arguments = ["score.py", str(gold), str(system), "-o", str(out), "--worst", str(worst)]
        before, sys.argv = sys.argv, arguments
        try:
            scorer(folder).main()
        finally:
            sys.argv = before
        measures: Mapping[str, Any] = json.loads(out.read_text(encoding="utf-8"))["measures"]
    return measures


def print_gates(measures: Mapping[str, Any]) -> int:
    """Print each gate with its figure; return how many are missed."""
    missed = 0
    print("\ngate                                              figure   needed")
    for name, (sign, limit) in GATES.items():
        entry = measures.get(name, {})
        figure = entry.get("share", entry.get("per10k"))
        met = figure is not None and (figure <= limit if sign == "<=" else figure >= limit)
        missed += not met
        shown = "-" if figure is None else f"{figure:.3f}"
        print(f"{name:46} {shown:>9}   {sign} {limit:g}{'' if met else '   MISSED'}")
    return missed


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE", help="names of PDFs of the data; all of them if none")
    parser.add_argument("-o", "--out", type=Path, help="keep what was read in this file")
    parser.add_argument("--jobs", type=int, default=2, help="PDFs that are read at the same time")
    parser.add_argument("--worst", type=int, default=22, help="show what went wrong in so many PDFs")
    options = parser.parse_args(arguments)
    folder = data_folder() / "real_pdfs"
    paths = sorted((folder / "pdf").glob("*.pdf"))
    if options.files:
        paths = [path for path in paths if path.name in options.files or path.stem in options.files]
    with ThreadPoolExecutor(options.jobs) as pool:
        readings = dict(zip([path.name for path in paths], pool.map(read, paths), strict=True))
    with tempfile.TemporaryDirectory() as temporary:
        system = options.out or Path(temporary) / "system.json"
        system.write_text(json.dumps(readings, ensure_ascii=False, indent=1), encoding="utf-8")
        gold = Path(temporary) / "gold"
        gold.mkdir()
        for path in paths:
            source = folder / "gold" / f"{path.stem}.json"
            (gold / source.name).write_bytes(source.read_bytes())
        measures = score(folder, gold, system, options.worst)
    missed = print_gates(measures)
    sandbox._children._forker.end()  # whose time counts once it has ended
    n_pages, used = sum(one["pages"] for one in readings.values()), resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = used.ru_utime + used.ru_stime
    print(f"\n{n_pages} pages in {seconds:.1f} s of processor time of the children: {n_pages / seconds:.1f} pages/s")
    print(f"{missed} of {len(GATES)} gates missed; speed needs {PAGES_PER_SECOND:g} pages/s and core")
    if not options.files:
        speed = {"pages": n_pages, "seconds": round(seconds, 1), "pagesPerSecond": round(n_pages / seconds, 1)}
        write_result("real_papers", {"nPdfs": len(paths), "nGatesMissed": missed, **speed, "measures": measures})


if __name__ == "__main__":
    main()
