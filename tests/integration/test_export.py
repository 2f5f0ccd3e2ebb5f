"""Papers come back out of a real graph as Markdown, named in any way, and go in again as what they were."""

from itertools import pairwise
from pathlib import Path

import pytest

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import NotFoundError
from papergraph.server.graph.export import to_markdown, whole_paper
from papergraph.statement import Statement
from tests.support.article_xml import ARTICLE
from tests.support.embedders import QuickEmbedder
from tests.support.exported_paper import PAPER
from tests.support.ingestion import ingest

SECTIONS = Statement(
    "test/tree",
    """
    MATCH (paper:Paper {collection: $collection})-[:HAS_SECTION]->(section:Section)
    RETURN paper.key AS paper, section.title AS title, section.level AS level, section.kind AS kind,
           COLLECT {
             MATCH (section)-[:HAS_CHUNK]->(chunk:Chunk)
             WHERE chunk.kind <> 'caption'  // JATS marks those that nothing in their words tells
             RETURN DISTINCT chunk.kind AS kind ORDER BY kind
           } AS kinds
    ORDER BY paper, section.ordinal
    """,
)


async def test_what_is_exported_and_ingested_again_has_the_same_sections(
    database: Database, embedder: Embedder, tmp_path: Path
):
    (tmp_path / "paper.md").write_text(PAPER)
    (tmp_path / "article.xml").write_text(ARTICLE)
    quick = QuickEmbedder(embedder)
    await ingest(database, quick, [tmp_path])
    out = tmp_path / "out"
    out.mkdir()

    for name in ("arXiv:2401.01230v2", "https://doi.org/10.1000/ABC"):
        whole = await whole_paper(database, name)
        (out / f"{whole.paper.id}.md").write_text(to_markdown(whole))
    await ingest(database, quick, [out], collection="again")

    first = [record.data() for record in await database.read(SECTIONS, collection="main")]
    again = [record.data() for record in await database.read(SECTIONS, collection="again")]
    assert {row["paper"] for row in first} == {"arxiv:2401.01230", "doi:10.1000/abc"}
    added = [row for row in again if row["paper"].startswith("doi:") and row["kind"] == "references"]
    assert [row for row in again if row not in added] == first
    assert len(added) == 1


async def test_a_paper_is_found_by_key_id_and_file(database: Database, embedder: Embedder, tmp_path: Path):
    file = tmp_path / "paper.md"
    file.write_text(PAPER)
    await ingest(database, QuickEmbedder(embedder), [file])
    whole = await whole_paper(database, str(file))

    assert whole.authors == ("Ada Lovelace", "Kurt Gödel")
    assert [entry.label for entry in whole.references] == ["1", "2"]
    assert all(one.end <= next.start for part in whole.parts for one, next in pairwise(part.pieces))
    for name in ("arxiv:2401.01230", "2401.01230", whole.paper.id):
        assert await whole_paper(database, name) == whole
    with pytest.raises(NotFoundError):
        await whole_paper(database, "10.1000/other")
    with pytest.raises(NotFoundError):
        await whole_paper(database, "2401.01230", collection="other")


async def test_a_file_whose_doi_changes_is_one_paper_under_the_new_one(
    database: Database, embedder: Embedder, tmp_path: Path
):
    file = tmp_path / "paper.md"
    for doi in ("10.1000/one", "10.1000/two"):
        file.write_text(f"---\ndoi: {doi}\n---\n# Paper\n\nText.\n")
        await ingest(database, QuickEmbedder(embedder), [file])

    assert (await whole_paper(database, str(file))).paper.key == "doi:10.1000/two"
    with pytest.raises(NotFoundError):
        await whole_paper(database, "doi:10.1000/one")
