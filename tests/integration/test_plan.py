"""What an ingestion would take: right where all was looked at, near where a sample was; nothing is written."""

from pathlib import Path

import pytest

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.ingest.graph.writer import WriteOutcome
from papergraph.ingest.jobs.model import JobState, TaskState
from papergraph.ingest.jobs.queue import find_job
from papergraph.ingest.jobs.worker import Budget
from papergraph.ingest.pipeline import estimate as plan_module
from papergraph.ingest.pipeline.estimate import EstimatedNumber
from papergraph.ingest.pipeline.executor import ThreadExecutor
from papergraph.schema.checksum import graph_checksum
from papergraph.statement import Statement
from tests.support.embedders import QuickEmbedder
from tests.support.files import write
from tests.support.ingestion import clean, empty, ingest, many, paper, plan
from tests.support.typeset import pdf, prose

pytestmark = pytest.mark.slow

EVERYTHING = Statement("test/everything", "MATCH (n) RETURN count(n) AS n")
TOKENS = Statement("test/tokens", "MATCH (chunk:Chunk) RETURN sum(chunk.nTokensEmbedded) AS n")
MAX_BYTES = 1_000_000
PICTURE = "<svg xmlns='http://www.w3.org/2000/svg' width='90' height='60'><rect width='80' height='50'/></svg>"
"""Bytes of a PDF that are no text."""


@pytest.fixture
def quick(embedder: Embedder) -> QuickEmbedder:
    return QuickEmbedder(embedder)


async def test_a_plan_tells_what_an_ingestion_then_does_and_writes_nothing(
    database: Database, quick: QuickEmbedder, tmp_path: Path
):
    paths = many(tmp_path, 6)
    await ingest(database, quick, paths[:2])
    write(paths[1], paper("Changed", body="All of it is new."))
    write(tmp_path / "bad.md", "\0")
    before = await database.read(EVERYTHING)

    found = await plan(database, quick, [tmp_path], collection="main", max_bytes=MAX_BYTES)

    assert await database.read(EVERYTHING) == before
    n_planned, quick.n_texts = quick.n_texts, 0
    report = await ingest(database, quick, [tmp_path])
    written = [item for item in report.items if item.outcome not in (None, WriteOutcome.UNCHANGED)]
    assert (found.n_documents, found.n_unchanged, found.n_new, found.n_refused) == (7, 1, 6, 1)
    assert found.n_sampled == 6
    assert found.papers == EstimatedNumber(5, 5, 5) == EstimatedNumber(len(written), 5, 5)
    n_chunks = sum(item.n_chunks for item in written)
    assert found.chunks == EstimatedNumber(n_chunks, n_chunks, n_chunks)
    assert found.texts.value == quick.n_texts
    assert found.tokens.value > found.texts.value
    assert (found.llm_calls, found.cost) == (0, 0.0)
    assert found.texts_per_s is not None
    assert found.total_s is not None
    assert n_planned > 0


async def test_a_record_and_the_text_that_it_names_are_one_paper(
    database: Database, quick: QuickEmbedder, tmp_path: Path
):
    names = [*(path.name for path in many(tmp_path, 2)), "gone.pdf"]
    entries = [f"@article{{k{n}, title={{Record {n}}}, file={{{name}}}}}" for n, name in enumerate(names)]
    write(tmp_path / "library.bib", "\n".join(entries))

    found = await plan(database, quick, [tmp_path], collection="main", max_bytes=MAX_BYTES)

    assert (found.n_documents, found.papers.value) == (5, 3)


