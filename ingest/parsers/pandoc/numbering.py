"""Numbers of sections, equations, floats and theorems as LaTeX prints them, for Pandoc's syntax tree."""

import re
from collections.abc import Sequence
from typing import Any

from ingest.parsers.pandoc.writer import (
    ENVIRONMENT,
    EQUATION_LABEL,
    NUMBERED,
    ROWS,
    TAG,
    UNNUMBERED,
    Node,
    is_display,
    text_of,
)

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
