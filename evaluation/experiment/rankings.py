"""What retrievers found for the questions of an experiment: each is asked once, and the answer is kept as Parquet."""

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from evaluation.experiment.other_model import RETRIEVERS, OtherModel
from evaluation.experiment.plan import Arm
from evaluation.experiment.questions import Question
from papergraph.embedding import Floats
from papergraph.errors import InputError
from papergraph.progress import Progress, silent
from server.retrieval.active_model import ActiveModel
from server.retrieval.candidates import AskedQuery, Candidate, Ranking, RetrieverName
from server.retrieval.pipelines import Pipeline
from server.retrieval.request import MAX_QUERY_CHARS
from server.retrieval.resources import Resources
from server.retrieval.scope import Scope
from server.retrieval.steps.base import State
from server.retrieval.steps.expand import Expand
from server.retrieval.steps.search import Search
from server.retrieval.steps.select import Select, lengths_of

Key = tuple[str, str, int, int]
"""Question, retriever, how many chunks were asked for, and nprobe."""

COLUMNS = ("query", "retriever", "k", "nprobe", "rank", "chunk", "paper", "score")
VECTORS_AT_ONCE = 1000


@dataclass
class Rankings:
    """All that was found in one place.

    Attributes:
        cuts: For each question that is asked as several, the queries that it was cut into.
        found: What a retriever found for a query.
        vectors: Of the chunks found, by id, where an arm selects.
        lengths: Tokens of these chunks.
    """

    cuts: dict[str, list[str]] = field(default_factory=dict)
    found: dict[Key, tuple[Candidate, ...]] = field(default_factory=dict)
    vectors: Mapping[str, Floats] = field(default_factory=dict)
    lengths: Mapping[str, int] = field(default_factory=dict)

    def of(self, question: Question, pipeline: Pipeline) -> list[Ranking]:
        """Return the rankings that the search of a replayable pipeline gives for a question."""
        expand, search = head_of(pipeline)
        return [
            Ranking(number, name, self.found[text, str(name), search.k, search.nprobe])
            for number, text in self.queries(question, expand)
            for name in search.retrievers
        ]

    def queries(self, question: Question, expand: Expand | None) -> list[tuple[int, str]]:
        """Return the queries that a question is asked as, with their numbers."""
        asked = asked_text(question)
        numbered = [(0, asked)]
        if expand is not None and (cuts := self.cuts.get(_cut_key(asked, expand))):
            numbered = [*([] if not expand.keep else numbered), *enumerate(cuts, start=1)]
        return numbered

    @property
    def digest(self) -> str:
        """The sha-256 of the chunks that were found, in order; scores differ in their last digits between two runs."""
        digest = hashlib.sha256()
        for key, candidates in sorted(self.found.items()):
            digest.update(repr((key, [one.chunk_id for one in candidates])).encode())
        return digest.hexdigest()

    def write(self, path: Path) -> None:
        """Write what was found as Parquet, a row for each chunk of each ranking."""
        import pyarrow as pa
        from pyarrow import parquet

        columns: dict[str, list[object]] = defaultdict(list)
        for (query, retriever, k, nprobe), candidates in self.found.items():
            for rank, one in enumerate(candidates, start=1):
                row = (query, retriever, k, nprobe, rank, one.chunk_id, one.paper_id, one.score)
                for name, value in zip(COLUMNS, row, strict=True):
                    columns[name].append(value)
        parquet.write_table(pa.table(dict(columns) or {name: [] for name in COLUMNS}), path, compression="zstd")


