"""The page of an experiment: one file, without scripts, that needs no other; all text of papers is text."""

import html
from collections.abc import Mapping, Sequence
from typing import Any

MOST_ROWS = 100
WIDTH, HEIGHT, EDGE = 640, 320, 48


def page(report: Mapping[str, Any]) -> str:
    """Return the page of a report."""
    outcome = report["outcome"]
    folds = f"; {len(outcome['of_folds'])} folds" if outcome["of_folds"] else ""
    chosen_by = f"{outcome['n_chosen_by']:,} questions chose the arm{folds}"
    searched = f" Searches looked at {outcome['n_searched']:,} arms." if outcome["n_searched"] else ""
    warnings = "".join(f"<p><strong>Note:</strong> {_text(one)}.</p>" for one in outcome["warnings"])
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Experiment</title><style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }}
table {{ border-collapse: collapse; }} td, th {{ padding: .2rem .8rem .2rem 0; text-align: left; vertical-align: top; }}
svg text {{ font: 12px system-ui, sans-serif; fill: currentColor; }} .right {{ font-weight: 600; }}
@media (prefers-color-scheme: dark) {{ body {{ background: #111; color: #ddd; }} }}
</style></head><body>
<h1>Experiment</h1>
<p>{_text(outcome["verdict"])}.</p>
<p>{len(outcome["means"]):,} arms, {outcome["n_questions"]:,} questions, {_text(outcome["measure"])} of
{_text(outcome["unit"])}s. {chosen_by}.{searched}</p>
{_report(outcome)}{warnings}
<h2>Arms</h2><p>Means over all questions; * is not shown to be worse than the best.</p>{_arms(outcome)}
<h2>Quality, time and cost</h2>{_costs(outcome)}
<h2>Questions that got worse</h2>{_worse(outcome)}
<h2>Method</h2><p>Data: {_digests(report)}</p>
</body></html>
"""


def _report(outcome: Mapping[str, Any]) -> str:
    report = outcome["report"]
    if report is None or report["low"] == report["high"] == 0:
        return ""  # the verdict says so
    return (
        f"<p>Difference to the baseline on questions that did not choose: {report['mean']:+.4f}, 95 % interval "
        f"{report['low']:+.4f} to {report['high']:+.4f}, p = {report['p']:.4f}. So many questions show differences "
        f"from {report['detectable']:.4f} in 80 % of samples.</p>"
    )


def _arms(outcome: Mapping[str, Any]) -> str:
    means: Mapping[str, float] = outcome["means"]
    best = sorted(means, key=lambda name: -means[name])[:MOST_ROWS]
    highest = max(means.values()) or 1.0
    replayed = set(outcome["replayed"])
    rows = "".join(
        f"<tr><td>{_text(name)}{' *' if name in outcome['not_worse'] else ''}</td><td>{means[name]:.4f}</td>"
        f'<td><meter min="0" max="{highest:.4f}" value="{means[name]:.4f}">{means[name]:.4f}</meter></td>'
        f"<td>{'' if name in replayed else 'ran'}</td></tr>"
        for name in best
    )
    return f"<table><tr><th>arm</th><th>{_text(outcome['measure'])}</th><th></th><th></th></tr>{rows}</table>"


def _costs(outcome: Mapping[str, Any]) -> str:
    costs: Mapping[str, Any] = outcome["costs"]
    if not costs:
        return "<p>No arm was timed.</p>"
    rows = "".join(
        f"<tr><td>{number}</td><td>{_text(name)}{' ◆' if name in outcome['pareto'] else ''}</td>"
        f"<td>{one['quality']['mean']:.4f} ({one['quality']['low']:.4f} to {one['quality']['high']:.4f})</td>"
        f"<td>{one['latency']['p50']:.1f}</td>"
        f"<td>{one['latency']['p95']:.1f} ({one['latency']['low']:.1f} to {one['latency']['high']:.1f})</td>"
        f"<td>{'unknown' if one['cost'] is None else format(one['cost'], '.6g')}</td></tr>"
        for number, (name, one) in enumerate(costs.items(), start=1)
    )
    return (
        "<p>Live searches in alternation; ◆ is not beaten by another in all three.</p>"
        + _drawing(outcome)
        + f"<table><tr><th></th><th>arm</th><th>{_text(outcome['measure'])} (95 % interval)</th>"
        f"<th>p50, ms</th><th>p95, ms (95 % interval)</th><th>cost of a question</th></tr>{rows}</table>"
    )


def _drawing(outcome: Mapping[str, Any]) -> str:
    """Return quality over p95 as a drawing, with their intervals."""
    costs = outcome["costs"]
    most_ms = max(one["latency"]["high"] for one in costs.values()) * 1.05 or 1.0
    low = min(one["quality"]["low"] for one in costs.values())
    high = max(one["quality"]["high"] for one in costs.values())
    spread = (high - low) or 0.01
    marks = []
    for number, (name, one) in enumerate(costs.items(), start=1):
        y, bottom, top = (
            HEIGHT - EDGE - (one["quality"][part] - low) / spread * (HEIGHT - 2 * EDGE)
            for part in ("mean", "low", "high")
        )
        x, left, right = (EDGE + one["latency"][part] / most_ms * (WIDTH - 2 * EDGE) for part in ("p95", "low", "high"))
        fill = "currentColor" if name in outcome["pareto"] else "none"
        marks.append(
            f'<line x1="{left:.1f}" x2="{right:.1f}" y1="{y:.1f}" y2="{y:.1f}" stroke="currentColor" opacity=".4"/>'
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{bottom:.1f}" y2="{top:.1f}" stroke="currentColor" opacity=".2"/>'
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{fill}" stroke="currentColor"><title>{_text(name)}</title>'
            f'</circle><text x="{x + 8:.1f}" y="{y - 6:.1f}">{number}</text>'
        )
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="Quality over p95" width="100%">'
        f'<line x1="{EDGE}" x2="{WIDTH - EDGE}" y1="{HEIGHT - EDGE / 2}" y2="{HEIGHT - EDGE / 2}" '
        'stroke="currentColor"/>'
        f'<text x="{WIDTH - EDGE}" y="{HEIGHT - 6}" text-anchor="end">p95, 0 to {most_ms:.0f} ms</text>'
        f'<text x="4" y="16">{_text(outcome["measure"])}, {low:.4f} to {high:.4f}</text>{"".join(marks)}</svg>'
    )


def _worse(outcome: Mapping[str, Any]) -> str:
    if not outcome["worse"]:
        return "<p>None.</p>"
    rows = "".join(
        f"<tr><td>{_text(one['text'])}{_rankings(one, outcome['labels'])}</td><td>{one['baseline']:.3f}</td>"
        f"<td>{one['chosen']:.3f}</td><td>{one['place_before'] or '–'}</td><td>{one['place'] or '–'}</td>"
        f"<td>{_text(one['stage'])}</td></tr>"
        for one in outcome["worse"]
    )
    return (
        "<table><tr><th>question</th><th>baseline</th><th>chosen</th><th>place before</th><th>place</th>"
        f"<th>lost in</th></tr>{rows}</table>"
    )


def _rankings(one: Mapping[str, Any], labels: Mapping[str, str]) -> str:
    """Return the steps of the chosen arm and both rankings, folded."""
    steps = " → ".join(
        f"{_text(step['step'])} {step['n']:,}" + (f" (place {step['place']})" if step["place"] else " (not there)")
        for step in one["steps"]
    )
    lists = "".join(
        f"<td>{head}<ol>{_list(one[name], one['right'], labels)}</ol></td>"
        for head, name in (("baseline", "before"), ("chosen", "after"))
    )
    return f"<details><summary>rankings</summary><p>{steps}</p><table><tr>{lists}</tr></table></details>"


def _list(ids: Sequence[str], right: Sequence[str], labels: Mapping[str, str]) -> str:
    return "".join(
        f"<li{' class=right' if id in right else ''}>{_text(labels.get(id) or id)}{' ✓' if id in right else ''}</li>"
        for id in ids
    )


def _digests(report: Mapping[str, Any]) -> str:
    digests, machine = report.get("digests", {}), report.get("machine", {})
    told = [f"{name} {str(value)[:16]}" for name, value in digests.items() if isinstance(value, str)]
    told += [f"rankings {name} {value[:16]}" for name, value in digests.get("rankings", {}).items()]
    told += [f"seed {report['experiment']['seed']}"] if "experiment" in report else []
    told += [f"{name} {value}" for name, value in machine.items()]
    return _text("; ".join(told))


def _text(value: object) -> str:
    return html.escape(str(value))
