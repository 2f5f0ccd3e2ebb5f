"""A task, its corpus and the pipelines to a report: what the command runs."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from evaluation.corpus_store import LoadedCorpus, chunking_of, load_corpus, open_home
from evaluation.retrieval.report import EvalReport, make_report
from evaluation.retrieval.runs import Run, run_pipelines
from evaluation.task import Task
from evaluation.vector_cache import RememberingEmbedder
from ingest.chunkers import ChunkOptions
from ingest.enrichments.enrichment import EnrichmentContext
from ingest.enrichments.links.enrichment import LinksEnrichment
from ingest.enrichments.run import enrich
from papergraph.embedding import open_model
from papergraph.errors import InputError
from papergraph.progress import Progress, silent
from papergraph.settings import Settings
from papergraph.store import Address
from schema.embedding_models import cards_of, stored_models
from schema.migrate import prepare
from server.retrieval.pipelines import Pipeline, find, follows_links
from server.retrieval.resources import Resources, equipped

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


def evaluate(
    settings: Settings,
    task: Task,
    pipelines: Sequence[Pipeline],
    *,
    chunking: ChunkOptions | None = None,
    progress: Progress = silent,
) -> tuple[EvalReport, Mapping[str, Run]]:
    """Evaluate pipelines on a task, in a Neo4j that holds nothing but its corpus; call it from the main thread.

    Where a pipeline follows links, the enrichment of links is made of the corpus first.

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
    options = chunking or chunking_of(task)
    with open_home(settings, task, options, progress=progress) as (folder, address):
        return asyncio.run(_evaluate(settings, address, folder, task, options, pipelines, progress))


async def _evaluate(
    settings: Settings,
    address: Address,
    folder: Path,
    task: Task,
    options: ChunkOptions,
    pipelines: Sequence[Pipeline],
    progress: Progress,
) -> tuple[EvalReport, Mapping[str, Run]]:
    async with loaded(settings, address, folder, task, options, pipelines, progress) as (resources, corpus):
        runs = await run_pipelines(resources, task, corpus, pipelines, progress=progress)
    return make_report(task, runs, corpus), runs


@asynccontextmanager
async def loaded(
    settings: Settings,
    address: Address,
    folder: Path,
    task: Task,
    options: ChunkOptions,
    pipelines: Sequence[Pipeline],
    progress: Progress,
) -> AsyncIterator[tuple[Resources, LoadedCorpus]]:
    """Give what pipelines run with, and the task's corpus in it."""
    async with await address.connect() as database:
        progress.step(f"loading the embedding model {settings.embedding.model}")
        known = cards_of(await stored_models(database))
        model = await asyncio.to_thread(open_model, settings.embedding, settings.embedding.model, known)
        embedder = RememberingEmbedder(model, folder.parent / VECTORS)
        await prepare(database, embedder.card)
        corpus = await load_corpus(database, embedder, task, options=options, folder=folder, progress=progress)
        if any(follows_links(pipeline) for pipeline in pipelines):
            await enrich(
                database,
                [LinksEnrichment()],
                EnrichmentContext(embedder),
                collection=corpus.collection,
                progress=progress,
            )
        async with equipped(settings, Resources.of(database, embedder)) as resources:
            yield resources, corpus
