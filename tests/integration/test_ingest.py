"""Documents go into a real graph whole, once, and out of it without a trace."""

import asyncio
import random
import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from neo4j import Record

from papergraph import cypher
from papergraph.database import Database
from papergraph.embedding import Embedder, Floats
from papergraph.errors import EmbeddingError, InputError, NotFoundError, Reason
from papergraph.ingest.chunkers import ChunkOptions
from papergraph.ingest.graph.writer import WriteOutcome
from papergraph.ingest.ingestor import IngestReport, delete
from papergraph.neo4j_errors import Transaction
from papergraph.schema.checksum import graph_checksum
from papergraph.schema.ids import paper_id
from papergraph.server.graph.nodes import paper_by_key
from papergraph.statement import Statement
from tests.pytest_neo4j import Neo4jServer
from tests.support.embedders import QuickEmbedder
from tests.support.files import write
from tests.support.ingestion import METHOD_AND_RESULT, clean, empty, ingest, many, outcomes, paper

SAMPLES = Path("ingest/samples").absolute()

CHUNKS = Statement(
    "test/chunks",
    """
    MATCH (paper:Paper)-[:HAS_SECTION]->(section:Section)-[:HAS_CHUNK]->(chunk:Chunk)
    RETURN paper.id AS paper, paper.sources[0] AS source, section.ordinal AS section, chunk.ordinal AS ordinal,
           chunk.text AS text, chunk.startChar AS start, chunk.endChar AS end, chunk.sectionId = section.id AS same
    ORDER BY paper, ordinal
    """,
)
NEXT = Statement(
    "test/next",
    """
    MATCH (one:Chunk)-[:NEXT_CHUNK]->(next:Chunk)
    RETURN one.paperId AS paper, one.ordinal AS one, next.paperId AS next_paper, next.ordinal AS next
    """,
)
SECTIONS = Statement(
    "test/sections",
    """
    MATCH (section:Section)
    RETURN section.title AS title, section.level AS level,
           COLLECT { MATCH (paper:Paper)-[:HAS_SECTION]->(section) RETURN paper.id = section.paperId } AS papers,
           COLLECT { MATCH (above:Section)-[:HAS_SUBSECTION]->(section) RETURN above.title } AS above,
           COLLECT { MATCH (above:Section)-[:HAS_SUBSECTION]->(section) RETURN above.level } AS levels
    ORDER BY section.paperId, section.ordinal
    """,
)
TOTALS = Statement(
    "test/totals",
    """
    MATCH (paper:Paper)
    RETURN paper.key AS key, paper.nSections = COUNT { (paper)-[:HAS_SECTION]->() } AS all_sections,
           paper.nChunks = COUNT { (paper)-[:HAS_SECTION]->()-[:HAS_CHUNK]->() } AS all_chunks,
           paper.keys AS keys, paper.sources AS sources, paper.nKeys = size(paper.keys) AS counted
    ORDER BY key
    """,
)
AUTHORS = Statement("test/authors", "MATCH (author:Author) RETURN author.name AS name ORDER BY name")
ALL_NODES = Statement(
    "test/nodes", "MATCH (n:!(SchemaVersion|EmbeddingModel|IngestJob|IngestTask)) RETURN count(n) AS n"
)


class CountingEmbedder:
    """The real model, with a count of the texts that it was asked to embed."""

    def __init__(self, real: Embedder) -> None:
        self._real = real
        self.card = real.card
        self.tokenizer = real.tokenizer
        self.n_texts = 0

    def encode_documents(self, texts: Sequence[str]) -> Floats:
        self.n_texts += len(texts)
        return self._real.encode_documents(texts)

    def encode_query(self, text: str) -> Floats:
        return self._real.encode_query(text)


@pytest.fixture
def quick(embedder: Embedder) -> QuickEmbedder:
    return QuickEmbedder(embedder)


def assert_whole(chunks: list[Record], links: list[Record]) -> None:
    """Chunks of each paper are numbered from 0 without gaps, and each is linked to the one after it and no other."""
    positions: dict[str, list[int]] = {}
    for chunk in chunks:
        positions.setdefault(chunk["paper"], []).append(chunk["ordinal"])
    assert all(ordinals == list(range(len(ordinals))) for ordinals in positions.values())
    assert sorted(link.values() for link in links) == sorted(
        [id, one, id, next] for id, ordinals in positions.items() for one, next in pairwise(ordinals)
    )


# The samples


