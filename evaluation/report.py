"""Report of an evaluation: figures with intervals and notes, as JSON, as text for a terminal and as one HTML page."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from html import escape
from pathlib import Path
from typing import Any, Protocol

from papergraph.errors import InputError
from papergraph.evaluation.statistics import SIGNIFICANT, Interval

STYLE = """
:root { color-scheme: light; }
body { font: 1rem/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff; }
main { max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.25rem; margin-top: 2.5rem; }
figure { margin: 1.5rem 0; } figcaption, caption { color: #404040; text-align: left; padding-bottom: .5rem; }
svg { width: 100%; height: auto; font: 12px system-ui, sans-serif; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .6rem; text-align: right; border-bottom: 1px solid #d0d0d0; white-space: nowrap; }
th[scope=row], thead th:first-child { text-align: left; } .marked { background: #eef5fb; font-weight: 600; }
"""
WIDTH, LABELS, ROW, EDGE = 820, 280, 24, 16
"""Pixels of a plot: its width, the width of its labels, the height of a row, and the margin."""


@dataclass(frozen=True)
class Figure:
    """Mean of a measure with its 95 % interval.

    Attributes:
        mean, low, high: The mean and its interval.
        difference: Paired difference to the first system; None for the first system.
        n: Number of questions that have the measure; None if all have it.
        n_paired: Number of questions of the difference.
    """

    mean: float
    low: float
    high: float
    difference: Interval | None = None
    n: int | None = None
    n_paired: int = 0

    def as_json(self) -> dict[str, Any]:
        """Return it rounded to four digits, without absent values."""
        told = {name: value for name, value in asdict(self).items() if value is not None and name != "n_paired"}
        if self.n is not None:
            told["n_paired"] = self.n_paired
        found: dict[str, Any] = rounded(told)
        return found


Figures = Mapping[str, Mapping[str, Figure]]
"""Figures by system and measure."""

PValues = Mapping[str, Mapping[str, float]]
"""Corrected p-values of differences to the first system, by measure and system."""


@dataclass(frozen=True)
class Table:
    """Table whose first column names the rows; ``marked`` has the numbers of chosen rows."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    marked: Collection[int] = ()


@dataclass(frozen=True)
class Plot:
    """Means with their intervals, one below the other; only the page shows it."""

    title: str
    values: Mapping[str, Figure | Interval]


@dataclass(frozen=True)
class Part:
    """Part of a report, with a heading."""

    title: str = ""
    notes: Sequence[str] = ()
    tables: Sequence[Table] = ()
    plots: Sequence[Plot] = ()


@dataclass(frozen=True)
class Report:
    """Report of an evaluation.

    Attributes:
        title: Title of the page, first line of the text.
        notes: Sentences about the data, the method and the result.
        parts: Tables and plots.
    """

    title: str
    notes: Sequence[str] = ()
    parts: Sequence[Part] = field(default=())

    def as_text(self) -> str:
        """Return lines for a terminal, without the plots."""
        lines = [self.title, *self.notes]
        for part in self.parts:
            lines += ["", part.title] if part.title else []
            lines += part.notes
            for table in part.tables:
                lines += ["", *([table.title] if table.title else []), *columns([table.head, *_marked_rows(table)])]
        return "\n".join(lines)

    def as_html(self) -> str:
        """Return a self-contained page without scripts; equal reports give equal pages."""
        body = [f"<h1>{escape(self.title)}</h1>", *(f"<p>{escape(note)}</p>" for note in self.notes)]
        for number, part in enumerate(self.parts):
            body += [f"<h2>{escape(part.title)}</h2>"] if part.title else []
            body += [f"<p>{escape(note)}</p>" for note in part.notes]
            body += [_html_table(table) for table in part.tables]
            body += [_svg(plot, f"plot-{number}-{place}") for place, plot in enumerate(part.plots) if plot.values]
        head = (
            '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
            f"<title>{escape(self.title)}</title><style>{STYLE}</style>"
        )
        content = "\n".join(body)
        return (
            f'<!DOCTYPE html>\n<html lang="en">\n<head>{head}</head>\n<body>\n<main>\n{content}\n</main>\n'
            "</body>\n</html>\n"
        )


class Evaluated(Protocol):
    """Result of an evaluation."""

    def as_json(self) -> dict[str, Any]:
        """Return it as objects of JSON."""

    def report(self) -> Report:
        """Return it as a report."""


def figure_table(title: str, figures: Figures, *, p_values: PValues | None = None, wide: Collection[str] = ()) -> Table:
    """Return a row for each measure and system: mean, interval, difference to the first system and its p-value.

    Args:
        title: Title of the table.
        figures: Figures by system and measure.
        p_values: Of the differences.
        wide: Measures from 0 to 100; the others are from 0 to 1.
    """
    first = next(iter(figures), "")
    rows = []
    for measure in dict.fromkeys(name for of in figures.values() for name in of):
        digits = 1 if measure in wide else 3
        for name, of in figures.items():
            if measure in of:
                p = (p_values or {}).get(measure, {}).get(name)
                rows.append((measure, name, *_cells(of[measure], digits), *_p_cells(p)))
    head = ["measure", "system", "n", "mean", "95 % interval", f"difference to {first}", "p", f"p < {SIGNIFICANT:g}"]
    kept = [place for place in range(len(head)) if place < 2 or any(row[place] for row in rows)]
    return Table(title, [head[place] for place in kept], [[row[place] for place in kept] for row in rows])


def figure_plots(figures: Figures) -> list[Plot]:
    """Return a plot of all systems for each measure."""
    measures = dict.fromkeys(name for of in figures.values() for name in of)
    return [Plot(one, {name: of[one] for name, of in figures.items() if one in of}) for one in measures]


def interval_text(value: Figure | Interval, *, digits: int = 3, is_difference: bool = False) -> str:
    """Return a mean with its interval; differences have a sign, and a mean has one digit more than its interval."""
    sign = "+" if is_difference else ""
    return f"{value.mean:{sign}.{digits + 1}f} [{value.low:{sign}.{digits}f}, {value.high:{sign}.{digits}f}]"


def _cells(figure: Figure, digits: int) -> tuple[str, ...]:
    told = "" if figure.difference is None else interval_text(figure.difference, digits=digits, is_difference=True)
    if told and figure.n is not None:
        told += f" of {figure.n_paired}"
    n = "" if figure.n is None else str(figure.n)
    return n, f"{figure.mean:.{digits + 1}f}", f"[{figure.low:.{digits}f}, {figure.high:.{digits}f}]", told


def _p_cells(p: float | None) -> tuple[str, str]:
    return ("", "") if p is None else (f"{p:.4f}", "yes" if p < SIGNIFICANT else "no")


def _marked_rows(table: Table) -> list[Sequence[str]]:
    return [
        (f"{row[0]} (chosen)", *row[1:]) if number in table.marked else row for number, row in enumerate(table.rows)
    ]


def _html_table(table: Table) -> str:
    title = escape(table.title)
    names = "".join(f'<th scope="col">{escape(name)}</th>' for name in table.head)
    lines = [
        f'<div class="wide" role="region" tabindex="0" aria-label="{title}"><table><caption>{title}</caption>',
        f"<thead><tr>{names}</tr></thead><tbody>",
    ]
    for number, (first, *others) in enumerate(_marked_rows(table)):
        kind = ' class="marked"' if number in table.marked else ""
        cells = "".join(f"<td>{escape(cell)}</td>" for cell in others)
        lines.append(f'<tr{kind}><th scope="row">{escape(first)}</th>{cells}</tr>')
    return "\n".join([*lines, "</tbody></table></div>"])


def _svg(plot: Plot, id: str) -> str:
    """Return a plot as SVG: a mark for each mean, a line for its interval, its title for screen readers."""
    low = min(value.low for value in plot.values.values())
    high = max(value.high for value in plot.values.values())
    scale = (WIDTH - LABELS - 2 * EDGE) / ((high - low) or 1.0)
    height = ROW * (len(plot.values) + 1) + EDGE
    marks = []
    for number, (name, value) in enumerate(plot.values.items()):
        y = ROW * (number + 0.5)
        left, x, right = (LABELS + EDGE + (one - low) * scale for one in (value.low, value.mean, value.high))
        marks.append(
            f'<text x="{LABELS}" y="{y + 4:.0f}" text-anchor="end">{escape(name)}</text>'
            f'<line x1="{left:.1f}" x2="{right:.1f}" y1="{y:.0f}" y2="{y:.0f}" stroke="#0072b2"/>'
            f'<circle cx="{x:.1f}" cy="{y:.0f}" r="4" fill="#0072b2"/>'
        )
    axis, end = ROW * len(plot.values) + 4, WIDTH - EDGE
    caption = f"{plot.title}: means and 95 % intervals."
    return (
        f'<figure><svg viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="{id}"><title id="{id}">'
        f"{escape(caption)}</title>{''.join(marks)}"
        f'<line x1="{LABELS + EDGE}" x2="{end}" y1="{axis}" y2="{axis}" stroke="#404040"/>'
        f'<text x="{LABELS + EDGE}" y="{axis + 18}">{low:.3f}</text>'
        f'<text x="{end}" y="{axis + 18}" text-anchor="end">{high:.3f}</text></svg>'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows as lines with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def rounded(value: Any, *, digits: int = 4) -> Any:
    """Return a value of JSON with all its floats rounded."""
    if isinstance(value, float):
        return round(value, digits)
    if isinstance(value, Mapping):
        return {name: rounded(one, digits=digits) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(one, digits=digits) for one in value]
    return value


def check_folder(path: Path | None, *, field: str) -> None:
    """Check that the folder of an output file exists, before the evaluation starts.

    Raises:
        InputError: It does not exist.
    """
    if path is not None and not path.parent.is_dir():
        raise InputError(f"cannot write {path}: there is no folder {path.parent}", field=field)


def write_figures(found: Evaluated, path: Path) -> None:
    """Write figures as JSON.

    Raises:
        InputError: The file cannot be written.
    """
    write_text(path, json.dumps(found.as_json(), indent=2, ensure_ascii=False) + "\n", field="json")


def write_page(found: Evaluated, path: Path) -> None:
    """Write a report as one HTML page.

    Raises:
        InputError: The file cannot be written.
    """
    write_text(path, found.report().as_html(), field="html")


def write_text(path: Path, text: str, *, field: str) -> None:
    """Write a file that the option ``field`` names.

    Raises:
        InputError: It cannot be written.
    """
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}", field=field) from error
