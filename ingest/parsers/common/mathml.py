r"""MathML to LaTeX in a plain form: fractions, roots, scripts and tables as LaTeX has them, symbols as Unicode.

TeX that stands beside the MathML as an annotation is taken as it is. What has no form of its own, such as
``mstyle``, gives what is in it.
"""

import re

from lxml import etree

PAIRS = {"msub": "_", "msup": "^", "munder": "_", "mover": "^"}
SPECIAL = re.compile(r"([#%&_{}$])")
TIGHT = frozenset("()[]{}|.!,;:′")
ACCENTS = {"¯": r"\bar", "‾": r"\bar", "^": r"\hat", "ˆ": r"\hat", "~": r"\tilde", "˜": r"\tilde", "→": r"\vec"}
INVISIBLE = re.compile("[\u2061-\u2064]")


def latex(math: etree._Element) -> str:
    """Return a ``math`` element, or an element inside one, as LaTeX."""
    return " ".join(_of(math).split())


def _of(node: etree._Element) -> str:
    tag = etree.QName(node).localname if isinstance(node.tag, str) else ""
    children = [child for child in node if isinstance(child.tag, str)]
    match tag:
        case "":
            return ""
        case "semantics":
            return _annotated(children)
        case "mi" | "mn" | "ms":
            text = _text(node)
            return rf"\mathrm{{{text}}}" if tag == "mi" and len(text) > 1 and text.isalpha() else text
        case "mo":
            text = _text(node)
            return text if text in TIGHT or not text else f" {text} "
        case "mtext":
            text = " ".join("".join(node.itertext()).split())
            return rf"\text{{{SPECIAL.sub(_escaped, text)}}}" if text else " "
        case "mfrac" if len(children) == 2:
            return rf"\frac{{{_of(children[0]).strip()}}}{{{_of(children[1]).strip()}}}"
        case "msqrt":
            return rf"\sqrt{{{_row(children).strip()}}}"
        case "mroot" if len(children) == 2:
            return rf"\sqrt[{_of(children[1]).strip()}]{{{_of(children[0]).strip()}}}"
        case "mover" if len(children) == 2 and _of(children[1]).strip() in ACCENTS:
            return f"{ACCENTS[_of(children[1]).strip()]}{{{_of(children[0]).strip()}}}"
        case "msub" | "msup" | "munder" | "mover" if len(children) == 2:
            return f"{_base(children[0])}{PAIRS[tag]}{{{_of(children[1]).strip()}}}"
        case "msubsup" | "munderover" if len(children) == 3:
            below, above = _of(children[1]).strip(), _of(children[2]).strip()
            return f"{_base(children[0])}_{{{below}}}^{{{above}}}"
        case "mfenced":
            separator = node.get("separators", ",")[:1]
            inside = f"{separator} ".join(_of(child).strip() for child in children)
            return f"{node.get('open', '(')}{inside}{node.get('close', ')')}"
        case "mtable":
            rows = r" \\ ".join(" & ".join(_of(cell).strip() for cell in row) for row in children)
            return rf"\begin{{matrix}} {rows} \end{{matrix}}"
        case "annotation" | "annotation-xml":
            return ""
        case "mspace":
            return " "
        case _:
            return _row(children)


def _row(children: list[etree._Element]) -> str:
    return "".join(_of(child) for child in children)


def _base(node: etree._Element) -> str:
    inner = _of(node).strip()
    return inner if len(inner) <= 1 or inner.startswith("\\") else f"{{{inner}}}"


def _text(node: etree._Element) -> str:
    return SPECIAL.sub(_escaped, INVISIBLE.sub("", "".join(node.itertext()).strip()))


def _escaped(match: re.Match[str]) -> str:
    return "\\" + match[0]


def _annotated(children: list[etree._Element]) -> str:
    for child in children:
        if etree.QName(child).localname == "annotation" and "tex" in child.get("encoding", "").lower():
            return "".join(child.itertext()).strip()
    return _of(children[0]) if children else ""
