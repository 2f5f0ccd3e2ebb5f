"""docling-serve: a DoclingDocument, as JSON, whose body names texts, tables and pictures in reading order.

Requests follow docling-serve's ``/v1/convert/file``, documents docling-core's ``DoclingDocument``
(https://docling-project.github.io/docling/concepts/docling_document/). Formulas are LaTeX where the service enriches
them; its list of references is running text. Its models mostly call a paper's title a section's header, and give all of
these the first level, so that their numbers tell how deep they are.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from papergraph.errors import Reason, SourceError
from papergraph.ingest.parsers.common.composer import (
    Cell,
    DocumentBuilder,
    FrontMatter,
    Inline,
    label_of_caption,
    table,
)
from papergraph.ingest.parsers.document import HEADING_NUMBER, Document, ElementKind, HeadingSource, kind_of
from papergraph.ingest.parsers.services.client import Client, identifiers
from papergraph.ingest.sources import RawDocument

Item: TypeAlias = Mapping[str, Any]

PATH = "/v1/convert/file"
FORM = {
    "from_formats": "pdf",
    "to_formats": "json",
    "image_export_mode": "placeholder",
    "do_formula_enrichment": "true",
    "abort_on_error": "true",
}
DEEPEST = 100
NOT_IN_TEXT = frozenset({"page_header", "page_footer", "document_index", "checkbox_selected", "checkbox_unselected"})


def parse(file: RawDocument, client: Client) -> Document:
    """Have a PDF read by docling.

    Raises:
        SourceError: The service failed, read only a part, or found no text.
    """
    answer = client.json(client.post(PATH, field="files", form=FORM))
    status = answer.get("status")
    if status == "partial_success":
        raise SourceError(file.name, Reason.PARTIAL, f"docling read only a part of it ({_errors(answer)})")
    document = answer.get("document")
    content = document.get("json_content") if isinstance(document, dict) else None
    if status != "success" or not isinstance(content, dict):
        raise client.failed(f"says {status!r} ({_errors(answer)})")
    try:
        return _Writer(content).document(file)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError) as error:
        raise client.failed("answers a document that cannot be read") from error


def _errors(answer: Item) -> str:
    errors = answer.get("errors")
    told = [str(error.get("error_message", error) if isinstance(error, dict) else error) for error in errors or ()]
    return "; ".join(told)[:200] or "without a reason"


class _Writer:
    """Walks a document's body in reading order."""

    def __init__(self, content: Item) -> None:
        self._content = content
        self.composer = DocumentBuilder()
        self._title = ""
        self._in_section = False
        self._beside_text = [
            str(item.get("text", ""))
            for item in content.get("texts", ())
            if item.get("content_layer") == "furniture" and _page_of(item) == 1
        ]
        self._written: set[str] = set()
        self._of_floats = {
            ref["$ref"]
            for kind in ("tables", "pictures")
            for item in content.get(kind, ())
            for part in ("captions", "footnotes")
            for ref in item.get(part, ())
        }

    def document(self, file: RawDocument) -> Document:
        """Return the document."""
        for item in self._children(self._content["body"], 0):
            self._write(item)
        doi, arxiv_id = identifiers(self._beside_text)
        front = FrontMatter(title=self._title, doi=doi, arxiv_id=arxiv_id)
        document = self.composer.document(file, file.format, front)
        n_pages = len(self._content.get("pages") or ()) or None
        return replace(document, n_pages=n_pages, heading_source=HeadingSource.DOCLING)

    def _children(self, item: Item, depth: int) -> Iterator[Item]:
        """Yield what an item holds, groups opened."""
        if depth > DEEPEST:
            raise ValueError("its groups are nested without end")
        for ref in item.get("children", ()):
            child = self._find(ref["$ref"])
            if child.get("content_layer", "body") != "body" or ref["$ref"] in self._written:
                continue
            self._written.add(ref["$ref"])
            if child["self_ref"].startswith("#/groups/") and child.get("label") != "inline":
                yield from self._children(child, depth + 1)
            else:
                yield child
                if child["self_ref"].startswith("#/texts/"):  # a list below an entry of a list
                    yield from self._children(child, depth + 1)

    def _find(self, ref: str) -> Item:
        _, kind, number = ref.split("/")
        found: Item = self._content[kind][int(number)]
        return found

    def _write(self, item: Item) -> None:
        label, ref = item.get("label"), item["self_ref"]
        self._page(item)
        if (ref.startswith("#/tables/") and label != "document_index") or ref.startswith("#/pictures/"):
            self._float(item)
        elif label == "inline":
            self.composer.paragraph(self._inline(item))
        elif not ref.startswith("#/texts/") or label in NOT_IN_TEXT or ref in self._of_floats:
            return
        elif label in ("title", "section_header"):
            self._heading(item)
        elif label == "formula":
            self.composer.element(ElementKind.EQUATION, _text(item) or " ".join(str(item.get("orig", "")).split()))
        elif label == "caption":
            self._caption([item])
        elif label == "code":
            self.composer.paragraph(str(item.get("text", "")))
        else:
            self.composer.paragraph(_text(item))
            if not self._in_section:
                self._beside_text.append(_text(item))

    def _page(self, item: Item) -> None:
        if number := _page_of(item):
            self.composer.page(number)

    def _heading(self, item: Item) -> None:
        text = _text(item)
        number = HEADING_NUMBER.match(text)
        names_paper = item.get("label") == "title" or (_page_of(item) == 1 and not number and kind_of(text) == "body")
        if not self._title and not self._in_section and names_paper:
            self._title = text
        elif text:
            self._in_section = True
            depth = 1 + number[0].strip().rstrip(".").count(".") if number else 1
            self.composer.heading(text, max(int(item.get("level") or 1), depth))

    def _inline(self, group: Item) -> Inline:
        line = Inline()
        for child in self._children(group, 0):
            text = _text(child)
            line.add(f" ${text}$ " if child.get("label") == "formula" and text else f" {text} ")
        return line

    def _float(self, item: Item) -> None:
        label = self._caption([self._find(ref["$ref"]) for ref in item.get("captions", ())])
        if data := item.get("data"):
            self.composer.element(ElementKind.TABLE, table(_rows(data)), label)
        for ref in item.get("footnotes", ()):
            self.composer.element(ElementKind.CAPTION, _text(self._find(ref["$ref"])), label)

    def _caption(self, items: list[Item]) -> str:
        text = " ".join(filter(None, map(_text, items)))
        label = label_of_caption(text)
        self.composer.element(ElementKind.CAPTION, text, label)
        return label


def _rows(data: Item) -> list[list[Cell]]:
    """Return a table's cells by row; docling lists them with their places."""
    rows: list[list[tuple[int, Cell]]] = [[] for _ in range(min(int(data["num_rows"]), 100_000))]
    for cell in data["table_cells"]:
        line = Inline(in_table=True)
        line.add(str(cell["text"]))
        place = Cell(line, int(cell.get("col_span") or 1), int(cell.get("row_span") or 1))
        rows[int(cell["start_row_offset_idx"])].append((int(cell["start_col_offset_idx"]), place))
    return [[cell for _, cell in sorted(row, key=lambda pair: pair[0])] for row in rows]


def _page_of(item: Item) -> int:
    """Return the page that an item begins on, from 1; 0 where it does not say."""
    provenance = item.get("prov")
    return int(provenance[0]["page_no"]) if provenance else 0


def _text(item: Item) -> str:
    return " ".join(str(item.get("text") or "").split())
