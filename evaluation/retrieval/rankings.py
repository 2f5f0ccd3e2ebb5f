"""Ask every query of every pipeline: rankings of documents or of chunks, and how long each took."""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from papergraph import cypher
from papergraph.embedding import Floats
from papergraph.evaluation.corpus_store import LoadedCorpus
from papergraph.evaluation.queries import Evidence, Query, Span
from papergraph.evaluation.task import Task
from papergraph.progress import Progress, silent
from papergraph.server.retrieval.candidates import RankedCandidate
from papergraph.server.retrieval.pipelines import Pipeline
from papergraph.server.retrieval.request import MAX_QUERY_CHARS
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.search import rank
from papergraph.server.retrieval.steps.fuse import Fuse
from papergraph.server.retrieval.steps.select import Select


@dataclass(frozen=True)
class Ranking:
    """Ranking of a pipeline for a query.

    Attributes:
        ids: Distinct documents, or chunks as ``document#start-end``, best first.
        covered: True for each chunk that covers at least half of a span of evidence; empty for documents.
        latency_ms: Duration of embedding and ranking in milliseconds.
        n_words: Number of words of each chunk; empty for documents.
    """

    ids: tuple[str, ...]
    covered: tuple[bool, ...]
    latency_ms: float
    n_words: tuple[int, ...] = ()


Run = Mapping[str, Ranking]
"""A pipeline's ranking for each query."""


async def run_pipelines(
    resources: Resources,
    task: Task,
    corpus: LoadedCorpus,
    pipelines: Sequence[Pipeline],
    *,
    progress: Progress = silent,
) -> dict[str, Run]:
    """Ask the queries one after the other, each of all pipelines in turn, so that what else happens falls on all.

    Each pipeline has answered one query before times are taken. Rankings are as deep as the task's measures look.

    Raises:
        DatabaseError: Neo4j failed.
    """
    asking = _Asking(resources, task, corpus)
    runs: dict[str, dict[str, Ranking]] = {pipeline.name: {} for pipeline in pipelines}
    for pipeline in pipelines:
        await asking.ranking(task.queries[0], pipeline)
    for number, query in enumerate(task.queries, start=1):
        for pipeline in pipelines:
            resources.model.forget()  # so that each pipeline embeds the query itself
            runs[pipeline.name][query.id] = await asking.ranking(query, pipeline)
        progress.advance("queries", number, len(task.queries))
    return dict(runs)


@dataclass(frozen=True, eq=False)
class Pool:
    """Candidates of a selection: the results of a pipeline for a query.

    Attributes:
        query: The query.
        candidates: The best chunk of each paper, best first.
        documents: Documents of each candidate, best first.
        vectors: Vectors of the candidates, shape (n, d).
        fused: Fusion of the pipeline's rankings; None for a single one.
    """

    query: Query
    candidates: tuple[RankedCandidate, ...]
    documents: tuple[tuple[str, ...], ...]
    vectors: Floats
    fused: Fuse | None = None


async def find_pools(
    resources: Resources,
    task: Task,
    corpus: LoadedCorpus,
    pipeline: Pipeline,
    *,
    n: int,
    progress: Progress = silent,
) -> list[Pool]:
    """Return the first ``n`` papers that a pipeline without its selection finds for each query, at least one.

    Raises:
        DatabaseError: Neo4j failed.
    """
    asking = _Asking(resources, task, corpus)
    finding = replace(pipeline, steps=tuple(step for step in pipeline.steps if not isinstance(step, Select)))
    pools = []
    for number, query in enumerate(task.queries, start=1):
        pools.append(await asking.pool(query, finding, n))
        progress.advance(f"candidates of {pipeline.name}", number, len(task.queries))
    return pools


