"""Records of papers go into a real graph as papers, change one by one, and go out of it with their file."""

import asyncio
import json

import pytest

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.ingest.graph.writer import WriteOutcome
from papergraph.ingest.ingestor import delete
from papergraph.ingest.jobs import queue as jobs
from papergraph.ingest.pipeline.prepare import Prepared
from papergraph.ingest.pipeline.work import DocumentWorker
from papergraph.schema.checksum import graph_checksum
from papergraph.server.graph.nodes import paper_by_key
from papergraph.server.papers.find import PaperQuery, listed_papers
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


async def test_records_are_found_by_words_before_their_vectors_follow_and_the_graph_is_that_of_one_step(
    database: Database, embedder: Embedder, tmp_path, monkeypatch: pytest.MonkeyPatch
):
    path = write(tmp_path / "week.jsonl", FIRST, SECOND, {"title": "Bare", "id": "bare"})
    with monkeypatch.context() as patch:
        patch.setattr(Prepared, "is_record", False)
        await ingest(database, embedder, [path])
    at_once = await graph_checksum(database)
    await delete(database, [str(path)])
    await interrupted(database, embedder, path, monkeypatch)

    found = await listed_papers(database, PaperQuery("main", text="moon"), limit=9)
    before = await graph_checksum(database)
    (job, *_) = await jobs.list_jobs(database)
    again = await ingest(database, embedder, [path])

    assert [one.paper.title for one in found] == [FIRST["title"]]
    assert (job.state, job.states, before.n_vectors) == ("paused", {"stored": 3}, 0)
    assert (outcomes(again), (await jobs.find_job(database, job.id)).states) == ([WriteOutcome.ADDED] * 3, {"done": 3})
    assert (await graph_checksum(database)).same_graph(at_once)


async def test_a_record_whose_text_gives_way_before_it_has_vectors_returns_with_them(
    database: Database, embedder: Embedder, tmp_path, monkeypatch: pytest.MonkeyPatch
):
    path = write(tmp_path / "week.jsonl", FIRST, SECOND)
    text = tmp_path / "moon.md"
    text.write_text(f"---\ntitle: {FIRST['title']}\nauthor: A. Moon\n---\n\n# Tides\n\nWater rises and falls.\n")
    await ingest(database, embedder, [path])
    alone = await graph_checksum(database)
    await delete(database, [str(path)])
    await interrupted(database, embedder, path, monkeypatch)

    (joined,) = (await ingest(database, embedder, [text])).items
    await ingest(database, embedder, [path])
    await delete(database, [str(text)])

    assert joined.outcome is WriteOutcome.JOINED or joined.outcome is WriteOutcome.REPLACED
    assert (await graph_checksum(database)).same_graph(alone)


async def interrupted(database: Database, embedder: Embedder, path, monkeypatch: pytest.MonkeyPatch):
    """Ingest records, and stop before they get vectors."""

    async def stop(worker: DocumentWorker) -> bool:
        await worker._arrived()
        raise asyncio.CancelledError

    with monkeypatch.context() as patch, pytest.raises(asyncio.CancelledError):
        patch.setattr(DocumentWorker, "_complete", stop)
        await ingest(database, embedder, [path])
