"""A comparison as one page: the same for the same figures, because times and the machine are left out."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

from evaluation.answers.judge import JUDGED, OF_HUNDRED, SIDE_BY_SIDE
from evaluation.answers.report import AnswerReport, Mean
from evaluation.comparison.report import Comparison, PValues, text_rows
from evaluation.experiment.statistics import SIGNIFICANT
from evaluation.html_page import check_plots, document, figure, html_table
from evaluation.retrieval.report import Figure, write_text

COLOUR = "#0072b2"
AT_ONCE = 6
"""Measures of one table, so that it can be read without moving it."""

PARTS: Sequence[tuple[str, Callable[[str], bool]]] = (
    ("Answers without a model", lambda name: name not in (*JUDGED, *SIDE_BY_SIDE)),
    ("Answers, each judged by a language model", lambda name: name in JUDGED),
    ("Answers, judged side by side", lambda name: name in SIDE_BY_SIDE),
)
Values = Mapping[str, Mapping[str, Mean | Figure]]
"""By system and measure."""


def write_page(comparison: Comparison, path: Path) -> None:
    """Write a comparison as a page.

    Raises:
        InputError: matplotlib is not installed, or the file cannot be written.
    """
    check_plots()
    write_text(path, page(comparison), field="output")


def page(comparison: Comparison) -> str:
    """Return a comparison as an HTML document by itself."""
    return document(f"Systems on {comparison.name}", list(_parts(comparison)))


def _parts(comparison: Comparison) -> Iterator[str]:
    first = next(iter(comparison.systems))
    yield (
        f"<p>{comparison.n_questions} questions, the same for all systems. Intervals are 95 %, by the bootstrap over "
        f"questions. Differences are to {escape(first)}, paired; p is that of a paired permutation test, corrected for "
        "the number of systems (Holm).</p>"
    )
    yield from (f"<p>{escape(note)}.</p>" for note in comparison.notes)
    rows = [
        (name, " → ".join(step["step"] for step in one["pipeline"]["steps"]), one["chunking"])
        for name, one in comparison.systems.items()
    ]
    yield "<h2>Systems</h2>"
    yield html_table("Pipelines and the chunks that they search", ("system", "steps", "chunks"), rows)
    if comparison.left_out:
        yield html_table("Not run", ("system", "reason"), list(comparison.left_out.items()))
    yield "<h2>Texts</h2>"
    head = ("texts", "n", "mean", "median", "min", "max", "sd")
    yield html_table("Lengths in characters", head, text_rows(comparison.texts))
    if comparison.retrieval is not None:
        yield "<h2>Retrieval</h2>"
        values = comparison.retrieval.pipelines
        yield from _measures("Retrieval", values, comparison.p_values["retrieval"], list(next(iter(values.values()))))
    if comparison.answers is not None:
        yield from _answers(comparison.answers, comparison.p_values["answers"])


def _answers(report: AnswerReport, p_values: PValues) -> Iterator[str]:
    values = {name: of.measures for name, of in report.readers.items()}
    every = list(dict.fromkeys(measure for of in values.values() for measure in of))
    for title, belongs in PARTS:
        if measures := [name for name in every if belongs(name)]:
            yield f"<h2>{title}</h2>"
            yield from _measures(title, values, p_values, measures)
            yield from _of_kinds(title, report, measures)
    rows = [
        (
            name,
            str(of.n_answered),
            ", ".join(f"{n} {reason}" for reason, n in sorted(of.refusals.items())) or "none",
            ", ".join(f"{n} {reason}" for reason, n in sorted(of.failures.items())) or "none",
            ", ".join(f"{n} over {threshold}" for threshold, n in of.over.items()),
        )
        for name, of in report.readers.items()
    ]
    yield "<h2>Refusals</h2>"
    head = ("system", "answered", "refused", "failed", "evidence ROUGE-L")
    yield html_table("Questions that were answered, and those that were not", head, rows)


def _of_kinds(title: str, report: AnswerReport, measures: Sequence[str]) -> Iterator[str]:
    """Give a table for each kind of question, where there are several."""
    kinds = dict.fromkeys(kind for of in report.readers.values() for kind in of.by_kind)
    for kind in kinds:
        values = {name: of.by_kind.get(kind, {}) for name, of in report.readers.items()}
        here = [name for name in measures if any(name in of for of in values.values())]
        yield from _tables(f"{title}, {kind} questions", values, here)


def _measures(title: str, values: Values, p_values: PValues, measures: Sequence[str]) -> Iterator[str]:
    yield from _tables(title, values, measures)
    for measure in measures:
        here = {name: of[measure] for name, of in values.items() if measure in of}
        slug = re.sub(r"[^a-z0-9]+", "-", measure.lower())
        caption = f"{measure}: means and 95 % intervals."
        draw = partial(_by_system, values=here, measure=measure)
        yield figure(f"plot-{slug}", caption, draw, height=1.2 + 0.24 * len(here))
    yield from _differences(title, values, p_values, measures)


def _tables(title: str, values: Values, measures: Sequence[str]) -> Iterator[str]:
    for start in range(0, len(measures), AT_ONCE):
        some = measures[start : start + AT_ONCE]
        rows = [(name, *(_cell(of.get(measure), measure) for measure in some)) for name, of in values.items()]
        yield html_table(f"{title}: means of {', '.join(some)} with 95 % intervals", ("system", *some), rows)


def _cell(value: Mean | Figure | None, measure: str) -> str:
    if value is None:
        return "–"
    digits = 1 if measure in OF_HUNDRED else 3
    n = f", n {value.n}" if isinstance(value, Mean) else ""
    return f"{value.mean:.{digits}f} ({value.low:.{digits}f} to {value.high:.{digits}f}{n})"


def _differences(title: str, values: Values, p_values: PValues, measures: Sequence[str]) -> Iterator[str]:
    rows = []
    for measure in measures:
        digits = 1 if measure in OF_HUNDRED else 3
        for name, of in values.items():
            difference = of[measure].difference if measure in of else None
            if difference is not None:
                p = p_values.get(measure, {}).get(name)
                interval = f"{difference.low:+.{digits}f} to {difference.high:+.{digits}f}"
                told = ("", "") if p is None else (f"{p:.4f}", "yes" if p < SIGNIFICANT else "no")
                rows.append((name, measure, f"{difference.mean:+.{digits}f}", interval, *told))
    if rows:
        first = next(iter(values))
        head = ("system", "measure", "difference", "95 % interval", "p", f"p < {SIGNIFICANT:g}")
        yield html_table(f"{title}: differences to {first}", head, rows)


def _by_system(axes: Any, values: Mapping[str, Mean | Figure], measure: str) -> None:
    for place, value in enumerate(values.values()):
        axes.plot([value.low, value.high], [place, place], color=COLOUR, linewidth=1.5)
        axes.plot([value.mean], [place], marker="o", color=COLOUR, markersize=6)
    axes.set_yticks(range(len(values)), list(values))
    axes.invert_yaxis()
    axes.set_xlabel(f"{measure}, mean and 95 % interval")
    axes.set_ylabel("system")
    axes.set_title(measure)
