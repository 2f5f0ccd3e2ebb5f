"""Citations stand in the graph, relate papers whichever arrives first, and leave without a trace."""

import asyncio
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from neo4j import AsyncDriver, Record

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.ingest.graph.writer import WriteOutcome
from papergraph.ingest.ingestor import delete
from papergraph.neo4j_errors import Transaction
from papergraph.schema.checksum import graph_checksum
from papergraph.statement import Statement
from tests.pytest_neo4j import wipe
from tests.support.citing_papers import NEW, OLD, PAPERS, article
from tests.support.embedders import QuickEmbedder
from tests.support.ingestion import KEPT, ingest

pytestmark = pytest.mark.slow

CITES = Statement(
    "test/cites", "MATCH (a:Paper)-[:CITES]->(b:Paper) RETURN a.key AS citing, b.key AS cited ORDER BY citing, cited"
)
CITATIONS = Statement(
    "test/citations",
    """
    MATCH (paper:Paper)-[:HAS_REFERENCE]->(citation:Reference)
    RETURN paper.key AS paper, citation.label AS label, citation.doi AS doi, citation.arxivId AS arxiv,
           citation.paperId = paper.id AS same, citation.citedAt AS places,
           COLLECT { MATCH (chunk:Chunk)-[:CITES_REFERENCE]->(citation)
                     RETURN chunk.text ORDER BY chunk.ordinal } AS chunks
    ORDER BY paper, citation.ordinal
    """,
)


ALL_CITES = [
    ("doi:10.1000/latest", "arxiv:2401.00001"),
    ("doi:10.1000/latest", "doi:10.1000/new"),
    ("doi:10.1000/new", "arxiv:2401.00001"),
    ("doi:10.1000/new", "doi:10.1000/old"),
]


@pytest.fixture
def quick(embedder: Embedder) -> QuickEmbedder:
    return QuickEmbedder(embedder)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in PAPERS.items():
        (tmp_path / name).write_text(text)
    return tmp_path


async def cites(database: Database) -> list[tuple[str, str]]:
    return [(record["citing"], record["cited"]) for record in await database.read(CITES)]


async def test_references_stand_below_their_paper_and_chunks_cite_them(
    database: Database, quick: QuickEmbedder, tmp_path: Path
):
    (tmp_path / "new.xml").write_text(NEW)

    await ingest(database, quick, [tmp_path])

    rows = [record.data() for record in await database.read(CITATIONS)]
    text = "On New [0] [1] [2]."
    assert [(row["label"], row["doi"], row["arxiv"]) for row in rows] == [
        ("r0", "10.1000/old", None),
        ("r1", None, "2401.00001"),
        ("r2", None, None),
    ]
    assert all(row["same"] and row["paper"] == "doi:10.1000/new" and row["chunks"] == [text] for row in rows)
    start = rows[0]["places"][0] - len("On New ")
    assert [row["places"] for row in rows] == [[start + 7], [start + 11], [start + 15]]


async def test_papers_cite_each_other_in_whatever_order_they_arrive(
    database: Database, quick: QuickEmbedder, folder: Path, neo4j_driver: AsyncDriver
):
    await ingest(database, quick, [folder])
    at_once = await graph_checksum(database)
    assert await cites(database) == ALL_CITES

    for order in list(permutations(PAPERS))[::9]:
        await wipe(neo4j_driver, keep=KEPT)
        for name in order:
            await ingest(database, quick, [folder / name])
        assert (await graph_checksum(database)).same_graph(at_once)


