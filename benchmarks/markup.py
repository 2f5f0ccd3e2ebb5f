"""Headings, equations, tables, captions, references and citations of LaTeX, docx and HTML: found, and in their places?

Usage: python -m benchmarks.markup

What should be found is counted in the sources by regular expressions and XPath, which share nothing with the parsers.
Docx and HTML are made by pandoc out of each paper in LaTeX and Markdown: how Word itself and publishers write them is
not measured. Trafilatura stands beside our HTML.
"""

import difflib
import io
import re
import subprocess
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lxml import etree, html
from trafilatura import extract

from benchmarks.common import data_folder, write_result
from benchmarks.parsing import bare
from benchmarks.typesetting import _included, _plain_latex, _without_comments
from papergraph.ingest.parsers import Document, parse
from papergraph.ingest.parsers.pandoc.program import find_pandoc
from papergraph.ingest.sources import DocumentRef, Format, RawDocument, find_documents

Event = tuple[str, str]
"""A kind, and what tells it from others of that kind: a heading's letters; '' for what has no text to compare."""

GROUP = r"\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}"
LATEX = re.compile(
    rf"\\(?:sub)*(?:section|paragraph)\*?\s*{GROUP}"
    r"|(?P<equation>\\begin\{(?:equation|align|gather|multline|eqnarray)\*?\}|\\\[|\$\$.*?\$\$)"
    r"|(?P<table>\\begin\{tabular[x*]?\})"
    r"|(?P<caption>\\caption\s*(?=[\[{]))",
    re.DOTALL,
)
W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"


@dataclass(frozen=True)
class Gold:
    """Contents of a document as its source declares them, in order."""

    events: list[Event]
    n_references: int | None = None
    cited: list[str] | None = None


def gold_of_latex(main: Path) -> Gold:
    """Read a paper's source with regular expressions."""
    source = _without_comments(main.read_text(encoding="utf-8"))
    for _ in range(3):
        source = re.sub(r"\\input\{([^}]*)\}", lambda match: _included(main.parent, match[1]), source)
    macros = dict(re.findall(r"\\newcommand\{?(\\\w+)\}?\{((?:[^{}]|\{[^{}]*\})*)\}", source))
    body = source.partition(r"\begin{document}")[2]
    body = re.sub(r"\\begin\{comment\}.*?\\end\{comment\}", "", body, flags=re.DOTALL)
    events: list[Event] = []
    depth = 0  # a tabular inside another is a cell
    for found in re.finditer(rf"(?P<end>\\end\{{tabular[x*]?\}})|{LATEX.pattern}", body, re.DOTALL):
        if found["end"]:
            depth -= 1
        elif found["table"]:
            depth += 1
            events += [("table", "")] if depth == 1 else []
        elif found["equation"]:
            events.append(("equation", ""))
        elif found["caption"]:
            events.append(("caption", ""))
        else:
            events.append(("heading", bare(_plain_latex(found[2], macros))))
    bibliography = next(main.parent.glob("*.bbl")).read_text(encoding="utf-8")
    keys = re.findall(r"\\cite(?!alias)[a-z]*\*?(?:\[[^\]]*\])*\{([^}]*)\}", body)
    return Gold(
        events,
        len(re.findall(r"\\bibitem", bibliography)),
        sorted(key.strip() for group in keys for key in group.split(",")),
    )