@dataclass(frozen=True)
class _Asking:
    resources: Resources
    task: Task
    corpus: LoadedCorpus

    async def ranking(self, query: Query, pipeline: Pipeline) -> Ranking:
        depth = max(measure.cutoff(query) for measure in self.task.measures)
        paper_ids = self._paper_ids(query)
        start = time.perf_counter()
        if isinstance(query.gold, Evidence):
            chunks = await self._rank(query, pipeline, depth, paper_ids)
            latency_ms = 1000 * (time.perf_counter() - start)
            spans = await self._spans(chunks)
            covered = tuple(any(s.is_covered_by(place) for s in query.gold.spans for place in of) for of in spans)
            ids = tuple(f"{of[0].doc}#{of[0].start}-{of[0].end}" for of in spans)
            n_words = tuple(self._n_words(of[0]) for of in spans)
            return Ranking(ids, covered, latency_ms, n_words)
        documents = await self._rank_documents(query, pipeline, depth, paper_ids)
        return Ranking(tuple(documents), (), 1000 * (time.perf_counter() - start))

    async def pool(self, query: Query, pipeline: Pipeline, n: int) -> Pool:
        candidates = await self._candidates(query, pipeline, n, self._paper_ids(query))
        best: dict[str, RankedCandidate] = {}
        for candidate in candidates:
            best.setdefault(candidate.paper_id, candidate)
        database, searched = self.resources.database, self.resources.model.searched
        vectors = await self.resources.vectors.of(database, searched, [one.chunk_id for one in best.values()])
        found = [(one, self._fold(query, [one])) for one in best.values() if one.chunk_id in vectors]
        found = [(one, documents) for one, documents in found if documents][:n]
        return Pool(
            query,
            tuple(one for one, _ in found),
            tuple(tuple(documents) for _, documents in found),
            np.array([vectors[one.chunk_id] for one, _ in found], dtype=np.float32),
            next((step for step in reversed(pipeline.steps) if isinstance(step, Fuse)), None),
        )

    def _n_words(self, span: Span) -> int:
        document = next(one for one in self.corpus.documents_of[self.corpus.paper_of[span.doc]] if one.id == span.doc)
        return len(document.text[span.start : span.end].split())

    def _paper_ids(self, query: Query) -> list[str] | None:
        if query.within is None:
            return None
        return sorted({self.corpus.paper_of[doc] for doc in query.within if doc in self.corpus.paper_of})

    async def _rank(
        self, query: Query, pipeline: Pipeline, n_chunks: int, paper_ids: list[str] | None
    ) -> list[RankedCandidate]:
        return await rank(
            self.resources,
            query.text[:MAX_QUERY_CHARS],
            pipeline=pipeline,
            collection=self.corpus.collection,
            k=n_chunks,
            paper_ids=paper_ids,
        )

    async def _rank_documents(
        self, query: Query, pipeline: Pipeline, depth: int, paper_ids: list[str] | None
    ) -> list[str]:
        """Return ``depth`` documents, each at the place of its best chunk."""
        return self._fold(query, await self._candidates(query, pipeline, depth, paper_ids))[:depth]

    async def _candidates(
        self, query: Query, pipeline: Pipeline, depth: int, paper_ids: list[str] | None
    ) -> list[RankedCandidate]:
        """Return chunks of ``depth`` documents, best first; ask deeper until they are reached."""
        n_papers, n_all = len(self.corpus.documents_of), sum(self.corpus.n_chunks_of.values())
        if paper_ids is not None:
            n_chunks = max(1, sum(self.corpus.n_chunks_of[id] for id in paper_ids))
        else:
            n_chunks = math.ceil((depth + (query.left_out is not None)) * n_all / max(1, n_papers))
        while True:
            candidates = await self._rank(query, pipeline, n_chunks, paper_ids)
            n_found = len(self._fold(query, candidates))
            if n_found >= depth or len(candidates) < n_chunks or paper_ids is not None:
                return candidates
            n_chunks *= 2

    def _fold(self, query: Query, candidates: Sequence[RankedCandidate]) -> list[str]:
        allowed = None if query.within is None else set(query.within)
        papers = dict.fromkeys(candidate.paper_id for candidate in candidates)
        found = (document.id for paper in papers for document in self.corpus.documents_of[paper])
        return [doc for doc in found if doc != query.left_out and (allowed is None or doc in allowed)]

    async def _spans(self, chunks: Sequence[RankedCandidate]) -> list[list[Span]]:
        """Return the positions of each chunk in the text of its document, or of several equal documents."""
        records = await self.resources.database.read(
            cypher.load("evaluation/spans"), chunk_ids=[chunk.chunk_id for chunk in chunks]
        )
        place = {record["chunk_id"]: (record["start_char"], record["end_char"]) for record in records}
        return [
            [
                Span(document.id, place[chunk.chunk_id][0] + document.shift, place[chunk.chunk_id][1] + document.shift)
                for document in self.corpus.documents_of[chunk.paper_id]
            ]
            for chunk in chunks
        ]
