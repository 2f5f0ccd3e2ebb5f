"""Write docs/retrieval-results.md from reports and baselines: ``python -m scripts.docs.results``."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "evaluation"
REPORTS = FOLDER / "results"
BASELINES = FOLDER / "baselines.json"
PAGE = FOLDER.parent / "docs" / "retrieval-results.md"
TOLERANCE = 0.01
"""Largest unmarked difference between a figure and its counterpart."""

HEAD = f"""\
# Retrieval results

The ranking quality of the shipped pipelines on public data sets, beside published baselines.

`python -m scripts.docs.results` writes this page from `evaluation/results/*.json`, the reports of `papergraph eval
retrieval`; `make evaluate` measures all of them. [Evaluation](evaluation.md) describes the method.

## Comparison

Each pipeline has a counterpart, measured by others on the same files and queries. The full-text retriever has BM25
(Porter stems, k1 .9, b .4), and the vector retriever all-MiniLM-L6-v2 (256 tokens, cosine). `default`, which `search`
runs, has reciprocal rank fusion of these two (constant 60). **Bold** is at least the counterpart, ▼ is more than
{TOLERANCE:g} below it. Each pipeline has one configuration for all data;
[design](design/retrieval.md#the-default-pipeline) names the data that it was chosen on, and the alternatives. The
embedding model of all figures is all-MiniLM-L6-v2; those of the packaged bge-small-en-v1.5 are still to be measured.
"""

Json = Mapping[str, Any]


def page(reports: Sequence[Json], baselines: Json) -> str:
    """Return the page as Markdown.

    Args:
        reports: Values of ``EvalReport.as_json`` (evaluation/retrieval/retrieval_evaluation.py), in the order of the
            tables.
        baselines: Content of ``baselines.json``.
    """
    measured = [report for report in reports if report["pipelines"]]
    unmeasured = [report for report in reports if not report["pipelines"]]
    parts = [HEAD, *_table(_comparison(measured, baselines)), "", *_steps(measured), "", *_intervals(measured), ""]
    parts += _cost(measured)
    parts += [f"\n{_name(report)}: {note}." for report in reports for note in report["notes"]]
    if missing := sorted(baselines["figures"].keys() - {report["dataset"] for report in reports}):
        parts += ["", f"Not measured yet: {', '.join(missing)}."]
    for report in unmeasured:
        reasons = "; ".join(f"{measure}: {reason}" for measure, reason in report["skipped"].items())
        parts += ["", f"{report['dataset']} is not measured: {reasons}."]
    return "\n".join(parts) + "\n"


def read_reports() -> list[Json]:
    """Return the committed reports, by name."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(REPORTS.glob("*.json"))]


def read_baselines() -> Json:
    """Return the baselines."""
    content: Json = json.loads(BASELINES.read_text(encoding="utf-8"))
    return content


def _comparison(reports: Sequence[Json], baselines: Json) -> Iterator[Sequence[str]]:
    counterparts = baselines["counterparts"]
    yield ["data", "queries", "measure", *(name for pair in counterparts.items() for name in pair)]
    for report, measure in _measures(reports):
        known = {} if report["corpus"] else baselines["figures"].get(report["dataset"], {}).get(measure, {})
        cells = []
        for pipeline, counterpart in counterparts.items():
            figure, baseline = report["pipelines"].get(pipeline), known.get(counterpart)
            cells.append("" if figure is None else _marked(figure[measure]["mean"], baseline))
            cells.append("" if baseline is None else _number(baseline))
        yield [_name(report), str(report["queries"]), measure, *cells]


def _steps(reports: Sequence[Json]) -> Iterator[str]:
    names = _pipelines(reports)
    yield "## Steps"
    yield ""
    yield "All pipelines by data set; `evaluation/ablation.toml` defines those that are not shipped."
    yield ""
    rows = [["data", "measure", *names]]
    for report, measure in _measures(reports):
        resources = [report["pipelines"].get(name, {}).get(measure) for name in names]
        rows.append([_name(report), measure, *("" if mean is None else _number(mean["mean"]) for mean in resources)])
    yield from _table(rows)


def _intervals(reports: Sequence[Json]) -> Iterator[str]:
    yield "## Intervals"
    yield ""
    yield "95 % intervals by the bootstrap over queries; behind them the paired difference to the vector retriever."
    yield ""
    names = _pipelines(reports)
    rows = [["data", "measure", *names]]
    for report, measure in _measures(reports):
        figures = [report["pipelines"].get(name, {}).get(measure) for name in names]
        rows.append([_name(report), measure, *("" if figure is None else _told(figure) for figure in figures)])
    yield from _table(rows)


def _told(figure: Json) -> str:
    difference = figure.get("difference")
    interval = _interval(figure, _number)
    return (
        interval if difference is None else f"{interval} {_signed(difference['mean'])} {_interval(difference, _signed)}"
    )


def _cost(reports: Sequence[Json]) -> Iterator[str]:
    yield "## Environment"
    yield ""
    yield "p50 / p95 in ms per query with its embedding, in sequence; seconds to load without cached vectors."
    yield "The machine (AMD EPYC, 2 cores) is shared, so times are upper bounds."
    yield ""
    names = _pipelines(reports)
    rows = [["data", "documents", "chunks", "loaded in s", "load", "date", *names]]
    for report in reports:
        ingest, machine = report["ingest"], report["measuredOn"]
        corpus = [str(ingest["documents"]), str(ingest["chunks"]), f"{ingest['seconds']:g}"]
        times = [report["latencyMs"].get(name) for name in names]
        shown = ["" if one is None else f"{one['p50']:g} / {one['p95']:g}" for one in times]
        rows.append([_name(report), *corpus, f"{machine['load']:g}", machine["date"], *shown])
    yield from _table(rows)


def _pipelines(reports: Sequence[Json]) -> list[str]:
    return list(dict.fromkeys(name for report in reports for name in report["pipelines"]))


def _measures(reports: Sequence[Json]) -> Iterator[tuple[Json, str]]:
    for report in reports:
        for measure in next(iter(report["pipelines"].values())):
            yield report, measure


def _table(rows: Iterator[Sequence[str]] | Sequence[Sequence[str]]) -> Iterator[str]:
    for number, row in enumerate(rows):
        yield f"| {' | '.join(row)} |"
        if number == 0:
            yield f"|{'---|' * len(row)}"


def _name(report: Json) -> str:
    return f"{report['dataset']} {report['corpus']}" if report["corpus"] else str(report["dataset"])


def _marked(mean: float, baseline: float | None) -> str:
    if baseline is None:
        return _number(mean)
    if mean < baseline - TOLERANCE:
        return f"{_number(mean)} ▼"
    return f"**{_number(mean)}**" if mean >= baseline else _number(mean)


def _number(value: float) -> str:
    return f"{value:.3f}"


def _signed(value: float) -> str:
    return f"{value:+.3f}"


def _interval(figure: Json, form: Any) -> str:
    return f"[{form(figure['low'])}, {form(figure['high'])}]"


if __name__ == "__main__":
    PAGE.write_text(page(read_reports(), read_baselines()), encoding="utf-8")
