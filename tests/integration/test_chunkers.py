"""Papers cut in other ways than the default one, in a real graph."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.ingest.chunkers import ChunkOptions
from papergraph.ingest.doctor import examine, repair
from papergraph.ingest.graph.writer import WriteOutcome
from papergraph.ingest.ingestor import delete
from papergraph.schema.checksum import graph_checksum
from papergraph.server.graph.export import to_markdown, whole_paper
from papergraph.server.graph.nodes import chunks_of_papers, chunks_of_sections, count_parts
from papergraph.server.retrieval.request import SearchRequest
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.search import search
from papergraph.statement import Statement
from tests.support.embedders import QuickEmbedder
from tests.support.graphs import assert_healthy
from tests.support.ingestion import ingest, outcomes

pytestmark = pytest.mark.slow

SAMPLES = Path("ingest/samples").absolute()
SOURCES = {str(path): path.read_bytes().decode() for path in SAMPLES.iterdir()}
TEXTS = Statement(
    "test/texts",
    """
    MATCH (paper:Paper)-[:HAS_SECTION]->(:Section)-[:HAS_CHUNK]->(chunk:Chunk)
    RETURN paper.sources[0] AS source, paper.chunker AS chunker, paper.cleaning AS cleaning,
           paper.bodyCoverage AS body_coverage, chunk.text AS text, chunk.startChar AS start, chunk.endChar AS end,
           chunk.nTokens AS n_tokens, chunk.nTokensEmbedded AS n_read, chunk.kind AS kind
    """,
)
PAPER = (
    """# Paper

## Method

We keep our code at https://example.org/code and nothing else [1]. """
    + "It is long. " * 200
    + """

## References

[1] A. Author, B.
"""
)


HIERARCHICAL = ChunkOptions(chunker="hierarchical", across_headings=False)

CHAINS = Statement(
    "test/chains",
    """
    MATCH (leaf:Chunk {level: 0})
    RETURN leaf.id AS id, COUNT { (leaf)-[:CHILD_OF]->({level: 1})-[:CHILD_OF]->({level: 2}) } AS n_chains,
           COUNT { (leaf)-[:CHILD_OF*1..9]->() } AS n_above
    """,
)
PARENTS = Statement(
    "test/parents",
    """
    MATCH (parent:Chunk {kind: 'parent'})
    RETURN parent.id AS id, parent.level AS level, parent.paperId AS paper_id, parent.text AS text,
           parent.embedding IS NOT NULL AS has_vector, COUNT { (parent)-[:NEXT_CHUNK]-() } AS n_next,
           COUNT { (:Section)-[:HAS_CHUNK]->(parent) } AS n_sections
    """,
)


@pytest.fixture
def quick(embedder: Embedder) -> QuickEmbedder:
    return QuickEmbedder(embedder)


@pytest.mark.parametrize("name", ["sentence", "topic"])
async def test_the_samples_are_cut_otherwise_once_and_a_second_time_changes_nothing(
    database: Database, quick: QuickEmbedder, name: str
):
    options = ChunkOptions(chunker=name)
    first = await ingest(database, quick, [SAMPLES], options=options)
    before, n_texts = await graph_checksum(database), quick.n_texts

    second = await ingest(database, quick, [SAMPLES], options=options)

    assert (set(outcomes(first)), set(outcomes(second))) == ({WriteOutcome.ADDED}, {WriteOutcome.UNCHANGED})
    assert (await graph_checksum(database)).same_graph(before)
    assert quick.n_texts == n_texts
    chunks = await database.read(TEXTS)
    assert len(chunks) == sum(item.n_chunks for item in first.items) > 80
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

    assert [outcomes(report) for report in reports] == [
        [WriteOutcome.ADDED],
        [WriteOutcome.REPLACED],
        [WriteOutcome.REPLACED],
    ]
    assert (outcomes(again), again.chunking) == ([WriteOutcome.UNCHANGED], ways[-1])
    chunks = await database.read(TEXTS)
    assert {chunk["kind"] for chunk in chunks} == {"body"}
    assert {(chunk["body_coverage"], *chunk["cleaning"]) for chunk in chunks} == {
        (1.0, "drop-back-matter", "trim-stops")
    }


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


async def test_a_hierarchy_stands_in_the_graph_with_one_chain_of_parents_for_each_chunk(
    database: Database, quick: QuickEmbedder
):
    options = ChunkOptions(chunker="hierarchical")
    report = await ingest(database, quick, [SAMPLES], options=options)
    before, n_texts = await graph_checksum(database), quick.n_texts

    again = await ingest(database, quick, [SAMPLES], options=options)

    chains, parents = await database.read(CHAINS), await database.read(PARENTS)
    assert set(outcomes(again)) == {WriteOutcome.UNCHANGED}
    assert ((await graph_checksum(database)).same_graph(before), quick.n_texts) == (True, n_texts)
    assert len(chains) == sum(item.n_chunks for item in report.items) > 100
    assert {(chain["n_chains"], chain["n_above"]) for chain in chains} == {(1, 2)}
    assert {(p["level"], p["has_vector"], p["n_next"], p["n_sections"]) for p in parents} == {
        (1, False, 0, 1),
        (2, False, 0, 1),
    }


