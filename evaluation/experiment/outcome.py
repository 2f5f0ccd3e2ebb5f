"""What an experiment found, as its record has it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.experiment.gather import Gathered
from evaluation.experiment.inspect import Latency, Worse
from evaluation.experiment.run import Decision, pareto
from evaluation.statistics import Difference, Interval, intervals


@dataclass(frozen=True)
class ArmCosts:
    """What an arm gives and takes.

    Attributes:
        quality: Mean of the measure with its 95 % interval by the bootstrap.
        latency: Of live searches.
        cost: Of models, in the currency of the prices; None where a cache answered, so that nobody knows.
    """

    quality: Interval
    latency: Latency
    cost: float | None


@dataclass(frozen=True)
class Outcome:
    """What an experiment found.

    Attributes:
        measure, unit: What decided, and what is ranked.
        n_questions: How many there were.
        n_chosen_by: How many of them chose the arm.
        n_searched: How many arms searches looked at.
        means: Mean of each arm over all questions, the baseline first.
        replayed: Arms that were replayed; the others ran.
        chosen: The arm that was chosen.
        of_folds: What each fold chose.
        report: How it differs from the baseline on questions that did not choose it; None where it is the baseline.
        verdict: What that shows, in words.
        not_worse: Arms not shown to be worse than the best one.
        costs: Of the arms that were timed.
        pareto: Of these, the arms that no other beats by quality, p95 and cost.
        worse: Questions that got worse, the worst first.
        labels: Titles of papers, or beginnings of chunks, that ``worse`` names.
        warnings: What a reader should know.
    """

    measure: str
    unit: str
    n_questions: int
    n_chosen_by: int
    n_searched: int
    means: Mapping[str, float]
    replayed: Sequence[str]
    chosen: str
    of_folds: Sequence[str]
    report: Difference | None
    verdict: str
    not_worse: Sequence[str]
    costs: Mapping[str, ArmCosts] = field(default_factory=dict)
    pareto: Sequence[str] = ()
    worse: Sequence[Worse] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    warnings: Sequence[str] = ()


def costs_of(
    decision: Decision, places: Mapping[str, Gathered], latencies: Mapping[str, Latency]
) -> tuple[dict[str, ArmCosts], list[str]]:
    """Return what timed arms cost, and those of them that no other beats."""
    timed = [arm for arm in decision.arms if arm.name in latencies]
    if not timed:
        return {}, []
    qualities, _ = intervals({arm.name: list(decision.row(arm)) for arm in timed})
    costs = {}
    for arm in timed:
        place = places[arm.place.where]
        of_model = place.costs.get(arm.name, 0.0)
        cost = None if of_model is None else of_model + place.embedding_cost[arm.place.model]
        costs[arm.name] = ArmCosts(qualities[arm.name], latencies[arm.name], cost)
    known = {name: (one.quality.mean, one.latency.p95, one.cost) for name, one in costs.items() if one.cost is not None}
    return costs, pareto(known)