@pytest.mark.slow
async def test_the_samples_a_second_time_change_nothing_and_nothing_is_embedded(database: Database, embedder: Embedder):
    counting = CountingEmbedder(embedder)
    first = await ingest(database, counting, [SAMPLES])
    before, n_texts = await graph_checksum(database), counting.n_texts

    second = await ingest(database, counting, [SAMPLES])

    assert (set(outcomes(first)), first.count(WriteOutcome.ADDED)) == ({WriteOutcome.ADDED}, 12)
    assert (set(outcomes(second)), second.count(WriteOutcome.UNCHANGED)) == ({WriteOutcome.UNCHANGED}, 12)
    assert counting.n_texts == n_texts > 12
    assert before.sha256 == (await graph_checksum(database)).sha256
    assert [item.n_chunks for item in second.items] == [item.n_chunks for item in first.items]


async def test_every_chunk_of_the_samples_is_the_text_of_its_source_to_the_letter(
    database: Database, quick: QuickEmbedder
):
    report = await ingest(database, quick, [SAMPLES])
    texts = {str(path): path.read_bytes().decode() for path in SAMPLES.iterdir()}

    chunks = await database.read(CHUNKS)

    assert len(chunks) == sum(item.n_chunks for item in report.items) > 100
    for chunk in chunks:
        assert chunk["text"] == texts[chunk["source"]][chunk["start"] : chunk["end"]]
        assert chunk["same"]


async def test_the_samples_chunks_are_linked_in_order_and_their_sections_stand_in_trees(
    database: Database, quick: QuickEmbedder
):
    report = await ingest(database, quick, [SAMPLES])

    chunks, sections = await database.read(CHUNKS), await database.read(SECTIONS)

    assert_whole(chunks, await database.read(NEXT))
    assert [chunk["section"] for chunk in chunks] == [
        section
        for paper in dict.fromkeys(chunk["paper"] for chunk in chunks)
        for section in sorted(chunk["section"] for chunk in chunks if chunk["paper"] == paper)
    ]
    assert len(sections) == sum(item.n_sections for item in report.items)
    for section in sections:
        assert section["papers"] == [True]
        assert section["levels"] == ([section["level"] - 1] if section["level"] > 1 else [])
    totals = await database.read(TOTALS)
    assert len(totals) == 12
    assert all(total["all_sections"] and total["all_chunks"] and total["counted"] for total in totals)


@pytest.mark.slow
async def test_the_order_of_arrival_leaves_no_trace(database: Database, quick: QuickEmbedder):
    paths = sorted(SAMPLES.iterdir())
    in_order = await clean(database, quick, paths)
    shuffled = random.Random(7).sample(paths, len(paths))  # noqa: S311

    for path in shuffled:
        await ingest(database, quick, [path])

    assert (await graph_checksum(database)).same_graph(in_order)


@pytest.mark.slow
async def test_batches_do_not_change_what_the_model_makes_of_a_text(database: Database, embedder: Embedder):
    paths = sorted(SAMPLES.iterdir())[:3]
    together = await clean(database, embedder, paths)

    for path in reversed(paths):
        await ingest(database, embedder, [path])

    assert (await graph_checksum(database)).same_graph(together)


@pytest.mark.slow
async def test_a_document_of_1500_chunks_is_written_whole(database: Database, quick: QuickEmbedder, tmp_path: Path):
    sections = "".join(
        f"## Section {number}\n\n" + "".join(f"Sentence {number} of {line} words.\n\n" for line in range(10))
        for number in range(150)
    )
    long = write(tmp_path / "long.md", paper("Long", body=sections))

    report = await ingest(database, quick, [long], options=ChunkOptions(max_tokens=9, overlap_tokens=0))

    (item,) = report.items
    chunks = await database.read(CHUNKS)
    assert (item.outcome, item.n_sections, item.n_chunks) == (WriteOutcome.ADDED, 150, 1500)
    assert (len(chunks), len({chunk["text"] for chunk in chunks})) == (1500, 1500)
    assert_whole(chunks, await database.read(NEXT))
    assert (await graph_checksum(database)).vectors.keys() >= {paper_id("main", f"file:{long}")}
    assert len((await graph_checksum(database)).vectors) == 1 + 1500


@pytest.mark.slow
async def test_a_document_of_1500_chunks_goes_out_whole(database: Database, quick: QuickEmbedder, tmp_path: Path):
    body = "\n\n".join(f"Sentence {line} of words." for line in range(1500))
    long = write(tmp_path / "long.md", paper("Long", authors="Ada Lovelace", body=body))
    await ingest(database, quick, [long], options=ChunkOptions(max_tokens=9, overlap_tokens=0))

    await delete(database, [str(long)])

    assert (await database.read(ALL_NODES))[0]["n"] == 0


# Changed papers


FIRST = paper("Tides", authors="Ada Lovelace, Kurt Gödel")


