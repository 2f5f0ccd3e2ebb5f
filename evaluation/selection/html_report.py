"""A sweep as one HTML page with plots: nothing is fetched, no script runs, and what colours tell, marks tell too."""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

from evaluation.html_page import check_plots, document, figure, html_table
from evaluation.retrieval.report import write_text
from evaluation.selection.comparison import GapAt, Row, Sweep
from evaluation.selection.grid import MMR, OWN, TOP_K

LEAST_GAP = 1e-6
"""Where a gap of none stands on a logarithmic axis."""

MARKS = {OWN: ("o", "#0072b2", "-"), MMR: ("^", "#d55e00", "--"), TOP_K: ("s", "#000000", ":")}
OTHERS = (("D", "#009e73", "-."), ("v", "#cc79a7", ":"), ("P", "#56b4e9", "--"))
PIPELINE = ("x", "#595959", "")
"""Marker, colour (Okabe and Ito's, which are told apart by all kinds of sight) and line of each way."""


def write_page(found: Sweep, path: Path) -> None:
    """Write a sweep as a page.

    Raises:
        InputError: matplotlib is not installed, or the file cannot be written.
    """
    check_plots()
    write_text(path, page(found), field="page")


def page(found: Sweep) -> str:
    """Return a sweep as an HTML document of its own, the same for the same sweep."""
    parts = [
        f"<p>{_about(found)}</p>",
        *(f"<p>{escape(note)}.</p>" for note in found.notes),
        *(part for row in found.settled for part in _section(found, row)),
        "<h2>All ways</h2>",
        *(_table(found, k) for k in dict.fromkeys(row.k for row in found.rows)),
    ]
    return document(f"Ways of selecting, on {found.dataset} {found.split}", parts)


def _about(found: Sweep) -> str:
    told = f"{found.queries} queries made of {found.topics} topics; intervals are 95 %, by the bootstrap over topics. "
    if found.tune:
        return escape(f"{told}Settings were chosen on {found.tuned_on} other queries ({found.tune}).")
    return escape(f"{told}Settings were chosen on these same queries, so the chosen ones look better than they are.")


def _section(found: Sweep, settled: Row) -> Iterator[str]:
    chosen = settled.way
    if chosen is None:  # a pipeline as it is: nothing was selected
        return
    rows = [(row, row.way) for row in found.rows if (row.k, row.candidates) == (settled.k, settled.candidates)]
    here = [row for row, way in rows if way is not None and (way.pool, way.by) == (chosen.pool, chosen.by)]
    beside = [row for row in found.rows if row.k == settled.k and row.way is None]
    gaps = [gap for gap in found.gaps if (gap.candidates, gap.k) == (settled.candidates, settled.k)]
    slug = re.sub(r"[^a-z0-9]+", "-", f"{settled.candidates}-{settled.k}".lower())
    where = f"candidates of {settled.candidates}, {settled.k} of {chosen.pool}"
    yield f"<h2>{escape(where[0].upper() + where[1:])}</h2>"
    yield f"<p>Chosen: <strong>{escape(settled.name)}</strong>.</p>"
    yield _comparisons(found, settled)
    for measure in list(settled.measures)[:2]:
        caption = f"{measure} by way of selecting, {where}: means and 95 % intervals."
        yield figure(
            f"{slug}-{measure.lower()}",
            caption,
            partial(_by_way, rows=[*here, *beside], measure=measure, settled=settled),
            height=1.2 + 0.24 * len([*here, *beside]),
        )
    caption = f"Relevance against redundancy, {where}. Each mark is an alpha, which stands beside it."
    yield figure(f"{slug}-trade", caption, partial(_trade, rows=here))
    if gaps:
        caption = (
            f"Gap against time, {where}, alpha {chosen.alpha:g}: medians over queries; a millionth stands for none."
        )
        yield figure(f"{slug}-gap", caption, partial(_gaps, gaps=gaps))


def _backend(row: Row) -> str | None:
    return None if row.way is None else row.way.backend


def _marks(backends: Sequence[str | None]) -> dict[str | None, tuple[str, str, str]]:
    others = [name for name in dict.fromkeys(backends) if name is not None and name not in MARKS]
    marks: dict[str | None, tuple[str, str, str]] = {None: PIPELINE}
    marks.update(MARKS)
    marks.update({name: OTHERS[n % len(OTHERS)] for n, name in enumerate(others)})
    return marks