async def find_rankings(
    resources: Resources,
    questions: Sequence[Question],
    arms: Sequence[Arm],
    *,
    collection: str,
    other: OtherModel | None = None,
    progress: Progress = silent,
) -> Rankings:
    """Ask each retriever once for each question and number of chunks that some arm asks for.

    Args:
        resources: What pipelines run with.
        questions: What is asked.
        arms: Replayable ones of one place, as deep as they are compared.
        collection: Where to look.
        other: The model in the place of the store's own.
        progress: Hears how far it is.

    Raises:
        InputError: An arm needs vectors of the store that another model does not have.
        EmbeddingError: A question cannot be embedded.
        DatabaseError: Neo4j failed.
    """
    if other is not None:
        refuse_others(arms)
        resources = replace(resources, model=ActiveModel(other.embedder))
    rankings, scope = Rankings(), Scope((collection,))
    pipelines = {repr(head_of(arm.pipeline)): head_of(arm.pipeline) for arm in arms}
    for number, question in enumerate(questions, start=1):
        for expand, search in pipelines.values():
            await _find(resources, rankings, question, expand, search, scope, other)
        progress.advance("questions", number, len(questions))
    if any(isinstance(step, Select) for arm in arms for step in arm.pipeline.steps):
        ids = list(dict.fromkeys(one.chunk_id for found in rankings.found.values() for one in found))
        progress.step("reading vectors of what was found")
        rankings.lengths = await lengths_of(resources, ids)
        rankings.vectors = await _vectors(resources, ids) if other is None else other.vectors_of(ids)
    return rankings


def refuse_others(arms: Sequence[Arm]) -> None:
    """Refuse arms with another model whose retrievers need vectors of the store.

    Raises:
        InputError: There is one.
    """
    for arm in arms:
        if needing := sorted(arm.pipeline.retrievers - RETRIEVERS):
            raise InputError(
                f"{arm.name}: retriever {needing[0]} reads vectors of the store's own model, and other models are "
                f"compared with the retrievers {', '.join(sorted(RETRIEVERS))}",
                field="models",
            )


async def _vectors(resources: Resources, ids: Sequence[str]) -> dict[str, Floats]:
    found: dict[str, Floats] = {}
    for start in range(0, len(ids), VECTORS_AT_ONCE):
        part = ids[start : start + VECTORS_AT_ONCE]
        found |= await resources.vectors.of(resources.database, resources.model.searched, part)
    return found


async def _find(
    resources: Resources,
    rankings: Rankings,
    question: Question,
    expand: Expand | None,
    search: Search,
    scope: Scope,
    other: OtherModel | None,
) -> None:
    text = asked_text(question)
    if expand is not None and (key := _cut_key(text, expand)) not in rankings.cuts:
        state = State(resources, "experiment", (), text, scope)
        state.queries.append(AskedQuery(text))
        await expand.run(state)
        rankings.cuts[key] = [query.text for query in state.queries[1:]]
    for _, query in rankings.queries(question, expand):
        wanted = [
            name for name in search.retrievers if (query, str(name), search.k, search.nprobe) not in rankings.found
        ]
        if other is not None and RetrieverName.VECTOR in wanted:
            wanted.remove(RetrieverName.VECTOR)
            nearest = await asyncio.to_thread(other.nearest, query, search.k)
            rankings.found[query, str(RetrieverName.VECTOR), search.k, search.nprobe] = nearest
        if wanted:
            state = State(resources, "experiment", (), query, scope)
            state.queries.append(AskedQuery(query))
            await search.changed(retrievers=tuple(wanted)).run(state)
            for ranking in state.rankings:
                rankings.found[query, str(ranking.retriever), search.k, search.nprobe] = ranking.candidates


def head_of(pipeline: Pipeline) -> tuple[Expand | None, Search]:
    """Return the steps of a replayable pipeline that ask the store."""
    first, *others = pipeline.steps
    if isinstance(first, Expand):
        (search, *_) = others
        return first, search  # type: ignore[return-value]
    return None, first  # type: ignore[return-value]


def asked_text(question: Question) -> str:
    """Return the text of a question as it is searched."""
    return question.text[:MAX_QUERY_CHARS]


def _cut_key(text: str, expand: Expand) -> str:
    return f"{expand.n} {text}"
