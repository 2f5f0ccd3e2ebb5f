"""Papers cut in other ways than the default one, in a real graph."""

from pathlib import Path

import pytest

from ingest.chunk import ChunkOptions
from ingest.run import ingest
from ingest.write import Outcome
from papergraph.database import Database, Statement
from papergraph.embedding import SentenceTransformerModel
from schema.digest import graph_digest
from tests.integration.test_ingest import QuickEmbedder, outcomes

SAMPLES = Path("ingest/samples").absolute()
SOURCES = {str(path): path.read_bytes().decode() for path in SAMPLES.iterdir()}
TEXTS = Statement(
    "test/texts",
    """
    MATCH (paper:Paper)-[:HAS_SECTION]->(:Section)-[:HAS_CHUNK]->(chunk:Chunk)
    RETURN paper.sources[0] AS source, paper.chunker AS chunker, paper.cleaning AS cleaning,
           paper.bodyShare AS body_share, chunk.text AS text, chunk.startChar AS start, chunk.endChar AS end,
           chunk.nTokens AS n_tokens, chunk.nTokensRead AS n_read, chunk.kind AS kind
    """,
)
PAPER = (
    """# Paper

## Method

We keep our code at https://example.org/code and nothing else. """
    + "It is long. " * 200
    + """

## References

[1] A. Author, B.
"""
)


@pytest.fixture
def quick(embedder: SentenceTransformerModel) -> QuickEmbedder:
    return QuickEmbedder(embedder)


@pytest.mark.parametrize("name", ["sentence", "topic"])
async def test_the_samples_are_cut_otherwise_once_and_a_second_time_changes_nothing(
    database: Database, quick: QuickEmbedder, name: str
):
    options = ChunkOptions(chunker=name)
    first = await ingest(database, quick, [SAMPLES], options=options)
    before, n_texts = await graph_digest(database), quick.n_texts

    second = await ingest(database, quick, [SAMPLES], options=options)

    assert (set(outcomes(first)), set(outcomes(second))) == ({Outcome.ADDED}, {Outcome.UNCHANGED})
    assert (await graph_digest(database)).same_graph(before)
    assert quick.n_texts == n_texts
    chunks = await database.read(TEXTS)
    assert len(chunks) == sum(item.n_chunks for item in first.items) > 100
    for chunk in chunks:
        assert chunk["text"] == SOURCES[chunk["source"]][chunk["start"] : chunk["end"]]
        assert chunk["n_tokens"] == chunk["n_read"]
        assert (chunk["chunker"], chunk["cleaning"]) == (name, ["trim-stops"])


async def test_another_way_of_cutting_or_cleaning_writes_the_paper_anew_and_leaves_nothing_of_the_other(
    database: Database, quick: QuickEmbedder, tmp_path: Path
):
    path = tmp_path / "paper.md"
    path.write_text(PAPER)
    ways = [ChunkOptions(), ChunkOptions(chunker="topic"), ChunkOptions(chunker="topic", drop_back_matter=True)]
    reports = [await ingest(database, quick, [path], options=options) for options in ways]

    again = await ingest(database, quick, [path], options=ways[-1])

    assert [outcomes(report) for report in reports] == [[Outcome.ADDED], [Outcome.REPLACED], [Outcome.REPLACED]]
    assert (outcomes(again), again.chunking) == ([Outcome.UNCHANGED], ways[-1])
    chunks = await database.read(TEXTS)
    assert {chunk["kind"] for chunk in chunks} == {"body"}
    assert {(chunk["body_share"], *chunk["cleaning"]) for chunk in chunks} == {(1.0, "drop-back-matter", "trim-stops")}


async def test_a_url_that_is_masked_stays_in_the_text_and_what_is_too_long_is_embedded_in_windows(
    database: Database, quick: QuickEmbedder, tmp_path: Path
):
    path = tmp_path / "paper.md"
    path.write_text(PAPER)

    await ingest(database, quick, [path], options=ChunkOptions(chunker="quim", mask_urls=True, drop_back_matter=True))

    (chunk,) = await database.read(TEXTS)
    assert "https://example.org/code" in chunk["text"]
    assert chunk["n_tokens"] == chunk["n_read"] > 256
    assert quick.n_texts > 2  # the paper, and several windows of its one chunk


async def test_a_report_counts_the_chunks_of_which_the_model_reads_the_beginning_only(
    database: Database, quick: QuickEmbedder, tmp_path: Path
):
    path = tmp_path / "paper.md"
    path.write_text(PAPER)

    report = await ingest(database, quick, [path], options=ChunkOptions(max_tokens=512, overlap_tokens=0))

    assert [item.n_cut_short for item in report.items] == [2]  # of 512 tokens, and of some 300
    assert sum(chunk["n_read"] < chunk["n_tokens"] for chunk in await database.read(TEXTS)) == 2
