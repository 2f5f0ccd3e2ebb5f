"""What the commands do: an experiment to its record, records compared, repeated and guarded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.experiment.evaluator import Evaluator
from evaluation.experiment.gather import Gathered, gather
from evaluation.experiment.inspect import (
    MOST_TIMED,
    MOST_WORSE,
    Latency,
    StepPlaces,
    Worse,
    best_place,
    labels,
    latencies,
    lost,
)
from evaluation.experiment.outcome import Outcome, costs_of
from evaluation.experiment.plan import Arm, Experiment
from evaluation.experiment.plan_file import as_experiment, read_experiment
from evaluation.experiment.questions import Question
from evaluation.experiment.record import Found, read_figures, read_record, write_record
from evaluation.experiment.replay import is_replayable
from evaluation.experiment.run import Decision, decide
from evaluation.experiment.stores import Opened, Stores
from evaluation.statistics import Difference, difference, questions_for
from papergraph.errors import InputError
from papergraph.progress import Progress
from papergraph.settings import Settings
from server.retrieval.pipelines import known_pipelines, parse

SAME = 1e-6
"""Means of a repetition that differ by less are the same."""


@dataclass(frozen=True)
class Done:
    """An experiment that was run, and the folder of its record."""

    found: Found
    folder: Path


def experiment(
    settings: Settings, file: Path, output: Path, *, progress: Progress, baseline_only: bool = False
) -> Done:
    """Run the experiment of a file, and write its record below ``output``; call it from the main thread.

    Raises:
        InputError: The file, its questions or an arm cannot be used.
        PapergraphError: What the stores and searches raise.
    """
    plan = read_experiment(file, known_pipelines(settings))
    return run_plan(settings, plan.of_baseline if baseline_only else plan, output, progress=progress)


def run_plan(settings: Settings, plan: Experiment, output: Path, *, progress: Progress) -> Done:
    """Run an experiment, and write its record below ``output``; call it from the main thread.

    Raises:
        PapergraphError: As of :func:`experiment`.
    """
    with Stores(settings, plan, progress) as stores:
        questions = stores.questions()
        places = {
            where: stores.run(where, _gathering(settings, plan, where, questions, progress)) for where in questions
        }
        evaluator = Evaluator(plan, places, progress=progress)
        progress.step("comparing arms")
        decision = decide(evaluator)
        shown = timed_arms(decision)
        outcome = _inspected(stores, evaluator, decision, shown, progress)
    found = Found(outcome, decision, evaluator, shown)
    return Done(found, write_record(output, plan, found))


def repeat(settings: Settings, folder: Path, output: Path, *, progress: Progress) -> tuple[Path, list[str]]:
    """Run the experiment of a record again, with its pipelines; return the new record, and what differs, in words.

    Raises:
        NotFoundError: There is no record.
        PapergraphError: As of :func:`experiment`.
    """
    before = read_record(folder)
    known = {name: parse(name, written) for name, written in before["pipelines"].items()}
    plan = as_experiment(before["experiment"], folder, known, where=str(folder))
    after = run_plan(settings, plan, output, progress=progress).folder
    return after, differences(before, read_record(after))


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Return in words how a record differs from an earlier one of the same experiment."""
    found = [
        f"{name} are others" for name in ("questions", "rankings") if before["digests"][name] != after["digests"][name]
    ]
    old, new = before["outcome"], after["outcome"]
    for name, mean in new["means"].items():
        if name not in old["means"]:
            found.append(f"{name} is new")
        elif abs(mean - old["means"][name]) > SAME:
            found.append(f"{name} had {old['means'][name]:.6f} and has {mean:.6f}")
    found += [f"{name} is not there any more" for name in old["means"] if name not in new["means"]]
    if old["chosen"] != new["chosen"]:
        found.append(f"{old['chosen']} was chosen, and now {new['chosen']}")
    return found


@dataclass(frozen=True)
class Comparison:
    """The arms that two records chose, on the questions that both have.

    Attributes:
        measure: Of both.
        n: How many questions they share.
        one, other: Names of the arms, the baseline of the second is not looked at.
        mean_one, mean_other: Their means on these questions.
        difference: The other's to the one's.
    """

    measure: str
    n: int
    one: str
    other: str
    mean_one: float
    mean_other: float
    difference: Difference


