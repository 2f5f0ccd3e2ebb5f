"""Embedding models compared on a task: quality with its uncertainty, speed, size and price."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from papergraph.embedding import encode_whole, find_model, open_model, price_of
from papergraph.embedding.packaged_files import MODEL_FILE
from papergraph.embedding.served import ServedModel
from papergraph.errors import InputError
from papergraph.evaluation.corpus_store import chunking_of
from papergraph.evaluation.report import Part, Report, Table
from papergraph.evaluation.retrieval.rankings import Run
from papergraph.evaluation.retrieval.retrieval_evaluation import EvalReport, evaluate, make_report, query_figures
from papergraph.evaluation.statistics import SIGNIFICANT, holm, p_value
from papergraph.evaluation.task import Task
from papergraph.ingest.chunkers import ChunkOptions
from papergraph.progress import Progress, silent
from papergraph.server.retrieval.pipelines import Pipeline
from papergraph.settings import Settings

SAMPLE = 64
SEED = 1


@dataclass(frozen=True)
class ModelCosts:
    """Costs of a model, measured on a sample of documents.

    Attributes:
        dimension: Length of a vector.
        size_mb: Size of the weights in megabytes; None for a served model.
        texts_per_s: Documents embedded per second, without loading the model.
        price: Price of embedding all documents, by the settings; 0 for a local model.
    """

    dimension: int
    size_mb: float | None
    texts_per_s: float
    price: float

    def cells(self) -> tuple[str, ...]:
        """Return its row of a table."""
        size = "served" if self.size_mb is None else f"{self.size_mb:g}"
        return str(self.dimension), size, f"{self.texts_per_s:g}", f"{self.price:g}"


@dataclass(frozen=True)
class ModelComparison:
    """Models on a task.

    Attributes:
        report_of_runs: Figures and latency, with a model in the place of each pipeline.
        costs: For each model what it costs.
        p_values: For each measure and model but the first: Holm-corrected p-value of its difference to the first, by
            the paired permutation test.
    """

    report_of_runs: EvalReport
    costs: Mapping[str, ModelCosts]
    p_values: Mapping[str, Mapping[str, float]]

    def as_json(self) -> dict[str, Any]:
        """Return it as objects that JSON has."""
        figures = self.report_of_runs.as_json()
        figures["models"] = figures.pop("pipelines")
        costs = {name: asdict(one) for name, one in self.costs.items()}
        p_values = {measure: {name: round(p, 4) for name, p in of.items()} for measure, of in self.p_values.items()}
        return figures | {"costs": costs, "pValues": p_values, "verdicts": verdicts(self)}

    def report(self) -> Report:
        """Return the figures of the models with their p-values and costs."""
        found = self.report_of_runs.report()
        rows = [(name, *one.cells()) for name, one in self.costs.items()]
        costs = Table("Costs", ("model", "dimension", "MB", "texts/s", "price"), rows)
        return replace(found, parts=[*found.parts, Part(tables=[costs], notes=verdicts(self))])


def parse_models(names: str) -> tuple[str, ...]:
    """Return the models of a list with commas; the first is the one that others are compared with.

    Raises:
        InputError: There are fewer than two, or one is named twice.
    """
    found = tuple(name.strip() for name in names.split(",") if name.strip())
    if len(found) < 2 or len(set(found)) < len(found):
        raise InputError(f"name two or more different models, not {names!r}", field="models")
    return found


def compare_models(
    settings: Settings,
    task: Task,
    models: Sequence[str],
    pipeline: Pipeline,
    *,
    chunking: ChunkOptions | None = None,
    progress: Progress = silent,
) -> tuple[ModelComparison, Mapping[str, Run]]:
    """Evaluate a pipeline with each model, each with a Neo4j of its own; call it from the main thread.

    Args:
        settings: Where the cache is, and how models are reached.
        task: What to ask and what would be right.
        models: The first is the one that the others are compared with.
        pipeline: What finds the passages.
        chunking: As of :func:`evaluate`.
        progress: Hears what is being done.

    Returns:
        The comparison, and each model's run.

    Raises:
        EmbeddingError: A model cannot be loaded.
        InputError: The task has no measure that can be computed.
    """
    if not task.measures:
        raise InputError("no measure of this data set can be computed", field="folder")
    runs: dict[str, Run] = {}
    costs = {name: measure_costs(settings, name, task) for name in models}  # first: a model that is missing ends it now
    for name in models:
        own = settings.replace(embedding={"model": name})
        _, found = evaluate(own, task, [pipeline], chunking=chunking, progress=progress)
        runs[name] = found[pipeline.name]
    return compare(task, runs, costs, chunking=chunking or chunking_of(task)), runs


def compare(
    task: Task, runs: Mapping[str, Run], costs: Mapping[str, ModelCosts], *, chunking: ChunkOptions
) -> ModelComparison:
    """Return the comparison of runs by the model that made each; the first is the one that others are compared with."""
    report = replace(make_report(task, runs, None), chunking=chunking)
    return ModelComparison(report, costs, _p_values(task, runs))


def measure_costs(settings: Settings, name: str, task: Task) -> ModelCosts:
    """Embed the first documents of a task, and return what the model costs.

    Raises:
        EmbeddingError: It cannot be loaded.
    """
    model = open_model(settings.embedding, name)
    texts = [document.text for document in task.documents[:SAMPLE] if document.text.strip()] or [task.name]
    model.encode_documents(texts[:1])
    start = time.perf_counter()
    encode_whole(model, texts)
    elapsed_s = time.perf_counter() - start
    n_tokens = sum(len(model.tokenizer.encode(text).ids) for text in texts) * len(task.documents) / len(texts)
    size_mb = None
    if not isinstance(model, ServedModel):
        folder = find_model(name)
        weights = [*folder.rglob("*.safetensors"), *folder.glob(MODEL_FILE)]
        size_mb = round(sum(path.stat().st_size for path in weights) / 1e6, 1)
    price = round(price_of(model) * n_tokens / 1e6, 4)
    return ModelCosts(model.card.dimension, size_mb, round(len(texts) / elapsed_s, 1), price)


def verdicts(comparison: ModelComparison) -> list[str]:
    """Return a sentence for each difference to the first model: whether it is significant, at level 0.05."""
    first, *others = comparison.report_of_runs.pipelines
    lines = []
    for measure, of in comparison.p_values.items():
        for name in others:
            difference = comparison.report_of_runs.pipelines[name][measure].difference
            better = "better" if difference is not None and difference.mean > 0 else "worse"
            told = f"is significantly {better} than" if of[name] < SIGNIFICANT else "does not differ significantly from"
            lines.append(f"{measure}: {name} {told} {first} (p = {of[name]:.3f})")
    return lines


def _p_values(task: Task, runs: Mapping[str, Run]) -> dict[str, dict[str, float]]:
    """Return p-values of the differences to the first run, corrected for the number of models."""
    first, *others = runs
    found = {}
    for measure in task.measures:
        values = {name: np.array(list(query_figures(measure, task, run).values())) for name, run in runs.items()}
        corrected = holm([p_value(values[name] - values[first], seed=SEED) for name in others])
        found[measure.name] = dict(zip(others, corrected, strict=True))
    return found
