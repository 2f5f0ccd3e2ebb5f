"""Filters in a real graph: what passes, and that each retriever finds the best of just that."""

import json
import random
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytest_asyncio

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.ingest.chunkers import ChunkOptions
from papergraph.schema.ids import collection_term, metadata_cluster_id
from papergraph.schema.migrate import prepare
from papergraph.server.retrieval.active_model import ActiveModel
from papergraph.server.retrieval.filters import Passing, parse_filter, resolve
from papergraph.server.retrieval.lucene import fulltext_query
from papergraph.server.retrieval.retrievers import fulltext as retriever
from papergraph.server.retrieval.retrievers.fulltext import retrieve_by_fulltext
from papergraph.server.retrieval.retrievers.vector import retrieve_by_vector
from papergraph.server.retrieval.scope import SEARCHED_KINDS, Scope
from papergraph.statement import Statement
from tests.pytest_neo4j import Neo4jServer, wipe
from tests.support.embedders import QuickEmbedder
from tests.support.ingestion import ingest, papers_of

pytestmark = pytest.mark.slow

N_PAPERS = 24
WORDS = ["wave", "shore", "tide", "harbour", "current", "sand", "cliff", "storm", "reef", "lagoon", "estuary", "dune"]
AUTHORS = ("Ada Lovelace", "Paul Erdős", "Grace Hopper", "Alan Turing")
ENRICHMENTS = Statement(
    "test/enrichments",
    """
    CYPHER 25
    MATCH (chunk:Chunk) WHERE chunk.collection = 'main'
    CALL (chunk) {
      WITH chunk WHERE chunk.text CONTAINS 'tide'
      MERGE (entity:Entity {id: 'tide', collection: 'main', name: 'tide', aliases: ['ebb and flow']})
      SET entity.collectionTerm = $term
      MERGE (same:Entity {id: 'tides', collection: 'main', name: 'tides', aliases: []})
      SET same.collectionTerm = $term
      MERGE (same)-[:SAME_AS]->(entity)
      MERGE (chunk)-[:MENTIONS]->(entity)
    }
    CALL (chunk) {
      WITH chunk WHERE chunk.text CONTAINS 'sand'
      MERGE (above:Cluster {id: 'coast', collection: 'main', kind: 'topic'})
      MERGE (cluster:Cluster {id: 'beach', collection: 'main', kind: 'topic'})
      MERGE (above)-[:PARENT_OF]->(cluster)
      MERGE (chunk)-[:IN_CLUSTER]->(cluster)
    }
    CALL (chunk) {
      MATCH (paper:Paper {id: chunk.paperId}) WHERE paper.year < 2005
      MERGE (cluster:Cluster {id: $old, collection: 'main', kind: 'metadata', field: 'age', value: 'old'})
      MERGE (paper)-[:IN_CLUSTER]->(cluster)
    }
    """,
)
CHUNKS = Statement(
    "test/chunks",
    """
    CYPHER 25
    MATCH (paper:Paper {collection: 'main'})-[:HAS_SECTION]->()-[:HAS_CHUNK]->(chunk)
    RETURN chunk.id AS id, paper.id AS paper_id, chunk.text AS text, chunk.kind AS kind, chunk.embedding AS vector,
           paper.key AS key, paper.year AS year, toString(date(paper.published)) AS published,
           coalesce(paper.categories, []) AS categories, coalesce(paper.keywords, []) AS keywords,
           paper.format AS format, COLLECT { MATCH (paper)-[:PUBLISHED_IN]->(venue) RETURN venue.name } AS venues,
           COLLECT { MATCH (author)-[:WROTE]->(paper) RETURN author.name } AS authors
    """,
)


