"""Experiments: how fast, how faithful, how often they are deceived by chance, and whether what they choose holds.

Usage: PAPERGRAPH_DATA=… python -m benchmarks.experiments [replay] [chance] [held]      all by default

``replay``  2,000 arms on SciFact's 300 claims, replayed; 50 random arms also run live, on questions drawn for each, and
            both rankings are compared. Running all is estimated by the median time of these live searches.
``chance``  of the figures of 20 of these arms, exchanged within each question, so that no arm is better than another:
            in how many of 200 splits one is called better; the same of 20 copies of one arm; and with .03 added to one
            arm, in how many splits it is found, by halves and by five folds. Needs what ``replay`` wrote.
``held``    on three data sets the arm that one half chooses, on the other half, less the pipeline ``default``.

Writes results/experiments.json, and ends with status 1 beyond a gate.
"""

import json
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import RESULTS, data_folder, write_result
from cli.output import TerminalProgress
from evaluation.experiment.evaluator import Evaluator
from evaluation.experiment.gather import Gathered, gather
from evaluation.experiment.plan import Arm, Experiment
from evaluation.experiment.plan_file import as_experiment
from evaluation.experiment.questions import Question
from evaluation.experiment.rankings import asked_text
from evaluation.experiment.run import shows_better, split
from evaluation.experiment.stores import Opened, Stores
from papergraph.progress import Progress
from papergraph.settings import Settings
from server.retrieval.pipelines import shipped
from server.retrieval.search import rank

SEED = 20_26_11
N_LIVE_ARMS, N_LIVE_QUESTIONS = 50, 5
N_ARMS, N_SPLITS, PLANTED, FOLDS = 20, 200, 0.03, 5
SETS = {"scifact": "nDCG@10", "cranfield": "nDCG@10", "quantum_arxiv": "MRR@10"}
N_QUESTIONS = 300
MOST_S, LEAST_TIMES, MOST_CALLED, LEAST_FOUND, MOST_LOST = 600.0, 50.0, 0.05, 0.8, 0.005
FIGURES = "experiment_figures.json"

ARMS: list[dict[str, Any]] = [
    {
        "pipelines": ["fast"],
        "grid": {
            "fuse.by": ["rrf", "min-max", "maximum", "z-score"],
            "fuse.weights.vector": [round(one / 24, 3) for one in range(1, 26)],
            "fuse.constant": [10, 60],
            "search.k": [50, 200],
        },
    },
    {
        "pipelines": ["fused"],
        "grid": {
            "fuse.constant": list(range(1, 81)),
            "fuse.weights.vector": [0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.2],
            "search.k": [50, 200],
        },
    },
]
"""400 and 1,600 arms."""

HELD_ARMS: list[dict[str, Any]] = [
    {
        "pipelines": ["fast"],
        "grid": {
            "fuse.by": ["rrf", "min-max", "maximum", "z-score"],
            "fuse.weights.vector": [0.2, 0.4, 0.6, 0.8, 1.0],
        },
    },
    {"pipelines": ["vector", "fulltext", "fused", "default"]},
]


class KnownFigures(Evaluator):
    """An evaluator of arms whose figures are known."""

    def __init__(self, plan: Experiment, rows: NDArray[np.float64]) -> None:
        """Keep the figures, shape (arms, questions)."""
        super().__init__(plan, {})
        self._rows = {arm.key: row for arm, row in zip(plan.arms, rows, strict=True)}
        self._questions = [Question(str(number), "?", {"right": 1.0}) for number in range(rows.shape[1])]

    @property
    def questions(self) -> Sequence[Question]:
        """As many as there are figures."""
        return self._questions

    def figures(self, arms: Sequence[Arm], numbers: Sequence[int] | NDArray[np.int64]) -> NDArray[np.float64]:
        """Return what is known."""
        return np.array([self._rows[arm.key][np.asarray(numbers)] for arm in arms])


def plan_of(arms: Sequence[Mapping[str, Any]], **written: Any) -> Experiment:
    """Return an experiment with these arms."""
    return as_experiment({"arms": list(arms), "seed": SEED, **written}, data_folder(), shipped(), where="benchmark")


