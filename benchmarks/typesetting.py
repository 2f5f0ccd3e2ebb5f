"""Papers whose sections are known exactly, set as PDFs in several forms: what section building is measured on.

The papers are read from JATS, LaTeX and Markdown far enough for that: headings, paragraphs, captions, tables and
references. Typst sets them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import typst
from markdown_it import MarkdownIt

from papergraph.ingest.parsers.text import FRONT_MATTER

FONTS = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
MOST_ROWS = 8


@dataclass
class GoldSection:
    """A heading with the paragraphs, captions and tables up to the next one."""

    title: str
    level: int
    paragraphs: list[str] = field(default_factory=list)
    captions: list[str] = field(default_factory=list)
    tables: list[list[list[str]]] = field(default_factory=list)


@dataclass
class GoldPaper:
    """A paper as its source says it is."""

    name: str
    title: str
    authors: list[str]
    abstract: list[str]
    sections: list[GoldSection]
    references: list[str]

    @property
    def headings(self) -> list[str]:
        """All headings that a set form shows."""
        abstract = ["Abstract"] if self.abstract else []
        return [*abstract, *(section.title for section in self.sections), *(["References"] if self.references else [])]

    @property
    def body(self) -> str:
        """All running text."""
        return "\n".join([*self.abstract, *(text for section in self.sections for text in section.paragraphs)])


def gold_papers(folder: Path) -> Iterator[GoldPaper]:
    """Yield the papers of a parsing data set in a stable order."""
    for path in sorted((folder / "jats").glob("*.nxml")):
        yield read_jats(path)
    yield read_latex(folder / "latex" / "1911.02782" / "main.tex", "1911.02782")
    yield read_latex(folder / "latex" / "2004.14974" / "emnlp2020.tex", "2004.14974")
    for path in sorted((folder / "markdown").glob("*/paper.md")):
        yield read_markdown(path)


def read_jats(path: Path) -> GoldPaper:
    """Read an article in the Journal Article Tag Suite."""
    root = ElementTree.parse(path).getroot()  # noqa: S314 the project's own data
    authors = [
        _words(f"{name.findtext('given-names') or ''} {name.findtext('surname') or ''}")
        for name in root.findall(".//article-meta//contrib[@contrib-type='author']/name")
    ]
    sections: list[GoldSection] = []
    body = root.find("body")
    for section in [] if body is None else body.findall("sec"):
        _read_section(section, 1, sections)
    acknowledgement = root.find(".//back/ack")
    if acknowledgement is not None:
        sections.append(GoldSection("Acknowledgements", 1, [_prose(p) for p in acknowledgement.iter("p")]))
    abstract = root.find(".//article-meta/abstract")
    return GoldPaper(
        path.stem,
        _prose(root.find(".//article-meta//article-title")),
        [name for name in authors if name],
        [] if abstract is None else [_prose(p) for p in abstract.iter("p")],
        sections,
        [text for ref in root.findall(".//ref-list/ref") if (text := _words(" ".join(ref.itertext())))],
    )


def _read_section(element: ElementTree.Element, level: int, sections: list[GoldSection]) -> None:
    title = _prose(element.find("title"))
    if title:
        sections.append(GoldSection(title, level))
    for child in element:
        if child.tag == "sec":
            _read_section(child, level + 1, sections)
        elif sections:
            _read_block(child, sections[-1])


def _read_block(element: ElementTree.Element, section: GoldSection) -> None:
    if element.tag == "p":
        if text := _prose(element):
            section.paragraphs.append(text)
        for part in element.iter():
            if part.tag in ("fig", "table-wrap"):
                _read_float(part, section)
    elif element.tag in ("fig", "table-wrap"):
        _read_float(element, section)
    elif element.tag in ("list", "fig-group", "disp-quote"):
        for child in element.iter():
            if child.tag in ("p", "fig", "table-wrap"):
                _read_block(child, section)


def _read_float(element: ElementTree.Element, section: GoldSection) -> None:
    label, caption = _words(element.findtext("label") or ""), _prose(element.find("caption"))
    section.captions.append(f"{label} {caption}"[:600])
    rows = [
        [_words("".join(cell.itertext())) for cell in row if cell.tag in ("td", "th")] for row in element.iter("tr")
    ]
    if rows:
        section.tables.append([row for row in rows[:MOST_ROWS] if row])


def _prose(element: ElementTree.Element | None) -> str:
    """Return an element's text without figures, tables, formulas and notes."""
    if element is None:
        return ""
    parts = [element.text or ""]
    for child in element:
        if child.tag not in (
            "fig",
            "table-wrap",
            "disp-formula",
            "inline-formula",
            "fn",
            "supplementary-material",
            "list",
        ):
            parts.append(_prose(child) if child.tag != "break" else " ")
        parts.append(child.tail or "")
    return _words("".join(parts)) if element.tag in ("p", "title", "article-title", "caption") else "".join(parts)