async def test_of_many_documents_some_are_parsed_and_the_rest_is_reckoned(
    database: Database, quick: QuickEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(plan_module, "SAMPLED", 12)
    for number in range(40):
        body = "\n\n".join(f"## Part {part}\n\nWords of part {part}." for part in range(1 + number % 9))
        write(tmp_path / f"{number:02}.md", paper(f"Paper {number}", body=body))

    found = await plan(database, quick, [tmp_path], collection="main", max_bytes=MAX_BYTES)
    report = await ingest(database, quick, [tmp_path])

    assert found.n_sampled == 12
    assert found.papers == EstimatedNumber(40, 40, 40)
    n_chunks = sum(item.n_chunks for item in report.items)
    assert found.chunks.low <= n_chunks <= found.chunks.high
    assert found.chunks.low < found.chunks.high
    assert found.chunks.value == pytest.approx(n_chunks, rel=0.2)


async def test_of_several_formats_the_estimate_is_within_a_factor_of_what_the_ingestion_took(
    database: Database, quick: QuickEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(plan_module, "SAMPLED", 8)
    for number in range(24):
        if number % 3:
            write(tmp_path / f"{number:02}.md", paper(f"Paper {number}", body=prose(300 + 40 * number, first=number)))
        else:
            figure = "#figure(image(bytes(" + f'"{PICTURE}"' + '), format: "svg"), caption: [Waves.])'
            write(tmp_path / f"{number:02}.pdf", pdf(f"= Tides {number}\n\n{prose(200 + 30 * number)}\n\n{figure}\n"))

    found = await plan(database, quick, [tmp_path], collection="main", max_bytes=MAX_BYTES)
    quick.n_texts = 0
    report = await ingest(database, quick, [tmp_path])

    (tokens,) = await database.read(TOKENS)
    used = (sum(item.n_chunks for item in report.items), quick.n_texts, tokens["n"])
    expected = (found.chunks.value, found.texts.value, found.tokens.value)
    assert found.n_sampled == 8
    for one, other in zip(expected, used, strict=True):
        assert 1 / 1.5 <= one / other <= 1.5


async def test_nothing_to_do_is_planned_without_a_model(database: Database, quick: QuickEmbedder, tmp_path: Path):
    await empty(database)

    found = await plan(database, quick, [tmp_path], collection="main", max_bytes=MAX_BYTES)

    assert (found.n_documents, found.n_refused, found.papers.value) == (1, 1, 0)  # the folder holds nothing
    assert (found.total_s, found.texts_per_s) == (None, None)
    assert quick.n_texts == 0


@pytest.mark.parametrize(
    ("budget", "n_written", "detail"),
    [
        (Budget(papers=7), 7, "the budget of 7 papers is spent"),
        (Budget(chunks=18), 4, "of the budget of 18 chunks 2 are left, and the next paper has 4"),
        (Budget(seconds=0.0), 0, "the budget of 0 s is spent"),
    ],
    ids=["papers", "chunks", "time"],
)
async def test_a_spent_budget_pauses_the_job_and_the_same_call_goes_on(
    database: Database, quick: QuickEmbedder, tmp_path: Path, budget: Budget, n_written: int, detail: str
):
    many(tmp_path, 30)
    expected = await clean(database, quick, [tmp_path])

    report = await ingest(database, quick, [tmp_path], budget=budget)

    assert (report.stopped, report.n_left, len(report.items)) == ("paused", 30 - n_written, n_written)
    paused = await find_job(database, report.job)
    assert (paused.state, paused.detail, report.detail) == (JobState.PAUSED, detail, detail)
    assert paused.states.get(TaskState.RUNNING) is None
    again = await ingest(database, quick, [tmp_path], budget=Budget(papers=30 - n_written))
    assert (again.job, again.stopped) == (report.job, None)
    assert again.count(WriteOutcome.UNCHANGED) == n_written
    assert (await graph_checksum(database)).same_graph(expected)


async def test_threads_make_the_same_graph(database: Database, quick: QuickEmbedder, tmp_path: Path):
    many(tmp_path, 12, shared_doi=(3, 9))
    for number in range(8):
        write(
            tmp_path / f"{number:03}.pdf", pdf(f"= Tides {number % 6}\n\nThe moon pulls at the sea {number} times.\n")
        )
    expected = await clean(database, quick, [tmp_path])
    crew = ThreadExecutor(3)
    try:
        report = await ingest(database, quick, [tmp_path], crew=crew)
    finally:
        await crew.close()

    assert report.failed == ()
    assert (await graph_checksum(database)).same_graph(expected)
