r"""LaTeX to the document model: made plain, read by pandoc, and its numbers, citations and references put in.

A file that stands alone comes with its parts already taken in (:mod:`papergraph.ingest.sources.tex`); an archive is
unpacked here.
The list of references is kept apart and is no part of the text.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from papergraph.errors import Reason, SourceError
from papergraph.ingest.parsers.common.composer import FrontMatter
from papergraph.ingest.parsers.common.entries import arxiv_of, year_of
from papergraph.ingest.parsers.document import Document, Reference, counted, named
from papergraph.ingest.parsers.latex.bibliography import ENTRY, as_latex, cited_works, reference_of, taken_out
from papergraph.ingest.parsers.latex.normalise import DEFINITIONS, normal, with_spaces, without_conditions
from papergraph.ingest.parsers.pandoc import PandocError, PandocLimits, Writer, numbers_of, read_tree, text_of
from papergraph.ingest.sources import Format, Parser, RawDocument
from papergraph.ingest.sources.tex import (
    ARXIV_NAME,
    BODY,
    GZIP,
    MAIN,
    MISSING,
    OWN_BIB,
    BadArchiveError,
    TooLargeArchiveError,
    decoded,
    is_archive,
    latex_of,
    without_comments,
)

LIMITS = PandocLimits()
LOST_PART = re.compile(rf"\\{MISSING}\{{([^{{}}]*)\}}")
MOST_BYTES = 20_000_000
OWN_COUNTS = re.compile(r"\\numberwithin|\\begin\{subequations\}|\\counterwithin|\\theequation")
NAME = re.compile(r"[^\W\d_][\w.'’-]*(?: (?:[^\W\d_][\w.'’-]*|[^\W\d_]\.)){1,5}")
NO_NAME = re.compile(
    r"univers|institut|depart|school|college|laborator|centre|center|facult|research|academy|hospital|corresponding|"
    r"equal|author|\bof\b|\bfor\b|@|\bInc\b|\bLtd\b|\bGmbH\b|\bLab\b",
    re.IGNORECASE,
)
PARTS_OF_AUTHORS = re.compile(r",| and |;|\s{2,}|\t")


def parse(file: RawDocument, *, limits: PandocLimits = LIMITS) -> Document:
    """Parse LaTeX: a file with its parts, or an archive as arXiv gives it.

    Raises:
        SourceError: Pandoc is missing, or the source is damaged, exceeds ``limits`` or is empty.
    """
    try:
        text = latex_of(file.data, max_bytes=MOST_BYTES) if is_archive(file.data) else decoded(file.data)
    except BadArchiveError as error:
        reason = Reason.TOO_LARGE if isinstance(error, TooLargeArchiveError) else Reason.DAMAGED
        raise SourceError(file.name, reason, str(error)) from error
    if OWN_BIB not in text:  # not made whole yet, as what comes from a URL
        text = without_comments(text)
    missing = list(dict.fromkeys(LOST_PART.findall(text)))
    text = with_spaces(LOST_PART.sub("", text))
    main = MAIN.search(text)
    body = BODY.search(text)
    preamble, inside = (text[: body.start()], body[1]) if body else ("", text)
    preamble = without_conditions(preamble)
    inside, entries = taken_out(inside)
    source = (
        f"{preamble if main else ''}\n{DEFINITIONS}\n\\begin{{document}}\n{normal(inside, preamble=preamble)}\n\n"
        f"{normal(as_latex(entries))}\n\\end{{document}}\n"
    )
    try:
        tree = read_tree(source.encode(), "latex", limits)
        blocks, read = _apart(tree["blocks"])
        count = OWN_COUNTS.search(text) is None and (main is None or main["name"] not in ("book", "report"))
        numbers, called = numbers_of(blocks, count_equations=count)
        writer = Writer(cited_works(entries), numbers, called)
        abstract = _blocks(tree["meta"].get("abstract"))
        if abstract:
            writer.section("Abstract", 1)
            writer.blocks(abstract)
        writer.blocks(blocks)
        references: list[Reference] = [reference_of(entry, told) for entry, told in zip(entries, read, strict=False)]
    except PandocError as error:
        raise SourceError(file.name, error.reason, error.detail) from error
    except RecursionError as error:
        raise SourceError(file.name, Reason.DAMAGED, "is nested too deeply to be a paper") from error
    front = _front(tree["meta"], file.name)
    document = writer.composer.document(file, Format.LATEX, front, references)
    if missing:
        return replace(document, notes=(f"{counted(len(missing), 'part')} not found: {named(missing)}",))
    return document


def _apart(blocks: Sequence[Any]) -> tuple[list[Any], list[list[str]]]:
    """Return the blocks of the text, and the paragraphs of each entry of the list of references."""
    of_text, entries = [], []
    for block in blocks:
        if block["t"] == "Div" and ENTRY in block["c"][0][1]:
            entries.append([text_of(part["c"]) for part in block["c"][1] if part["t"] in ("Para", "Plain")])
        else:
            of_text.append(block)
    return of_text, entries


def _front(meta: dict[str, Any], name: str) -> FrontMatter:
    arxiv = ARXIV_NAME.fullmatch(re.sub(r"\.(?:tar|tex|gz|tgz)", "", PurePath(name).name, flags=re.IGNORECASE))
    return FrontMatter(
        title=text_of(_inlines(meta.get("title"))),
        authors=list(_authors(meta.get("author"))),
        year=year_of(text_of(_inlines(meta.get("date")))),
        arxiv_id=arxiv_of(_arxiv_id(arxiv[1])) if arxiv else None,
    )


def _arxiv_id(name: str) -> str:
    old = re.fullmatch(r"([a-z-]+(?:\.[A-Z]{2})?)[_-]?(\d{7})", name, re.IGNORECASE)
    return f"{old[1].lower()}/{old[2]}" if old else name


def _authors(meta: dict[str, Any] | None) -> Iterable[str]:
    """Yield the names among what an author's block says: those before the first thing that is no name."""
    for part in meta["c"] if meta and meta["t"] == "MetaList" else [meta] if meta else []:
        found = False
        for line in _lines(_inlines(part)):
            names = [name for name in (word.strip(" ,;*†‡§¶") for word in PARTS_OF_AUTHORS.split(line)) if name]
            good = [name for name in names if NAME.fullmatch(name) and not NO_NAME.search(name) and len(name) < 60]
            if not good or len(good) < len(names):
                if found or names:
                    break
                continue
            found = True
            yield from good