def compare(one: Path, other: Path, *, seed: int = 1) -> Comparison:
    """Compare the arms that two records chose, question by question.

    Raises:
        NotFoundError: There is no record.
        InputError: They have other measures, or share fewer than two questions.
    """
    reports = [read_record(folder) for folder in (one, other)]
    measures = [f"{read['outcome']['measure']} of {read['outcome']['unit']}s" for read in reports]
    if measures[0] != measures[1]:
        raise InputError(f"the records have other measures: {measures[0]} and {measures[1]}", field="record")
    names = [read["outcome"]["chosen"] for read in reports]
    rows = [read_figures(folder)[name] for folder, name in zip((one, other), names, strict=True)]
    ids = [id for id in rows[0] if id in rows[1]]
    if len(ids) < 2:
        raise InputError(f"the records share {len(ids)} questions", field="record")
    values = [np.array([row[id] for id in ids]) for row in rows]
    return Comparison(
        measures[0],
        len(ids),
        names[0],
        names[1],
        float(values[0].mean()),
        float(values[1].mean()),
        difference(values[1], values[0], seed=seed),
    )


def regression(report: Mapping[str, Any], baseline: Mapping[str, Any], *, bound: float) -> str | None:
    """Return in words how a record is worse than an earlier one; None where it is not, by more than ``bound``.

    Compared is the mean of the baseline arm, which is the pipeline that is in use.

    Raises:
        InputError: The records have other measures or questions.
    """
    now, before = report["outcome"], baseline["outcome"]
    same = report["digests"]["questions"] == baseline["digests"]["questions"]
    if not same or (now["measure"], now["unit"]) != (before["measure"], before["unit"]):
        raise InputError(
            f"the records are not of the same questions: {before['measure']} of {before['n_questions']:,} and "
            f"{now['measure']} of {now['n_questions']:,}",
            field="against",
        )
    name, old = report["experiment"]["baseline"], baseline["experiment"]["baseline"]
    mean, mean_before = now["means"][name], before["means"][old]
    if mean < mean_before - bound:
        return f"{name} has {now['measure']} {mean:.4f}, and {old} had {mean_before:.4f}: worse by more than {bound:g}"
    return None


@dataclass(frozen=True)
class Needed:
    """How many questions a difference needs.

    Attributes:
        n_now: Questions that report now.
        detectable: Difference that these show in 80 % of samples.
        n: Questions that must report.
        n_more: Questions that are missing in all, as many choose as report.
        n_judgements: Judgements that these take, as many for each as for one so far; None where nothing is pooled.
    """

    n_now: int
    detectable: float
    n: int
    n_more: int
    n_judgements: int | None


def needed(folder: Path, sought: float, *, pooled: int | None = None) -> Needed:
    """Return how many more questions show a difference in 80 % of samples, when they spread as those of a record.

    Args:
        folder: The record.
        sought: Mean difference of the chosen arm to the baseline that is to be shown.
        pooled: Judgements that a pool of the record holds.

    Raises:
        NotFoundError: There is no record.
        InputError: The baseline was chosen, so that nothing differs.
    """
    report, figures = read_record(folder), read_figures(folder)
    outcome, baseline = report["outcome"], report["experiment"]["baseline"]
    rest = [name for name in figures if name != baseline]
    if not rest:
        raise InputError("the record has no arm beside the baseline", field="record")
    name = outcome["chosen"] if outcome["chosen"] != baseline else max(rest, key=lambda one: outcome["means"][one])
    deltas = np.array([figures[name][id] - figures[baseline][id] for id in figures[name]])
    n, n_all = questions_for(deltas, sought), outcome["n_questions"]
    n_now = n_all if outcome["of_folds"] else n_all - outcome["n_chosen_by"]
    n_more = max(0, n - n_now) * (1 if outcome["of_folds"] else 2)
    detectable = sought * float(np.sqrt(n / n_now)) if n else 0.0
    judgements = None if pooled is None else int(np.ceil(n_more * pooled / n_all))
    return Needed(n_now, detectable, n, n_more, judgements)


def timed_arms(decision: Decision) -> list[Arm]:
    """Return the arms whose time is taken: baseline, chosen, the best of each pipeline, and the best, at most eight."""
    means = decision.means
    best = sorted(decision.arms, key=lambda arm: -means[arm.name])
    of_each = {arm.pipeline.name: arm for arm in reversed(best)}
    ordered = [decision.arms[0], decision.chosen, *sorted(of_each.values(), key=lambda arm: -means[arm.name]), *best]
    return list({arm.name: arm for arm in ordered}.values())[:MOST_TIMED]


