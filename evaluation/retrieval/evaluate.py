"""A task, its corpus and the pipelines to a report: what the command runs."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from evaluation.corpus_store import LoadedCorpus, chunking_of, load_corpus, open_home
from evaluation.measures import parse_measure
from evaluation.retrieval.report import EvalReport, make_report
from evaluation.retrieval.runs import Run, run_pipelines
from evaluation.task import Task
from evaluation.vector_cache import RememberingEmbedder
from ingest.chunkers import ChunkOptions
from ingest.enrichments import enrichments as known_enrichments
from ingest.enrichments.enrichment import EnrichmentContext
from ingest.enrichments.options import EnrichmentOptions
from ingest.enrichments.run import enrich
from papergraph.embedding import open_model
from papergraph.errors import InputError
from papergraph.progress import Progress, silent
from papergraph.settings import Settings
from papergraph.store import Address
from schema.embedding_models import cards_of, stored_models
from schema.migrate import prepare
from server.retrieval.pipelines import Pipeline, find, follows_links, needs
from server.retrieval.resources import Resources, equipped
from server.retrieval.steps.expand import Expansion

VECTORS = "vectors.sqlite"
"""Beside the corpora, so that one which changes is not embedded again where it is the same."""


def parse_pipelines(names: str, known: Mapping[str, Pipeline]) -> tuple[Pipeline, ...]:
    """Return the pipelines of a list with commas; the first is the one that others are compared with.

    Raises:
        InputError: There is no such pipeline, or one is named twice.
    """
    wanted = [name.strip() for name in names.split(",")]
    if len(set(wanted)) < len(wanted):
        raise InputError(f"a pipeline is named twice in {names!r}", field="pipeline")
    return tuple(find(name, known) for name in wanted)


def with_measures(task: Task, names: str | None) -> Task:
    """Return a task with the measures of a list with commas beside its own.

    Raises:
        InputError: There is no such measure of rankings.
    """
    more = []
    for name in (names or "").split(",") if names else ():
        try:
            measure = parse_measure(name.strip())
        except ValueError as error:
            raise InputError(str(error), field="measures") from error
        if measure is None:
            raise InputError(f"{name} measures answers, which papergraph eval answers computes", field="measures")
        more.append(measure)
    return replace(task, measures=tuple(dict.fromkeys((*task.measures, *more))))


def evaluate(
    settings: Settings,
    task: Task,
    pipelines: Sequence[Pipeline],
    *,
    chunking: ChunkOptions | None = None,
    progress: Progress = silent,
) -> tuple[EvalReport, Mapping[str, Run]]:
    """Evaluate pipelines on a task, in a Neo4j that holds nothing but its corpus; call it from the main thread.

    The enrichments that the pipelines read are made of the corpus first (:func:`enrichments_for`).

    Args:
        settings: Where the cache is, and the embedding model.
        task: What to ask and what would be right.
        pipelines: The first is the one that the others are compared with.
        chunking: How documents are cut; if None, papers as always, and records that are documents or passages not.
        progress: Hears what is being done.

    Returns:
        The report and each pipeline's run; a task whose measures are all skipped is not loaded and has no runs.

    Raises:
        DataFolderError: A measure does not suit what the data says is right.
        LocalNeo4jError: Neo4j cannot be fetched or started.
        EmbeddingError: The model cannot be loaded.
        DatabaseError: Neo4j failed; what was loaded stays, and the same call goes on from there.
    """
    if not task.measures:
        return make_report(task, {}, None), {}
    wanted = CorpusPlan(task, chunking or chunking_of(task), pipelines)

    async def work(folder: Path, address: Address) -> tuple[EvalReport, Mapping[str, Run]]:
        async with loaded(settings, address, folder, wanted, progress=progress) as (resources, corpus):
            runs = await run_pipelines(resources, task, corpus, pipelines, progress=progress)
        return make_report(task, runs, corpus), runs

    with open_home(settings, task, wanted.options, progress=progress) as (folder, address):
        return asyncio.run(work(folder, address))


@dataclass(frozen=True)
class CorpusPlan:
    """A corpus as pipelines need it.

    Attributes:
        task: Whose documents.
        options: How they are cut.
        pipelines: What will search them, so that the enrichments that these read are made.
        by_model: Whether the language model makes enrichments; else they cost nothing, and the corpus is the same for
            whoever measures.
    """

    task: Task
    options: ChunkOptions
    pipelines: Sequence[Pipeline]
    by_model: bool = False


def enrichments_for(pipelines: Sequence[Pipeline]) -> tuple[str, ...]:
    """Return the enrichments that pipelines read, with those that these are made of, in their order."""
    wanted = {"links"} if any(follows_links(pipeline) for pipeline in pipelines) else set()
    wanted |= {need for pipeline in pipelines for need in needs(pipeline)}
    if "prototypes" in wanted:
        wanted.add("questions")
    if any(step.model_dump().get("by") == Expansion.PLAN for pipeline in pipelines for step in pipeline.steps):
        wanted.add("metadata")
    return tuple(name for name in known_enrichments() if name in wanted)


@asynccontextmanager
async def loaded(
    settings: Settings, address: Address, folder: Path, plan: CorpusPlan, *, progress: Progress
) -> AsyncIterator[tuple[Resources, LoadedCorpus]]:
    """Give what pipelines run with, and the task's corpus in it with its enrichments.

    Raises:
        InputError: The address or the key of the language model cannot be one.
        LanguageModelError: The model makes enrichments, and fails.
        PapergraphError: As of :func:`evaluation.corpus_store.load_corpus`.
    """
    async with await address.connect() as database:
        progress.step(f"loading the embedding model {settings.embedding.model}")
        known = cards_of(await stored_models(database))
        model = await asyncio.to_thread(open_model, settings.embedding, settings.embedding.model, known)
        embedder = RememberingEmbedder(model, folder.parent / VECTORS)
        await prepare(database, embedder.card)
        corpus = await load_corpus(
            database, embedder, plan.task, options=plan.options, folder=folder, progress=progress
        )
        async with equipped(settings, Resources.of(database, embedder)) as resources:
            if wanted := enrichments_for(plan.pipelines):
                maker = resources.language_model if plan.by_model else None
                made = EnrichmentOptions.choose(wanted).enrichments(maker)
                means = EnrichmentContext(embedder, maker)
                await enrich(database, made, means, collection=corpus.collection, progress=progress)
            yield resources, corpus
