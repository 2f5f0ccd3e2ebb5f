"""Title, authors, year and authors of references in public PDFs that the parser was not built with, against gold.

Usage: python -m benchmarks.generalisation FOLDER [--jobs 2]

``results/generalisation.json`` names each PDF by repository, path, commit and SHA-256, with the gold that was read from
pictures of its first page. FOLDER holds them as ``{first 12 digits of the SHA-256}.pdf``; those that are missing are
left out. The readings there are replaced. No database is needed.
"""

import argparse
import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.common import RESULTS, interval, write_result
from papergraph.errors import SourceError
from papergraph.ingest.parsers import parse
from papergraph.ingest.sources import Format, RawDocument

NAME = "generalisation"
GROUP = re.compile(r"\bgroup|\binvestigators?\b|\bon behalf of\b", re.IGNORECASE)
"""Authors that are groups; the gold names people only."""


def main() -> None:
    """Read, score and write."""
    arguments = argparse.ArgumentParser(description="Read public PDFs and score them against gold.")
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--jobs", type=int, default=2)
    asked = arguments.parse_args()
    stored = json.loads((RESULTS / f"{NAME}.json").read_text())
    paths = {one["sha256"]: asked.folder / f"{one['sha256'][:12]}.pdf" for one in stored["files"]}
    present = [one for one in stored["files"] if paths[one["sha256"]].is_file()]
    with ThreadPoolExecutor(asked.jobs) as pool:
        readings = pool.map(lambda one: read(paths[one["sha256"]], one.get("references", ())), present)
    files = [{**one, "reading": reading} for one, reading in zip(present, readings, strict=True)]
    samples = sorted({one["sample"] for one in files})
    scores = {sample: score([one for one in files if one["sample"] == sample]) for sample in samples}
    write_result(NAME, {"blind": stored["blind"], "now": scores, "files": files})
    print(json.dumps(scores, indent=1))


def read(path: Path, references: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what the parser reads of a PDF, and the authors of the references that the gold names by their words."""
    data = path.read_bytes()
    try:
        document = parse(RawDocument(str(path), data, Format.PDF, path.stem.ljust(64, "0")))
    except SourceError as error:
        return {"refused": str(error.reason)}
    entries = [(folded(entry.text), list(entry.authors)) for entry in document.references]
    found = [next((names for text, names in entries if folded(one["words"]) in text), None) for one in references]
    return {"title": document.title, "authors": list(document.authors), "year": document.year, "references": found}


def score(files: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return for each measure what is right, of how many, and the 95 % interval of the share (Wilson)."""
    marks: dict[str, list[bool]] = {"title": [], "authors": [], "year": [], "references": []}
    for one in files:
        gold, reading = one, one["reading"]
        marks["title"].append(folded(reading.get("title", "")) == folded(gold["title"]))
        people = [name for name in reading.get("authors", ()) if not GROUP.search(name)]
        marks["authors"].append(list(map(folded, people)) == list(map(folded, gold["authors"])))
        if gold["years"]:
            marks["year"].append(reading.get("year") in gold["years"])
        found = reading.get("references") or [None] * len(gold.get("references", ()))
        pairs = zip(gold.get("references", ()), found, strict=True)
        marks["references"] += [are_authors(names or (), entry["surnames"]) for entry, names in pairs]
    return {name: _share(right) for name, right in marks.items() if right}


def are_authors(names: Sequence[str], surnames: Sequence[str]) -> bool:
    """Say whether the names have these surnames, in order."""
    return len(names) == len(surnames) and all(
        folded(surname) in folded(name) for name, surname in zip(names, surnames, strict=True)
    )


def folded(text: str) -> str:
    """Return the letters and digits of a text without accents, in small letters."""
    return "".join(sign for sign in unicodedata.normalize("NFKD", text).casefold() if sign.isalnum())


def _share(right: Sequence[bool]) -> dict[str, Any]:
    return {"right": sum(right), "of": len(right), **interval(sum(right), len(right))}


if __name__ == "__main__":
    main()