CHANGED = [
    FIRST.replace("We look at it.", "We look at it twice."),
    FIRST.replace("## Method", "## Methods"),
    FIRST.replace("# Tides\n\nWe study tides.\n", "# Tides\n\nWe study tides.\n\nAnd waves.\n\n## New\n\nText.\n"),
    FIRST.replace("## Result\n\nIt is.\n", ""),
    FIRST.replace("### Detail", "## Detail"),
    FIRST.replace("## Result", "### Result"),
    FIRST.replace("## Result", "#### Result"),
    FIRST.replace("We look at it.\n\n### Detail\n\nClosely.", "### Detail\n\nWe look at it.\n\nClosely."),
    FIRST.replace("## Method\n\nWe look at it.", "We look at it.\n\n## Method"),
    FIRST.replace("### Detail\n\nClosely.", "Closely.\n\n### Detail"),
    FIRST.replace(METHOD_AND_RESULT, "## Method\n\n### Detail\n\nWe look at it.\n\n## Result\n\nClosely."),
    FIRST.replace("Ada Lovelace, Kurt Gödel", "Kurt Gödel, Ada Lovelace"),
    FIRST.replace("Ada Lovelace, Kurt Gödel", "ADA LOVELACE, Alan Turing"),
    FIRST.replace("authors: [Ada Lovelace, Kurt Gödel]", "year: 1931\nlicense: CC-BY-4.0"),
    FIRST.replace("title: Tides", "title: Tides and Waves"),
    "Tides",
    FIRST.replace("\n", "\r\n"),
]
FAST = 4


@pytest.mark.parametrize(
    "changed", [pytest.param(text, marks=() if n < FAST else pytest.mark.slow) for n, text in enumerate(CHANGED)]
)
async def test_a_changed_paper_becomes_what_a_first_ingestion_of_it_gives(
    database: Database, quick: QuickEmbedder, tmp_path: Path, changed: str
):
    assert changed != FIRST
    path = write(tmp_path / "a.md", changed)
    expected = await clean(database, quick, [path])
    await ingest(database, quick, [write(path, FIRST)])

    report = await ingest(database, quick, [write(path, changed)])

    assert outcomes(report) == [WriteOutcome.REPLACED]
    assert (await graph_checksum(database)).same_graph(expected)


async def test_of_a_changed_paper_what_stayed_keeps_its_node(database: Database, quick: QuickEmbedder, tmp_path: Path):
    chunk_nodes = Statement("test/ids", "MATCH (c:Chunk) RETURN c.text AS text, elementId(c) AS node")
    path = write(tmp_path / "a.md", FIRST)
    await ingest(database, quick, [path])
    before = {record["text"]: record["node"] for record in await database.read(chunk_nodes)}

    await ingest(database, quick, [write(path, FIRST.replace("It is.", "It is not."))])

    after = {record["text"]: record["node"] for record in await database.read(chunk_nodes)}
    assert before.keys() ^ after.keys() == {"It is.", "It is not."}
    assert all(before[text] == after[text] for text in before.keys() & after.keys())


@pytest.mark.slow
@pytest.mark.parametrize("options", [ChunkOptions(max_tokens=64, overlap_tokens=8), ChunkOptions(192, 0)])
async def test_other_options_for_chunks_make_a_paper_be_written_anew(
    database: Database, quick: QuickEmbedder, options: ChunkOptions
):
    path = SAMPLES / "hnsw-nearest-neighbour-search.md"
    expected = await clean(database, quick, [path], options=options)
    await ingest(database, quick, [path])

    assert outcomes(await ingest(database, quick, [path], options=options)) == [WriteOutcome.REPLACED]
    assert (await graph_checksum(database)).same_graph(expected)
    assert outcomes(await ingest(database, quick, [path], options=options)) == [WriteOutcome.UNCHANGED]


async def test_an_unrelated_paper_leaves_another_ones_nodes_as_they_are(
    database: Database, quick: QuickEmbedder, tmp_path: Path
):
    nodes = Statement(
        "test/nodes",
        """
        MATCH (p:Paper {id: $id})
        OPTIONAL MATCH (p)-[:HAS_SECTION]->(s)-[:HAS_CHUNK]->(c)
        OPTIONAL MATCH (a:Author)-[:WROTE]->(p)
        UNWIND [p, s, c, a] AS n
        RETURN DISTINCT elementId(n) AS node, labels(n) AS labels, properties(n) AS properties,
               COUNT { (n)--() } AS degree
        ORDER BY node
        """,
    )
    one = write(tmp_path / "one.md", FIRST)
    await ingest(database, quick, [one])
    id = paper_id("main", f"file:{one}")
    before = [record.data() for record in await database.read(nodes, id=id)]

    other = write(tmp_path / "other.md", paper("Winds", authors="Emmy Noether"))
    await ingest(database, quick, [other])
    with_other = [record.data() for record in await database.read(nodes, id=id)]
    await delete(database, [str(other)])

    assert len(before) == 1 + 4 + 4 + 2
    assert with_other == before
    assert [record.data() for record in await database.read(nodes, id=id)] == before


