"""The comparison of ways of selecting on a task: candidates found once, and chosen from in every way."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace

from evaluation.corpus_store import LoadedCorpus, chunking_of, open_home
from evaluation.retrieval.evaluate import CorpusPlan, loaded
from evaluation.retrieval.runs import Pool, Run, find_pools, run_pipelines
from evaluation.selection.comparison import Sweep
from evaluation.selection.grid import Grid
from evaluation.selection.sweep import measures_of, sweep, tuning_queries
from evaluation.task import Task
from ingest.chunkers import ChunkOptions
from papergraph.progress import Progress, silent
from papergraph.settings import Settings
from server.retrieval.pipelines import Pipeline
from server.retrieval.resources import Resources


@dataclass(frozen=True)
class SelectionStudy:
    """A comparison on a task, in a Neo4j as of :func:`evaluation.retrieval.evaluate.evaluate`.

    Attributes:
        settings: Where the cache is, and the embedding model.
        task: What to ask and what would be right.
        candidates: Pipelines that find the candidates; a selection of theirs is left out.
        references: Pipelines to stand beside, as they are.
        chunking: How documents are cut, as the task says by default.
        progress: Hears what is being done.
    """

    settings: Settings
    task: Task
    candidates: Sequence[Pipeline]
    references: Sequence[Pipeline]
    chunking: ChunkOptions | None = None
    progress: Progress = silent

    def find(self, *, k: int, n: int) -> tuple[dict[str, list[Pool]], Mapping[str, Run]]:
        """Return ``n`` candidates for each query before a selection, and the first ``k`` of the references.

        Raises:
            InputError: The task does not suit a sweep.
            PapergraphError: As of :func:`evaluation.retrieval.evaluate.evaluate`.
        """
        task = replace(self.task, measures=measures_of(self.task.queries, k))
        options = self.chunking or chunking_of(task)
        with open_home(self.settings, task, options, progress=self.progress) as (folder, address):
            wanted = CorpusPlan(task, options, [*self.candidates, *self.references])
            loading = loaded(self.settings, address, folder, wanted, progress=self.progress)
            return asyncio.run(self._pools(loading, task, n))

    def sweep(self, grid: Grid, *, tune: str | None = None) -> Sweep:
        """Sweep ways of selecting from what pipelines find; call it from the main thread.

        Args:
            grid: What is swept.
            tune: A pattern of the ids of those queries that settings are chosen on.

        Raises:
            InputError: The task or the pattern does not suit a sweep.
            PapergraphError: As of :meth:`find`.
        """
        tuning_queries(self.task.queries, tune)  # now rather than after the search
        pools, runs = self.find(k=max(grid.ks), n=max(grid.pools))
        return sweep(self.task, pools, runs, grid, tune=tune, progress=self.progress)

    async def _pools(
        self, loading: AbstractAsyncContextManager[tuple[Resources, LoadedCorpus]], task: Task, n: int
    ) -> tuple[dict[str, list[Pool]], Mapping[str, Run]]:
        progress, references = self.progress, self.references
        async with loading as (resources, corpus):
            pools = {
                one.name: await find_pools(resources, task, corpus, one, n=n, progress=progress)
                for one in self.candidates
            }
            runs = await run_pipelines(resources, task, corpus, references, progress=progress) if references else {}
        return pools, runs
