"""Records of papers go into a real graph as papers, change one by one, and go out of it with their file."""

import json

import pytest

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.ingest.graph.writer import WriteOutcome
from papergraph.ingest.ingestor import delete
from papergraph.schema.checksum import graph_checksum
from papergraph.server.graph.nodes import paper_by_key
from tests.support.ingestion import ingest

FIRST = {
    "arxiv_id": "2601.00001",
    "version": "v1",
    "title": "Tides of a moon",
    "authors": ["A. Moon", "B. Sun"],
    "abstract": "The water rises twice a day because the moon attracts it.",
    "categories": ["physics.ao-ph", "quant-ph"],
    "published": "2026-01-07T15:29:52Z",
    "updated": "2026-01-07T15:29:52Z",
    "comment": "2 pages",
    "journal_ref": "Tides 1 (2026) 2",
}
SECOND = {"arxiv_id": "2601.00002", "title": "Stones", "authors": ["B. Sun"], "abstract": "Stones fall down."}


def write(path, *records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def outcomes(report):
    return [item.outcome for item in report.items]


async def test_a_record_becomes_a_paper_with_all_that_it_says_and_a_chunk_of_its_abstract(
    database: Database, embedder: Embedder, tmp_path
):
    path = write(tmp_path / "week.jsonl", FIRST)

    (item,) = (await ingest(database, embedder, [path])).items
    paper = await paper_by_key(database, "arxiv:2601.00001", collection="main")

    assert (item.source, item.key, item.n_chunks) == (f"{path}#2601.00001", "arxiv:2601.00001", 1)
    assert paper is not None
    assert (paper.format, paper.arxiv_version, paper.primary_category) == ("record", 1, "physics.ao-ph")
    assert (paper.comment, paper.journal_ref, paper.year) == ("2 pages", "Tides 1 (2026) 2", 2026)
    assert paper.published is not None
    assert paper.published.isoformat() == "2026-01-07T15:29:52+00:00" == paper.updated.isoformat()
    assert (paper.abstract, paper.body_coverage) == (FIRST["abstract"], 1.0)


async def test_a_changed_line_replaces_its_paper_alone_and_the_same_file_again_changes_nothing(
    database: Database, embedder: Embedder, tmp_path
):
    path = write(tmp_path / "week.jsonl", FIRST, SECOND)
    await ingest(database, embedder, [path])

    again = await ingest(database, embedder, [path])
    newer = {**FIRST, "version": "v2", "updated": "2026-02-01T00:00:00Z"}
    changed = await ingest(database, embedder, [write(path, SECOND, newer)])
    paper = await paper_by_key(database, "arxiv:2601.00001", collection="main")

    assert outcomes(again) == [WriteOutcome.UNCHANGED, WriteOutcome.UNCHANGED]
    assert outcomes(changed) == [WriteOutcome.UNCHANGED, WriteOutcome.REPLACED]
    assert paper is not None
    assert (paper.arxiv_version, paper.updated.isoformat()) == (2, "2026-02-01T00:00:00+00:00")


async def test_a_deleted_file_of_records_takes_its_papers_with_it(database: Database, embedder: Embedder, tmp_path):
    other = write(tmp_path / "other.jsonl", SECOND)
    await ingest(database, embedder, [other])
    before = await graph_checksum(database)
    path = write(tmp_path / "week.jsonl", FIRST, {"title": "Bare", "id": "bare"})
    await ingest(database, embedder, [path])

    gone = await delete(database, [str(path)])

    assert set(gone) == {"arxiv:2601.00001", f"file:{path}#bare"}
    assert (await graph_checksum(database)).same_graph(before)


@pytest.mark.parametrize("name", ["one.jsonl", "two.jsonl"])
async def test_a_bad_line_is_reported_and_the_others_are_written(
    database: Database, embedder: Embedder, tmp_path, name
):
    bad = {"abstract": "No title."}
    path = write(tmp_path / name, *([FIRST, bad] if name == "one.jsonl" else [bad, FIRST]))

    report = await ingest(database, embedder, [path])

    assert sorted(str(outcome) for outcome in outcomes(report)) == ["None", "added"]
    assert [item.detail.partition(":")[2] for item in report.failed] == [" has no title"]