# The same content twice


@pytest.fixture
def twins(tmp_path: Path) -> tuple[Path, Path]:
    return write(tmp_path / "a.md", FIRST), write(tmp_path / "b" / "b.md", FIRST)


async def test_the_same_content_under_two_names_is_one_paper_with_both(
    database: Database, quick: QuickEmbedder, twins: tuple[Path, Path]
):
    report = await ingest(database, quick, twins)

    assert outcomes(report) == [WriteOutcome.ADDED, WriteOutcome.JOINED]
    (total,) = await database.read(TOTALS)
    assert total["keys"] == [f"file:{path}" for path in twins]
    assert total["sources"] == [str(path) for path in twins]
    assert outcomes(await ingest(database, quick, twins)) == [WriteOutcome.UNCHANGED, WriteOutcome.UNCHANGED]
    for path in twins:
        assert (await paper_by_key(database, f"file:{path}")).title == "Tides"


@pytest.mark.parametrize("gone", [0, 1])
async def test_one_of_two_names_deleted_is_as_if_it_had_never_come(
    database: Database, quick: QuickEmbedder, twins: tuple[Path, Path], gone: int
):
    expected = await clean(database, quick, [twins[1 - gone]])
    await ingest(database, quick, twins)

    assert await delete(database, [str(twins[gone])]) == [f"file:{twins[gone]}"]

    assert (await graph_checksum(database)).same_graph(expected)
    await delete(database, [str(twins[1 - gone])])
    assert (await database.read(ALL_NODES))[0]["n"] == 0


@pytest.mark.parametrize("changed", [0, 1])
async def test_one_of_two_files_changed_makes_two_papers_of_them(
    database: Database, quick: QuickEmbedder, twins: tuple[Path, Path], changed: int
):
    other = FIRST.replace("We look at it.", "We look at it twice.")
    write(twins[changed], other)
    expected = await clean(database, quick, twins)
    write(twins[changed], FIRST)
    await ingest(database, quick, twins)
    write(twins[changed], other)

    report = await ingest(database, quick, twins)

    assert outcomes(report)[changed] is WriteOutcome.REPLACED
    assert outcomes(report)[1 - changed] is WriteOutcome.UNCHANGED
    assert (await graph_checksum(database)).same_graph(expected)


async def test_two_papers_that_become_the_same_are_one(
    database: Database, quick: QuickEmbedder, twins: tuple[Path, Path]
):
    expected = await clean(database, quick, twins)
    write(twins[1], paper("Winds", authors="Emmy Noether"))
    await ingest(database, quick, twins)
    write(twins[1], FIRST)

    await ingest(database, quick, twins)

    assert (await graph_checksum(database)).same_graph(expected)


async def test_other_options_for_a_paper_with_two_names_keep_both(
    database: Database, quick: QuickEmbedder, twins: tuple[Path, Path]
):
    options = ChunkOptions(16, 0)
    expected = await clean(database, quick, twins, options=options)
    await ingest(database, quick, twins)

    report = await ingest(database, quick, twins, options=options)

    assert outcomes(report) == [WriteOutcome.REPLACED, WriteOutcome.UNCHANGED]
    assert (await graph_checksum(database)).same_graph(expected)


@pytest.mark.slow
async def test_a_folder_in_two_collections_is_two_sets_of_papers(database: Database, quick: QuickEmbedder):
    folder = SAMPLES
    alone = await clean(database, quick, [folder])
    await ingest(database, quick, [folder])

    report = await ingest(database, quick, [folder], collection="second")

    assert set(outcomes(report)) == {WriteOutcome.ADDED}
    both = await graph_checksum(database)
    assert (both.n_nodes, both.n_relationships) == (2 * alone.n_nodes, 2 * alone.n_relationships)
    await delete(database, [str(folder)], collection="second")
    assert (await graph_checksum(database)).same_graph(alone)


# Deleting


