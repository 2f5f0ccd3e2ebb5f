"""Write docs/retrieval-results.md from reports: ``python -m scripts.docs.results``."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
REPORTS = ROOT / "evaluation" / "results"
PAGE = ROOT / "docs" / "retrieval-results.md"
MEASURED = "default"
"""Pipeline that is compared with the baselines."""
METHODS = {"fused": "RRF", "fulltext": "BM25", "vector": "vectors"}
"""Names of the baselines, by pipeline."""

HEAD = f"""\
# Retrieval results

The ranking quality of the shipped pipelines on public data sets, beside baselines of the same run.

`python -m scripts.docs.results` writes this page from `evaluation/results/*.json`, the reports of `papergraph eval
retrieval … --against rrf,bm25,vector`; `make evaluate` measures all of them. [Evaluation](evaluation.md) describes the
method.

## Comparison

The pipeline `{MEASURED}`, which `search` runs, with its 95 % interval by the bootstrap over queries, and its paired
differences to three baselines over the same index: vectors of the packaged bge-small-en-v1.5, BM25 of Neo4j's
full-text index, and reciprocal rank fusion of these two (constant 60). ▼ is a difference with an interval wholly below
0, ▲ one wholly above. Losses come first. Each pipeline has one configuration for all data;
[design](design/retrieval.md#the-default-pipeline) names the data that it was chosen on, and the alternatives.
"""

Json = Mapping[str, Any]


def page(reports: Sequence[Json]) -> str:
    """Return the page as Markdown.

    Args:
        reports: Values of ``EvalReport.as_json`` (evaluation/retrieval/retrieval_evaluation.py), in the order of the
            tables.
    """
    measured = [report for report in reports if report["pipelines"]]
    parts = [HEAD, *_table(_comparison(measured)), "", *_steps(measured), "", *_cost(measured)]
    parts += [f"\n{_name(report)}: {note}." for report in reports for note in report["notes"]]
    for report in reports:
        if not report["pipelines"]:
            reasons = "; ".join(f"{measure}: {reason}" for measure, reason in report["skipped"].items())
            parts += ["", f"{report['dataset']} is not measured: {reasons}."]
    return "\n".join(parts) + "\n"


def read_reports() -> list[Json]:
    """Return the committed reports, by name."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(REPORTS.glob("*.json"))]


def _comparison(reports: Sequence[Json]) -> Iterator[Sequence[str]]:
    yield ["data", "queries", "measure", MEASURED, *(f"against {method}" for method in METHODS.values())]
    rows = []
    for report, measure in _measures(reports):
        figure = report["pipelines"][MEASURED][measure]
        differences = [report["against"][baseline][MEASURED][measure] for baseline in METHODS]
        shown = [f"{_number(figure['mean'])} {_interval(figure, _number)}", *map(_told, differences)]
        worst = min(one["mean"] for one in differences)
        rows.append((worst, [_name(report), str(report["queries"]), measure, *shown]))
    yield from (row for _, row in sorted(rows))


def _told(difference: Json) -> str:
    mark = " ▼" if difference["high"] < 0 else " ▲" if difference["low"] > 0 else ""
    return f"{_signed(difference['mean'])} {_interval(difference, _signed)}{mark}"


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


def _number(value: float) -> str:
    return f"{value:.3f}"


def _signed(value: float) -> str:
    return f"{value:+.3f}"


def _interval(figure: Json, form: Any) -> str:
    return f"[{form(figure['low'])}, {form(figure['high'])}]"


if __name__ == "__main__":
    PAGE.write_text(page(read_reports()), encoding="utf-8")