def gold_of_docx(data: bytes) -> Gold:
    """Read Word's XML by XPath."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        root = etree.fromstring(archive.read("word/document.xml"))
    events: list[Event] = []
    for node in root.iter(f"{W}p", f"{W}tbl", f"{M}oMathPara"):
        if any(above.tag == f"{W}tbl" for above in node.iterancestors()):
            continue
        style = node.find(f"{W}pPr/{W}pStyle")
        name = style.get(f"{W}val") if style is not None else ""
        if node.tag == f"{W}tbl":
            events += [("table", "")] if "".join(node.itertext()).strip() else []
        elif node.tag == f"{M}oMathPara":
            events.append(("equation", ""))
        elif name and re.fullmatch(r"Heading\d", name):
            text = "".join(t.text or "" for t in node.iter(f"{W}t"))
            events.append(("heading", bare(text)))
        elif name in ("TableCaption", "ImageCaption", "Caption"):
            events.append(("caption", ""))
    return Gold(events)


def gold_of_html(data: bytes) -> Gold:
    """Read a page by XPath."""
    events: list[Event] = []
    for node in html.fromstring(data.decode()).xpath(
        "//body//*[self::h1 or self::h2 or self::h3 or self::h4 or self::h5 or self::table or self::caption"
        " or self::math[@display='block'] or self::figcaption[normalize-space()]]"
    ):
        if node.xpath("ancestor::header | ancestor::*[@class='abstract'] | ancestor::table[1]//table"):
            continue
        kind = {"table": "table", "math": "equation", "figcaption": "caption", "caption": "caption"}.get(node.tag)
        events.append((kind, "") if kind else ("heading", bare(node.text_content())))
    return Gold(events)


def by_trafilatura(data: bytes) -> dict[str, int]:
    """Return how many headings and tables trafilatura gives of a page."""
    found = extract(data.decode(), output_format="xml", include_tables=True, favor_recall=True) or "<doc/>"
    root = etree.fromstring(found.encode())
    return {"heading": len(root.findall(".//head")), "table": len(root.findall(".//table"))}


def events_of(document: Document) -> list[Event]:
    """Return a document's headings and elements in the order of its text, the abstract's heading left out."""
    found = [
        (s.start, ("heading", bare(s.title))) for s in document.sections if s.kind != "front" and s.title != "Abstract"
    ]
    found += [(e.start, (e.kind.value, "")) for e in document.elements]
    return [event for _, event in sorted(found, key=lambda pair: pair[0])]


def measure(name: str, gold: Gold, document: Document, seconds: float) -> dict[str, Any]:
    """Return how much of each kind was found in its place: in a common sequence of both.

    Captions are counted only: a table's stands above it in our text, wherever its source has it.
    """
    given = events_of(document)
    wanted_events, given_events = (
        [event for event in events if event[0] != "caption"] for events in (gold.events, given)
    )
    matcher = difflib.SequenceMatcher(None, wanted_events, given_events, autojunk=False)
    placed = [wanted_events[b.a + step][0] for b in matcher.get_matching_blocks() for step in range(b.size)]
    row: dict[str, Any] = {"name": name, "format": str(document.format), "seconds": round(seconds, 2)}
    for kind in ("heading", "equation", "table", "caption"):
        row[kind] = {
            "gold": sum(event[0] == kind for event in gold.events),
            "found": sum(event[0] == kind for event in given),
            **({"inPlace": placed.count(kind)} if kind != "caption" else {}),
        }
    if gold.n_references is not None and gold.cited is not None:
        known = {entry.label for entry in document.references}
        cited = sorted(document.references[c.reference].label for c in document.cited_at)
        wanted = [key for key in gold.cited if key in known]
        row["references"] = {"gold": gold.n_references, "found": len(document.references)}
        row["citations"] = {"gold": len(wanted), "found": len(cited), "same": _common(wanted, cited)}
    return row


def _common(first: list[str], second: list[str]) -> int:
    matcher = difflib.SequenceMatcher(None, first, second, autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks())


def main() -> None:
    folder = data_folder() / "parsing"
    rows = []
    sources = [(path, "latex") for path in (folder / "latex").glob("*/*.tex") if r"\documentclass" in path.read_text()]
    for path, _ in sorted(sources):
        (found,) = find_documents([path])
        assert isinstance(found, DocumentRef)
        start = time.perf_counter()
        document = parse(found.read(max_bytes=20_000_000))
        rows.append(measure(path.parent.name, gold_of_latex(path), document, time.perf_counter() - start))
    sources += [(path, "markdown") for path in sorted((folder / "markdown").glob("*/paper.md"))]
    for path, form in sorted(sources):
        for to, gold_of in ((Format.DOCX, gold_of_docx), (Format.HTML, gold_of_html)):
            data = converted(path, form, to)
            start = time.perf_counter()
            document = parse(RawDocument(f"/{path.parent.name}", data, to, "0" * 64))
            row = measure(path.parent.name, gold_of(data), document, time.perf_counter() - start)
            rows.append({**row, **({"trafilatura": by_trafilatura(data)} if to is Format.HTML else {})})
    for row in rows:
        print(row)
    write_result("markup", {"papers": rows})


def converted(path: Path, form: str, to: Format) -> bytes:
    """Return a paper as pandoc writes it."""
    program = find_pandoc()
    assert program is not None
    command = [program, "--from", form, "--to", to.value, "--standalone", "--mathml", "--output", "-", path.name]
    return subprocess.run(command, cwd=path.parent, capture_output=True, check=True).stdout


if __name__ == "__main__":
    main()