async def test_what_a_paper_shared_with_others_survives_it_and_the_rest_goes(
    database: Database, quick: QuickEmbedder, tmp_path: Path
):
    stays = write(tmp_path / "stays.md", paper("Tides", authors="José García, Emmy Noether"))
    goes = write(tmp_path / "goes.md", paper("Winds", authors="JOSÉ GARCÍA, Kurt Gödel"))
    expected = await clean(database, quick, [stays])
    await ingest(database, quick, [stays, goes])
    assert [r["name"] for r in await database.read(AUTHORS)] == ["Emmy Noether", "JOSÉ GARCÍA", "Kurt Gödel"]

    await delete(database, [str(goes)])

    assert [r["name"] for r in await database.read(AUTHORS)] == ["Emmy Noether", "José García"]
    assert (await graph_checksum(database)).same_graph(expected)


async def test_a_folder_stands_for_all_that_was_ingested_below_it_and_not_beside_it(
    database: Database, quick: QuickEmbedder, tmp_path: Path
):
    beside = write(tmp_path / "papers-of-others" / "c.md", paper("Clouds"))
    expected = await clean(database, quick, [beside])
    folder = tmp_path / "papers"
    write(folder / "a.md", FIRST)
    write(folder / "deep" / "er" / "b.md", paper("Winds"))
    await ingest(database, quick, [tmp_path])

    keys = await delete(database, [str(folder)])

    assert keys == [f"file:{folder}/a.md", f"file:{folder}/deep/er/b.md"]
    assert (await graph_checksum(database)).same_graph(expected)


@pytest.mark.parametrize("name", ["papers/a.md", "./papers/a.md", "papers/../papers/a.md", "papers", "papers/", "."])
async def test_a_path_is_understood_as_it_was_when_ingesting(
    database: Database, quick: QuickEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
):
    path = write(tmp_path / "papers" / "a.md", FIRST)
    await ingest(database, quick, [path])
    monkeypatch.chdir(tmp_path)

    assert await delete(database, [name]) == [f"file:{path}"]

    assert (await database.read(ALL_NODES))[0]["n"] == 0


async def test_a_name_that_stands_for_nothing_is_told_and_nothing_is_deleted(
    database: Database, quick: QuickEmbedder, tmp_path: Path
):
    path = write(tmp_path / "a.md", FIRST)
    await ingest(database, quick, [path])
    before = await graph_checksum(database)

    for unknown in (str(tmp_path / "b.md"), "doi:10.1000/none", "f" * 64, str(tmp_path / "nowhere")):
        with pytest.raises(NotFoundError) as caught:
            await delete(database, [str(path), unknown])
        assert (caught.value.field, caught.value.value) == ("names", unknown)

    assert (await graph_checksum(database)).same_graph(before)


@pytest.mark.parametrize("name", ["", " "])
async def test_an_empty_name_does_not_stand_for_the_folder_one_is_in(
    database: Database, quick: QuickEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
):
    await ingest(database, quick, [write(tmp_path / "a.md", FIRST)])
    before = await graph_checksum(database)
    monkeypatch.chdir(tmp_path)

    with pytest.raises((NotFoundError, InputError)):
        await delete(database, [name])

    assert (await graph_checksum(database)).same_graph(before)


async def test_deleting_a_second_time_finds_nothing(database: Database, quick: QuickEmbedder, tmp_path: Path):
    path = write(tmp_path / "a.md", FIRST)
    await ingest(database, quick, [path])

    assert await delete(database, [str(path), str(path), f"file:{path}"]) == [f"file:{path}"]
    with pytest.raises(NotFoundError):
        await delete(database, [str(path)])

    assert (await database.read(ALL_NODES))[0]["n"] == 0
    assert outcomes(await ingest(database, quick, [path])) == [WriteOutcome.ADDED]


async def test_what_another_collection_holds_is_not_deleted(database: Database, quick: QuickEmbedder, tmp_path: Path):
    path = write(tmp_path / "a.md", FIRST)
    await ingest(database, quick, [path], collection="one")

    with pytest.raises(NotFoundError, match="in collection 'two'"):
        await delete(database, [str(path)], collection="two")


# DOIs and arXiv ids


WITH_DOI = paper("Tides", authors="Ada Lovelace", extra="doi: 10.1000/TIDES\n")


@pytest.mark.parametrize("name", ["10.1000/tides", "doi:10.1000/Tides", "https://doi.org/10.1000/TIDES"])
async def test_a_paper_with_a_doi_is_found_and_deleted_by_it(
    database: Database, quick: QuickEmbedder, tmp_path: Path, name: str
):
    report = await ingest(database, quick, [write(tmp_path / "a.md", WITH_DOI)])

    assert [item.key for item in report.items] == ["doi:10.1000/tides"]
    found = await paper_by_key(database, name)
    assert (found.key, found.doi, found.sources) == ("doi:10.1000/tides", "10.1000/tides", ("a.md",))
    assert await delete(database, [name]) == ["doi:10.1000/tides"]
    assert (await database.read(ALL_NODES))[0]["n"] == 0


