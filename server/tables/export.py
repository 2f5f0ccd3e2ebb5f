"""Evidence tables as CSV, Markdown, LaTeX and JSON-LD, with a checksum that can be computed again from the JSON-LD."""

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
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
    writer.writerow(map(_harmless, ("paper", "year", "doi", "status", *heads)))
    for row in table.rows:
        cells: list[Any] = [row.paper["title"], row.paper["year"], row.paper["doi"], row.paper["status"]]
        for one in row.findings:
            quote = one.quotes[0] if one and one.quotes else None
            cells += [shown(one), quote.text if quote else "", quote.page if quote else "", one.maker if one else ""]
        writer.writerow(map(_harmless, cells))
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


FORMATS: Mapping[str, Callable[[Exported], str]] = {
    "csv": to_csv,
    "md": to_markdown,
    "tex": to_latex,
    "jsonld": to_jsonld,
}
"""Writers by the ending of their files."""


def _cell(one: StoredFinding | None) -> dict[str, Any] | None:
    if one is None:
        return None
    names = ("state", "value", "number", "low", "high", "unit", "maker", "content_hash", "column_hash")
    quotes = [
        {name: value for name, value in asdict(quote).items() if name not in ("boxes", "head")} for quote in one.quotes
    ]
    return {name: getattr(one, name) for name in names} | {"made_at": one.made_at.isoformat(), "quotes": quotes}


def _harmless(value: Any) -> Any:
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
