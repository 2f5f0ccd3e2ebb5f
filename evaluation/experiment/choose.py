"""Choose an arm by some of the questions: grids, searched spaces, and ensembles whose weights are learned."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import qmc

from evaluation.experiment.evaluator import Evaluator
from evaluation.experiment.plan import Arm, Ensemble, Method, Searched
from evaluation.experiment.space import Range, drawn_points
from papergraph.errors import InputError
from papergraph.extras import install_command
from server.retrieval.steps.fuse import Fuse, FuseBy

if TYPE_CHECKING:
    from optuna import Trial

Numbers = NDArray[np.int64]

LEAST_IN_A_ROUND = 16
"""Questions of the first round of successive halving."""
SURVIVING = 3
"""One of so many arms stays in the next round, which has so many times the questions."""
MOST_SURVIVORS = 10
"""Arms of a search that are reported."""
MOST_ORDERS = 120
N_WEIGHTS, N_NEAR = 64, 32
NEAR = (0.2, 0.07)
"""How far weights of the later rounds lie from the best ones, standard deviation."""
ASKED_AT_ONCE = 16
"""Points that Optuna gives before it hears of them."""


@dataclass(frozen=True)
class Choice:
    """What some questions choose.

    Attributes:
        arm: The best one.
        arms: The baseline and all others of the grids, then those that searches and learning end with.
        n_searched: How many arms searches looked at.
    """

    arm: Arm
    arms: tuple[Arm, ...]
    n_searched: int


def choose(evaluator: Evaluator, numbers: Numbers) -> Choice:
    """Return the arm with the best mean on some questions; of equal ones the baseline, or the one before.

    Args:
        evaluator: What is known.
        numbers: Numbers of the questions; no other is looked at.
    """
    plan = evaluator.plan
    arms = {arm.key: arm for arm in plan.arms}
    n_searched = 0
    for search in plan.searches:
        points, kept = searched(evaluator, search, numbers, seed=plan.file.seed)
        n_searched += points
        for arm in kept:
            arms.setdefault(arm.key, arm)
    for ensemble in plan.ensembles:
        arm = learned(evaluator, ensemble, numbers, seed=plan.file.seed)
        arms.setdefault(arm.key, arm)
    every = tuple(arms.values())
    means = evaluator.figures(every, numbers).mean(axis=1)
    return Choice(every[int(np.argmax(means))], every, n_searched)


# Searches


def searched(evaluator: Evaluator, search: Searched, numbers: Numbers, *, seed: int) -> tuple[int, list[Arm]]:
    """Return how many arms of a space were looked at, and the best ones on some questions, at most ten, best first."""
    if search.method is Method.OPTUNA:
        arms = _by_optuna(evaluator, search, numbers, seed=seed)
        return len(arms), _best(evaluator, arms, numbers, MOST_SURVIVORS)
    found: dict[str, Arm] = {}
    n_each = -(-search.n // len(search.starts))
    for number, start in enumerate(search.starts):
        for values in drawn_points(search.space, n_each, seed=seed + number):
            arm = search.arm(start, values)
            found.setdefault(arm.key, arm)
    return len(found), halved(evaluator, list(found.values()), numbers, seed=seed)


def halved(evaluator: Evaluator, arms: Sequence[Arm], numbers: Numbers, *, seed: int) -> list[Arm]:
    """Return the best arms by successive halving over questions: few questions drop most arms, more drop the next.

    Source: Jamieson and Talwalkar 2016, Non-stochastic Best Arm Identification and Hyperparameter Optimization,
    arXiv:1502.07943.
    """
    order = np.random.default_rng(seed).permutation(numbers)
    kept, n = list(arms), LEAST_IN_A_ROUND
    while n < len(order) and len(kept) > MOST_SURVIVORS:
        kept = _best(evaluator, kept, order[:n], max(MOST_SURVIVORS, -(-len(kept) // SURVIVING)))
        n *= SURVIVING
    return _best(evaluator, kept, order, MOST_SURVIVORS)


def _best(evaluator: Evaluator, arms: Sequence[Arm], numbers: Numbers, n: int) -> list[Arm]:
    means = evaluator.figures(arms, numbers).mean(axis=1)
    return [arms[place] for place in np.argsort(-means, kind="stable")[:n]]


def _by_optuna(evaluator: Evaluator, search: Searched, numbers: Numbers, *, seed: int) -> list[Arm]:
    """Return the arms that Optuna's sampler asks for, each start as one more dimension.

    Raises:
        InputError: Optuna is not installed.

    Source: Akiba et al. 2019, Optuna, arXiv:1907.10902; its sampler TPE, Bergstra et al. 2011.
    """
    try:
        import optuna
    except ImportError as error:
        raise InputError(f"this search needs Optuna: {install_command('optuna')}", field="search") from error
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
    found: dict[str, Arm] = {}
    for first in range(0, search.n, ASKED_AT_ONCE):
        trials = [study.ask() for _ in range(min(ASKED_AT_ONCE, search.n - first))]
        arms = []
        for trial in trials:
            start = search.starts[trial.suggest_int("start", 0, len(search.starts) - 1)]
            arms.append(search.arm(start, {path: _suggested(trial, path, of) for path, of in search.space.items()}))
        for trial, arm, mean in zip(trials, arms, evaluator.figures(arms, numbers).mean(axis=1), strict=True):
            study.tell(trial, float(mean))
            found.setdefault(arm.key, arm)
    return list(found.values())


def _suggested(trial: "Trial", path: str, dimension: Range | list[Any]) -> Any:
    if isinstance(dimension, list):
        return dimension[trial.suggest_categorical(path, list(range(len(dimension))))]
    if dimension.is_whole:
        return trial.suggest_int(path, int(dimension.low), int(dimension.high), log=dimension.log)
    return trial.suggest_float(path, float(dimension.low), float(dimension.high), log=dimension.log)


# Ensembles


def learned(evaluator: Evaluator, ensemble: Ensemble, numbers: Numbers, *, seed: int) -> Arm:
    """Return an ensemble with the weights, or the order of turns, that are best on some questions.

    Weights are points of the simplex, evenly at first, then near to the best ones.
    """
    step = ensemble.base.pipeline.steps[-1]
    if isinstance(step, Fuse) and step.by is FuseBy.INTERLEAVE:
        n = len(ensemble.retrievers)
        orders = itertools.islice(itertools.permutations(range(n)), MOST_ORDERS)
        return _best(evaluator, [ensemble.weighing([n - place for place in order]) for order in orders], numbers, 1)[0]
    known: dict[tuple[float, ...], Arm] = {}
    best = np.full(len(ensemble.retrievers), 1.0 / len(ensemble.retrievers))
    for points in _rounds(len(ensemble.retrievers), seed=seed):
        known |= {tuple(point): ensemble.weighing(point) for point in points(best)}
        arms = list(known.values())
        means = evaluator.figures(arms, numbers).mean(axis=1)
        best = np.array(list(known)[int(np.argmax(means))])
    return known[tuple(best)]


def _rounds(n: int, *, seed: int) -> Iterator["_Points"]:
    yield _Points(n, None, np.random.default_rng(seed))
    for number, near in enumerate(NEAR, start=1):
        yield _Points(n, near, np.random.default_rng([seed, number]))


@dataclass(frozen=True)
class _Points:
    """Weights that sum to 1: of all the simplex, or near to given ones."""

    n: int
    near: float | None
    generator: np.random.Generator

    def __call__(self, best: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.near is None:
            drawn = qmc.Sobol(self.n, rng=self.generator).random(N_WEIGHTS)
            points = np.vstack([best[None], np.eye(self.n), -np.log(np.clip(drawn, 1e-9, 1.0 - 1e-9))])
        else:
            points = np.abs(best + self.near * self.generator.standard_normal((N_NEAR, self.n)))
        shares: NDArray[np.float64] = np.round(points / points.sum(axis=1, keepdims=True), 3)
        return shares