async def test_a_paper_with_an_arxiv_id_is_found_by_it_whatever_the_version(
    database: Database, quick: QuickEmbedder, tmp_path: Path
):
    await ingest(database, quick, [write(tmp_path / "a.md", paper("Tides", extra="arxiv: 2401.01234v1\n"))])

    assert (await paper_by_key(database, "https://arxiv.org/abs/2401.01234v3")).key == "arxiv:2401.01234"


@pytest.mark.parametrize("name", ["a.md", "."])
async def test_a_paper_with_a_doi_is_deleted_by_its_file_and_its_folder_too(
    database: Database, quick: QuickEmbedder, tmp_path: Path, name: str
):
    await ingest(database, quick, [write(tmp_path / "a.md", WITH_DOI)])

    assert await delete(database, [str(tmp_path / name)]) == ["doi:10.1000/tides"]

    assert (await database.read(ALL_NODES))[0]["n"] == 0


@pytest.mark.parametrize("gone", ["a.md", "b.md"])
async def test_one_of_two_files_with_the_same_doi_and_content_deleted_is_as_if_it_had_never_come(
    database: Database, quick: QuickEmbedder, tmp_path: Path, gone: str
):
    one, two = (write(tmp_path / name, WITH_DOI) for name in ("a.md", "b.md"))
    expected = await clean(database, quick, [one if gone == "b.md" else two])
    assert outcomes(await ingest(database, quick, [one, two])) == [WriteOutcome.ADDED, WriteOutcome.UNCHANGED]

    await delete(database, [str(tmp_path / gone)])

    assert (await graph_checksum(database)).same_graph(expected)


async def test_a_doi_that_is_added_to_a_file_gives_the_paper_that_key(
    database: Database, quick: QuickEmbedder, tmp_path: Path
):
    path = write(tmp_path / "a.md", WITH_DOI)
    expected = await clean(database, quick, [path])
    await ingest(database, quick, [write(path, FIRST)])

    assert outcomes(await ingest(database, quick, [write(path, WITH_DOI)])) == [WriteOutcome.REPLACED]

    assert (await graph_checksum(database)).same_graph(expected)


# Documents that are refused


BAD = {
    "empty.md": (b"", Reason.EMPTY),
    "blank.txt": (b" \n\t\n", Reason.EMPTY),
    "nul.md": (b"# Title\n\nText\0 more.\n", Reason.NOT_TEXT),
    "latin-1.md": ("# Über Gezeiten\n".encode("latin-1"), Reason.NOT_TEXT),
    "yaml.md": (b"---\ntitle: [unclosed\n---\n\nText.\n", Reason.BAD_METADATA),
    "year.md": (b"---\nyear: soon\n---\n\nText.\n", Reason.BAD_METADATA),
    "doi.md": (b"---\ndoi: none\n---\n\nText.\n", Reason.BAD_METADATA),
    "large.txt": (b"word " * 1000, Reason.TOO_LARGE),
}


async def test_bad_documents_are_told_with_their_reasons_and_the_good_ones_go_in(
    database: Database, quick: QuickEmbedder, tmp_path: Path
):
    good = [write(tmp_path / "good" / name, paper(name)) for name in ("a.md", "z.md")]
    bad = {write(tmp_path / "bad" / name, data): reason for name, (data, reason) in BAD.items()}
    bad[write(tmp_path / "scan.pdf", b"%PDF-1.7")] = Reason.PARTIAL
    bad[tmp_path / "missing.md"] = Reason.NOT_FOUND
    (tmp_path / "dangling.md").symlink_to(tmp_path / "nowhere.md")
    bad[tmp_path / "dangling.md"] = Reason.NOT_FOUND
    expected = await clean(database, quick, good)

    report = await ingest(database, quick, [good[0], *bad, good[1]], max_bytes=4000)

    assert outcomes(report) == [WriteOutcome.ADDED, *[None] * len(bad), WriteOutcome.ADDED]
    assert {Path(item.source): item.reason for item in report.failed} == bad
    assert all(item.detail for item in report.failed)
    assert (await graph_checksum(database)).same_graph(expected)


async def test_a_folder_without_documents_is_told(database: Database, quick: QuickEmbedder, tmp_path: Path):
    (item,) = (await ingest(database, quick, [tmp_path])).items

    assert (item.outcome, item.reason) == (None, Reason.EMPTY)


async def test_a_bad_document_leaves_the_paper_that_was_there(database: Database, quick: QuickEmbedder, tmp_path: Path):
    path = write(tmp_path / "a.md", FIRST)
    await ingest(database, quick, [path])
    before = await graph_checksum(database)

    assert outcomes(await ingest(database, quick, [write(path, b"")])) == [None]

    assert (await graph_checksum(database)).same_graph(before)