def known_plan(n: int, **written: Any) -> Experiment:
    """Return an experiment with ``n`` arms, the first the baseline, whose figures are given."""
    grid = {"fuse.constant": list(range(61, 60 + n))}
    arms = [{"pipelines": ["fused"], "grid": grid}]
    return as_experiment({"arms": arms, "baseline": "fused", "ratings": True, **written}, Path(), shipped(), where="")


# Replay


def measure_replay(progress: Progress) -> dict[str, Any]:
    """Replay 2,000 arms, run some of them, and keep the figures of some."""
    plan = plan_of(ARMS, data="scifact", measure="nDCG@10", baseline="fast")
    start = time.perf_counter()
    with Stores(Settings(), plan, progress) as stores:
        questions = stores.questions()[""]
        begun = time.perf_counter()
        place = gathered(stores, plan, questions, progress)
        asked_s = time.perf_counter() - begun
        evaluator = Evaluator(plan, {"": place}, progress=progress)
        begun = time.perf_counter()
        rows = evaluator.figures(plan.arms, np.arange(len(questions)))
        replayed_s = time.perf_counter() - begun
        total_s = time.perf_counter() - start

        async def live(opened: Opened) -> tuple[int, int, float]:
            return await run_some(opened, plan, evaluator, progress)

        n_live, n_other, median_s = stores.run("", live)
    drawn = np.random.default_rng(SEED).choice(len(plan.arms), N_ARMS, replace=False)
    kept = {"names": [plan.arms[n].name for n in drawn], "figures": np.round(rows[drawn], 6).tolist()}
    (RESULTS / FIGURES).write_text(json.dumps(kept) + "\n", encoding="utf-8")
    would_take_s = median_s * len(plan.arms) * len(questions)
    return {
        "arms": len(plan.arms),
        "questions": len(questions),
        "asking, s": round(asked_s, 1),
        "replaying, s": round(replayed_s, 1),
        "all with the store's start, s": round(total_s, 1),
        "live search, median ms": round(1000 * median_s, 1),
        "running all would take, s": round(would_take_s),
        "times as fast": round(would_take_s / total_s, 1),
        "live rankings compared": n_live,
        "live rankings that differ": n_other,
    }


def gathered(stores: Stores, plan: Experiment, questions: Sequence[Question], progress: Progress) -> Gathered:
    """Return what an experiment in one place asks the store."""

    async def ask(opened: Opened) -> Gathered:
        return await gather(Settings(), opened, plan, "", questions, progress=progress)

    return stores.run("", ask)


async def run_some(
    opened: Opened, plan: Experiment, evaluator: Evaluator, progress: Progress
) -> tuple[int, int, float]:
    """Return how many rankings were compared, how many differ, and the median time of a search in seconds."""
    generator, taken, n_other = np.random.default_rng(SEED), [], 0
    place = evaluator.places[""]
    chosen = generator.choice(len(plan.arms), N_LIVE_ARMS, replace=False)
    for done, n in enumerate(chosen, start=1):
        arm = place.deep(plan.arms[n])
        for number in generator.choice(len(place.questions), N_LIVE_QUESTIONS, replace=False):
            opened.resources.model.forget()
            begun = time.perf_counter()
            found = await rank(
                opened.resources,
                asked_text(place.questions[number]),
                pipeline=arm.pipeline,
                collection=opened.collection,
                k=place.chunks,
            )
            taken.append(time.perf_counter() - begun)
            papers = list(dict.fromkeys(one.paper_id for one in found))[: plan.measure.k]
            n_other += papers != evaluator.ranking(plan.arms[n], int(number))
        progress.advance("arms run", done, N_LIVE_ARMS)
    return len(taken), n_other, float(np.median(taken))


# Chance