def _gathering(
    settings: Settings, plan: Experiment, where: str, questions: Mapping[str, Sequence[Question]], progress: Progress
) -> Any:
    async def work(opened: Opened) -> Gathered:
        return await gather(settings, opened, plan, where, questions[where], progress=progress)

    return work


@dataclass(frozen=True)
class _Wanted:
    """What is looked at in a place: the time of arms, questions that the chosen one makes worse, and labels of ids."""

    where: str
    arms: Sequence[Arm]
    chosen: Arm
    worse: Sequence[str]
    ids: Sequence[str]


@dataclass(frozen=True)
class _Inspection:
    latencies: Mapping[str, Latency]
    lost: Mapping[str, tuple[str, list[StepPlaces]]]
    labels: Mapping[str, str]


def _inspected(
    stores: Stores, evaluator: Evaluator, decision: Decision, shown: Sequence[Arm], progress: Progress
) -> Outcome:
    """Time arms, and look where the chosen one loses what is right, each in its place."""
    plan, baseline, chosen = evaluator.plan, decision.arms[0], decision.chosen
    worse = worse_questions(evaluator, decision)
    latencies_: dict[str, Latency] = {}
    lost_: dict[str, tuple[str, list[StepPlaces]]] = {}
    labels_: dict[str, str] = {}
    for where in evaluator.places:
        here = [arm for arm in shown if arm.place.where == where and not arm.place.model]
        ids = [id for one in worse for id in (*one.before, *one.after)] if where == baseline.place.where else []
        ids += [id for one in worse for id in one.after] if where == chosen.place.where else []
        if here or ids:
            wanted = _Wanted(where, here, chosen, [one.question for one in worse], ids)
            found = stores.run(where, partial(_inspect, evaluator, wanted, progress))
            latencies_ |= found.latencies
            lost_ |= found.lost
            labels_ |= found.labels
    costs, front = costs_of(decision, evaluator.places, latencies_)
    return Outcome(
        measure=plan.measure.name,
        unit=plan.file.unit.value,
        n_questions=len(evaluator.questions),
        n_chosen_by=decision.n_chosen_by,
        n_searched=decision.n_searched,
        means=decision.means,
        replayed=[arm.name for arm in decision.arms if is_replayable(arm.pipeline)],
        chosen=chosen.name,
        of_folds=decision.of_folds,
        report=decision.report,
        verdict=decision.verdict,
        not_worse=decision.not_worse,
        costs=costs,
        pareto=front,
        worse=[
            replace(one, stage=lost_[one.question][0], steps=lost_[one.question][1]) if one.question in lost_ else one
            for one in worse
        ],
        labels=labels_,
        warnings=decision.warnings,
    )


async def _inspect(evaluator: Evaluator, wanted: _Wanted, progress: Progress, opened: Opened) -> _Inspection:
    place, unit, chosen = evaluator.places[wanted.where], evaluator.plan.file.unit, wanted.chosen
    times = await latencies(opened.resources, place, wanted.arms, progress=progress)
    found = {}
    if chosen.place.where == wanted.where and not chosen.place.model:
        by_id = {question.id: question for question in place.questions}
        for id in wanted.worse:
            depth = evaluator.plan.measure.k or 10
            found[id] = await lost(opened.resources, place, chosen, by_id[id], unit, depth=depth)
    return _Inspection(times, found, await labels(opened.resources, list(dict.fromkeys(wanted.ids)), unit))


def worse_questions(evaluator: Evaluator, decision: Decision) -> list[Worse]:
    """Return the questions that the chosen arm makes worse, the worst first, at most 20; stages are not known yet."""
    baseline, chosen = decision.arms[0], decision.chosen
    before, after = decision.row(baseline), decision.row(chosen)
    numbers = [int(number) for number in np.argsort(after - before, kind="stable") if after[number] < before[number]]
    found = []
    for number in numbers[:MOST_WORSE]:
        theirs, ours = (evaluator.places[arm.place.where].questions[number] for arm in (baseline, chosen))
        old, new = (evaluator.ranking(arm, number) for arm in (baseline, chosen))
        retrieved = evaluator.was_found(chosen, number)
        found.append(
            Worse(
                ours.id,
                ours.text,
                float(before[number]),
                float(after[number]),
                best_place(theirs, old),
                best_place(ours, new),
                "" if retrieved is None else "fusion" if retrieved else "not retrieved",
                (),
                old,
                new,
                sorted({*theirs.gains, *ours.gains}),
            )
        )
    return found
