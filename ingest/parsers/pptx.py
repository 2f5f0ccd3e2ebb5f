"""Parser of pptx (PowerPoint): each slide is a section and a page, with its tables and speaker's notes.

pandoc's reader parts words at changes of their format and leaves out the notes, so the slides' XML is read here.
"""

import posixpath
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from lxml import etree

from papergraph.errors import Reason, SourceError
from papergraph.ingest.parsers.common.composer import Cell, DocumentBuilder, FrontMatter, Inline, table
from papergraph.ingest.parsers.document import Document, ElementKind, counted
from papergraph.ingest.parsers.pandoc.packed import check_archive, opened, xml_of
from papergraph.ingest.sources import Format, Parser, RawDocument
from papergraph.ingest.sources.file_types import ZIP

PRESENTATION = "ppt/presentation.xml"
RELATED = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
TITLES = frozenset({"title", "ctrTitle"})
NOT_TEXT = frozenset({"dt", "ftr", "hdr", "sldNum", "sldImg"})
"""Placeholders for the date, the footer, the number and the picture of a slide."""

MOST_SLIDES = 5_000


@dataclass
class _Slide:
    """Content of a slide: its title, paragraphs and tables in order, notes, and whether it shows pictures."""

    title: str = ""
    is_cover: bool = False
    content: list[str | list[list[Cell]]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    has_picture: bool = False


def parse(file: RawDocument) -> Document:
    """Parse a pptx.

    Raises:
        SourceError: It is damaged, of another format, too large or empty.
    """
    try:
        with opened(file, PRESENTATION) as archive:
            slides = [_slide(file, archive, path) for path in _paths(file, archive)]
    except RecursionError as error:
        raise SourceError(file.name, Reason.DAMAGED, "is nested too deeply to be slides") from error
    if not any(slide.title or slide.content or slide.notes for slide in slides):
        reason = Reason.SCANNED if any(slide.has_picture for slide in slides) else Reason.EMPTY
        raise SourceError(file.name, reason, "holds no text on its slides; save them as PDF and run ocrmypdf")
    title = slides[0].title
    builder = DocumentBuilder()
    for number, slide in enumerate(slides, start=1):
        builder.page(number)
        if number > 1 or not slide.is_cover:
            builder.heading(slide.title or f"Slide {number}", 1)
        for part in slide.content:
            if isinstance(part, str):
                builder.paragraph(part)
            else:
                builder.element(ElementKind.TABLE, table(part))
        for note in slide.notes:
            builder.paragraph(note)
    unread = sum(slide.has_picture and not slide.content and not slide.notes for slide in slides)
    bare = sum(not slide.content and not slide.notes for slide in slides)
    notes = (f"{unread:,} of {counted(len(slides), 'slide')} hold pictures without text",) if unread else ()
    document = builder.document(file, Format.PPTX, FrontMatter(title=title))
    return replace(
        document, n_pages=len(slides), n_pages_without_text=bare, notes=notes, lost=unread / max(1, len(slides))
    )


def _paths(file: RawDocument, archive: zipfile.ZipFile) -> list[str]:
    """Return the parts of the slides in their order.

    Raises:
        SourceError: They are too many, or not there.
    """
    root = xml_of(file, archive, PRESENTATION)
    targets = _targets(file, archive, PRESENTATION)
    ids = [] if root is None else [one.get(f"{RELATED}id", "") for one in root.iter("{*}sldId")]
    if len(ids) > MOST_SLIDES:
        raise SourceError(file.name, Reason.TOO_LARGE, f"has more than {MOST_SLIDES:,} slides; split it")
    paths = [targets[id] for id in ids if id in targets]
    if len(paths) < len(ids):
        raise SourceError(file.name, Reason.PARTIAL, f"is damaged: {len(ids) - len(paths)} of its slides are missing")
    return paths


def _targets(file: RawDocument, archive: zipfile.ZipFile, path: str) -> dict[str, str]:
    """Return the parts that a part refers to by id, notes of a slide by ``notes``."""
    folder, name = posixpath.split(path)
    root = xml_of(file, archive, f"{folder}/_rels/{name}.rels")
    found: dict[str, str] = {}
    for one in () if root is None else root.iter("{*}Relationship"):
        if one.get("TargetMode") != "External":
            target = posixpath.normpath(posixpath.join("/", folder, one.get("Target", ""))).lstrip("/")
            found["notes" if one.get("Type", "").endswith("/notesSlide") else one.get("Id", "")] = target
    return found


def _slide(file: RawDocument, archive: zipfile.ZipFile, path: str) -> _Slide:
    root = xml_of(file, archive, path)
    if root is None:
        raise SourceError(file.name, Reason.PARTIAL, f"is damaged: {path} is missing")
    slide, targets = _Slide(), _targets(file, archive, path)
    for shape in _shapes(root):
        kind = _kind(shape)
        name = etree.QName(shape).localname
        slide.has_picture |= name == "pic"
        if name == "graphicFrame":
            rows = [[_cell(cell) for cell in row.iterfind("{*}tc")] for row in shape.iter("{*}tr")]
            told = [rows] if any(map(len, rows)) else _of_diagram(file, archive, targets, shape)
            slide.content += told
            slide.has_picture |= not told
        elif kind in TITLES and not slide.title:
            slide.title, slide.is_cover = " ".join(_paragraphs(shape)), kind == "ctrTitle"
        elif kind not in NOT_TEXT:
            slide.content += _paragraphs(shape)
    notes = xml_of(file, archive, targets["notes"]) if "notes" in targets else None
    for shape in () if notes is None else _shapes(notes):
        slide.notes += _paragraphs(shape) if _kind(shape) not in NOT_TEXT else []
    return slide


def _of_diagram(
    file: RawDocument, archive: zipfile.ZipFile, targets: dict[str, str], frame: etree._Element
) -> list[str]:
    """Return the words of a diagram (SmartArt); empty for other frames, such as charts."""
    ids = (one.get(f"{RELATED}dm", "") for one in frame.iter("{*}relIds"))
    roots = (xml_of(file, archive, targets[id]) for id in ids if id in targets)
    return [text for root in roots if root is not None for text in _paragraphs(root)]


def _shapes(root: etree._Element) -> Iterator[etree._Element]:
    """Yield shapes, pictures and tables in the order of drawing, those of groups too; of alternatives the first."""
    for node in root:
        name = etree.QName(node).localname if isinstance(node.tag, str) else ""
        if name in ("sp", "pic", "graphicFrame"):
            yield node
        elif name == "AlternateContent":
            yield from _shapes(node[0]) if len(node) else ()
        elif name in ("cSld", "spTree", "grpSp"):
            yield from _shapes(node)


def _kind(shape: etree._Element) -> str:
    """Return the kind of placeholder that a shape is; empty for others."""
    placeholder = shape.find(".//{*}nvPr/{*}ph")
    return "" if placeholder is None else placeholder.get("type", "body")


def _paragraphs(node: etree._Element) -> list[str]:
    """Return the paragraphs of a shape or cell, without empty ones; formulas are their letters."""
    found = []
    for paragraph in node.iter("{http://schemas.openxmlformats.org/drawingml/2006/main}p"):
        parts = []
        for part in paragraph.iter("{*}t", "{*}br", "{*}tab"):
            parts.append((part.text or "") if etree.QName(part).localname == "t" else " ")
        if text := " ".join("".join(parts).split()):
            found.append(text)
    return found


def _cell(node: etree._Element) -> Cell:
    line = Inline(in_table=True)
    if not node.get("hMerge") and not node.get("vMerge"):
        for paragraph in _paragraphs(node):
            line.add(paragraph)
            line.add(" ")
    return Cell(line)


def check_upload(path: Path) -> None:
    """Refuse a zip archive that is no pptx.

    Raises:
        InputError: It is damaged, or has other parts than a pptx.
    """
    check_archive(path, Format.PPTX, ("[Content_Types].xml", PRESENTATION))


PARSER = Parser(
    format=Format.PPTX,
    endings=(".pptx",),
    media_types={"application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx"},
    magic={".pptx": ZIP},
    sandboxed=True,
    version="1",
    parse=parse,
    check=check_upload,
    order=12,
)
