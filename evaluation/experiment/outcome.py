"""What an experiment found, as its record has it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.experiment.gather import Gathered
from evaluation.experiment.inspect import Latency, Worse
from evaluation.experiment.run import Decision, pareto
from evaluation.experiment.statistics import Difference


@dataclass(frozen=True)
class ArmCosts:
    """What a question costs an arm.

    Attributes:
        latency: Of live searches; None of an arm that was not timed.
        cost: Of models, in the currency of the prices; None where a cache answered, so that nobody knows.
    """

    latency: Latency | None
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
    costs, means = {}, decision.means
    for arm in decision.arms:
        if arm.name in latencies:
            place = places[arm.place.where]
            of_model = place.costs.get(arm.name, 0.0)
            cost = None if of_model is None else of_model + place.embedding_cost[arm.place.model]
            costs[arm.name] = ArmCosts(latencies[arm.name], cost)
    known = {
        name: (means[name], one.latency.p95, one.cost)
        for name, one in costs.items()
        if one.latency is not None and one.cost is not None
    }
    return costs, pareto(known)