async def test_odd_documents_go_in(database: Database, quick: QuickEmbedder, tmp_path: Path):
    texts = {
        "one-word.txt": "word",
        "heading-only.md": "# Title\n",
        "front-matter-only.md": "---\ntitle: Title only\n---\n",
        "emoji.md": "# 🌊\n\n🌊🌊 😀 \U0001f468\u200d\U0001f469\u200d\U0001f467\n",
        "arabic.md": "# مد وجزر\n\nالنص هنا.\n",
        "combining.md": "# Cafe\u0301\n\nte\u0301xt\n",
        "bom.md": "\ufeff# Marked\n\nText.\n",
        "quotes.md": "# It's \"x\" \\ `y` $z {{dimension}}\n\n'); MATCH (n) DETACH DELETE n //\n",
        "long-line.txt": "word " * 5000,
        "no-spaces.txt": "x" * 20000,
    }
    for name, text in texts.items():
        write(tmp_path / name, text)

    report = await ingest(database, quick, [tmp_path])

    assert report.failed == ()
    assert set(outcomes(report)) == {WriteOutcome.ADDED}
    for chunk in await database.read(CHUNKS):
        text = unicodedata.normalize("NFC", texts[Path(chunk["source"]).name])
        assert chunk["text"] == text[chunk["start"] : chunk["end"]]
    await delete(database, [str(tmp_path)])
    assert (await database.read(ALL_NODES))[0]["n"] == 0


# Many documents, in groups


@pytest.mark.slow
@pytest.mark.parametrize("shared", [(2, 3), (2, 70), (70, 75)], ids=["one group", "two groups", "last group"])
async def test_of_two_files_with_one_doi_the_later_one_stays_however_often_they_come(
    database: Database, quick: QuickEmbedder, tmp_path: Path, shared: tuple[int, int]
):
    paths = many(tmp_path, 80, shared_doi=shared)
    expected = await clean(database, quick, [*reversed(paths)])

    for _ in range(3):
        report = await ingest(database, quick, [tmp_path])

        assert [Path(item.source) for item in report.items] == paths
        assert (await graph_checksum(database)).same_graph(expected)
    assert report.items[shared[0]].outcome is WriteOutcome.SUPERSEDED
    assert report.count(WriteOutcome.UNCHANGED) == 79
    found = await paper_by_key(database, "10.1000/shared")
    assert (found.title, found.sources) == (f"Paper {shared[1]}", (paths[shared[1]].name, paths[shared[0]].name))
    assert f"We study paper {shared[0]}." not in {chunk["text"] for chunk in await database.read(CHUNKS)}