def measure_chance(progress: Progress) -> dict[str, Any]:
    """Split the figures of equal arms, and of equal arms with one better one."""
    rows = np.array(json.loads((RESULTS / FIGURES).read_text(encoding="utf-8"))["figures"])
    generator = np.random.default_rng(SEED)
    called, of_copies = 0, 0
    found: dict[str, int] = {"halves": 0, f"{FOLDS} folds": 0}
    spread = []
    for seed in range(N_SPLITS):
        exchanged = generator.permuted(rows, axis=0)
        called += shows_better(split(KnownFigures(known_plan(N_ARMS, seed=seed), exchanged)).report)
        copies = np.repeat(rows[:1], N_ARMS, axis=0)
        of_copies += shows_better(split(KnownFigures(known_plan(N_ARMS, seed=seed), copies)).report)
        better = int(generator.integers(1, N_ARMS))
        planted = exchanged.copy()
        planted[better] = with_gain(exchanged[better], PLANTED)
        spread.append(float((planted[better] - planted[0]).std(ddof=1)))
        for way, folds in (("halves", {}), (f"{FOLDS} folds", {"folds": FOLDS})):
            plan = known_plan(N_ARMS, seed=seed, **folds)
            of = split(KnownFigures(plan, planted))
            found[way] += shows_better(of.report) and of.choice.arm.name == plan.arms[better].name
        progress.advance("splits", seed + 1, N_SPLITS)
    return {
        "splits": N_SPLITS,
        "arms": N_ARMS,
        "questions": rows.shape[1],
        "equal arms, one called better": called / N_SPLITS,
        "copies, one called better": of_copies / N_SPLITS,
        "planted gain": PLANTED,
        "deviation of the difference": round(float(np.mean(spread)), 3),
        **{f"planted gain found by {way}": n / N_SPLITS for way, n in found.items()},
    }


def with_gain(row: NDArray[np.float64], gain: float) -> NDArray[np.float64]:
    """Return figures whose mean is higher by ``gain``: each is a share of the way nearer to 1."""
    better: NDArray[np.float64] = row + gain / float((1.0 - row).mean()) * (1.0 - row)
    return better


# Held out


def measure_held(progress: Progress) -> dict[str, Any]:
    """Choose on one half of three data sets, and report on the other."""
    figures: dict[str, Any] = {}
    for name, measure in SETS.items():
        plan = plan_of(HELD_ARMS, data=name, measure=measure, n_questions=N_QUESTIONS)
        with Stores(Settings(), plan, progress) as stores:
            questions = stores.questions()[""]
            of = split(Evaluator(plan, {"": gathered(stores, plan, questions, progress)}, progress=progress))
        report = of.report
        figures[name] = {
            "measure": measure,
            "questions": len(questions),
            "arms": len(plan.arms),
            "chosen": of.choice.arm.name,
            "difference on the other half": 0.0 if report is None else round(report.mean, 4),
            "interval": None if report is None else [round(report.low, 4), round(report.high, 4)],
            "p": None if report is None else round(report.p, 4),
        }
    return figures


PARTS = {"replay": measure_replay, "chance": measure_chance, "held": measure_held}


def missed(figures: Mapping[str, Any]) -> list[str]:
    """Return the gates that figures are beyond."""
    found = []
    if replayed := figures.get("replay"):
        if replayed["all with the store's start, s"] > MOST_S or replayed["times as fast"] < LEAST_TIMES:
            found.append("replay is too slow")
        if replayed["live rankings that differ"]:
            found.append("replayed and live rankings differ")
    if chance := figures.get("chance"):
        if max(chance["equal arms, one called better"], chance["copies, one called better"]) > MOST_CALLED:
            found.append("chance wins")
        if chance[f"planted gain found by {FOLDS} folds"] < LEAST_FOUND:
            found.append("a planted gain is not found")
    if held := figures.get("held"):
        gains = [one["difference on the other half"] for one in held.values()]
        if min(gains) < -MOST_LOST or max(gains) <= 0:
            found.append("what is chosen does not hold")
    return found


def main() -> int:
    """Measure the parts that are named, beside those that stand in the file."""
    wanted = [name for name in PARTS if name in sys.argv[1:] or not sys.argv[1:]]
    file = RESULTS / "experiments.json"
    figures: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    figures = {name: of for name, of in figures.items() if name in PARTS}
    with TerminalProgress() as progress:
        for name in wanted:
            figures[name] = PARTS[name](progress)
        progress.pause()
    write_result("experiments", {name: figures[name] for name in PARTS if name in figures})
    beyond = missed(figures)
    print("beyond the gate:", ", ".join(beyond) or "none")
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main())