@pytest.mark.parametrize("order", [("cited.md", "citing.md"), ("citing.md", "cited.md")])
async def test_a_reference_finds_a_paper_by_its_title_whichever_arrives_first(
    database: Database, quick: QuickEmbedder, tmp_path: Path, order: tuple[str, ...]
):
    texts = {
        "cited.md": "# Zoo: S3 Infrastructure for Régular and Irregular Series\n\nWords of it.\n",
        "citing.md": (
            "# A Reader\n\n## Work\n\nSee Zeileis (2005) for series.\n\n## References\n\n"
            "Zeileis A (2005). “zoo: S3 Infrastructure for Regular and Irregular Series.” JSS, 14, 1-27.\n\n"
            "Bates D (2004). “Least Squares.” R News, 4(1), 17-20.\n"
        ),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    for name in order:
        await ingest(database, quick, [tmp_path / name])

    assert [(Path(a).name, Path(b).name) for a, b in await cites(database)] == [("citing.md", "cited.md")]
    rows = await database.read(CITATIONS)
    assert [len(row["chunks"]) for row in rows] == [1, 0]


@pytest.mark.parametrize("name", PAPERS)
async def test_a_deleted_paper_leaves_what_never_ingesting_it_would_have_left(
    database: Database, quick: QuickEmbedder, folder: Path, neo4j_driver: AsyncDriver, name: str
):
    await ingest(database, quick, [folder / other for other in PAPERS if other != name])
    without = await graph_checksum(database)
    await wipe(neo4j_driver, keep=KEPT)
    await ingest(database, quick, [folder])

    await delete(database, [str(folder / name)])

    assert (await graph_checksum(database)).same_graph(without)


async def test_a_paper_that_no_longer_cites_is_as_if_it_never_had(
    database: Database, quick: QuickEmbedder, folder: Path, neo4j_driver: AsyncDriver
):
    await ingest(database, quick, [folder])
    (folder / "new.xml").write_text(article("New", "Nowhere.", doi="10.1000/new"))

    report = await ingest(database, quick, [folder])

    assert report.count(WriteOutcome.REPLACED) == 1
    changed = await graph_checksum(database)
    assert await cites(database) == ALL_CITES[:2]
    await wipe(neo4j_driver, keep=KEPT)
    await ingest(database, quick, [folder])
    assert (await graph_checksum(database)).same_graph(changed)


async def test_a_paper_that_goes_on_under_another_name_keeps_its_citations(
    database: Database, quick: QuickEmbedder, tmp_path: Path, neo4j_driver: AsyncDriver
):
    citing = article("Nameless", "doi:10.1000/old")  # no DOI of its own: its key is its path
    for name, text in {"a.xml": citing, "b.xml": citing, "old.xml": OLD}.items():
        (tmp_path / name).write_text(text)
    await ingest(database, quick, [tmp_path])

    await delete(database, [str(tmp_path / "a.xml")])

    left = await graph_checksum(database)
    assert await cites(database) == [(f"file:{tmp_path / 'b.xml'}", "doi:10.1000/old")]
    await wipe(neo4j_driver, keep=KEPT)
    await ingest(database, quick, [tmp_path / "b.xml", tmp_path / "old.xml"])
    assert (await graph_checksum(database)).same_graph(left)


async def test_papers_without_references_or_an_id_need_no_further_statement(
    database: Database, quick: QuickEmbedder, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    sent: list[str] = []
    run = Transaction.run

    async def counted(transaction: Transaction, statement: Statement, **parameters: Any) -> list[Record]:
        sent.append(statement.name)
        return await run(transaction, statement, **parameters)

    monkeypatch.setattr(Transaction, "run", counted)
    bare = folder / "bare.md"
    (folder / "references.xml").write_text(article("References", "doi:10.1000/old"))

    for text in ("# Bare\n\nWords.\n", "# Bare\n\nOther words.\n"):
        bare.write_text(text)
        await ingest(database, quick, [bare])
    assert not {"ingest/write_references", "ingest/cite_papers"} & set(sent)

    await ingest(database, quick, [folder / "references.xml", folder / "old.xml"])
    assert (sent.count("ingest/write_references"), sent.count("ingest/cite_papers")) == (1, 1)
    (folder / "references.xml").write_text(article("References"))  # what it cited until now has to be taken away
    await ingest(database, quick, [folder / "references.xml"])
    assert (sent.count("ingest/write_references"), sent.count("ingest/cite_papers")) == (1, 2)
    assert await cites(database) == []


async def test_a_paper_of_another_collection_is_not_cited(database: Database, quick: QuickEmbedder, folder: Path):
    await ingest(database, quick, [folder / "old.xml"], collection="other")
    await ingest(database, quick, [folder / "new.xml"])

    assert await cites(database) == []


async def test_papers_that_arrive_at_once_find_each_other(
    database: Database, quick: QuickEmbedder, tmp_path: Path, neo4j_driver: AsyncDriver
):
    files = []
    for number in range(8):  # each cites the next one, the last one the first
        path = tmp_path / f"{number}.xml"
        path.write_text(article(f"P{number}", f"doi:10.1000/p{(number + 1) % 8}", doi=f"10.1000/p{number}"))
        files.append(path)

    for _ in range(3):
        await asyncio.gather(*(ingest(database, quick, [path]) for path in files))

        assert len(await cites(database)) == 8
        await wipe(neo4j_driver, keep=KEPT)