def read_latex(path: Path, name: str) -> GoldPaper:
    """Read a paper in LaTeX: sections and prose, without what needs a formula or a float."""
    source = _without_comments(path.read_text(encoding="utf-8"))
    for _ in range(3):
        source = re.sub(r"\\input\{([^}]*)\}", lambda match: _included(path.parent, match[1]), source)
    macros = dict(re.findall(r"\\newcommand\{?(\\\w+)\}?\{((?:[^{}]|\{[^{}]*\})*)\}", source))
    body = source.partition(r"\begin{document}")[2]
    captions = re.findall(r"\\caption\{((?:[^{}]|\{[^{}]*\})*)\}", body)
    body = re.sub(
        r"\\begin\{(figure|table|equation|align|lstlisting|tabular|comment)(\*?)\}.*?\\end\{\1\2\}",
        " ",
        body,
        flags=re.DOTALL,
    )
    body = re.sub(r"\$\$.*?\$\$|\\\[.*?\\\]", " ", body, flags=re.DOTALL)
    abstract = re.search(r"\\begin\{abstract\}(.*?)\\end\{abstract\}", body, re.DOTALL)
    title = re.search(r"\\title\{((?:[^{}]|\{[^{}]*\})*)\}", source)
    parts = re.split(r"\\((?:sub)*)section\*?\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}", body)
    sections = []
    for number in range(1, len(parts), 3):
        level, heading, text = parts[number].count("sub") + 1, parts[number + 1], parts[number + 2]
        paragraphs = [_plain_latex(block, macros) for block in re.split(r"\n\s*\n|\\item|\\paragraph", text)]
        sections.append(
            GoldSection(_plain_latex(heading, macros), level, [text for text in paragraphs if len(text) > 40])
        )
    for section, caption in zip(sections[2:], captions, strict=False):
        section.captions.append("Figure 1: " + _plain_latex(caption, macros))
    bibliography = next(path.parent.glob("*.bbl"))
    items = re.split(
        r"\\bibitem(?:\[(?:[^\[\]]|\[[^\]]*\])*\])?\{[^}]*\}",
        _without_comments(bibliography.read_text(encoding="utf-8")),
    )
    references = [_plain_latex(item.replace(r"\newblock", " "), macros) for item in items[1:]]
    return GoldPaper(
        name,
        _plain_latex(title[1], macros) if title else name,
        ["Ada Lovelace", "Kurt Gödel"],
        [_plain_latex(abstract[1], macros)] if abstract else [],
        sections,
        references,
    )


def _included(folder: Path, name: str) -> str:
    path = folder / (name if name.endswith(".tex") else f"{name}.tex")
    return _without_comments(path.read_text(encoding="utf-8")) if path.exists() else ""


def _without_comments(text: str) -> str:
    return re.sub(r"(?<!\\)%.*", "", text)


