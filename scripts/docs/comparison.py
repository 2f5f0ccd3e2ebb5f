"""Write docs/comparison-results.md from ``evaluation/results/comparison``: ``python -m scripts.docs.comparison``."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from scripts.docs.results import table

FOLDER = Path(__file__).parents[2]
REPORTS = FOLDER / "evaluation" / "results" / "comparison"
PAGE = FOLDER / "docs" / "comparison-results.md"
OF_ANSWERS = ("evidence ROUGE-L", "passages ROUGE-L", "gold reached", "gold cited", "F1", "ROUGE-L", "BERTScore F1")

HEAD = """\
# Comparison results

Pipelines of the five documents on public data, without a language model and without a reranker.

`python -m scripts.docs.comparison` writes this page from `evaluation/results/comparison/*.json`, which `papergraph eval
compare` writes as `comparison.json`. [Evaluation](evaluation.md#comparing-systems) describes the method. Each pipeline
searches the chunks that it is published for. Intervals are 95 %; \\* marks a difference to the first pipeline with
p < 0.05 after Holm's correction.
"""

Json = Mapping[str, Any]


def page(reports: Sequence[Json]) -> str:
    """Return the page as Markdown.

    Args:
        reports: Comparisons as :meth:`evaluation.comparison.report.Comparison.as_json` gives them.
    """
    return "\n".join([HEAD, *(line for report in reports for line in _of_data(report))]) + "\n"


def read_reports() -> list[Json]:
    """Return the committed comparisons, by name."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(REPORTS.glob("*.json"))]


def _of_data(report: Json) -> Iterator[str]:
    yield f"## {report['name']}"
    yield ""
    yield f"{report['questions']} questions. {' '.join(f'{note}.' for note in report['notes'])}".strip()
    yield ""
    rows = [["characters of", "n", "mean", "median", "min", "max", "sd"]]
    for name, of in report["texts"].items():
        rows.append([name, *(f"{of[key]:g}" for key in ("n", "mean", "median", "lowest", "highest", "sd"))])
    yield from table(rows)
    yield ""
    if report["retrieval"] is not None:
        yield from _table(report["retrieval"]["pipelines"], report["pValues"]["retrieval"], None)
        yield ""
    if report["answers"] is not None:
        readers = {name: of["measures"] for name, of in report["answers"]["readers"].items()}
        yield "Answers of the extractive reader:"
        yield ""
        yield from _table(readers, report["pValues"]["answers"], OF_ANSWERS)
        yield ""
    if report["leftOut"]:
        yield f"Not run: {', '.join(f'`{name}`' for name in report['leftOut'])}."
        yield ""


def _table(values: Mapping[str, Json], p_values: Json, wanted: Sequence[str] | None) -> Iterator[str]:
    every = dict.fromkeys(measure for of in values.values() for measure in of)
    measures = [name for name in wanted or every if name in every]
    rows = [["pipeline", *measures]]
    for name, of in values.items():
        rows.append([f"`{name}`", *(_cell(of.get(one), p_values.get(one, {}).get(name)) for one in measures)])
    return table(rows)


def _cell(figure: Json | None, p: float | None) -> str:
    if figure is None:
        return ""
    mark = "\\*" if p is not None and p < 0.05 else ""
    return f"{figure['mean']:.3f}{mark} [{figure['low']:.2f}, {figure['high']:.2f}]"


if __name__ == "__main__":
    PAGE.write_text(page(read_reports()), encoding="utf-8")
