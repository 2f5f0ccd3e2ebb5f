"""Bibliographies that are read, written in their own format and read again: ``python -m evaluation.round_trip FOLDER``.

Takes every .bib, .ris and .json (CSL) file below the folder. Source and export are also compared as other programs see
them: BibTeX as pybtex reads it, RIS by its tags, CSL by its JSON. White space, braces, order of fields and repeated
records do not count. Prints how many records and citation keys come back, for how many the second reading equals the
first, and each kind of difference with an example.
"""

import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pybtex.database import BibliographyData, parse_string
from pybtex.errors import capture

from papergraph.errors import SourceError
from papergraph.ingest.sources.records import bibliography_of, read_bibliography
from papergraph.ingest.sources.source import Metadata
from papergraph.schema.records import Paper
from papergraph.server.papers.bibliographies import BIBLIOGRAPHIES
from papergraph.server.papers.find import ListedPaper

FORMATS = {".bib": "bibtex", ".ris": "ris", ".json": "csl-json"}
TITLES = {"title", "TI", "T1"}
Fields = dict[str, list[str]]
"""Values of one entry by the name of the field, as another program reads them."""


@dataclass
class Result:
    """Counts of the records of one format, and their differences.

    Attributes:
        n_files: Number of files with records.
        n_records: Number of records that were read.
        n_keys: Number of those with their citation key after export and second reading.
        n_fixed: Number of those whose second reading equals the first.
        n_fields: Number of fields in the sources.
        differences: Examples by field and kind of difference.
    """

    n_files: int = 0
    n_records: int = 0
    n_keys: int = 0
    n_fixed: int = 0
    n_fields: int = 0
    differences: dict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict(list))


def listed(stated: Metadata, number: int = 0, **corrected: Any) -> ListedPaper:
    """Return a record as the library lists it after ingestion, its id made of a number, some fields corrected."""
    known = ("year", "doi", "arxiv_id", "journal_ref", "url", "keywords", "cite_key", "record")
    fields = {name: getattr(stated, name) for name in known} | {"title": stated.title or ""} | corrected
    paper = Paper(
        id=f"{number:064}",
        key=f"k{number}",
        keys=(),
        sources=(),
        collection="main",
        abstract=stated.abstract or "",
        categories=(),
        content_hash="",
        n_sections=1,
        n_chunks=1,
        ingested_at=datetime(2026, 1, 1, tzinfo=UTC),
        **fields,
    )
    return ListedPaper(paper, stated.authors)


def entries(text: str, form: str) -> Iterator[tuple[str, Fields]]:
    """Yield key and fields of each entry of a file, read by others than papergraph.

    Raises:
        ValueError: The other program cannot read the file.
    """
    if form == "csl-json":
        items = json.loads(text)
        for item in items if isinstance(items, list) else items["items"]:
            yield str(item.get("id")), {name: [plain(json.dumps(item[name], sort_keys=True))] for name in item}
    elif form == "ris":
        for block in re.split(r"(?m)^ER  -.*$", text):
            fields: Fields = defaultdict(list)
            for tag, value in re.findall(r"(?ms)^([A-Z][A-Z0-9])  - ?(.*?)\s*(?=^[A-Z][A-Z0-9]  -|\Z)", block):
                if value:
                    fields[tag].append(plain(value))
            if fields:
                yield " ".join(fields.get("ID") or fields.get("TI") or fields.get("T1") or [""]), dict(fields)
    else:
        with capture() as faults:
            found: BibliographyData = parse_string(text, "bibtex")
        if faults:
            raise ValueError(str(faults[0]))
        for key, entry in found.entries.items():
            people = {role.lower(): [plain(str(one)) for one in persons] for role, persons in entry.persons.items()}
            yield key, {name.lower(): [plain(value)] for name, value in entry.fields.items()} | people


def plain(text: str) -> str:
    return " ".join(re.sub(r"[{}]", "", text).split())


def compare(path: Path, form: str, result: Result) -> None:
    """Add what becomes of the records of one file."""
    try:
        read, _ = read_bibliography(path)
    except SourceError as error:
        result.differences["file", "not read"].append(str(error)[:200])
        return
    papers = [stated for _, stated in read if stated.title]  # a paper has a title
    first = list({stated.cite_key or str(number): stated for number, stated in enumerate(papers)}.values())
    text = BIBLIOGRAPHIES[form]([listed(stated, number) for number, stated in enumerate(first)])
    again = [stated for _, stated in bibliography_of(f"again{path.suffix}", text.encode())[0]]
    result.n_files += bool(first)
    result.n_records += len(first)
    for one, other in zip(first, again, strict=False):
        same = replace(one, record=None) == replace(other, record=None)
        result.n_fixed += same and json.loads(one.record or "{}") == json.loads(other.record or "{}")
        result.n_keys += one.cite_key == other.cite_key
        if not same:
            result.differences["record", "second reading"].append(f"{path.name}: {one.cite_key or one.title}"[:200])
    if len(first) != len(again):
        result.differences["record", "number"].append(f"{path.name}: {len(first)} became {len(again)}")
    try:
        source, exported = (dict(entries(one, form)) for one in (path.read_text(encoding="utf-8-sig"), text))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        result.differences["file", "not compared"].append(f"{path.name}: {error}"[:200])
        return
    for key, fields in source.items():
        if exported.get(key) is None and not TITLES & fields.keys():
            continue
        result.n_fields += len(fields)
        for name, kind in differing(fields, exported.get(key)):
            said = fields.get(name), (exported.get(key) or {}).get(name)
            result.differences[name, kind].append(f"{path.name}: {key}: {said}"[:300])


def differing(before: Fields, after: Fields | None) -> Iterator[tuple[str, str]]:
    """Yield the name and kind of each difference of an entry and its export."""
    if after is None:
        yield "entry", "missing"
        return
    for name in before.keys() | after.keys():
        old, new = (Counter(fields.get(name, [])) for fields in (before, after))
        if old and not new and any(set(old) <= set(values) for values in after.values()):
            yield name, "under another name"
        elif old and not new:
            yield name, "missing"
        elif new and not old:
            yield name, "added"
        elif old != new:
            yield name, "changed"


def report(folder: Path) -> Iterator[str]:
    """Yield the lines of the report on all files below a folder."""
    results = {form: Result() for form in FORMATS.values()}
    for path in sorted(folder.rglob("*")):
        if form := FORMATS.get(path.suffix.lower()):
            compare(path, form, results[form])
    for form, one in results.items():
        yield (
            f"{form}: {one.n_files} files, {one.n_records} records, {one.n_fields} fields; "
            f"keys {one.n_keys}, second reading equal {one.n_fixed}"
        )
        for (name, kind), examples in sorted(one.differences.items(), key=lambda item: -len(item[1])):
            yield f"  {len(examples):5} {name} {kind}, as {examples[0]}"


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in report(Path(sys.argv[1])))