def _plain_latex(text: str, macros: dict[str, str]) -> str:
    for _ in range(4):
        text = re.sub(
            r"\\[a-zA-Z]+",
            lambda match: macros.get(match[0], match[0]) if "#" not in macros.get(match[0], "") else match[0],
            text,
        )
    text = re.sub(
        r"\\(?:cite\w*|ref|label|url|footnote|vspace|hspace|includegraphics|todo)\*?(?:\[[^\]]*\])*\{(?:[^{}]|\{[^{}]*\})*\}",
        "",
        text,
    )
    text = re.sub(r"\$[^$]*\$", "", text)
    text = re.sub(r"\\(?:begin|end)\{[^}]*\}(?:\[[^\]]*\])?", " ", text)
    text = re.sub(r"\\[a-zA-Z]+\*?", " ", text)
    text = (
        text.replace(r"\&", "&")
        .replace(r"\%", "%")
        .replace(r"\_", "_")
        .replace("~", " ")
        .replace("---", "—")
        .replace("--", "–")
        .replace("``", "“")
        .replace("''", "”")
    )
    return _words(re.sub(r"\\.|[{}\\]", "", text))


def read_markdown(path: Path) -> GoldPaper:
    """Read a paper of the Journal of Open Source Software."""
    text = path.read_text(encoding="utf-8")
    match = FRONT_MATTER.match(text)
    head = match[1] if match else ""
    title = re.search(r"^title:\s*['\"]?(.*?)['\"]?\s*$", head, re.MULTILINE)
    sections: list[GoldSection] = []
    tokens = MarkdownIt("commonmark").parse(text[match.end() if match else 0 :])
    for opening, inline in pairwise(tokens):
        content = _words(re.sub(r"\$[^$]*\$|\[@[^\]]*\]|!\[[^\]]*\]\([^)]*\)(?:\{[^}]*\})?|[*`]", "", inline.content))
        content = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", content)
        if opening.type == "heading_open":
            if content != "References":
                sections.append(GoldSection(content, int(opening.tag[1])))
        elif opening.type == "paragraph_open" and sections and content and "\\begin" not in content:
            sections[-1].paragraphs.append(content)
    keys = re.findall(
        r"title\s*=\s*[{\"]+(.*?)[}\"]+,?\s*$", (path.parent / "paper.bib").read_text(encoding="utf-8"), re.MULTILINE
    )
    return GoldPaper(
        path.parent.name,
        _words(title[1]) if title else path.parent.name,
        re.findall(r"name:\s*(.+?)\s*$", head, re.MULTILINE)[:3],
        [],
        sections,
        [re.sub(r"[{}\\]", "", key) for key in keys],
    )


def _words(text: str) -> str:
    return " ".join(text.split())


FORMS = {
    "numbered": """
      #set page(paper: "a4")
      #set text(font: "New Computer Modern", size: 10pt)
      #set heading(bookmarked: false, numbering: "1.1")
      #show heading.where(level: 1): set text(14.4pt)
      #show heading.where(level: 2): set text(12pt)
      #show heading: set block(above: 1.5em, below: 0.9em)
    """,
    "two-column": """
      #set page(paper: "us-letter", columns: 2)
      #set text(font: "Libertinus Serif", size: 9.5pt)
      #set heading(bookmarked: false, numbering: (..n) => {
        let at = n.pos()
        if at.len() == 1 { numbering("I.", ..at) } else { numbering("A.", ..at.slice(1, 2)) }
      })
      #show heading: set text(9.5pt, weight: "regular", style: "italic")
      #show heading: set block(above: 1.2em, below: 0.7em)
      #show heading.where(level: 1): it => align(center, block(above: 1.3em, below: 0.8em)[
        #set text(style: "normal")
        #upper(it)
      ])
    """,
    "plain": """
      #set page(paper: "us-letter", columns: 2)
      #set text(font: "STIXGeneral", size: 10pt)
      #set heading(bookmarked: false)
      #show heading: set text(10pt)
      #show heading.where(level: 1): set text(12pt)
      #show heading.where(level: 3): set text(style: "italic", weight: "regular")
      #show heading: set block(above: 1.2em, below: 0.6em)
    """,
    "outlined": """
      #set page(paper: "a4")
      #set text(font: "DejaVu Serif", size: 9pt)
      #show heading: set text(weight: "regular", style: "italic")
      #show heading.where(level: 1): set text(13pt)
      #show heading: set block(above: 1.4em, below: 0.8em)
    """,
}
"""Preambles: one and two columns; numbers, capitals, bold or italics for headings; only the last one has an outline."""

