"""Evidence tables as XLSX, CSV, Markdown, LaTeX and JSON-LD, whose checksum can be computed again."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from papergraph.schema.ids import sha256
from papergraph.server.tables.column import CellState, StoredFinding

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""First characters by which spreadsheets take a text for a formula."""
LATEX = str.maketrans(
    {one: f"\\{one}" for one in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)
CONTEXT = "https://schema.org"


@dataclass(frozen=True)
class ExportedRow:
    """Paper of an exported table: its metadata, and for each column the finding that counts."""

    paper: Mapping[str, Any]
    findings: Sequence[StoredFinding | None]


@dataclass(frozen=True)
class Exported:
    """Table to export."""

    name: str
    columns: Sequence[str]
    questions: Sequence[str]
    rows: Sequence[ExportedRow]

    @property
    def content(self) -> list[dict[str, Any]]:
        """The cells as plain data, in order."""
        return [
            dict(row.paper)
            | {"cells": {name: _cell(one) for name, one in zip(self.columns, row.findings, strict=True)}}
            for row in self.rows
        ]

    @property
    def checksum(self) -> str:
        """sha-256 hex over name, columns, papers, values and quotes."""
        return checksum_of({"name": self.name, "columns": list(self.columns), "rows": self.content})


def checksum_of(content: Mapping[str, Any]) -> str:
    """Return the checksum of an exported table from its ``name``, ``columns`` and ``rows`` in JSON-LD."""
    wanted = {name: content[name] for name in ("name", "columns", "rows")}
    return sha256(json.dumps(wanted, ensure_ascii=False, sort_keys=True, separators=(",", ":")))


def shown(one: StoredFinding | None) -> str:
    """Return the text of a cell: its value, or its state in words."""
    if one is None:
        return ""
    if one.state is CellState.VALUE:
        return one.value
    words = one.state.value.replace("_", " ")
    return f"{words}: {one.value}" if one.value else words


def to_csv(table: Exported) -> str:
    """Return CSV: for each column its value and its first quote with page; text like a formula begins with '."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    heads = [head for name in table.columns for head in (name, f"{name}: quote", f"{name}: page", f"{name}: maker")]
    writer.writerow(map(harmless, ("paper", "year", "doi", "status", *heads)))
    for row in table.rows:
        cells: list[Any] = [row.paper["title"], row.paper["year"], row.paper["doi"], row.paper["status"]]
        for one in row.findings:
            quote = one.quotes[0] if one and one.quotes else None
            cells += [shown(one), quote.text if quote else "", quote.page if quote else "", one.maker if one else ""]
        writer.writerow(map(harmless, cells))
    return written.getvalue()


def to_xlsx(table: Exported) -> bytes:
    """Return a workbook with the sheets Values, Quotes and Log; texts are never formulas or links."""
    import xlsxwriter

    written = io.BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with xlsxwriter.Workbook(written, options) as book:
        bold, wrapped = book.add_format({"bold": True}), book.add_format({"text_wrap": True, "valign": "top"})
        for name, rows in (("Values", _values(table)), ("Quotes", _quotes(table)), ("Log", _log(table))):
            sheet = book.add_worksheet(name)
            sheet.set_row(0, None, bold)
            sheet.set_column(0, 0, 40, wrapped)
            sheet.set_column(1, len(table.columns) + 8, 20, wrapped)
            for number, cells in enumerate(rows):
                sheet.write_row(number, 0, [_fitting(cell) for cell in cells])
            sheet.freeze_panes(1, 1)
    return written.getvalue()


def to_markdown(table: Exported) -> str:
    """Return a Markdown table, and below it the quotes of each cell as notes."""
    notes: list[str] = []
    lines = [f"# {table.name}", "", _md_row(("Paper", *table.columns)), _md_row(("---",) * (len(table.columns) + 1))]
    for row in table.rows:
        cells = [_title(row)]
        for one in row.findings:
            marks = []
            for quote in one.quotes if one else ():
                page = f", page {quote.page}" if quote.page else ""
                notes.append(f"[^{len(notes) + 1}]: “{_line(quote.text)}” ({quote.section}{page})")
                marks.append(f"[^{len(notes)}]")
            cells.append(shown(one) + "".join(marks))
        lines.append(_md_row(cells))
    return "\n".join([*lines, "", *notes, "", f"sha-256 {table.checksum}"]) + "\n"


def to_latex(table: Exported) -> str:
    """Return a longtable of LaTeX."""
    heads = " & ".join(_tex(name) for name in ("Paper", *table.columns))
    width = rf"p{{{0.9 / (len(table.columns) + 1):.3f}\textwidth}}"
    lines = [
        f"% {table.name.translate({10: ' ', 13: ' '})}, sha-256 {table.checksum}",
        r"\begin{longtable}{" + width * (len(table.columns) + 1) + "}",
        rf"\hline {heads} \\ \hline \endhead",
    ]
    for row in table.rows:
        lines.append(" & ".join(_tex(cell) for cell in (_title(row), *map(shown, row.findings))) + r" \\")
    return "\n".join([*lines, r"\hline", r"\end{longtable}"]) + "\n"


def to_jsonld(table: Exported) -> str:
    """Return JSON-LD: the table as a data set, with all findings that count and their quotes."""
    data = {
        "@context": CONTEXT,
        "@type": "Dataset",
        "name": table.name,
        "columns": list(table.columns),
        "questions": list(table.questions),
        "rows": table.content,
        "sha256": table.checksum,
    }
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


FORMATS: Mapping[str, tuple[str, Callable[[Exported], str | bytes]]] = {
    "xlsx": ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", to_xlsx),
    "csv": ("text/csv; charset=utf-8", to_csv),
    "md": ("text/markdown; charset=utf-8", to_markdown),
    "tex": ("application/x-tex", to_latex),
    "jsonld": ("application/ld+json", to_jsonld),
}
"""Media type and writer by the ending of a file."""


def _values(table: Exported) -> Iterator[Sequence[Any]]:
    yield "paper", "year", "doi", "status", *table.columns
    for row in table.rows:
        paper = row.paper
        yield paper["title"], paper["year"], paper["doi"], paper["status"], *map(_number_or_text, row.findings)


def _quotes(table: Exported) -> Iterator[Sequence[Any]]:
    yield "paper", "column", "value", "quote", "section", "page"
    for row in table.rows:
        for name, one in zip(table.columns, row.findings, strict=True):
            for quote in one.quotes if one else ():
                yield row.paper["title"], name, shown(one), quote.text, quote.section, quote.page


def _log(table: Exported) -> Iterator[Sequence[Any]]:
    yield "paper", "column", "state", "maker", "author", "made at", "text sha-256", "column sha-256"
    for row in table.rows:
        for name, one in zip(table.columns, row.findings, strict=True):
            if one is not None:
                made = one.made_at.isoformat()
                hashes = one.content_hash, one.column_hash
                yield row.paper["title"], name, one.state.value, one.maker, one.author, made, *hashes
    yield "table", table.name, "sha-256", table.checksum


def _number_or_text(one: StoredFinding | None) -> Any:
    """Return the number of a cell that is nothing but one, else its text."""
    text = shown(one)
    return one.number if one is not None and re.fullmatch(r"-?\d{1,15}(?:\.\d{1,15})?", text) else text


def _fitting(cell: Any) -> Any:
    """Return a cell without control characters, no longer than a spreadsheet takes."""
    return _CONTROL.sub(" ", cell)[:MOST_CELL_CHARS] if isinstance(cell, str) else cell


_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
MOST_CELL_CHARS = 32_767


def _cell(one: StoredFinding | None) -> dict[str, Any] | None:
    if one is None:
        return None
    names = ("state", "value", "number", "low", "high", "unit", "maker", "content_hash", "column_hash")
    quotes = [
        {name: value for name, value in asdict(quote).items() if name not in ("boxes", "head")} for quote in one.quotes
    ]
    return {name: getattr(one, name) for name in names} | {"made_at": one.made_at.isoformat(), "quotes": quotes}


def harmless(value: Any) -> Any:
    """Return a cell of CSV: text that spreadsheets would take for a formula begins with an apostrophe."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def _title(row: ExportedRow) -> str:
    flag = f" [{row.paper['status']}]" if row.paper["status"] else ""
    return f"{row.paper['title']}{flag}"


def _line(text: str) -> str:
    return " ".join(text.split())


def _md_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_line(cell).replace("|", "\\|") for cell in cells) + " |"


def _tex(text: str) -> str:
    return _line(text).translate(LATEX)
