"""JATS and TEI: are sections, references and citations those that the XML says, each where it stands?

Usage: python -m benchmarks.articles

What should be found is read with XPath, which shares nothing with the parsers but lxml: each section's heading with
those above it, in order; each entry of the list of references with its DOI, in order; each citation with its words,
its entry and the heading that it stands below; tables, displayed equations, and what figures and tables are called.
Compared are the parsed document, and for citations the chunks that are cut of it too: each place must lie in one.
"""

import time
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, TypeAlias

from lxml import etree
from tokenizers import Tokenizer

from benchmarks.common import data_folder, write_result
from papergraph.embedding import find_model
from papergraph.ingest.chunkers import Chunker, ChunkOptions
from papergraph.ingest.parsers import Document, parse
from papergraph.ingest.parsers.document import ElementKind
from papergraph.ingest.sources import LocalFile

Node: TypeAlias = etree._Element
TEI = {"t": "http://www.tei-c.org/ns/1.0"}
LARGEST_BYTES = 10**8


@dataclass(frozen=True)
class Truth:
    """Contents of the XML, by kind."""

    sections: list[tuple[str, ...]]
    references: list[Hashable]
    citations: list[Hashable]
    tables: int
    equations: int
    captions: list[str]


def main() -> None:
    """Compare all files and write the figures."""
    folder = data_folder() / "parsing"
    tokenizer = Tokenizer.from_file(str(find_model("bge-small-en-v1.5") / "tokenizer.json"))
    tokenizer.no_truncation()
    chunker = Chunker(tokenizer, ChunkOptions())
    files = [*sorted((folder / "jats").glob("*.nxml")), *sorted((folder / "pdf").glob("*.tei.xml"))]
    rows = [compare(path, chunker) for path in files]
    things = list(rows[0]["found"])
    for row in rows:
        print(row["name"], *(f"{thing} {row['found'][thing]}/{row['said'][thing]}" for thing in things))
    totals = {
        form: {
            thing: {part: sum(row[part][thing] for row in chosen) for part in ("said", "read", "found")}
            for thing in things
        }
        for form in ("jats", "tei")
        if (chosen := [row for row in rows if row["form"] == form])
    }
    write_result("articles", {"totals": totals, "files": rows})


def compare(path: Path, chunker: Chunker) -> dict[str, Any]:
    """Return how many things of each kind a file says, how many were read, and how many agree in every respect."""
    root = etree.parse(path).getroot()
    jats = path.suffix == ".nxml"
    truth = _jats(root) if jats else _tei(root)
    start = time.perf_counter()
    document = parse(LocalFile(str(path)).read(max_bytes=LARGEST_BYTES))
    seconds = time.perf_counter() - start
    spans = [(span.start, span.end) for span in chunker.chunks(document)]
    in_chunks = [cited for cited in document.cited_at if any(first <= cited.start < end for first, end in spans)]
    said: dict[str, Sequence[Hashable]] = {
        "sections": truth.sections,
        "references": truth.references,
        "citations": truth.citations,
        "citations in chunks": truth.citations,
        "tables": ["table"] * truth.tables,
        "equations": ["equation"] * truth.equations,
        "captions": truth.captions,
    }
    read: dict[str, Sequence[Hashable]] = {
        "sections": _sections(document),
        "references": [
            entry.doi or "" if doi else ""  # one that only a link or the text tells is no mistake
            for entry, doi in zip_longest(document.references, truth.references)
            if entry is not None
        ],
        "citations": [_citation(document, cited.start, cited.end, cited.reference) for cited in document.cited_at],
        "citations in chunks": [_citation(document, cited.start, cited.end, cited.reference) for cited in in_chunks],
        "tables": ["table" for element in document.elements if element.kind is ElementKind.TABLE],
        "equations": ["equation" for element in document.elements if element.kind is ElementKind.EQUATION],
        "captions": [e.label for e in document.elements if e.kind is ElementKind.CAPTION and e.label] if jats else [],
    }
    return {
        "name": path.name,
        "form": "jats" if jats else "tei",
        "seconds": round(seconds, 3),
        "said": {thing: len(of_kind) for thing, of_kind in said.items()},
        "read": {thing: len(of_kind) for thing, of_kind in read.items()},
        "found": {
            thing: _in_order(of_kind, read[thing])
            if thing in ("sections", "references")
            else _both(of_kind, read[thing])
            for thing, of_kind in said.items()
        },
        "missed": {
            thing: _missed(of_kind, read[thing]) for thing, of_kind in said.items() if _missed(of_kind, read[thing])
        },
    }


