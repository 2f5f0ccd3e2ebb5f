"""Writer of pandoc's tree as a document, with numbers of headings."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from papergraph.ingest.parsers.common.composer import Cell, DocumentBuilder, Inline, label_of_caption, table
from papergraph.ingest.parsers.document import ElementKind

# Pandoc's syntax tree to the document model: blocks in reading order, numbers and citations as they are printed.
#
# The tree is what ``pandoc --to json`` gives: nodes ``{"t": type, "c": content}``
# (https://hackage.haskell.org/package/pandoc-types). Figures, tables, equations and sections are counted as LaTeX does
# in an article, so that ``\ref`` reads as on the page; what is counted otherwise keeps its label as it is.


Node: TypeAlias = dict[str, Any]
CAPTIONS = frozenset({"Caption", "Image Caption", "Table Caption", "caption"})
"""Styles of docx that captions have."""
NOT_IN_TEXT = frozenset({"Title", "Subtitle", "Author", "Date", "Abstract Title", "TOC Heading"})
"""Styles of docx that are read as metadata."""
NUMBER = re.compile(r"\^?\{?[-−–+]?\d+\}?")
ENVIRONMENT = re.compile(r"\s*\\begin\{([a-z]+)(\*?)\}(.*?)\\end\{\1\2\}\s*", re.DOTALL)
ROWS = frozenset({"align", "gather", "eqnarray", "alignat", "flalign"})
NUMBERED = ROWS | {"equation", "multline"}
EQUATION_LABEL = re.compile(r"\\label\s*\{([^{}]*)\}\s*")
TAG = re.compile(r"\\tag\*?\s*\{([^{}]*)\}\s*")
UNNUMBERED = re.compile(r"\\(?:nonumber|notag)\b")
COMMAND = re.compile(r"\\([A-Za-z]+)(\*?)")


@dataclass(frozen=True)
class CitedWork:
    """Form in which an entry of the reference list is cited.

    Attributes:
        number: Position in the list, from 0.
        name: Authors in a citation, such as "Baly et al."; empty for numbered citations.
        mark: Year with its letter, or the number or letters of the citation.
    """

    number: int
    name: str
    mark: str


class Writer:
    """Walks blocks and writes what they hold."""

    def __init__(
        self,
        works: Mapping[str, CitedWork] | None = None,
        numbers: Mapping[str, str] | None = None,
        captions: Mapping[int, str] | None = None,
    ) -> None:
        """Make a writer.

        Args:
            works: The cited works by key.
            numbers: What a reference to a label prints, from :func:`numbers_of`.
            captions: What each float and equation is called, such as "Table 2", by the ``id()`` of its node.
        """
        self.composer = DocumentBuilder()
        self._works = works or {}
        self._numbers = numbers or {}
        self._called = captions or {}
        self._line = Inline()
        self._notes: list[Sequence[Node]] = []
        self._last_caption: Sequence[Node] = []

    def section(self, title: str, level: int) -> None:
        """Begin a section."""
        self._flush()
        self.composer.heading(title, level)

    def blocks(self, blocks: Iterable[Node]) -> None:
        """Write blocks in order, each note after its paragraph."""
        for block in blocks:
            self._block(block)
            self._flush()

    def _block(self, block: Node) -> None:
        content: Any = block.get("c")
        match block["t"]:
            case "Header":
                level, _, inlines = content
                line = self._flat_inlines(inlines)
                if line.length:
                    self.composer.heading(line.text, level)
            case "Para" | "Plain":
                self._paragraph(content)
            case "LineBlock":
                for inlines in content:
                    self._paragraph([*inlines, {"t": "Space"}])
            case "BlockQuote":
                self.blocks(content)
            case "Div":
                self._div(content)
            case "BulletList":
                for item in content:
                    self.blocks(item)
            case "OrderedList":
                for item in content[1]:
                    self.blocks(item)
            case "DefinitionList":
                for term, definitions in content:
                    self._definition(term, definitions)
            case "CodeBlock":
                self.composer.paragraph(content[1])
            case "Figure":
                self._figure(block)
            case "Table":
                self._table(block)

    def _div(self, content: Any) -> None:
        (_, _, attributes), blocks = content
        style = dict(attributes).get("custom-style")
        if style in NOT_IN_TEXT:
            return
        if style in CAPTIONS:
            line = self._flat(blocks)
            self.composer.element(ElementKind.CAPTION, line, label_of_caption(line.text))
        else:
            self.blocks(blocks)

    def _paragraph(self, inlines: Sequence[Node]) -> None:
        for inline in inlines:
            if is_display(inline):
                self._equation(inline)
            elif inline["t"] == "Span" and any(is_display(part) for part in inline["c"][1]):
                self._paragraph(inline["c"][1])
            else:
                self._inline(inline, self._line)

    def _flush(self) -> None:
        line, self._line = self._line, Inline()
        self.composer.paragraph(line)
        notes, self._notes = self._notes, []
        for note in notes:
            self.blocks(note)

    def _definition(self, term: Sequence[Node], definitions: Sequence[Sequence[Node]]) -> None:
        for inline in term:
            self._inline(inline, self._line)
        self._line.add(": ")
        for number, blocks in enumerate(definitions):
            if number == 0 and blocks and blocks[0]["t"] in ("Para", "Plain"):
                self._paragraph(blocks[0]["c"])
                self._flush()
                blocks = blocks[1:]
            self.blocks(blocks)

    def _equation(self, node: Node) -> None:
        line, self._line = self._line, Inline()
        self.composer.paragraph(line)
        self.composer.element(ElementKind.EQUATION, display_tex(node["c"][1]), self._called.get(id(node), ""))

    def _figure(self, block: Node) -> None:
        _, (_, caption), blocks = block["c"]
        self._caption(block, caption)
        for part in blocks:
            if part["t"] in ("Figure", "Table", "CodeBlock", "Div"):
                self._block(part)

    def _table(self, block: Node) -> None:
        _, (_, caption), _, head, bodies, foot = block["c"]
        self._caption(block, caption)
        rows = [
            [Cell(self._flat(cell[4], in_table=True), cell[3], cell[2]) for cell in row[1]]
            for part in (head[1], *(rows for body in bodies for rows in (body[2], body[3])), foot[1])
            for row in part
        ]
        while rows and not any(cell.content.length for cell in rows[0]):
            rows.pop(0)
        self.composer.element(ElementKind.TABLE, table(rows), self._called.get(id(block), ""))
        self._after_notes()

    def _caption(self, block: Node, blocks: Sequence[Node]) -> None:
        called = self._called.get(id(block), "")
        if blocks and blocks == self._last_caption:  # of a float with several tables
            return
        self._last_caption = blocks
        line = self._flat(blocks)
        if line.length:
            whole = Inline()
            whole.add(f"{called}: " if called else "")
            whole.include(line)
            self.composer.element(ElementKind.CAPTION, whole, called or label_of_caption(line.text))
        self._after_notes()

    def _after_notes(self) -> None:
        notes, self._notes = self._notes, []
        for note in notes:
            self.blocks(note)

    def _flat(self, blocks: Sequence[Node], *, in_table: bool = False) -> Inline:
        """Return all that blocks hold as one line, blocks parted by blanks."""
        line = Inline(in_table=in_table)
        for inlines in _inlines_of(blocks):
            for inline in inlines:
                self._inline(inline, line)
            line.add(" ")
        return line

    def _flat_inlines(self, inlines: Sequence[Node]) -> Inline:
        line = Inline()
        for inline in inlines:
            self._inline(inline, line)
        return line

    def _inline(self, node: Node, line: Inline) -> None:
        content: Any = node.get("c")
        match node["t"]:
            case "Str":
                line.add(content)
            case "Space" | "SoftBreak" | "LineBreak":
                line.add(" ")
            case "Emph" | "Strong" | "Underline" | "Strikeout" | "SmallCaps" | "Subscript":
                self._inlines(content, line)
            case "Superscript":
                line.add("^" if NUMBER.fullmatch(text_of(content)) and line.length else None)
                self._inlines(content, line)
            case "Quoted":
                opening, closing = ("‘", "’") if content[0]["t"] == "SingleQuote" else ("“", "”")
                line.add(opening)
                self._inlines(content[1], line)
                line.add(closing)
            case "Cite":
                self._cite(content[0], content[1], line)
            case "Code":
                line.add(content[1])
            case "Math":
                if tex := display_tex(content[1]).strip():
                    line.add(f"${tex}$")
            case "Link":
                self._link(content, line)
            case "Span":
                self._inlines(content[1], line)
            case "Note":
                self._notes.append(content)

    def _inlines(self, inlines: Sequence[Node], line: Inline) -> None:
        for inline in inlines:
            self._inline(inline, line)

    def _link(self, content: Any, line: Inline) -> None:
        (_, _, attributes), inlines, _ = content
        told = dict(attributes)
        label = told.get("reference")
        if label is None:
            self._inlines(inlines, line)
            return
        numbers = [self._numbers.get(key.strip(), "") or key.strip() for key in label.split(",")]
        called = ", ".join(numbers)
        if told.get("reference-type") == "eqref":
            called = f"({called.strip('()')})"
        line.add(called)

    def _cite(self, citations: Sequence[Node], inlines: Sequence[Node], line: Inline) -> None:
        """Write a citation as printed, each work with its entry."""
        raw = next((inline["c"][1] for inline in inlines if inline["t"] == "RawInline"), "")
        if not raw and inlines:  # as docx has it: the words themselves
            start = line.open()
            self._inlines(inlines, line)
            line.cite(start, [work.number for c in citations if (work := self._works.get(c["citationId"]))])
            return
        command = COMMAND.match(raw)
        name = command[1].lower() if command else "cite"
        if name == "nocite":
            return
        works = [self._works.get(citation["citationId"]) for citation in citations]
        by_name = any(work and work.name for work in works)
        open_, close = ("(", ")") if by_name else ("[", "]")
        in_text = name in IN_TEXT and by_name
        bare = name in BARE and (by_name or name == "citenum")
        line.add("" if in_text or bare else open_)
        for number, (citation, work) in enumerate(zip(citations, works, strict=True)):
            line.add(("; " if by_name else ", ") if number else "")
            if citation["citationPrefix"]:
                self._inlines(citation["citationPrefix"], line)
                line.add(" ")
            start = line.open()
            line.add(_printed(citation["citationId"], work, name, in_text=in_text))
            if work:
                line.cite(start, [work.number])
            if citation["citationSuffix"]:
                line.add(", ")
                self._inlines(citation["citationSuffix"], line)
        line.add("" if in_text or bare else close)


IN_TEXT = frozenset({"citet", "textcite", "citealt", "newcite", "shortcite", "citeasnoun"})
BARE = frozenset({"citeauthor", "citeyear", "citealp", "citealt", "citenum", "citetitle", "fullcite"})


def _printed(key: str, work: CitedWork | None, command: str, *, in_text: bool) -> str:
    if work is None:
        return key
    if not work.name:
        return work.mark
    if command == "citeauthor":
        return work.name
    if command in ("citeyear", "citeyearpar"):
        return work.mark
    if command == "citealt":
        return f"{work.name} {work.mark}".strip()
    if not work.mark:
        return work.name
    return f"{work.name} ({work.mark})" if in_text else f"{work.name}, {work.mark}"


def text_of(inlines: Iterable[Node]) -> str:
    """Return the characters of inlines as one line, without notes."""
    writer = Writer()
    line = Inline()
    for inline in inlines:
        writer._inline(inline, line)
    return line.text


def display_tex(tex: str) -> str:
    """Return a formula without its label and its numbering environment."""
    tex = EQUATION_LABEL.sub("", tex)
    whole = ENVIRONMENT.fullmatch(tex)
    if whole is None or whole[1] not in (*NUMBERED, "displaymath", "math"):
        return " ".join(tex.split())
    name, _, inside = whole.groups()
    inside = " ".join(TAG.sub("", UNNUMBERED.sub("", inside)).split())
    if name not in ROWS:
        return inside
    form = {"gather": "gathered"}.get(name, "aligned")
    return rf"\begin{{{form}}} {inside} \end{{{form}}}"


def is_display(node: Node) -> bool:
    return bool(node["t"] == "Math" and node["c"][0]["t"] == "DisplayMath")


def _inlines_of(blocks: Sequence[Node]) -> Iterator[Sequence[Node]]:
    for block in blocks:
        content: Any = block.get("c")
        match block["t"]:
            case "Para" | "Plain" | "Header":
                yield content if block["t"] != "Header" else content[2]
            case "LineBlock":
                yield from content
            case "BlockQuote":
                yield from _inlines_of(content)
            case "Div":
                yield from _inlines_of(content[1])
            case "BulletList":
                for item in content:
                    yield from _inlines_of(item)
            case "OrderedList":
                for item in content[1]:
                    yield from _inlines_of(item)
            case "CodeBlock":
                yield [{"t": "Str", "c": content[1]}]
            case "Figure":
                yield from _inlines_of(content[1][1])
            case "DefinitionList":
                for term, definitions in content:
                    yield term
                    for definition in definitions:
                        yield from _inlines_of(definition)
            case "Table":
                for part in (content[3][1], *(body[3] for body in content[4])):
                    for row in part:
                        for cell in row[1]:
                            yield from _inlines_of(cell[4])


# Numbers of sections, equations, floats and theorems as LaTeX prints them, for Pandoc's syntax tree


APPENDIX = "papergraphappendix"
ROW_END = re.compile(r"\\\\(?![A-Za-z])")
NAME_OF_THEOREM = re.compile(r"[A-Z][a-z]+(?: [a-z]+)* (?P<number>[0-9A-Z.]+)")


def numbers_of(blocks: Sequence[Node], *, count_equations: bool = True) -> tuple[dict[str, str], dict[int, str]]:
    """Return what a reference to each label prints, and what floats and equations are called, by ``id()`` of the node.

    Equations are counted only where they are counted through the document.
    """
    counter = Counter(count_equations=count_equations)
    counter.blocks(blocks)
    return counter.numbers, counter.called


class Counter:
    """Counts what LaTeX counts, in reading order."""

    def __init__(self, *, count_equations: bool) -> None:
        self.numbers: dict[str, str] = {}
        self.called: dict[int, str] = {}
        self._count_equations = count_equations
        self._sections: list[int] = []
        self._section = ""
        self._appendix = False
        self._caption: Sequence[Node] = []
        self._n = {"Figure": 0, "Table": 0, "Equation": 0}

    def blocks(self, blocks: Sequence[Node], label: str = "") -> None:
        for block in blocks:
            content: Any = block.get("c")
            match block["t"]:
                case "Header":
                    self._header(*content)
                case "Div":
                    self._div(content)
                case "Figure":
                    self._float("Figure", block, content[0][0] or label, content[1][1])
                    self._inside(content[2])
                case "Table":
                    self._float("Table", block, content[0][0] or label, content[1][1])
                case "BlockQuote":
                    self.blocks(content)
                case "BulletList":
                    for item in content:
                        self.blocks(item)
                case "OrderedList":
                    for item in content[1]:
                        self.blocks(item)
                case "Para" | "Plain":
                    for inline in content:
                        if is_display(inline):
                            self._equation(inline)
                        elif inline["t"] == "Span" and (named := dict(inline["c"][0][2]).get("label")):
                            self.numbers.setdefault(named, self._section)

    def _div(self, content: Any) -> None:
        (label, classes, _), blocks = content
        if APPENDIX in classes:
            self._appendix, self._sections = True, []
            return
        strong = next((i for b in blocks[:1] if b["t"] in ("Para", "Plain") for i in b["c"][:1]), None)
        title = text_of(strong["c"]) if label and strong and strong["t"] == "Strong" else ""
        if found := NAME_OF_THEOREM.match(title):
            self.numbers[label] = found["number"]
        self.blocks(blocks, label)

    def _inside(self, blocks: Sequence[Node]) -> None:
        """Pass over what is inside a figure: parts of it are not counted, tables in it may be."""
        self.blocks([block for block in blocks if block["t"] == "Table" and block["c"][1][1]])

    def _header(self, level: int, attributes: Any, _: Any) -> None:
        label, classes, _ = attributes
        if "unnumbered" in classes or level < 1:
            return
        self._sections = [*self._sections[:level], *[0] * (level - len(self._sections))]
        self._sections[level - 1] += 1
        first, *rest = self._sections
        letter = chr(ord("A") + first - 1) if self._appendix and 0 < first <= 26 else str(first)
        self._section = self.numbers[label] = ".".join([letter, *map(str, rest)])

    def _float(self, kind: str, block: Node, label: str, caption: Sequence[Node]) -> None:
        if not caption:
            return
        if caption != self._caption:  # pandoc gives each of several tables in a float its caption
            self._n[kind] += 1
        self._caption = caption
        self.called[id(block)] = f"{kind} {self._n[kind]}"
        if label:
            self.numbers[label] = str(self._n[kind])

    def _equation(self, node: Node) -> None:
        tex = node["c"][1]
        labels = EQUATION_LABEL.findall(tex)
        if (tag := TAG.search(tex)) and (whole := ENVIRONMENT.fullmatch(EQUATION_LABEL.sub("", tex))):
            self.called[id(node)] = f"({tag[1]})"
            self.numbers |= dict.fromkeys(labels, tag[1])
            return
        whole = ENVIRONMENT.fullmatch(tex)
        if whole is None or whole[1] not in NUMBERED or whole[2] or not self._count_equations:
            return
        rows = ROW_END.split(whole[3]) if whole[1] in ROWS else [whole[3]]
        numbers = []
        for row in rows:
            if UNNUMBERED.search(row) or not row.strip():
                continue
            self._n["Equation"] += 1
            numbers.append(self._n["Equation"])
            self.numbers |= dict.fromkeys(EQUATION_LABEL.findall(row), str(numbers[-1]))
        if numbers:
            self.called[id(node)] = f"({numbers[0]})" if len(numbers) == 1 else f"({numbers[0]})–({numbers[-1]})"
