"""The folder of an experiment: options, figures, rankings and one page, named by what was asked."""

import html
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from evaluation.experiment.plan import Experiment
from evaluation.experiment.questions import Question
from evaluation.experiment.run import Found
from evaluation.machine import machine
from evaluation.measures import score_at
from papergraph.errors import InputError, NotFoundError

REPORT, PAGE, FIGURES = "report.json", "report.html", "figures.json"
MOST_ROWS = 100


def write_record(folder: Path, experiment: Experiment, questions: Sequence[Question], found: Found) -> Path:
    """Write what an experiment found below a folder, and return where.

    Raises:
        InputError: The folder cannot be written.
    """
    place = folder / experiment.digest[:16]
    names = list(found.outcome.means)
    report = {
        "experiment": experiment.file.model_dump(mode="json"),
        "arms": {arm.name: arm.pipeline.as_dict() | {"overrides": dict(arm.overrides)} for arm in experiment.arms},
        "outcome": asdict(found.outcome),
        "machine": machine(),
    }
    figures = {name: [round(float(one), 6) for one in row] for name, row in zip(names, found.figures, strict=True)}
    try:
        place.mkdir(parents=True, exist_ok=True)
        (place / REPORT).write_text(json.dumps(report, indent=1, sort_keys=True), encoding="utf-8")
        (place / FIGURES).write_text(
            json.dumps({"questions": [one.id for one in questions], "figures": figures}), encoding="utf-8"
        )
        found.rankings.write(place)
        for name in dict.fromkeys((names[0], found.outcome.chosen)):
            _write_run(place / f"run-{names.index(name)}.trec", found.ranked[name], name)
        (place / PAGE).write_text(page(report), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{place} cannot be written: {error}", field="output") from error
    return place


def read_record(folder: Path) -> dict[str, Any]:
    """Return what :func:`write_record` wrote.

    Raises:
        NotFoundError: There is no record of an experiment.
    """
    try:
        read: dict[str, Any] = json.loads((folder / REPORT).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise NotFoundError("record of an experiment:", str(folder), field="folder") from error
    return read


def page(report: Mapping[str, Any]) -> str:
    """Return a page that needs no other file; all text of papers and questions is text."""
    outcome = report["outcome"]
    means: Mapping[str, float] = outcome["means"]
    best = sorted(means, key=lambda name: -means[name])[:MOST_ROWS]
    highest = max(means.values()) or 1.0
    rows = "".join(
        f"<tr><td>{_text(name)}{' *' if name in outcome['not_worse'] else ''}</td><td>{means[name]:.4f}</td>"
        f'<td><meter min="0" max="{highest:.4f}" value="{means[name]:.4f}">{means[name]:.4f}</meter></td></tr>'
        for name in best
    )
    worse = "".join(
        f"<tr><td>{_text(one['text'])}</td><td>{one['baseline']:.3f}</td><td>{one['chosen']:.3f}</td>"
        f"<td>{one['place_before'] or '–'}</td><td>{one['place'] or '–'}</td><td>{_text(one['stage'])}</td></tr>"
        for one in outcome["worse"]
    )
    warnings = "".join(f"<p><strong>Note:</strong> {_text(one)}.</p>" for one in outcome["warnings"])
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Experiment</title><style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }}
table {{ border-collapse: collapse; }} td, th {{ padding: .2rem .8rem .2rem 0; text-align: left; vertical-align: top; }}
@media (prefers-color-scheme: dark) {{ body {{ background: #111; color: #ddd; }} }}
</style></head><body>
<h1>Experiment</h1>
<p>{_text(outcome["verdict"])}.</p>
<p>{len(means):,} arms, {outcome["n_questions"]:,} questions, {_text(outcome["measure"])}.
{outcome["n_chosen_by"]:,} questions chose the arm, the others report on it.</p>{warnings}
<h2>Arms</h2><p>Means over all questions; * is not shown to be worse than the first.</p>
<table><tr><th>arm</th><th>{_text(outcome["measure"])}</th><th></th></tr>{rows}</table>
<h2>Questions that got worse</h2>
<table><tr><th>question</th><th>baseline</th><th>chosen</th><th>place before</th><th>place</th><th>lost in</th></tr>
{worse}</table>
</body></html>
"""


def _text(value: object) -> str:
    return html.escape(str(value))


def _write_run(path: Path, ranked: Mapping[str, Sequence[str]], name: str) -> None:
    tag = "".join(letter if letter.isalnum() else "-" for letter in name)
    lines = [
        f"{question} Q0 {paper} {place} {score_at(place):.6f} {tag}"
        for question, papers in ranked.items()
        for place, paper in enumerate(papers, start=1)
    ]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
