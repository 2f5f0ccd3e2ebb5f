"""What an experiment says of its arms beyond figures: how long they take, and where a right result was lost."""

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

import cypher
from evaluation.experiment.gather import Gathered
from evaluation.experiment.plan import Arm, Unit
from evaluation.experiment.questions import Question
from evaluation.experiment.rankings import asked_text
from papergraph.progress import Progress, silent
from server.answers.answer import answer
from server.answers.records import Answer, Mode
from server.answers.request import AskRequest
from server.retrieval.candidates import AskedQuery, Candidate, RankedCandidate
from server.retrieval.request import SearchRequest
from server.retrieval.resources import Resources
from server.retrieval.scope import Scope
from server.retrieval.search import rank
from server.retrieval.steps.base import State
from server.retrieval.steps.passages import read_texts

MOST_TIMED = 8
"""Arms whose time is taken."""
MOST_ASKED = 50
"""Questions that times are taken of."""
MOST_WORSE = 20
LABEL_CHARS = 120
N_RESAMPLES = 2000
LOST_IN = {"fuse": "fusion", "select": "selection"}
"""What a step is called where it loses a right result; others by their names."""


@dataclass(frozen=True)
class Latency:
    """Times of live searches in milliseconds; ``low`` and ``high`` are the bootstrap's 95 % interval of ``p95``."""

    p50: float
    p95: float
    low: float
    high: float


@dataclass(frozen=True)
class StepPlaces:
    """What a step of a run left.

    Attributes:
        step: Its name.
        n: Number of candidates, or of chunks in all rankings.
        place: Best place of what is right, from 1; None where it is not there.
    """

    step: str
    n: int
    place: int | None


@dataclass(frozen=True)
class Worse:
    """A question that got worse.

    Attributes:
        question, text: Its id, and what is asked.
        baseline, chosen: Figures of the two arms.
        place_before, place: Best places of what is right, None where it is not ranked.
        stage: Where the chosen arm loses it: ``not retrieved``, ``fusion``, ``selection`` or the name of another step,
            ``ranked lower``, or ``not cited`` where it is in the result and the extractive reader cites another.
        steps: What each step of the chosen arm left; empty where it cannot be run with another model.
        before, after: Both rankings, ids best first.
        right: Ids of what is right.
    """

    question: str
    text: str
    baseline: float
    chosen: float
    place_before: int | None
    place: int | None
    stage: str
    steps: Sequence[StepPlaces]
    before: Sequence[str]
    after: Sequence[str]
    right: Sequence[str]


async def latencies(
    resources: Resources, place: Gathered, arms: Sequence[Arm], *, progress: Progress = silent
) -> dict[str, Latency]:
    """Return how long searches of arms take, live and in alternation, so that what else happens falls on all.

    Each arm has answered once before. Arms begin in turn, and each embeds the question itself.

    Raises:
        PapergraphError: What :func:`server.retrieval.search.rank` raises.
    """
    taken: dict[str, list[float]] = defaultdict(list)
    questions = place.questions[:MOST_ASKED]
    for number, question in enumerate(questions):
        if not number:
            for arm in arms:
                await _search(resources, place, arm, question)
        for turn in range(len(arms)):
            arm = arms[(number + turn) % len(arms)]
            resources.model.forget()
            start = time.perf_counter()
            await _search(resources, place, arm, question)
            taken[arm.name].append(1000.0 * (time.perf_counter() - start))
        progress.advance("questions timed", number + 1, len(questions))
    return {name: latency_of(ms) for name, ms in taken.items()}


async def _search(resources: Resources, place: Gathered, arm: Arm, question: Question) -> None:
    await rank(
        resources, asked_text(question), pipeline=arm.pipeline, collection=place.collection, k=min(10, arm.pipeline.k)
    )


def latency_of(ms: Sequence[float]) -> Latency:
    """Return the percentiles of times."""
    values = np.asarray(ms)
    drawn = np.random.default_rng(1).choice(values, size=(N_RESAMPLES, len(values)))
    low, high = np.quantile(np.quantile(drawn, 0.95, axis=1), [0.025, 0.975])
    return Latency(float(np.median(values)), float(np.quantile(values, 0.95)), float(low), float(high))


async def lost(
    resources: Resources, place: Gathered, arm: Arm, question: Question, unit: Unit, *, depth: int
) -> tuple[str, list[StepPlaces]]:
    """Return where an arm loses what is right for a question, and what each of its steps leaves.

    Raises:
        PapergraphError: What the steps raise.
    """
    pipeline = place.deep(arm).pipeline
    text = asked_text(question)
    state = State(resources, pipeline.name, pipeline.steps, text, Scope((place.collection,)))
    state.queries.append(AskedQuery(text))
    steps = []
    for number, step in enumerate(pipeline.steps, start=1):
        state.number = number
        await step.run(state)
        steps.append(StepPlaces(step.step, state.size, _best_place(state, question, unit)))
    found = [one.place is not None for one in steps]
    last = steps[-1].place
    if last is not None and last <= depth:
        return ("ranked lower" if await _cites(resources, place, arm, question, unit) else "not cited"), steps
    if last is not None:
        return "ranked lower", steps
    if not any(found):
        return "not retrieved", steps
    after = steps[len(found) - found[::-1].index(True)]
    return LOST_IN.get(after.step, after.step), steps


async def _cites(resources: Resources, place: Gathered, arm: Arm, question: Question, unit: Unit) -> bool:
    """Say whether the extractive reader, given what an arm finds, cites something right."""
    search = SearchRequest(pipeline=arm.pipeline, collection=place.collection)
    result = await answer(resources, AskRequest(asked_text(question), search, mode=Mode.EXTRACTIVE))
    if not isinstance(result, Answer):
        return False
    return any((one.chunk_id if unit is Unit.CHUNK else one.paper_id) in question.gains for one in result.citations)


def _best_place(state: State, question: Question, unit: Unit) -> int | None:
    lists: list[Sequence[RankedCandidate | Candidate]] = [state.candidates]
    if not state.candidates:
        lists = [ranking.candidates for ranking in state.rankings]
    places = []
    for candidates in lists:
        left = [one for one in candidates if one.paper_id not in question.left_out]
        ids = dict.fromkeys(one.chunk_id if unit is Unit.CHUNK else one.paper_id for one in left)
        places += [at for at, id in enumerate(ids, start=1) if id in question.gains][:1]
    return min(places, default=None)


def best_place(question: Question, ids: Sequence[str]) -> int | None:
    """Return the best place of what is right in a ranking, from 1; None where it is not there."""
    return next((place for place, id in enumerate(ids, start=1) if id in question.gains), None)


async def labels(resources: Resources, ids: Sequence[str], unit: Unit) -> Mapping[str, str]:
    """Return titles of papers, or the beginnings of chunks, by id.

    Raises:
        DatabaseError: Neo4j failed.
    """
    if unit is Unit.CHUNK:
        return {id: text[:LABEL_CHARS] for id, (text, _) in (await read_texts(resources, ids)).items()}
    records = await resources.database.read(cypher.load("evaluation/paper_titles"), ids=list(ids))
    return {record["id"]: record["title"][:LABEL_CHARS] for record in records}