def _jats(root: Node) -> Truth:
    entries = root.xpath("/article/back//ref-list//ref")
    numbers = {ref.get("id"): number for number, ref in enumerate(entries)}
    cited = root.xpath("/article/body//xref[@ref-type='bibr'] | /article/back//xref[@ref-type='bibr']")
    headings = root.xpath("/article/body//sec/title[normalize-space()]")
    labels = root.xpath(
        "/article/body//*[self::fig or self::table-wrap]/label[normalize-space()]"
        " | /article/floats-group//*[self::fig or self::table-wrap]/label[normalize-space()]"
    )
    return Truth(
        [
            tuple(_words(title) for title in heading.xpath("ancestor::sec/title[normalize-space()]"))
            for heading in headings
        ],
        [_doi(ref.xpath(".//pub-id[@pub-id-type='doi']")) for ref in entries],
        [(_words(xref), numbers[id], _words(_heading_above(xref))) for xref in cited for id in xref.get("rid").split()],
        len(root.xpath("/article/body//table")),
        len(root.xpath("/article/body//disp-formula")),
        [_words(label).rstrip(" .:") for label in labels],
    )


def _heading_above(xref: Node) -> Node | None:
    """Return the heading of the section around a citation, or the one before where the section has none."""
    around = xref.xpath("ancestor::sec[title[normalize-space()]][1]/title")
    before = xref.xpath("preceding::sec/title[normalize-space()]")
    return next(iter([*around, *reversed(before)]), None)


def _tei(root: Node) -> Truth:
    entries = root.xpath("//t:listBibl/t:biblStruct", namespaces=TEI)
    cited = root.xpath("//t:text//t:ref[@type='bibr'][@target]", namespaces=TEI)
    headings = root.xpath("//t:text/t:body/t:div/t:head", namespaces=TEI)
    return Truth(
        _numbered(headings),
        [_doi(entry.xpath(".//t:idno[@type='DOI']", namespaces=TEI)) for entry in entries],
        [
            (
                _words(ref),
                int(ref.get("target").removeprefix("#b")),
                _words(next(iter(ref.xpath("ancestor::t:div[t:head][1]/t:head", namespaces=TEI)), None)),
            )
            for ref in cited
        ],
        len(root.xpath("//t:text//t:table[normalize-space()]", namespaces=TEI)),
        len(root.xpath("//t:text//t:formula", namespaces=TEI)),
        [],
    )


def _numbered(headings: Iterable[Node]) -> list[tuple[str, ...]]:
    """Return headings with those above them as their numbers say; one without a number stands by itself."""
    paths: list[tuple[str, ...]] = []
    by_number: dict[str, tuple[str, ...]] = {}
    for head in headings:
        number = (head.get("n") or "").rstrip(".")
        path = (*by_number.get(number.rpartition(".")[0], ()), _words(head))
        if number:
            by_number[number] = path
        paths.append(path)
    return paths


def _sections(document: Document) -> list[tuple[str, ...]]:
    """Return all headings, each with those above it."""
    paths: list[tuple[str, ...]] = []
    for section in document.sections:
        above = paths[section.parent] if section.parent is not None else ()
        paths.append((*above, section.title))
    return paths


def _citation(document: Document, start: int, end: int, number: int) -> Hashable:
    section = next(section for section in document.sections if section.start <= start < section.end)
    return document.text[start:end], number, section.title


def _doi(found: Sequence[Node]) -> str:
    return _words(found[0]).lower() if found else ""


def _in_order(said: Sequence[Hashable], read: Sequence[Hashable]) -> int:
    """Return the largest number of items that both sequences have in the same places, at any offset of ``read``."""
    return max((sum(a == b for a, b in zip(said, read[first:], strict=False)) for first in range(len(read))), default=0)


def _both(said: Iterable[Hashable], read: Iterable[Hashable]) -> int:
    return (Counter(said) & Counter(read)).total()


def _missed(said: Iterable[Hashable], read: Iterable[Hashable]) -> list[str]:
    return sorted(str(thing) for thing in (Counter(said) - Counter(read)).elements())


def _words(node: Node | None) -> str:
    return " ".join("".join(node.itertext()).split()) if node is not None else ""


if __name__ == "__main__":
    main()
