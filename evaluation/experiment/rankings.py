"""What retrievers found for the questions of an experiment: each is asked once, and the answer is kept as Parquet."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evaluation.experiment.plan import Arm
from evaluation.experiment.questions import Question
from papergraph.progress import Progress, silent
from server.retrieval.candidates import Candidate, ExpandedQuery, Ranking
from server.retrieval.pipelines import Pipeline
from server.retrieval.request import MAX_QUERY_CHARS
from server.retrieval.resources import Resources
from server.retrieval.scope import Scope
from server.retrieval.steps.base import State
from server.retrieval.steps.expand import Expand
from server.retrieval.steps.search import Search

Key = tuple[str, str, int, int]
"""Question, retriever, how many chunks were asked for, and nprobe."""

FILE = "rankings.parquet"


@dataclass
class Rankings:
    """All that was found.

    Attributes:
        cuts: For each question that is asked as several, the queries that it was cut into.
        found: What a retriever found for a query.
    """

    cuts: dict[str, list[str]] = field(default_factory=dict)
    found: dict[Key, tuple[Candidate, ...]] = field(default_factory=dict)

    def of(self, question: Question, pipeline: Pipeline) -> list[Ranking]:
        """Return the rankings that the search of a replayable pipeline gives for a question."""
        expand, search = head_of(pipeline)
        asked = asked_text(question)
        numbered = [(0, asked)]
        if expand is not None and (cuts := self.cuts.get(_cut_key(asked, expand))):
            numbered = [*([] if not expand.keep else numbered), *enumerate(cuts, start=1)]
        return [
            Ranking(number, name, self.found[text, str(name), search.k, search.nprobe])
            for number, text in numbered
            for name in search.retrievers
        ]

    def write(self, folder: Path) -> None:
        """Write what was found as Parquet, a row for each chunk of each ranking."""
        import pyarrow as pa
        from pyarrow import parquet

        columns: dict[str, list[object]] = defaultdict(list)
        for (query, retriever, k, nprobe), candidates in self.found.items():
            for rank, one in enumerate(candidates, start=1):
                row = (query, retriever, k, nprobe, rank, one.chunk_id, one.paper_id, one.score)
                for name, value in zip(COLUMNS, row, strict=True):
                    columns[name].append(value)
        parquet.write_table(
            pa.table(dict(columns) or {name: [] for name in COLUMNS}), folder / FILE, compression="zstd"
        )


COLUMNS = ("query", "retriever", "k", "nprobe", "rank", "chunk", "paper", "score")


async def find_rankings(
    resources: Resources,
    questions: Sequence[Question],
    arms: Sequence[Arm],
    *,
    collection: str,
    progress: Progress = silent,
) -> Rankings:
    """Ask each retriever once for each question and number of chunks that some arm asks for.

    Args:
        resources: What pipelines run with.
        questions: What is asked.
        arms: Replayable ones, as deep as they are compared.
        collection: Where to look.
        progress: Hears how far it is.

    Raises:
        EmbeddingError: A question cannot be embedded.
        DatabaseError: Neo4j failed.
    """
    rankings, scope = Rankings(), Scope(collection)
    heads = {_head_key(arm.pipeline): head_of(arm.pipeline) for arm in arms}
    for number, question in enumerate(questions, start=1):
        for expand, search in heads.values():
            await _find(resources, rankings, question, expand, search, scope)
        progress.advance("questions", number, len(questions))
    return rankings


async def _find(
    resources: Resources, rankings: Rankings, question: Question, expand: Expand | None, search: Search, scope: Scope
) -> None:
    text = asked_text(question)
    state = State(resources, "experiment", (), text, scope, {}, False)
    state.queries.append(ExpandedQuery(text))
    if expand is not None:
        await expand.run(state)
        rankings.cuts[_cut_key(text, expand)] = [query.text for query in state.queries[1:]]
    wanted = tuple(
        name
        for name in search.retrievers
        if any(
            (query.text, str(name), search.k, search.nprobe) not in rankings.found
            for number, query in enumerate(state.queries)
            if number not in state.skipped
        )
    )
    if not wanted:
        return
    await search.changed(retrievers=wanted).run(state)
    for ranking in state.rankings:
        key = (state.queries[ranking.query].text, str(ranking.retriever), search.k, search.nprobe)
        rankings.found[key] = ranking.candidates


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


def _head_key(pipeline: Pipeline) -> str:
    return repr(head_of(pipeline))


def _cut_key(text: str, expand: Expand) -> str:
    return f"{expand.n} {text}"