def _by_way(axes: Any, rows: Sequence[Row], measure: str, settled: Row) -> None:
    marks = _marks([_backend(row) for row in rows])
    for place, row in enumerate(rows):
        interval, (marker, colour, _) = row.measures[measure], marks[_backend(row)]
        axes.plot([interval.low, interval.high], [place, place], color=colour, linewidth=1.5)
        axes.plot([interval.mean], [place], marker=marker, color=colour, markersize=7)
    labels = [f"{row.name} (chosen)" if row is settled else row.name for row in rows]
    axes.set_yticks(range(len(rows)), labels)
    axes.invert_yaxis()
    axes.set_xlabel(f"{measure}, mean and 95 % interval")
    axes.set_ylabel("way of selecting")
    axes.set_title(f"{measure} by way of selecting")


def _trade(axes: Any, rows: Sequence[Row]) -> None:
    marks = _marks([_backend(row) for row in rows])
    for name in dict.fromkeys(_backend(row) for row in rows):
        marker, colour, line = marks[name]
        mine = [row for row in rows if _backend(row) == name and row.relevance is not None]
        x, y = [row.similarity for row in mine], [row.relevance for row in mine]
        axes.plot(x, y, marker=marker, color=colour, linestyle=line or "none", label=name)
        for row in mine:
            if row.way is not None and row.way.alpha is not None:
                axes.annotate(
                    f"{row.way.alpha:g}",
                    (row.similarity, row.relevance),
                    xytext=(5, -10),
                    textcoords="offset points",
                    color=colour,
                    fontsize=8,
                )
    axes.set_xlabel("redundancy: mean cosine of the selection's pairs (less is better)")
    axes.set_ylabel("mean relevance, in [0, 1]")
    axes.set_title("Relevance against redundancy")
    axes.legend(title="way of selecting")


def _gaps(axes: Any, gaps: Sequence[GapAt]) -> None:
    marks = _marks([gap.way.backend for gap in gaps])
    for name in dict.fromkeys(gap.way.backend for gap in gaps):
        marker, colour, line = marks[name]
        mine = [gap for gap in gaps if gap.way.backend == name]
        axes.plot(
            [gap.ms for gap in mine],
            [max(gap.gap, LEAST_GAP) for gap in mine],
            marker=marker,
            color=colour,
            linestyle=line,
            label=name,
        )
    axes.set(xscale="log", yscale="log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter("{x:g}")
    axes.set_xlabel("time of a selection with its certificate, ms")
    axes.set_ylabel("certified gap of the objective")
    axes.set_title("Gap against time")
    axes.legend(title="way of selecting")


def _comparisons(found: Sweep, settled: Row) -> str:
    head = ("against", "measure", "difference", "95 % interval", "ahead")
    rows = [
        (
            one.second,
            one.measure,
            f"{one.difference.mean:+.4f}",
            f"{one.difference.low:+.4f} to {one.difference.high:+.4f}",
            "yes" if one.ahead else "no",
        )
        for one in found.comparisons
        if (one.candidates, one.k, one.first) == (settled.candidates, settled.k, settled.name)
    ]
    caption = f"{settled.name} minus others, paired over queries; mmr is the one that is best on these queries"
    return html_table(caption, head, rows)


def _table(found: Sweep, k: int) -> str:
    rows = [row for row in found.rows if row.k == k]
    head = (
        "way",
        "candidates",
        *rows[0].measures,
        "relevance",
        "redundancy",
        "gap, median",
        "proven",
        "ms, p50",
        "ms, p95",
    )
    settled = {id(row) for row in found.settled}
    return html_table(
        f"k = {k}; the chosen ways are marked",
        head,
        [_cells(row) for row in rows],
        [id(row) in settled for row in rows],
    )


def _cells(row: Row) -> tuple[str, ...]:
    measures = [f"{one.mean:.4f} ({one.low:.3f} to {one.high:.3f})" for one in row.measures.values()]
    more = ((row.relevance, ".3f"), (row.similarity, ".3f"), (row.gap, ".5f"), (row.proven, ".2f"))
    told = ["" if value is None else format(value, form) for value, form in more]
    times = [f"{row.ms[q]:.1f}" if q in row.ms else "" for q in ("p50", "p95")]
    return row.name, row.candidates, *measures, *told, *times
