"""Run an experiment: a figure for each arm and question, the arm chosen on one half, and what the other half says."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from evaluation.experiment.figures import figure
from evaluation.experiment.plan import FEW_QUESTIONS, Arm, Experiment
from evaluation.experiment.questions import Question
from evaluation.experiment.rankings import Rankings, asked_text, find_rankings, head_of
from evaluation.experiment.replay import Table, is_replayable, papers_in_order
from evaluation.experiment.statistics import SIGNIFICANT, Difference, difference, halves, not_worse
from papergraph.errors import InputError
from papergraph.progress import Progress, silent
from server.retrieval.resources import Resources
from server.retrieval.search import rank
from server.retrieval.steps.fuse import Fuse

MOST_COMPARED = 50
"""Arms, the best ones, that are tested against the best."""

MOST_WORSE = 20


@dataclass(frozen=True)
class Worse:
    """A question that got worse: the figures of baseline and chosen arm, and the best places of a right paper.

    ``stage`` says where the chosen arm loses it: ``not retrieved`` or ``fusion``; empty of arms that ran.
    """

    question: str
    text: str
    baseline: float
    chosen: float
    place_before: int | None
    place: int | None
    stage: str


@dataclass(frozen=True)
class Outcome:
    """What an experiment found.

    Attributes:
        measure: What decided.
        n_questions: How many there were.
        n_chosen_by: How many of them chose the arm; the others report on it.
        means: Mean of each arm over all questions, the baseline first.
        replayed: Arms that were replayed; the others ran.
        chosen: The best arm on the first half.
        report: How it differs from the baseline on the second half; None where it is the baseline.
        verdict: What that shows, in words.
        not_worse: Arms not shown to be worse than the best one on all questions.
        worse: Questions that got worse, the worst first.
        warnings: What a reader should know.
    """

    measure: str
    n_questions: int
    n_chosen_by: int
    means: Mapping[str, float]
    replayed: Sequence[str]
    chosen: str
    report: Difference | None
    verdict: str
    not_worse: Sequence[str]
    worse: Sequence[Worse]
    warnings: Sequence[str]


@dataclass(frozen=True)
class Found:
    """The outcome, and what it was made of: figures of shape (arms, questions), rankings, and papers for each arm."""

    outcome: Outcome
    figures: NDArray[np.float64]
    rankings: Rankings
    ranked: Mapping[str, Mapping[str, Sequence[str]]]


async def run_experiment(
    resources: Resources,
    experiment: Experiment,
    questions: Sequence[Question],
    *,
    collection: str,
    chunks_per_paper: float,
    progress: Progress = silent,
) -> Found:
    """Run all arms on all questions; nothing is written to the store.

    Args:
        resources: What pipelines run with.
        experiment: Arms and measure.
        questions: At least two.
        collection: Where to look.
        chunks_per_paper: How many chunks a paper has on average: so many are ranked for each paper that counts.
        progress: Hears how far it is.

    Raises:
        InputError: There are fewer than two questions, or an arm needs what is not there.
        PapergraphError: What :func:`server.retrieval.search.rank` raises.
    """
    if len(questions) < 2:
        raise InputError("an experiment needs at least 2 questions with papers that are right", field="questions")
    cutoff = experiment.measure.k or 10
    most_left_out = max(len(question.left_out) for question in questions)
    depth = int(np.ceil((cutoff + most_left_out) * chunks_per_paper))
    arms = [replace(arm, pipeline=arm.pipeline.giving(depth)) for arm in experiment.arms]
    replayable = [arm for arm in arms if is_replayable(arm.pipeline)]
    rankings = await find_rankings(resources, questions, replayable, collection=collection, progress=progress)
    ranked = replayed(replayable, rankings, questions, depth=cutoff, progress=progress)
    for arm in arms:
        if not is_replayable(arm.pipeline):
            progress.step(f"running {arm.name}")
            ranked[arm.name] = await _live(resources, arm, questions, collection=collection, chunks=depth, depth=cutoff)
    figures = np.array(
        [[figure(experiment.measure, one, ranked[arm.name][one.id]) for one in questions] for arm in arms]
    )
    names = [arm.name for arm in replayable]
    outcome = _outcome(experiment, questions, arms, figures, names, rankings, ranked)
    return Found(outcome, figures, rankings, ranked)


def replayed(
    arms: Sequence[Arm],
    rankings: Rankings,
    questions: Sequence[Question],
    *,
    depth: int,
    progress: Progress = silent,
) -> dict[str, dict[str, list[str]]]:
    """Return the first ``depth`` papers that each replayable arm gives for each question, by arm and question."""
    ranked: dict[str, dict[str, list[str]]] = {arm.name: {} for arm in arms}
    for number, question in enumerate(questions, start=1):
        tables: dict[str, Table] = {}
        for arm in arms:
            head = repr(head_of(arm.pipeline))
            if head not in tables:
                tables[head] = Table(rankings.of(question, arm.pipeline))
            table, last = tables[head], arm.pipeline.steps[-1]
            chunks = table.order(last if isinstance(last, Fuse) else None)
            left = [chunk for chunk in chunks if table.papers[chunk] not in question.left_out]
            ranked[arm.name][question.id] = papers_in_order(left, table.papers, depth=depth)
        progress.advance("questions replayed", number, len(questions))
    return ranked


async def _live(
    resources: Resources, arm: Arm, questions: Sequence[Question], *, collection: str, chunks: int, depth: int
) -> dict[str, list[str]]:
    ranked = {}
    for question in questions:
        found = await rank(resources, asked_text(question), pipeline=arm.pipeline, collection=collection, k=chunks)
        papers = dict.fromkeys(one.paper_id for one in found if one.paper_id not in question.left_out)
        ranked[question.id] = list(papers)[:depth]
    return ranked


def _outcome(
    experiment: Experiment,
    questions: Sequence[Question],
    arms: Sequence[Arm],
    figures: NDArray[np.float64],
    names: Sequence[str],
    rankings: Rankings,
    ranked: Mapping[str, Mapping[str, Sequence[str]]],
) -> Outcome:
    seed = experiment.file.seed
    first, second = halves(len(questions), seed=seed)
    best = int(np.argmax(figures[:, first].mean(axis=1)))  # of equal ones the baseline, or the one before
    report = None if best == 0 else difference(figures[best, second], figures[0, second], seed=seed)
    means = {arm.name: float(row.mean()) for arm, row in zip(arms, figures, strict=True)}
    compared = sorted(means, key=lambda name: -means[name])[:MOST_COMPARED]
    by_name = {arm.name: row for arm, row in zip(arms, figures, strict=True)}
    was_found = partial(_was_found, rankings, arm=arms[best], names=names)
    warnings = []
    if len(questions) < FEW_QUESTIONS:
        warnings.append(
            f"{len(questions)} questions are few: differences below those of 30 questions are seldom told from chance"
        )
    if ran := len(arms) - len(names):
        warnings.append(f"{ran} arms could not be replayed and ran")
    return Outcome(
        experiment.measure.name,
        len(questions),
        len(first),
        means,
        names,
        arms[best].name,
        report,
        _verdict(arms[best].name, arms[0].name, report),
        not_worse({name: by_name[name] for name in compared}, compared[0], seed=seed),
        _worse(questions, (arms[0], arms[best]), by_name, ranked, was_found),
        warnings,
    )


def _verdict(chosen: str, baseline: str, report: Difference | None) -> str:
    if report is None:
        return f"no arm is better than {baseline} on the questions that choose"
    if report.p < SIGNIFICANT and report.mean > 0:
        return f"{chosen} is better than {baseline} on questions that did not choose it (p = {report.p:.4f})"
    return (
        f"{chosen} is not shown to be better than {baseline}: on questions that did not choose it the difference is "
        f"{report.mean:+.4f} (p = {report.p:.3f}); so many questions show differences from {report.detectable:.3f}"
    )


def _was_found(rankings: Rankings, question: Question, *, arm: Arm, names: Sequence[str]) -> bool | None:
    if arm.name not in names:
        return None
    found = rankings.of(question, arm.pipeline)
    return any(one.paper_id in question.gains for ranking in found for one in ranking.candidates)


def _worse(
    questions: Sequence[Question],
    arms: tuple[Arm, Arm],
    figures: Mapping[str, NDArray[np.float64]],
    ranked: Mapping[str, Mapping[str, Sequence[str]]],
    was_found: Callable[[Question], bool | None],
) -> list[Worse]:
    baseline, chosen = arms
    worse = []
    for number, question in enumerate(questions):
        before, now = float(figures[baseline.name][number]), float(figures[chosen.name][number])
        if now < before:
            found = was_found(question)
            stage = "" if found is None else "fusion" if found else "not retrieved"
            place_before, place = (_place(question, ranked[arm.name][question.id]) for arm in arms)
            worse.append(Worse(question.id, question.text, before, now, place_before, place, stage))
    return sorted(worse, key=lambda one: one.chosen - one.baseline)[:MOST_WORSE]


def _place(question: Question, papers: Sequence[str]) -> int | None:
    return next((place for place, paper in enumerate(papers, start=1) if paper in question.gains), None)