ALL_FORMS = """
  #set page(numbering: "1", header: context if counter(page).get().first() > 1 [
    #title.slice(0, calc.min(60, title.len())) #h(1fr) Journal of Tests 12 (2026)
  ])
  #set columns(gutter: 16pt)
  #set text(lang: "en", hyphenate: true)
  #set par(justify: true, first-line-indent: 1.2em, leading: 0.6em, spacing: 0.6em)
  #place(top + center, scope: "parent", float: true, block(width: 90%, below: 2em)[
    #set par(justify: false, first-line-indent: 0em)
    #text(17pt, weight: "bold", title)

    #authors

    #text(8pt)[Department of Measurement, University of Somewhere, 12345 Anywhere]
  ])
  #let picture(scope, caption) = place(top, scope: scope, float: true, block(width: 100%)[
    #rect(width: 100%, height: 3cm)[#text(7pt)[axis 0 1 2 3]]
    #text(8pt, caption)
  ])
"""
UNNUMBERED = ("Abstract", "References", "Acknowledgements")


def typeset(paper: GoldPaper, form: str) -> bytes:
    """Set a paper in one of ``FORMS`` and return the PDF."""
    title = paper.title.encode("ascii", "replace").decode()  # Typst cuts the running head by bytes
    lines = [
        f"#let title = {_quoted(title)}",
        f"#let authors = {_quoted(', '.join(paper.authors))}",
        FORMS[form],
        ALL_FORMS,
    ]
    if paper.abstract:
        lines += [_heading("Abstract", 1), *map(_paragraph, paper.abstract)]
    for number, section in enumerate(paper.sections):
        lines.append(_heading(section.title, section.level))
        lines += map(_paragraph, section.paragraphs)
        scope = "parent" if number % 3 == 0 else "column"
        lines += [f"#picture({_quoted(scope)}, {_quoted(caption)})" for caption in section.captions]
        lines += map(_table, section.tables)
        if number % 4 == 1 and section.paragraphs:
            note = f"A note on {section.title.lower()}, with the details that few readers want."
            lines.append(f"#footnote[#{_quoted(note)}]")
    if paper.references:
        lines.append(_heading("References", 1))
        lines += [_paragraph(f"[{number}] {text}") for number, text in enumerate(paper.references, start=1)]
    markup = "\n\n".join(lines).encode()
    return bytes(typst.compile(markup, font_paths=[str(FONTS)]))  # type: ignore[misc] # its stub has one type for both


def _heading(title: str, level: int) -> str:
    numbering = ", numbering: none" if title in UNNUMBERED else ""
    return f"#heading(level: {level}{numbering}, {_quoted(title)})"


def _paragraph(text: str) -> str:
    return f"#par({_quoted(text)})" if text else ""


def _table(rows: list[list[str]]) -> str:
    width = max(len(row) for row in rows)
    cells = [
        f'text(7pt, weight: "{"bold" if number == 0 else "regular"}", {_quoted(cell[:60])})'
        for number, row in enumerate(rows)
        for cell in [*row, *[""] * (width - len(row))]
    ]
    return f"#table(columns: {width}, stroke: none, {', '.join(cells)})"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
