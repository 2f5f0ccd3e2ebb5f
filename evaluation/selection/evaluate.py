"""The comparison of ways of selecting on a task: candidates found once, and chosen from in every way."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from evaluation.corpus_store import chunking_of, open_home
from evaluation.retrieval.evaluate import loaded
from evaluation.retrieval.runs import Pool, Run, find_pools, run_pipelines
from evaluation.selection.comparison import Sweep
from evaluation.selection.grid import Grid
from evaluation.selection.sweep import measures_of, sweep, tuning_queries
from evaluation.task import Task
from ingest.chunkers import ChunkOptions
from papergraph.progress import Progress, silent
from papergraph.settings import Settings
from papergraph.store import Address
from server.retrieval.pipelines import Pipeline


def find_candidates(
    settings: Settings,
    task: Task,
    candidates: Sequence[Pipeline],
    references: Sequence[Pipeline],
    *,
    k: int,
    n: int,
    chunking: ChunkOptions | None = None,
    progress: Progress = silent,
) -> tuple[dict[str, list[Pool]], Mapping[str, Run]]:
    """Return what pipelines find before they select, and the runs of others, in a Neo4j as of :func:`evaluate`.

    Args:
        settings: Where the cache is, and the embedding model.
        task: What to ask and what would be right.
        candidates: Pipelines that find the candidates; a selection of theirs is left out.
        references: Pipelines to stand beside, as they are.
        k: How deep these are asked.
        n: How many candidates.
        chunking: How documents are cut.
        progress: Hears what is being done.

    Raises:
        InputError: The task does not suit a sweep.
        PapergraphError: As of :func:`evaluate`.
    """
    asked = replace(task, measures=measures_of(task.queries, k))
    options = chunking or chunking_of(task)
    with open_home(settings, task, options, progress=progress) as (folder, address):
        found = _pools(settings, address, folder, asked, options, candidates, references, n, progress)
        return asyncio.run(found)


def evaluate_selection(
    settings: Settings,
    task: Task,
    candidates: Sequence[Pipeline],
    references: Sequence[Pipeline],
    grid: Grid,
    *,
    tune: str | None = None,
    chunking: ChunkOptions | None = None,
    progress: Progress = silent,
) -> Sweep:
    """Sweep ways of selecting from what pipelines find; call it from the main thread.

    Args:
        settings: Where the cache is, and the embedding model.
        task: What to ask and what would be right.
        candidates: Pipelines that find the candidates.
        references: Pipelines to stand beside, as they are.
        grid: What is swept.
        tune: A pattern of the ids of those queries that settings are chosen on.
        chunking: How documents are cut.
        progress: Hears what is being done.

    Raises:
        InputError: The task or the pattern does not suit a sweep.
        PapergraphError: As of :func:`find_candidates`.
    """
    tuning_queries(task.queries, tune)  # now rather than after the search
    k, n = max(grid.ks), max(grid.pools)
    pools, runs = find_candidates(
        settings, task, candidates, references, k=k, n=n, chunking=chunking, progress=progress
    )
    return sweep(task, pools, runs, grid, tune=tune, progress=progress)


async def _pools(
    settings: Settings,
    address: Address,
    folder: Path,
    task: Task,
    options: ChunkOptions,
    candidates: Sequence[Pipeline],
    references: Sequence[Pipeline],
    n: int,
    progress: Progress,
) -> tuple[dict[str, list[Pool]], Mapping[str, Run]]:
    pipelines = [*candidates, *references]
    async with loaded(settings, address, folder, task, options, pipelines, progress) as (resources, corpus):
        pools = {one.name: await find_pools(resources, task, corpus, one, n=n, progress=progress) for one in candidates}
        runs = await run_pipelines(resources, task, corpus, references, progress=progress) if references else {}
    return pools, runs