async def test_what_is_unchanged_is_neither_parsed_nor_cut_nor_embedded(
    database: Database, quick: QuickEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    paths = many(tmp_path, 70)
    first = await ingest(database, quick, [tmp_path])
    monkeypatch.setattr("papergraph.ingest.pipeline.prepare.parse", None)
    monkeypatch.setattr("papergraph.ingest.pipeline.prepare.Chunker", None)
    quick.n_texts = 0

    second = await ingest(database, quick, [tmp_path])

    assert second.count(WriteOutcome.UNCHANGED) == len(paths)
    assert [(i.key, i.title, i.n_sections, i.n_chunks) for i in second.items] == [
        (i.key, i.title, i.n_sections, i.n_chunks) for i in first.items
    ]
    assert quick.n_texts == 0


async def test_a_changed_paper_among_unchanged_ones_is_replaced_alone(
    database: Database, quick: QuickEmbedder, tmp_path: Path
):
    paths = many(tmp_path, 70)
    await ingest(database, quick, [tmp_path])
    write(paths[40], paper("Paper 40", body="All of it is new."))

    report = await ingest(database, quick, [tmp_path])

    assert [number for number, item in enumerate(report.items) if item.outcome is WriteOutcome.REPLACED] == [40]
    assert report.count(WriteOutcome.UNCHANGED) == 69


@pytest.mark.slow
async def test_an_embedder_that_fails_leaves_whole_groups_and_the_same_call_goes_on_from_there(
    database: Database, quick: QuickEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    many(tmp_path, 150)
    expected = await clean(database, quick, [tmp_path])
    await empty(database)
    healthy = quick.encode_documents

    def fails_later(texts: Sequence[str]) -> Floats:
        if any("Paper 140" in text for text in texts):
            raise EmbeddingError("the model is gone")
        return healthy(texts)

    monkeypatch.setattr(quick, "encode_documents", fails_later)
    with pytest.raises(EmbeddingError):
        await ingest(database, quick, [tmp_path])
    totals = await database.read(TOTALS)
    assert 0 < len(totals) < 150
    assert all(total["all_sections"] and total["all_chunks"] for total in totals)
    monkeypatch.setattr(quick, "encode_documents", healthy)

    report = await ingest(database, quick, [tmp_path])

    assert report.count(WriteOutcome.UNCHANGED) >= len(totals)
    assert (await graph_checksum(database)).same_graph(expected)


# Several at once


@pytest.fixture
def five(tmp_path: Path) -> list[Path]:
    """Five papers that share authors, in crossing orders, so that their writers meet."""
    people = ["Ada Lovelace", "Kurt Gödel", "Emmy Noether", "Alan Turing", "Grace Hopper"]
    return [
        write(tmp_path / f"{number}.md", paper(f"Paper {number}", authors=", ".join(people[number:] + people[:number])))
        for number in range(5)
    ]


@pytest.mark.slow
async def test_eight_processes_that_ingest_the_same_papers_give_the_graph_of_one(
    database: Database, neo4j_server: Neo4jServer, quick: QuickEmbedder, five: list[Path]
):
    alone = await clean(database, quick, five)
    orders = [random.Random(number).sample(five, 5) for number in range(8)]  # noqa: S311

    async def one_of_eight(paths: list[Path]) -> IngestReport:
        async with await Database.connect(
            neo4j_server.uri, user=neo4j_server.user, password=neo4j_server.password, name=neo4j_server.database
        ) as own:
            return await ingest(own, quick, paths)

    reports = await asyncio.gather(*(one_of_eight(paths) for paths in orders))

    assert [report.failed for report in reports] == [()] * 8
    assert sum(report.count(WriteOutcome.ADDED) for report in reports) == 5
    assert sum(report.count(WriteOutcome.UNCHANGED) for report in reports) == 35
    assert (await database.read(cypher.load("papers/count"), collection="main"))[0]["n_papers"] == 5
    assert (await graph_checksum(database)).same_graph(alone)


async def test_copies_under_eight_names_that_arrive_at_once_are_one_paper(
    database: Database, quick: QuickEmbedder, tmp_path: Path
):
    paths = [write(tmp_path / f"{number}.md", FIRST) for number in range(8)]

    reports = await asyncio.gather(*(ingest(database, quick, [path]) for path in paths))

    assert sorted(outcome for report in reports for outcome in outcomes(report) if outcome) == [
        WriteOutcome.ADDED,
        *[WriteOutcome.JOINED] * 7,
    ]
    (total,) = await database.read(TOTALS)
    assert sorted(total["keys"]) == sorted(f"file:{path}" for path in paths)
    assert total["all_sections"] and total["all_chunks"] and total["counted"]


@pytest.mark.slow
async def test_a_paper_that_is_deleted_while_its_writer_waits_for_it_is_added_again(
    database: Database, quick: QuickEmbedder, tmp_path: Path
):
    path = write(tmp_path / "a.md", FIRST.replace("It is.", "It is not."))
    expected = await clean(database, quick, [path])
    await ingest(database, quick, [write(path, FIRST)])
    is_deleted = asyncio.Event()

    async def delete_slowly(transaction: Transaction) -> None:
        await transaction.run(
            Statement("test/delete", "MATCH (n) WHERE NOT n:SchemaVersion AND NOT n:EmbeddingModel DETACH DELETE n")
        )
        is_deleted.set()
        await asyncio.sleep(1)

    deleting = asyncio.create_task(database.transact("delete slowly", delete_slowly))
    await is_deleted.wait()
    report = await ingest(database, quick, [write(path, FIRST.replace("It is.", "It is not."))])
    await deleting

    assert outcomes(report) == [WriteOutcome.ADDED]
    assert (await graph_checksum(database)).same_graph(expected)


async def test_ingesting_and_deleting_at_once_leaves_whole_papers_or_none(
    database: Database, quick: QuickEmbedder, five: list[Path]
):
    alone = await clean(database, quick, five)
    await ingest(database, quick, five)

    async def delete_all() -> None:
        for path in five:
            try:
                await delete(database, [str(path)])
            except NotFoundError:
                continue

    await asyncio.gather(*(ingest(database, quick, order) for order in (five, five[::-1])), delete_all(), delete_all())

    totals = await database.read(TOTALS)
    assert all(total["all_sections"] and total["all_chunks"] and total["counted"] for total in totals)
    assert_whole(await database.read(CHUNKS), await database.read(NEXT))
    await ingest(database, quick, five)
    assert (await graph_checksum(database)).same_graph(alone)
    await delete(database, [str(path) for path in five])
    assert (await database.read(ALL_NODES))[0]["n"] == 0