def _lines(inlines: Sequence[Any]) -> Iterable[str]:
    """Yield the lines of an author's block; marks of affiliations stand between names."""
    line: list[Any] = []
    for inline in [*_unwrapped(inlines), {"t": "LineBreak"}]:
        if inline["t"] == "LineBreak":
            if line:
                yield ",".join(filter(None, (text_of(part) for part in _between_marks(line))))
            line = []
        else:
            line.append(inline)


def _unwrapped(inlines: Sequence[Any]) -> Iterable[Any]:
    for inline in inlines:
        if inline["t"] in ("Strong", "Emph", "SmallCaps"):
            yield from _unwrapped(inline["c"])
        elif inline["t"] == "Span":
            yield from _unwrapped(inline["c"][1])
        else:
            yield inline


def _between_marks(line: Sequence[Any]) -> Iterable[list[Any]]:
    part: list[Any] = []
    for inline in line:
        if inline["t"] in ("Math", "Superscript", "Note", "Image"):
            yield part
            part = []
        else:
            part.append(inline)
    yield part


def _inlines(meta: dict[str, Any] | None) -> list[Any]:
    if meta is None:
        return []
    match meta["t"]:
        case "MetaInlines":
            return list(meta["c"])
        case "MetaBlocks":
            return [inline for block in meta["c"] if block["t"] in ("Para", "Plain") for inline in block["c"]]
        case "MetaString":
            return [{"t": "Str", "c": meta["c"]}]
        case "MetaList":
            return [inline for part in meta["c"] for inline in _inlines(part)]
    return []


def _blocks(meta: dict[str, Any] | None) -> list[Any]:
    if meta is not None and meta["t"] == "MetaBlocks":
        return list(meta["c"])
    inlines = _inlines(meta)
    return [{"t": "Para", "c": inlines}] if inlines else []


PARSER = Parser(
    format=Format.LATEX,
    endings=(".tex", ".tgz", ".gz"),
    media_types={
        "application/gzip": ".gz",
        "application/x-gzip": ".gz",
        "application/x-tex": ".tex",
        "text/x-tex": ".tex",
    },
    magic={".gz": GZIP, ".tgz": GZIP},
    sandboxed=True,
    runs_program=True,
    version="11",
    parse=parse,
    order=4,
)