@pytest.mark.parametrize("embed_parents", [False, True])
async def test_parents_are_no_hits_and_stand_in_no_list_of_chunks(
    database: Database, quick: QuickEmbedder, embed_parents: bool
):
    await ingest(database, quick, [SAMPLES], options=ChunkOptions(chunker="hierarchical", embed_parents=embed_parents))
    parents = await database.read(PARENTS)
    longest = max(parents, key=lambda parent: len(parent["text"]))

    hits = (await search(Resources.of(database, quick), SearchRequest(longest["text"][:3000], k=100))).hits
    (listed,) = await chunks_of_papers(database, [longest["paper_id"]], after=-1, limit=1000)
    inside = Counter(hit.section.id for hit in hits if hit.chunk.text in longest["text"])
    ((section, _),) = inside.most_common(1)
    (in_section,) = await chunks_of_sections(database, [section], after=-1, limit=1000)
    (n_in_section,) = await count_parts(database, [section])

    assert {parent["has_vector"] for parent in parents} == {embed_parents}
    assert not {hit.chunk.id for hit in hits} & {parent["id"] for parent in parents}
    assert {chunk.level for chunk in (*listed, *in_section)} == {0}
    assert [chunk.ordinal for chunk in listed] == list(range(len(listed)))
    assert len(in_section) == n_in_section > 1


async def test_an_exported_paper_has_each_word_once_however_many_levels_hold_it(
    database: Database, quick: QuickEmbedder, tmp_path: Path
):
    path = tmp_path / "paper.md"
    path.write_text(PAPER)
    await ingest(database, quick, [path], options=ChunkOptions(chunker="sentence"))
    flat = to_markdown(await whole_paper(database, str(path)))
    await ingest(database, quick, [path], options=ChunkOptions(chunker="hierarchical"))

    exported = to_markdown(await whole_paper(database, str(path)))

    assert exported.split() == flat.split()
    assert exported.count("We keep our code") == 1


async def test_parents_go_with_their_paper_and_with_its_hierarchy(
    database: Database, quick: QuickEmbedder, tmp_path: Path
):
    path = tmp_path / "paper.md"
    path.write_text(PAPER)
    hierarchical = ChunkOptions(chunker="hierarchical")
    await ingest(database, quick, [path])
    plain = await graph_checksum(database)
    await ingest(database, quick, [path], options=hierarchical)
    n_parents = len(await database.read(PARENTS))

    await ingest(database, quick, [path])
    replaced = await graph_checksum(database)
    await ingest(database, quick, [path], options=hierarchical)
    copy = tmp_path / "copy.md"
    copy.write_text(PAPER)
    await ingest(database, quick, [copy], options=hierarchical)
    await delete(database, [str(path)])  # the paper goes on as the copy's, with other ids

    assert n_parents > 2
    assert replaced.same_graph(plain)
    assert len(await database.read(PARENTS)) == n_parents
    assert {chain["n_chains"] for chain in await database.read(CHAINS)} == {1}
    await assert_healthy(database)
    await delete(database, [str(copy)])
    assert (await graph_checksum(database)).n_nodes == 0


async def test_a_chunk_that_becomes_a_parent_keeps_nothing_of_what_it_was(
    database: Database, quick: QuickEmbedder, tmp_path: Path
):
    path, options = tmp_path / "paper.md", replace(HIERARCHICAL, embed_parents=True)
    one = "# Paper\n\n## A\n\nNone.\n"
    path.write_text(one)
    await ingest(database, quick, [path], options=HIERARCHICAL)
    fresh = await graph_checksum(database)
    path.write_text(f"{one}\n## B\n\nNone.\n\n## C\n\nNone.\n")  # number 1 and its text: the second chunk here,
    await ingest(database, quick, [path], options=options)
    path.write_text(one)  # and the first one's parent here

    await ingest(database, quick, [path], options=HIERARCHICAL)

    assert (await graph_checksum(database)).same_graph(fresh)
    await assert_healthy(database)


@pytest.mark.writes_by_hand
async def test_the_doctor_sees_a_chunk_that_fell_out_of_its_parents_and_has_the_paper_written_anew(
    database: Database, quick: QuickEmbedder, tmp_path: Path
):
    path, options = tmp_path / "paper.md", ChunkOptions(chunker="hierarchical")
    path.write_text(PAPER)
    await ingest(database, quick, [path], options=options)
    clean = await graph_checksum(database)
    await database.driver.execute_query("MATCH (:Chunk {ordinal: 0})-[below:CHILD_OF]->() DELETE below")

    seen, repaired = await examine(database), await repair(database)
    again = await ingest(database, quick, [path], options=options)

    assert [(finding.check, finding.n) for finding in seen.findings] == [("hierarchy", 1)]
    assert [(one.check, one.n) for one in repaired.repairs] == [("hierarchy", 1)]
    assert outcomes(again) == [WriteOutcome.REPLACED]
    assert (await graph_checksum(database)).same_graph(clean)
