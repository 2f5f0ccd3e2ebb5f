"""Vectors that no search would ever find: Neo4j takes most of them without a word, papergraph does not."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from papergraph import cypher
from papergraph.database import Database
from papergraph.embedding import DEFAULT_SHA256, Embedder, Floats
from papergraph.errors import Code, EmbeddingError, QueryError
from papergraph.ingest.graph.writer import WriteOutcome
from papergraph.schema.checksum import graph_checksum
from papergraph.statement import Statement
from tests.support.ingestion import ingest

pytestmark = [pytest.mark.writes_by_hand, pytest.mark.slow]

PAPER = Path("ingest/samples/leiden-topic-maps.md")

WRITE_BY_PROCEDURE = Statement(
    "test/procedure",
    """
    CREATE (chunk:Chunk {id: $id, collection: 'main', kind: 'body'})
    WITH chunk
    CALL db.create.setNodeVectorProperty(chunk, 'embedding', $vector)
    """,
)
WRITE_BY_SET = Statement("test/set", "CREATE (:Chunk {id: $id, collection: 'main', kind: 'body', embedding: $vector})")
STORED = Statement("test/stored", "MATCH (chunk:Chunk {id: $id}) RETURN size(chunk.embedding) AS length")

IN_USE = {"collections": ["main"], "model": DEFAULT_SHA256, "state": "active"}
DIMENSION = 384
UNIT = [1.0] + [0.0] * (DIMENSION - 1)
USELESS = {
    "too short": UNIT[:3],
    "too long": UNIT * 2,
    "zero": [0.0] * DIMENSION,
    "NaN": [float("nan"), *UNIT[1:]],
    "infinite": [float("inf"), *UNIT[1:]],
}


async def found(database: Database) -> set[str]:
    """Return the ids of all chunks that the vector index knows."""
    records = await database.read(
        cypher.load("retrieval/vector_top_k"), query_vector=UNIT, kinds=["body"], k=100, **IN_USE
    )
    return {record["chunk_id"] for record in records}


# What Neo4j does (docs/integrity.md; measured again on 2026.09)


@pytest.mark.parametrize("name", ["too short", "too long", "zero"])
@pytest.mark.parametrize("write", [WRITE_BY_PROCEDURE, WRITE_BY_SET], ids=["procedure", "set"])
async def test_neo4j_2026_09_stores_a_vector_of_wrong_length_or_zero_without_a_word_and_never_finds_it(
    database: Database, write: Statement, name: str
):
    await database.run_alone(write, id="good", vector=UNIT)

    await database.run_alone(write, id="bad", vector=USELESS[name])

    assert [record["length"] for record in await database.read(STORED, id="bad")] == [len(USELESS[name])]
    assert await found(database) == {"good"}


@pytest.mark.parametrize("name", ["NaN", "infinite"])
async def test_neo4j_2026_09_refuses_what_is_not_finite_in_the_procedure_and_stores_it_by_set(
    database: Database, name: str
):
    await database.run_alone(WRITE_BY_PROCEDURE, id="good", vector=UNIT)

    with pytest.raises(QueryError, match="Vector must only contain finite values"):
        await database.run_alone(WRITE_BY_PROCEDURE, id="refused", vector=USELESS[name])
    await database.run_alone(WRITE_BY_SET, id="bad", vector=USELESS[name])

    assert await database.read(STORED, id="refused") == []
    assert [record["length"] for record in await database.read(STORED, id="bad")] == [DIMENSION]
    assert await found(database) == {"good"}


async def test_neo4j_2026_09_stores_words_in_place_of_a_vector_and_never_finds_them(database: Database):
    await database.run_alone(WRITE_BY_SET, id="good", vector=UNIT)

    await database.run_alone(WRITE_BY_SET, id="bad", vector=["one"] * DIMENSION)

    assert await found(database) == {"good"}


async def test_neo4j_2026_09_refuses_words_in_place_of_a_vector_only_in_the_procedure(database: Database):
    with pytest.raises(QueryError):
        await database.run_alone(WRITE_BY_PROCEDURE, id="bad", vector=["one"] * DIMENSION)

    assert await database.read(STORED, id="bad") == []


@pytest.mark.parametrize("vector", USELESS.values(), ids=USELESS.keys())
async def test_neo4j_2026_09_refuses_to_search_with_a_useless_vector(database: Database, vector: list[float]):
    with pytest.raises(QueryError):
        await database.read(cypher.load("retrieval/vector_top_k"), query_vector=vector, kinds=["body"], k=5, **IN_USE)


# What papergraph does


class BrokenEmbedder:
    """The real model, but the vector of one text is replaced."""

    def __init__(self, real: Embedder, vector: list[float], *, where: int) -> None:
        self._real = real
        self._vector = vector
        self._where = where
        self.card = real.card
        self.tokenizer = real.tokenizer

    def encode_documents(self, texts: Sequence[str]) -> Floats:
        vectors = list(self._real.encode_documents(texts))
        if vectors:
            vectors[self._where] = np.asarray(self._vector, dtype=np.float32)
        return vectors  # type: ignore[return-value]

    def encode_query(self, text: str) -> Floats:
        return self._real.encode_query(text)


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "a.md"
    path.write_text("# Tides\n\nWe study tides.\n\n## Method\n\nWe look at the sea.\n\n## Result\n\nIt is wet.\n")
    return path


@pytest.mark.parametrize("where", [0, 2], ids=["of the paper", "of a chunk"])
@pytest.mark.parametrize("vector", USELESS.values(), ids=USELESS.keys())
async def test_a_useless_vector_is_refused_and_nothing_of_its_paper_is_written(
    database: Database, embedder: Embedder, document: Path, vector: list[float], where: int
):
    with pytest.raises(EmbeddingError, match=r"vector \d+ (?:of|has)") as caught:
        await ingest(database, BrokenEmbedder(embedder, vector, where=where), [document])

    assert caught.value.code is Code.UNAVAILABLE
    assert (await graph_checksum(database)).n_nodes == 0


async def test_a_useless_vector_leaves_the_papers_that_are_there_and_a_later_try_works(
    database: Database, embedder: Embedder, document: Path
):
    await ingest(database, embedder, [document])
    before = await graph_checksum(database)
    document.write_text(document.read_text() + "\n## More\n\nIt is deep.\n")  # noqa: ASYNC240

    with pytest.raises(EmbeddingError):  # only the new section's text is embedded: the others' vectors are there
        await ingest(database, BrokenEmbedder(embedder, USELESS["NaN"], where=0), [document])

    assert (await graph_checksum(database)).same_graph(before)
    assert (await ingest(database, embedder, [document])).count(WriteOutcome.REPLACED) == 1


async def test_every_stored_vector_has_length_1_and_finds_its_own_node(database: Database, embedder: Embedder):
    await ingest(database, embedder, [PAPER])
    vectors = (await graph_checksum(database)).vectors
    chunks = Statement("test/chunks", "MATCH (chunk:Chunk) RETURN chunk.id AS id, chunk.kind AS kind")

    for id, vector in vectors.items():
        assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5), id
    for record in await database.read(chunks):
        best, *_ = await database.read(
            cypher.load("retrieval/vector_top_k"),
            query_vector=vectors[record["id"]].tolist(),
            kinds=[record["kind"]],
            k=5,
            **IN_USE,
        )
        assert (best["chunk_id"], best["score"]) == (record["id"], pytest.approx(1.0, abs=1e-3))
