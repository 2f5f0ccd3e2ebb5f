"""Flow of records through a screening by PRISMA 2020, as numbers, Mermaid and SVG.

Source: Page et al. 2021, The PRISMA 2020 statement, doi:10.1136/bmj.n71, flow diagram for searches of databases.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Annotated

from papergraph.records import Record, described

WIDTH, LINE, GAP, PADDING, LEFT, RIGHT = 330, 18, 34, 12, 20, 400
STYLE = (
    "text{font:13px sans-serif;fill:#1b2733}rect{fill:#fff;stroke:#41566b;stroke-width:1.2}"
    "path{fill:none;stroke:#41566b;stroke-width:1.2}.page{stroke:none}"
)


@dataclass(frozen=True)
class Counted(Record):
    """Number of records of a database, or of a reason."""

    name: Annotated[str, described("Name of the database, or the reason.")]
    n: Annotated[int, described("Number of records.")]


@dataclass(frozen=True)
class PrismaFlow(Record):
    """Numbers of records in each box of the PRISMA 2020 diagram, and the diagram if it was asked for."""

    sources: Annotated[tuple[Counted, ...], described("Records of each database, by name.")]
    n_records: Annotated[int, described("Records of all databases.")]
    n_refused: Annotated[int, described("Entries of files that could not be read; not among the records.")]
    n_duplicates: Annotated[int, described("Duplicates that were removed before screening.")]
    n_to_screen: Annotated[int, described("Records without duplicates.")]
    n_screened: Annotated[int, described("Records decided by title and abstract.")]
    n_excluded: Annotated[int, described("Records excluded by title and abstract.")]
    n_sought: Annotated[int, described("Reports sought for retrieval.")]
    n_not_retrieved: Annotated[int, described("Reports that could not be got.")]
    n_assessed: Annotated[int, described("Reports decided by their full text.")]
    reasons: Annotated[tuple[Counted, ...], described("Reports excluded by their full text, by reason.")]
    n_included: Annotated[int, described("Included reports.")]
    n_waiting: Annotated[int, described("Records and reports without a final decision.")]
    mermaid: Annotated[str, described("The diagram in Mermaid's language; empty unless asked for.")] = ""
    svg: Annotated[str, described("The diagram as SVG; empty unless asked for.")] = ""


def boxes(flow: PrismaFlow) -> list[tuple[list[str], list[str]]]:
    """Return the lines of the boxes, from top to bottom: each of the main column, and what leaves beside it."""
    excluded = sum(one.n for one in flow.reasons)
    refused = [f"Entries that could not be read (n = {flow.n_refused})"] if flow.n_refused else []
    waiting = [f"Waiting for a decision (n = {flow.n_waiting})"] if flow.n_waiting else []
    return [
        (
            [f"Records identified (n = {flow.n_records})", *(f"  {one.name} (n = {one.n})" for one in flow.sources)],
            ["Records removed before screening:", f"  Duplicates (n = {flow.n_duplicates})", *refused],
        ),
        ([f"Records screened (n = {flow.n_screened})"], [f"Records excluded (n = {flow.n_excluded})"]),
        (
            [f"Reports sought for retrieval (n = {flow.n_sought})"],
            [f"Reports not retrieved (n = {flow.n_not_retrieved})"],
        ),
        (
            [f"Reports assessed for eligibility (n = {flow.n_assessed})"],
            [f"Reports excluded (n = {excluded})", *(f"  {one.name} (n = {one.n})" for one in flow.reasons)],
        ),
        ([f"Reports of included studies (n = {flow.n_included})"], waiting),
    ]


def to_mermaid(flow: PrismaFlow) -> str:
    """Return the diagram as a flowchart of Mermaid."""
    lines = ["flowchart TD"]
    for place, (main, beside) in enumerate(boxes(flow)):
        lines.append(f'  m{place}["{_lines(main)}"]')
        lines += [f'  b{place}["{_lines(beside)}"]', f"  m{place} --> b{place}"] if beside else []
        lines += [f"  m{place - 1} --> m{place}"] if place else []
    return "\n".join(lines) + "\n"


def _lines(texts: list[str]) -> str:
    return "<br/>".join(escape(text.strip()).replace("&#x27;", "#39;").replace("&quot;", "#quot;") for text in texts)


def to_svg(flow: PrismaFlow) -> str:
    """Return the diagram as SVG."""
    y, drawn = 20, list[str]()
    middles: list[tuple[int, int]] = []
    for main, beside in boxes(flow):
        heights = [len(texts) * LINE + 2 * PADDING for texts in (main, beside)]
        drawn += _box(LEFT, y, heights[0], main)
        if beside:
            drawn += _box(RIGHT, y, heights[1], beside)
            middle = y + min(heights) // 2
            drawn.append(_arrow(f"M{LEFT + WIDTH} {middle}H{RIGHT - 2}"))
        if middles:
            drawn.append(_arrow(f"M{LEFT + WIDTH // 2} {middles[-1][1]}V{y - 2}"))
        middles.append((y, y + heights[0]))
        y += max(heights if beside else heights[:1]) + GAP
    told = escape("; ".join(main[0] for main, _ in boxes(flow)))
    width = RIGHT + WIDTH + LEFT
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {y}" role="img" aria-label="{told}">',
            f"<style>{STYLE}</style>",
            '<defs><marker id="end" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
            'orient="auto">'
            '<path d="M0 0L10 5L0 10z" style="fill:#41566b;stroke:none"/></marker></defs>',
            f'<rect class="page" width="{width}" height="{y}"/>',
            *drawn,
            "</svg>\n",
        ]
    )


def _box(x: int, y: int, height: int, texts: list[str]) -> Iterator[str]:
    yield f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{height}" rx="4"/>'
    for place, text in enumerate(texts):
        indent = 14 if text.startswith(" ") else 0
        shown = text.strip()
        shown = shown if len(shown) <= 48 else f"{shown[:28]}…{shown[-18:]}"
        yield f'<text x="{x + PADDING + indent}" y="{y + PADDING + 13 + LINE * place}">{escape(shown)}</text>'


def _arrow(path: str) -> str:
    return f'<path d="{path}" marker-end="url(#end)"/>'
