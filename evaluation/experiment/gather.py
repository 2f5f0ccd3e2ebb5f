"""What an experiment has of one place before anything is compared: what retrievers found, and what had to run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evaluation.corpus_store import RememberingEmbedder
from evaluation.experiment.other_model import open_other
from evaluation.experiment.plan import Arm, Experiment, Unit
from evaluation.experiment.questions import Question
from evaluation.experiment.rankings import Rankings, asked_text, find_rankings
from evaluation.experiment.replay import is_replayable
from evaluation.experiment.stores import Opened
from evaluation.experiment.texts import read_chunks
from papergraph.embedding import Embedder, price_of
from papergraph.errors import InputError
from papergraph.language_model import ModelUsage
from papergraph.progress import Progress, silent
from papergraph.settings import Settings
from server.retrieval.resources import Resources
from server.retrieval.search import rank


@dataclass(frozen=True)
class Gathered:
    """What is known of one place; all of it is compared without the store.

    Attributes:
        collection: Where it is.
        questions: With what is right there.
        chunks: How many chunks are ranked, so that there are papers enough.
        rankings: What retrievers found, by model, '' the store's own.
        live: What arms gave that cannot be replayed, by the arm's name and the question's id.
        costs: Of these, for a question, in the currency of the prices; None where a cache answered.
        embedding_cost: Of embedding a question, by model.
    """

    collection: str
    questions: Sequence[Question]
    chunks: int
    rankings: Mapping[str, Rankings]
    live: Mapping[str, Mapping[str, Sequence[str]]]
    costs: Mapping[str, float | None]
    embedding_cost: Mapping[str, float]

    def deep(self, arm: Arm) -> Arm:
        """Return an arm as it is compared: with as many chunks as are ranked here."""
        return replace(arm, pipeline=arm.pipeline.giving(self.chunks))


async def gather(
    settings: Settings,
    opened: Opened,
    plan: Experiment,
    where: str,
    questions: Sequence[Question],
    *,
    progress: Progress = silent,
) -> Gathered:
    """Ask the store of one place all that the arms there need.

    Args:
        settings: Where other models are, and the cache.
        opened: The place; so many chunks as a paper has on average are ranked for each paper that counts.
        plan: The experiment.
        where: Which of its places.
        questions: With what is right there.
        progress: Hears how far it is.

    Raises:
        InputError: A searched or learned arm, or one with another model, cannot be replayed.
        PapergraphError: What :func:`server.retrieval.search.rank` raises.
    """
    resources, collection = opened.resources, opened.collection
    cutoff = plan.measure.k or 10
    most_left_out = max(len(question.left_out) for question in questions)
    per_paper = 1.0 if plan.file.unit is Unit.CHUNK else opened.chunks_per_paper
    depth = int(np.ceil((cutoff + most_left_out) * per_paper))
    gathered = Gathered(collection, questions, depth, {}, {}, {}, {})
    arms = [gathered.deep(arm) for arm in plan.asking if arm.place.where == where]
    fixed = {arm.name for arm in plan.arms}
    for arm in arms:
        if not is_replayable(arm.pipeline) and (arm.place.model or arm.name not in fixed):
            raise InputError(
                f"{arm.name} cannot be replayed: only a search, its fusion, thresholds and selections by the solver "
                "exact are searched, learned, or compared with another model; write it under [[arms]]",
                field="arms",
            )
    rankings, costs = {}, {}
    for model in dict.fromkeys(arm.place.model for arm in arms):
        replayable = [arm for arm in arms if arm.place.model == model and is_replayable(arm.pipeline)]
        other = None
        if model:
            chunks = await read_chunks(resources, collection, progress=progress)
            other = await open_other(settings, model, chunks, progress=progress)
        rankings[model] = await find_rankings(
            resources, questions, replayable, collection=collection, other=other, progress=progress
        )
        costs[model] = _price(resources.model.searched.embedder if other is None else other.embedder, questions)
    live, live_costs = {}, {}
    for arm in arms:
        if not is_replayable(arm.pipeline):
            live[arm.name], live_costs[arm.name] = await _run(resources, arm, gathered, cutoff, plan, progress)
    return replace(gathered, rankings=rankings, live=live, costs=live_costs, embedding_cost=costs)


async def _run(
    resources: Resources, arm: Arm, gathered: Gathered, cutoff: int, plan: Experiment, progress: Progress
) -> tuple[dict[str, list[str]], float | None]:
    """Return what an arm gives for each question, and its cost for a question."""
    before = _usage(resources)
    found: dict[str, list[str]] = {}
    for number, question in enumerate(gathered.questions, start=1):
        candidates = await rank(
            resources,
            asked_text(question),
            pipeline=arm.pipeline,
            collection=gathered.collection,
            k=gathered.chunks,
        )
        left = [one for one in candidates if one.paper_id not in question.left_out]
        ids = [one.chunk_id if plan.file.unit is Unit.CHUNK else one.paper_id for one in left]
        found[question.id] = list(dict.fromkeys(ids))[:cutoff]
        progress.advance(f"running {arm.name}", number, len(gathered.questions))
    after = _usage(resources)
    if after.cached > before.cached:
        return found, None
    return found, (after.cost - before.cost) / len(gathered.questions)


def _usage(resources: Resources) -> ModelUsage:
    return ModelUsage() if resources.language_model is None else resources.language_model.usage


def _price(embedder: Embedder, questions: Sequence[Question]) -> float:
    """Return the price of embedding a question, in the currency of the prices."""
    model = embedder.model if isinstance(embedder, RememberingEmbedder) else embedder
    if not (price := price_of(model)):
        return 0.0
    n_tokens = sum(len(model.tokenizer.encode(asked_text(one)).ids) for one in questions)
    return price * n_tokens / 1e6 / len(questions)
