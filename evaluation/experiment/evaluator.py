"""The figure of any arm for any question, each computed once."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from evaluation.experiment.figures import figure
from evaluation.experiment.gather import Gathered
from evaluation.experiment.plan import Arm, Experiment, Unit
from evaluation.experiment.questions import Question
from evaluation.experiment.replay import Recipe, is_replayable, replay
from papergraph.progress import Progress, silent


class Evaluator:
    """Figures of arms over what was gathered, without the store."""

    def __init__(self, plan: Experiment, places: Mapping[str, Gathered], *, progress: Progress = silent) -> None:
        """Keep what was gathered, by place; all places have the same questions in the same order."""
        self.plan = plan
        self.places = places
        self.progress = progress
        self.n_replayed = 0
        """How often an arm was replayed for a question."""
        self._depth = plan.measure.k or 10
        self._known: dict[str, NDArray[np.float64]] = {}
        self._recipes: dict[str, Recipe | None] = {}

    @property
    def questions(self) -> Sequence[Question]:
        """The questions, as they are in the first place."""
        return next(iter(self.places.values())).questions

    def figures(self, arms: Sequence[Arm], numbers: Sequence[int] | NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the measure of arms on questions, in [0, 1].

        Args:
            arms: The arms.
            numbers: Numbers of the questions.

        Returns:
            Shape (arms, numbers).
        """
        rows = [self._row(arm) for arm in arms]
        for done, number in enumerate(numbers, start=1):
            missing = [(arm, row) for arm, row in zip(arms, rows, strict=True) if np.isnan(row[number])]
            if missing:
                ranked = self._ranked([arm for arm, _ in missing], int(number))
                for (arm, row), units in zip(missing, ranked, strict=True):
                    question = self.places[arm.place.where].questions[number]
                    row[number] = figure(self.plan.measure, question, units)
            self.progress.advance("questions compared", done, len(numbers))
        return np.array([row[np.asarray(numbers)] for row in rows])

    def ranked(self, arm: Arm) -> dict[str, list[str]]:
        """Return what an arm gives for each question, as deep as the measure looks."""
        return {question.id: self._ranked([arm], number)[0] for number, question in enumerate(self.questions)}

    def ranking(self, arm: Arm, number: int) -> list[str]:
        """Return what an arm gives for a question, as deep as the measure looks."""
        return self._ranked([arm], number)[0]

    def was_found(self, arm: Arm, number: int) -> bool | None:
        """Say whether a retriever of an arm found something right for a question; None of an arm that ran."""
        place = self.places[arm.place.where]
        recipe = self._recipe(place, arm)
        if recipe is None:
            return None
        question, unit = place.questions[number], self.plan.file.unit
        found = place.rankings[recipe.model].of(question, recipe.pipeline)
        ids = (one.chunk_id if unit is Unit.CHUNK else one.paper_id for of in found for one in of.candidates)
        return any(id in question.gains for id in ids)

    def _row(self, arm: Arm) -> NDArray[np.float64]:
        if arm.key not in self._known:
            self._known[arm.key] = np.full(len(self.questions), np.nan)
        return self._known[arm.key]

    def _ranked(self, arms: Sequence[Arm], number: int) -> list[list[str]]:
        by_place: dict[str, list[tuple[int, Arm]]] = defaultdict(list)
        found: list[list[str]] = [[] for _ in arms]
        for n, arm in enumerate(arms):
            by_place[arm.place.where].append((n, arm))
        for where, here in by_place.items():
            place = self.places[where]
            question = place.questions[number]
            recipes = [(n, recipe) for n, arm in here if (recipe := self._recipe(place, arm)) is not None]
            self.n_replayed += len(recipes)
            ranked = replay(
                [recipe for _, recipe in recipes], place.rankings, question, unit=self.plan.file.unit, depth=self._depth
            )
            for (n, _), units in zip(recipes, ranked, strict=True):
                found[n] = units
            for n, arm in here:
                if self._recipe(place, arm) is None:
                    found[n] = list(place.live[arm.name][question.id])
        return found

    def _recipe(self, place: Gathered, arm: Arm) -> Recipe | None:
        """Return how an arm is replayed, None for one that ran."""
        if arm.key not in self._recipes:
            pipeline = place.deep(arm).pipeline
            self._recipes[arm.key] = Recipe.of(pipeline, arm.place.model) if is_replayable(pipeline) else None
        return self._recipes[arm.key]
