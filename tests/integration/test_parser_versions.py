"""A new version of a parser reads its papers again; what was made of equal chunks stays."""

from dataclasses import replace
from pathlib import Path

import pytest

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.options import EnrichmentOptions
from papergraph.ingest.enrichments.run import enrich
from papergraph.ingest.graph.writer import WriteOutcome
from papergraph.ingest.sources import parser as registry
from papergraph.statement import Statement
from tests.support.files import write
from tests.support.ingestion import ingest, outcomes, paper

pytestmark = pytest.mark.slow

MADE = Statement(
    "test/made",
    """
    MATCH (p:Paper)
    RETURN p.title AS title, p.enrichments AS marks, COUNT { (:Question {paperId: p.id}) } AS questions,
           COUNT { (:Chunk {paperId: p.id})-[:MENTIONS]->(:Entity) } AS mentions
    ORDER BY title
    """,
)
BODY = "## Method\n\nThe Variational Quantum Eigensolver (VQE) finds ground states. The VQE uses a qubit device.\n"


async def test_a_new_parser_version_reads_its_format_alone_and_keeps_what_was_made_of_equal_chunks(
    database: Database, embedder: Embedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    write(tmp_path / "same.md", paper("On the same eigensolver text", body=BODY))
    write(tmp_path / "other.txt", "Plain text about the Variational Quantum Eigensolver (VQE) and the VQE again.\n")
    await ingest(database, embedder, [tmp_path])
    choice = EnrichmentOptions.choose(("questions", "entities")).with_questions("template")
    made_by = choice.enrichments(None)
    await enrich(database, made_by, EnrichmentContext(embedder, None), collection="main")
    made = [record.data() for record in await database.read(MADE)]
    assert all(row["marks"] for row in made)
    assert sum(row["mentions"] for row in made) > 0
    assert sum(row["questions"] for row in made) > 0
    parsers = registry.parsers()
    newer = {**parsers, "markdown": replace(parsers["markdown"], version="99")}
    for module in (
        "papergraph.ingest.parsers",
        "papergraph.ingest.parsers.cache",
        "papergraph.ingest.pipeline.prepare",
    ):
        monkeypatch.setattr(f"{module}.parsers", lambda: newer)

    report = await ingest(database, embedder, [tmp_path])

    by_name = dict(zip([Path(item.source).name for item in report.items], outcomes(report), strict=True))
    assert by_name == {"other.txt": WriteOutcome.UNCHANGED, "same.md": WriteOutcome.REPLACED}
    assert [record.data() for record in await database.read(MADE)] == made

    write(tmp_path / "same.md", paper("On the same eigensolver text", body="## Method\n\nNothing is as before.\n"))
    await ingest(database, embedder, [tmp_path])
    changed = {record["title"]: record for record in await database.read(MADE)}["On the same eigensolver text"]
    assert (changed["marks"], changed["mentions"]) == (None, 0)