@dataclass
class Coast:
    """Papers about the coast, in a store that holds another collection as well."""

    database: Database
    model: ActiveModel
    chunks: list[dict[str, Any]] = field(default_factory=list)

    async def passing(self, data: Any) -> tuple[Passing, tuple[str, ...]]:
        applied = await resolve(self.database, parse_filter(data), ("main",))
        return applied.passing, applied.applied.unknown

    async def found(self, data: Any, *, k: int = 1000, query: str = "wave and tide") -> tuple[list[str], list[str]]:
        scope = Scope.filtered(("main",), (await self.passing(data))[0])
        vector = await retrieve_by_vector(self.database, self.model, query, scope, k=k)
        fulltext = await retrieve_by_fulltext(self.database, query, scope, k=k)
        return [candidate.chunk_id for candidate in vector], [candidate.chunk_id for candidate in fulltext]

    def ids(self, passes: Callable[[dict[str, Any]], bool], kinds: tuple[str, ...] = SEARCHED_KINDS) -> set[str]:
        return {chunk["id"] for chunk in self.chunks if chunk["kind"] in kinds and passes(chunk)}


def papers(folder: Path) -> Path:
    drawn = random.Random(0)  # noqa: S311
    records = []
    for number in range(N_PAPERS):
        sections = "".join(f"\n\n## Part {n}\n\n{' '.join(drawn.choices(WORDS, k=12))}." for n in range(3))
        (folder / f"{number}.md").write_text(f"# Shore {number}\n\n{' '.join(drawn.choices(WORDS, k=12))}.{sections}\n")
        record: dict[str, Any] = {"file": f"{number}.md", "title": f"Shore {number}", "doi": f"10.1000/{number}"}
        if number % 6:
            record["year"] = 2000 + number % 12
        if number % 4 == 0:
            record["published"] = f"{2000 + number % 12}-06-{1 + number:02}"
        record["categories"] = ["Coast.HY"] * (number % 2) + ["sea"] * (number % 3 == 0)
        if number % 7 == 0:
            record["journal_ref"] = "Shore Letters"
        record |= {"keywords": ["Salt marsh"] * (number % 5 == 0), "cite_key": f"shore{number}"}
        record["authors"] = [AUTHORS[number % 4], AUTHORS[(number // 4 + 1) % 4]][: 1 + number % 2]
        records.append(json.dumps(record))
    (folder / "papers.jsonl").write_text("\n".join(records) + "\n")
    return folder / "papers.jsonl"


@pytest_asyncio.fixture(scope="module")
async def coast(
    neo4j_server: Neo4jServer, embedder: Embedder, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Coast]:
    """The same store for all tests of this file, which leave nothing behind."""
    quick = QuickEmbedder(embedder)
    file = papers(tmp_path_factory.mktemp("coast"))
    async with await Database.connect(
        neo4j_server.uri, user=neo4j_server.user, password=neo4j_server.password, name=neo4j_server.database
    ) as database:
        await prepare(database, embedder.card)
        kept = ["SchemaVersion", "EmbeddingModel"]
        await wipe(database.driver, database=database.name, keep=kept)
        options = ChunkOptions(max_tokens=40)
        await ingest(database, quick, [file], options=options)
        await ingest(database, quick, [file.parent / "0.md"], collection="other", options=options)
        old, term = metadata_cluster_id("main", "age", "old"), collection_term("main")
        await database.run_alone(ENRICHMENTS, old=old, term=term)
        chunks = [record.data() for record in await database.read(CHUNKS)]
        yield Coast(database, ActiveModel(quick), chunks)
        await wipe(database.driver, database=database.name, keep=kept)


CONDITIONS: list[tuple[Any, Callable[[dict[str, Any]], bool]]] = [
    ({"papers": ["10.1000/3", "doi:10.1000/7"]}, lambda c: c["key"] in ("doi:10.1000/3", "doi:10.1000/7")),
    ({"categories": ["coast.hy"]}, lambda c: "Coast.HY" in c["categories"]),
    ({"keywords": ["salt marsh", "nothing"]}, lambda c: "Salt marsh" in c["keywords"]),
    ({"words": ["hore HOPPER"]}, lambda c: "Grace Hopper" in c["authors"]),
    ({"words": ["shore-17", "erdős", "nothing"]}, lambda c: "Paul Erdős" in c["authors"]),
    ({"words": ["ho ER"]}, lambda c: {"Grace Hopper", "Paul Erdős"} & {*c["authors"]}),
    ({"words": ["7"]}, lambda c: "7" in c["key"].removeprefix("doi:10.1000/")),
    ({"words": ["17 shore"]}, lambda c: c["key"] == "doi:10.1000/17"),
    ({"venues": ["shore letters"]}, lambda c: c["venues"] == ["Shore Letters"]),
    ({"formats": ["Markdown"]}, lambda c: c["format"] == "markdown"),
    ({"papers": ["@shore3", "@nobody"]}, lambda c: c["key"] == "doi:10.1000/3"),
    ({"categories": ["sea", "nothing"]}, lambda c: "sea" in c["categories"]),
    ({"years": {"from": 2003, "to": 2006}}, lambda c: 2003 <= (c["year"] or 0) <= 2006),
    ({"authors": ["paul ERDOS", "Grace  Hopper"]}, lambda c: {"Paul Erdős", "Grace Hopper"} & {*c["authors"]}),
    ({"entities": ["Tides"]}, lambda c: "tide" in c["text"]),
    ({"entities": ["Ebb and Flow"]}, lambda c: "tide" in c["text"]),
    ({"clusters": ["coast"]}, lambda c: "sand" in c["text"]),
    ({"clusters": [{"field": "age", "value": "old"}]}, lambda c: (c["year"] or 9999) < 2005),
    (
        {"clusters": ["beach", {"field": "age", "value": "old"}]},
        lambda c: "sand" in c["text"] or (c["year"] or 9999) < 2005,
    ),
    ({"kinds": ["body", "table"]}, lambda c: c["kind"] in ("body", "table")),
]


async def test_each_condition_lets_pass_what_it_says(coast: Coast):
    for data, passes in CONDITIONS:
        expected = coast.ids(passes)
        vector, fulltext = await coast.found(data)
        assert expected, data
        assert set(vector) == expected, data
        assert set(fulltext) == expected & coast.ids(lambda c: "wave" in c["text"] or "tide" in c["text"]), data


def combined(drawn: random.Random, depth: int) -> tuple[Any, Callable[[dict[str, Any]], bool]]:
    form = drawn.choice(["all", "any", "not", "one"]) if depth else "one"
    if form == "one":
        return drawn.choice(CONDITIONS[:-1])
    if form == "not":
        data, passes = combined(drawn, depth - 1)
        return {"not": data}, lambda c: not passes(c)
    parts = [combined(drawn, depth - 1) for _ in range(drawn.randint(1, 3))]
    holds = all if form == "all" else any
    return {form: [data for data, _ in parts]}, lambda c: holds(passes(c) for _, passes in parts)


async def test_any_combination_finds_the_nearest_of_what_passes_and_never_fewer_than_pass(coast: Coast):
    drawn = random.Random(1)  # noqa: S311
    query = "wave and tide"
    vector = np.asarray(await coast.model.vector(query))
    nearness = {chunk["id"]: float(vector @ np.asarray(chunk["vector"])) for chunk in coast.chunks}
    for k in (1, 5, 1000) * 8:
        data, passes = combined(drawn, depth=3)
        expected = coast.ids(passes)
        found, fulltext = await coast.found(data, k=k, query=query)
        best = sorted((nearness[id] for id in expected), reverse=True)[:k]
        assert [nearness[id] for id in found] == pytest.approx(best, abs=1e-4), data
        assert {*found, *fulltext} <= expected, data
        matching = expected & coast.ids(lambda c: "wave" in c["text"] or "tide" in c["text"])
        assert len(fulltext) == min(k, len(matching)), data


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many papers each full-text query named."""
    numbers: list[int] = []

    def noted(text: str, *, paper_ids: Sequence[str], **asked: Any) -> str | None:
        numbers.append(len(paper_ids))
        return fulltext_query(text, paper_ids=paper_ids, **asked)

    monkeypatch.setattr(retriever, "fulltext_query", noted)
    return numbers


async def test_papers_named_in_the_query_have_the_ranks_and_scores_of_looking_through(
    coast: Coast, named: list[int], monkeypatch: pytest.MonkeyPatch
):
    drawn = random.Random(2)  # noqa: S311
    for data in [*(data for data, _ in CONDITIONS), *(combined(drawn, depth=2)[0] for _ in range(8))]:
        scope = Scope.filtered(("main",), (await coast.passing(data))[0])
        inside = await retrieve_by_fulltext(coast.database, "wave and tide, a wave", scope, k=1000)
        with monkeypatch.context() as patched:
            patched.setattr(retriever, "MOST_PAPERS", 0)
            outside = await retrieve_by_fulltext(coast.database, "wave and tide, a wave", scope, k=1000)
        assert inside == outside, data
        assert named[-1] == 0
    assert sum(n > 0 for n in named) >= len(CONDITIONS) - 1


async def test_papers_with_more_chunks_than_are_looked_through_are_not_named(coast: Coast, named: list[int]):
    n_papers = len({chunk["paper_id"] for chunk in coast.chunks if "Coast.HY" in chunk["categories"]})

    for k in (1, 1000):
        await coast.found({"categories": ["coast.hy"]}, k=k)

    assert named == [0, n_papers]


async def test_a_value_that_names_nothing_is_told_and_lets_nothing_pass(coast: Coast):
    passing, unknown = await coast.passing({"any": [{"authors": ["Nobody", "Ada Lovelace"]}, {"categories": ["no"]}]})

    assert unknown == ("authors 'Nobody'", "categories 'no'")
    assert passing.papers is not None
    assert passing.papers.ids
    for data in ({"papers": ["doi:10.1/none"]}, {"entities": ["none"]}, {"clusters": ["none"]}, {"years": {"to": 7}}):
        assert await coast.found(data) == ([], [])
        assert len((await coast.passing(data))[1]) == 1


async def test_years_that_no_paper_is_of_are_told_with_the_number_of_papers_without_a_year(coast: Coast):
    undated = {chunk["paper_id"] for chunk in coast.chunks if chunk["year"] is None}

    _, (told,) = await coast.passing({"years": {"to": 7}})

    assert len(undated) > 0
    assert told.endswith(f"({len(undated)} of {N_PAPERS} papers have no year)")


async def test_days_count_where_they_are_known_and_else_whole_years(coast: Coast):
    def passes(chunk: dict[str, Any]) -> bool:
        if chunk["published"]:
            return "2004-06-05" <= chunk["published"] <= "2008-06-15"
        return 2005 <= (chunk["year"] or 0) <= 2007

    vector, _ = await coast.found({"dates": {"from": "2004-06-05", "to": "2008-06-15"}})

    assert set(vector) == coast.ids(passes) != set()


async def test_kinds_that_are_named_are_searched_even_if_others_are_not(coast: Coast):
    passing, _ = await coast.passing({"kinds": ["references"]})

    assert Scope.filtered(("main",), passing).kinds == ("references",)


async def test_ids_of_another_collection_name_nothing(coast: Coast):
    (paper,) = await papers_of(coast.database, collection="other", limit=1)

    passing, unknown = await coast.passing({"papers": [paper.id]})

    assert passing.papers is not None
    assert passing.papers.is_empty
    assert len(unknown) == 1


async def test_what_a_filter_lets_through_is_kept_until_something_is_committed(coast: Coast):
    async def n_asked() -> int:
        before = coast.database.n_queries
        await coast.passing({"authors": ["Ada Lovelace"]})
        return coast.database.n_queries - before

    first, again = await n_asked(), await n_asked()
    await coast.database.run_alone(Statement("test/new", "MATCH (a:Author {name: 'Ada Lovelace'}) SET a.note = 'x'"))

    assert again == 1 < first == await n_asked()
