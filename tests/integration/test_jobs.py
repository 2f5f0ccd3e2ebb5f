"""The ledger: a job is durable, is worked off once by however many processes, and survives any of them."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from papergraph import cypher
from papergraph.database import Database
from papergraph.embedding import Embedder, Floats
from papergraph.errors import InputError, NotFoundError, Reason, SourceError
from papergraph.ingest.graph.writer import WriteOutcome, write_papers
from papergraph.ingest.ingestor import Item
from papergraph.ingest.jobs import model as job_model
from papergraph.ingest.jobs import queue as jobs
from papergraph.ingest.jobs import worker
from papergraph.ingest.jobs.model import JobState, Stage, TaskProgress, TaskState
from papergraph.ingest.jobs.queue import find_job, list_jobs, tasks_of
from papergraph.ingest.jobs.worker import Owner
from papergraph.ingest.parsers import Document, parse
from papergraph.ingest.pipeline import prepare as prepare_module
from papergraph.ingest.pipeline import work as work_module
from papergraph.ingest.pipeline.work import Writing
from papergraph.ingest.sources import RawDocument
from papergraph.neo4j_errors import Transaction
from papergraph.schema.checksum import graph_checksum
from papergraph.statement import Statement
from tests.support.embedders import QuickEmbedder
from tests.support.files import write
from tests.support.ingestion import clean, enqueue, ingest, many, paper, work

EXPIRE = Statement("test/expire", "MATCH (task:IngestTask {state: 'running'}) SET task.leaseUntil = datetime()")
ONE_LICENSE = Statement("test/one", "CREATE CONSTRAINT one_license FOR (p:Paper) REQUIRE p.license IS UNIQUE")
ANY_LICENSE = Statement("test/any", "DROP CONSTRAINT one_license IF EXISTS")


@pytest.fixture
def quick(embedder: Embedder) -> QuickEmbedder:
    return QuickEmbedder(embedder)


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "FIRST_RETRY_S", 0.01)
    monkeypatch.setattr("papergraph.ingest.jobs.worker.POLL_S", 0.02)
    monkeypatch.setattr("papergraph.ingest.worker.FIRST_PAUSE_S", 0.02)


async def only_job(database: Database) -> job_model.Job:
    (job,) = await list_jobs(database)
    return job


# What stands in the ledger


async def test_new_and_changed_documents_have_a_task_and_the_others_are_counted(
    database: Database, quick: QuickEmbedder, tmp_path: Path
):
    paths = many(tmp_path, 5)
    first = await ingest(database, quick, [tmp_path])
    write(paths[1], paper("Changed", body="All of it is new."))
    write(tmp_path / "bad.md", "\0")

    second = await ingest(database, quick, [tmp_path])

    before, after = await find_job(database, first.job), await find_job(database, second.job)
    assert (before.state, before.n_documents, before.n_unchanged) == (JobState.DONE, 5, 0)
    assert before.states == {TaskState.DONE: 5}
    assert (after.state, after.n_documents, after.n_unchanged) == (JobState.DONE, 6, 4)
    assert after.states == {TaskState.DONE: 1, TaskState.FAILED: 1}
    done, failed = await tasks_of(database, after.id)
    assert (done.source, done.outcome, done.key, done.stage) == (str(paths[1]), "replaced", f"file:{paths[1]}", "write")
    assert (failed.source, failed.reason, failed.stage) == (str(tmp_path / "bad.md"), Reason.NOT_TEXT, "parse")
    assert failed.attempts == 1
    third = await ingest(database, quick, paths)
    assert (await find_job(database, third.job)).states == {}


@pytest.mark.slow
async def test_a_queued_job_is_durable_and_worked_off_by_a_worker(
    database: Database, quick: QuickEmbedder, tmp_path: Path
):
    many(tmp_path, 40)
    write(tmp_path / "bad.md", "\0")
    expected = await clean(database, quick, [tmp_path])

    queued = await enqueue(database, quick, [tmp_path])
    n_seen_to = await work(database, quick, once=True)

    assert (queued.state, queued.states) == (JobState.QUEUED, {TaskState.QUEUED: 41})
    assert n_seen_to == 41
    done = await only_job(database)
    assert (done.id, done.state) == (queued.id, JobState.DONE)
    assert done.states == {TaskState.DONE: 40, TaskState.FAILED: 1}
    assert done.finished_at is not None
    assert (await graph_checksum(database)).same_graph(expected)
    assert await work(database, quick, once=True) == 0


async def test_a_job_is_found_by_the_beginning_of_its_id(database: Database, quick: QuickEmbedder, tmp_path: Path):
    many(tmp_path, 1)
    job = await enqueue(database, quick, [tmp_path])

    assert (await find_job(database, job.id[:6])).id == job.id
    for name in ("", "nothing"):
        with pytest.raises(NotFoundError):
            await find_job(database, name)
    with pytest.raises(InputError, match="queued"):
        await jobs.forget(database, job.id)
    assert await jobs.cancel(database, job.id) == 1
    assert await jobs.forget(database, job.id) == 1
    assert await list_jobs(database) == []


async def test_of_finished_jobs_the_newest_stay(
    database: Database, quick: QuickEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(jobs, "KEPT_JOBS", 2)
    paths = many(tmp_path, 5)

    reports = [await ingest(database, quick, [path]) for path in paths]

    assert [job.id for job in await list_jobs(database)] == [report.job for report in reports[:-4:-1]]
    monkeypatch.setattr(jobs, "KEPT_TASKS", 1)
    last = await ingest(database, quick, [tmp_path])  # no task of its own
    assert [job.id for job in await list_jobs(database)] == [last.job, reports[-1].job]


# Several processes, and processes that end


@pytest.mark.slow
async def test_workers_that_share_a_job_do_each_task_once_and_make_the_graph_of_one(
    database: Database, quick: QuickEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(work_module, "DOCUMENTS_AT_ONCE", 8)
    monkeypatch.setattr(work_module, "DOCUMENTS_PER_TRANSACTION", 8)
    many(tmp_path, 60, shared_doi=(3, 41))
    expected = await clean(database, quick, [tmp_path])
    job = await enqueue(database, quick, [tmp_path])

    heard: list[Item] = []

    report, *seen_to = await asyncio.gather(
        ingest(database, quick, [tmp_path], hear=heard.extend), *(work(database, quick, once=True) for _ in range(3))
    )

    assert report.job == job.id
    assert len(report.items) == 60
    assert report.failed == ()
    tasks = await tasks_of(database, job.id)
    assert [task.attempts for task in tasks] == [1] * 60
    assert {task.state for task in tasks} == {TaskState.DONE}
    assert sum(seen_to) + sum(item.outcome is not WriteOutcome.UNCHANGED for item in heard) >= 60
    assert (await graph_checksum(database)).same_graph(expected)


async def test_of_two_documents_with_one_key_the_later_stays_whichever_is_written_last(
    database: Database, quick: QuickEmbedder, tmp_path: Path
):
    early, late = many(tmp_path, 2, shared_doi=(0, 1))
    expected = await clean(database, quick, [tmp_path])
    await ingest(database, quick, [late])

    report = await ingest(database, quick, [tmp_path])

    assert [(Path(item.source), item.outcome) for item in report.items] == [
        (early, WriteOutcome.SUPERSEDED),
        (late, WriteOutcome.UNCHANGED),
    ]
    assert (await graph_checksum(database)).same_graph(expected)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["the process is gone", "the lease is over"])
async def test_what_a_process_held_is_taken_over(database: Database, quick: QuickEmbedder, tmp_path: Path, how: str):
    many(tmp_path, 10)
    expected = await clean(database, quick, [tmp_path])
    job = await enqueue(database, quick, [tmp_path])
    with Owner() as dead:
        held = await worker.claim(database, job.id, dead, limit=4)
        if how == "the lease is over":
            await database.run_alone(EXPIRE)
            assert await work(database, quick, once=True) == 10
    if how == "the process is gone":
        assert await work(database, quick, once=True) == 10

    tasks = await tasks_of(database, job.id)
    assert [task.attempts for task in tasks] == [2] * len(held) + [1] * 6
    assert (await only_job(database)).state is JobState.DONE
    assert (await graph_checksum(database)).same_graph(expected)


async def test_a_living_process_keeps_what_it_holds(database: Database, quick: QuickEmbedder, tmp_path: Path):
    many(tmp_path, 3)
    job = await enqueue(database, quick, [tmp_path])
    with Owner() as one, Owner() as other:
        held = await worker.claim(database, job.id, one, limit=2)

        assert [claim.ordinal for claim in held] == [0, 1]
        assert [claim.ordinal for claim in await worker.claim(database, job.id, other, limit=2)] == [2]
        assert await worker.claim(database, job.id, other, limit=2) == []
        still = {held[0].id: TaskProgress(Stage.EMBED, 5, 2, 1.5)}
        assert await worker.renew(database, one, still) == {held[0].id}
        assert await worker.renew(database, other, still) == set()
        task = next(task for task in await jobs.tasks_of(database, job.id) if task.id == held[0].id)
        assert (task.stage, task.n_chunks, task.n_embedded, task.seconds_left) == ("embed", 5, 2, 1.5)
        await worker.renew(database, one, {held[0].id: TaskProgress(Stage.PARSE, detail="reading page 2 of 9 by OCR")})
        task = next(task for task in await jobs.tasks_of(database, job.id) if task.id == held[0].id)
        assert (task.stage, task.detail, task.reason) == ("parse", "reading page 2 of 9 by OCR", None)
        await worker.release(database, one, [claim.id for claim in held], tried=False)

        assert [claim.attempts for claim in await worker.claim(database, job.id, other, limit=9)] == [1, 1]
    task = (await tasks_of(database, job.id))[0]
    assert (task.stage, task.detail) == ("fetch", None)


async def test_what_was_taken_over_is_not_written_by_who_held_it_before(
    database: Database, quick: QuickEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """A process sleeps between reading and writing; its lease ends, the file changes, another process writes it."""
    monkeypatch.setattr("papergraph.ingest.jobs.worker.RENEWED_EVERY_S", 600.0)
    paths = many(tmp_path, 4)
    job = await enqueue(database, quick, [tmp_path])
    written = work_module.write_papers
    others: list[object] = []

    claim = worker.claim

    async def claims_nothing(*_: Any, **__: Any) -> list[job_model.Claim]:
        return []

    async def sleeps(*arguments: Any, **options: Any) -> Any:
        monkeypatch.setattr(work_module, "write_papers", written)
        write(paths[1], paper("Changed", body="All of it is new."))
        others.append(await ingest(database, quick, [paths[1]]))
        with Owner() as other, pytest.MonkeyPatch.context() as asleep:
            asleep.setattr(worker, "claim", claims_nothing)  # else who sleeps might take over from itself
            await database.run_alone(EXPIRE)
            held = await claim(database, job.id, other, limit=2)
            assert len(held) == 4
            await worker.release(database, other, [each.id for each in held], tried=True)
        return await written(*arguments, **options)

    monkeypatch.setattr(work_module, "write_papers", sleeps)
    seen_to = await work(database, quick, once=True)

    assert len(others) == 1
    assert seen_to == 4
    assert [task.attempts for task in await tasks_of(database, job.id)] == [3] * 4
    assert (await graph_checksum(database)).same_graph(await clean(database, quick, [tmp_path]))


async def test_a_job_that_gets_more_to_do_is_not_left_by_those_who_work_on_it(
    database: Database, quick: QuickEmbedder, tmp_path: Path
):
    many(tmp_path, 4)
    job = await enqueue(database, quick, [tmp_path])
    with Owner() as other:
        held = await worker.claim(database, job.id, other, limit=1)
        waiting = asyncio.create_task(ingest(database, quick, [tmp_path]))
        while (await only_job(database)).states != {TaskState.RUNNING: 1, TaskState.DONE: 3}:  # noqa: ASYNC110
            await asyncio.sleep(0.02)

        write(tmp_path / "more.md", paper("One more"))
        assert (await enqueue(database, quick, [tmp_path])).id == job.id
        await worker.release(database, other, [held[0].id], tried=False)
        report = await waiting

    assert report.stopped is None
    assert (await only_job(database)).states == {TaskState.DONE: 5}


async def test_a_job_that_is_finished_while_it_gets_more_to_do_waits_paused(
    database: Database, quick: QuickEmbedder, tmp_path: Path
):
    many(tmp_path, 3)
    job = await enqueue(database, quick, [tmp_path])
    await work(database, quick, once=True)
    late = {"source": "late", "ordinal": 3, "state": "queued", "attempts": 0}
    row = {"id": job_model.task_id(job.id, "late"), "properties": late}

    await database.run_alone(cypher.load("jobs/write_tasks"), job_id=job.id, rows=[row])  # and the process ends

    paused = await only_job(database)
    assert (paused.state, paused.n_pending, paused.finished_at) == (JobState.PAUSED, 1, None)


# What goes wrong


def failing(monkeypatch: pytest.MonkeyPatch, name: str, *, n_times: int) -> None:
    """Let our own parser fail on a document so many times."""
    left = n_times

    def fails(source: RawDocument) -> Document:
        nonlocal left
        if source.name.endswith(name) and left:
            left -= 1
            raise RuntimeError("a fault of ours")
        return parse(source)

    monkeypatch.setattr(prepare_module, "parse", fails)


async def test_what_fails_once_is_tried_again(
    database: Database, quick: QuickEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    many(tmp_path, 3)
    failing(monkeypatch, "001.md", n_times=2)

    report = await ingest(database, quick, [tmp_path])

    assert report.count(WriteOutcome.ADDED) == 3
    assert [task.attempts for task in await tasks_of(database, report.job)] == [1, 3, 1]


async def test_what_is_tried_again_while_others_are_written_stays_claimed(
    database: Database, quick: QuickEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    many(tmp_path, 3)
    failing(monkeypatch, "001.md", n_times=1)

    def slow(work: Callable[..., Awaitable[Any]], pause_s: float) -> Callable[..., Awaitable[Any]]:
        async def slowly(*arguments: Any, **named: Any) -> Any:
            await asyncio.sleep(pause_s)
            return await work(*arguments, **named)

        return slowly

    monkeypatch.setattr(work_module, "write_papers", slow(write_papers, 2.0))
    monkeypatch.setattr(worker.HeldTasks, "claim", slow(worker.HeldTasks.claim, 0.2))

    report = await ingest(database, quick, [tmp_path])

    assert [task.attempts for task in await tasks_of(database, report.job)] == [1, 2, 1]


async def test_what_fails_every_time_is_put_into_quarantine_and_can_be_tried_again(
    database: Database, quick: QuickEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    many(tmp_path, 3)
    failing(monkeypatch, "001.md", n_times=worker.MAX_ATTEMPTS)

    report = await ingest(database, quick, [tmp_path])

    (bad,) = report.failed
    assert (bad.reason, bad.detail) == (Reason.INTERNAL, "made papergraph fail; its log has details")
    _, task, _ = await tasks_of(database, report.job)
    assert (task.state, task.attempts, task.stage) == (TaskState.QUARANTINED, worker.MAX_ATTEMPTS, "parse")
    assert await jobs.retry(database, report.job) == 1
    assert await work(database, quick, once=True) == 1
    assert (await only_job(database)).states == {TaskState.DONE: 3}


async def test_documents_for_which_the_machine_was_busy_are_tried_once_more_and_alone(
    database: Database, quick: QuickEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    many(tmp_path, 6)
    seen: list[str] = []
    taken: list[list[int]] = []
    hold = worker.HeldTasks._hold

    def held(tasks: worker.HeldTasks, claims: Sequence[job_model.Claim]) -> None:
        taken.append([claim.ordinal for claim in claims])
        hold(tasks, claims)

    def busy(source: RawDocument) -> Document:
        name = Path(source.name).name
        seen.append(name)
        if name == "001.md" or (name == "003.md" and seen.count(name) == 1):
            raise SourceError(source.name, Reason.BUSY, "was not read within 600 s")
        return parse(source)

    monkeypatch.setattr(prepare_module, "parse", busy)
    monkeypatch.setattr(worker.HeldTasks, "_hold", held)

    report = await ingest(database, quick, [tmp_path])

    assert sorted(claims for claims in taken if claims)[1:] == [[1], [3]]
    assert [task.attempts for task in await tasks_of(database, report.job)] == [1, 2, 1, 2, 1, 1]
    assert [(item.source, item.reason) for item in report.failed] == [(str(tmp_path / "001.md"), Reason.BUSY)]


class CrashError(BaseException):
    """Stands for the end of a process: nothing of ours catches it."""


@pytest.mark.slow
async def test_a_document_that_ends_its_process_every_time_is_put_into_quarantine_alone(
    database: Database, quick: QuickEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    poison = many(tmp_path, 40)[17]
    job = await enqueue(database, quick, [tmp_path])

    def crash(source: RawDocument) -> Document:
        if source.name == str(poison):
            raise CrashError
        return parse(source)

    monkeypatch.setattr(prepare_module, "parse", crash)
    n_crashes = 0
    while (await only_job(database)).state is not JobState.DONE:
        try:
            await work(database, quick, once=True)
        except CrashError:
            n_crashes += 1

    assert n_crashes == worker.MAX_ATTEMPTS
    assert (await only_job(database)).states == {TaskState.DONE: 39, TaskState.QUARANTINED: 1}
    (bad,) = await tasks_of(database, job.id, states=[TaskState.QUARANTINED])
    assert (bad.source, bad.reason, bad.attempts) == (str(poison), Reason.LOST, worker.MAX_ATTEMPTS)


@pytest.mark.slow
async def test_a_paper_that_neo4j_refuses_does_not_stop_the_others(
    database: Database, quick: QuickEmbedder, tmp_path: Path
):
    for number in range(4):
        license = "CC0" if number in (1, 2) else f"L{number}"
        write(tmp_path / f"{number}.md", paper(f"Paper {number}", extra=f"license: {license}\n"))
    await database.run_alone(ONE_LICENSE)
    try:
        report = await ingest(database, quick, [tmp_path])
    finally:
        await database.run_alone(ANY_LICENSE)

    assert [item.outcome for item in report.items] == [WriteOutcome.ADDED, WriteOutcome.ADDED, None, WriteOutcome.ADDED]
    assert report.failed[0].reason is Reason.DATABASE
    again = await ingest(database, quick, [tmp_path])
    assert [item.outcome for item in again.items] == [
        *[WriteOutcome.UNCHANGED] * 2,
        WriteOutcome.ADDED,
        WriteOutcome.UNCHANGED,
    ]


# Stopping


@pytest.mark.slow
async def test_a_cancelled_job_stops_within_a_group_and_what_it_wrote_stays(
    database: Database, quick: QuickEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(work_module, "DOCUMENTS_AT_ONCE", 8)
    monkeypatch.setattr(work_module, "DOCUMENTS_PER_TRANSACTION", 8)
    many(tmp_path, 100)
    job = await enqueue(database, quick, [tmp_path])
    cancelling: list[asyncio.Task[int]] = []
    is_cancelled = threading.Event()
    encode = quick.encode_documents

    def cancel_after_the_first(items: Sequence[Item]) -> None:
        if items and not cancelling:
            cancelling.append(asyncio.create_task(jobs.cancel(database, job.id)))
            cancelling[0].add_done_callback(lambda _: is_cancelled.set())

    def encode_when_that_is_done(texts: Sequence[str]) -> Floats:
        if cancelling:
            is_cancelled.wait(30)
        return encode(texts)

    monkeypatch.setattr(quick, "encode_documents", encode_when_that_is_done)
    report = await ingest(database, quick, [tmp_path], hear=cancel_after_the_first)

    assert (report.job, report.stopped) == (job.id, "cancelled")
    assert 0 < len(report.items) < 60
    assert report.n_left == 100 - len(report.items)
    cancelled = await only_job(database)
    assert cancelled.state is JobState.CANCELLED
    assert cancelled.states == {TaskState.DONE: len(report.items), TaskState.CANCELLED: report.n_left}
    assert await work(database, quick, once=True) == 0
    assert await jobs.retry(database, job.id) == report.n_left
    assert await work(database, quick, once=True) == report.n_left


@pytest.mark.slow
async def test_what_is_being_written_while_its_job_is_cancelled_is_done(
    database: Database, quick: QuickEmbedder, tmp_path: Path
):
    many(tmp_path, 2)
    job = await enqueue(database, quick, [tmp_path])
    cancelling: list[asyncio.Task[int]] = []
    with Owner() as owner:
        written, left = await worker.claim(database, job.id, owner, limit=2)

        async def settle(transaction: Transaction) -> set[str]:
            done = job_model.TaskResult(written.id, TaskState.DONE, Stage.WRITE)
            held = await worker.settle(transaction, owner, [done])
            cancelling.append(asyncio.create_task(jobs.cancel(database, job.id)))
            await asyncio.wait(cancelling, timeout=2)
            return held

        held = await database.transact("settle a task", settle)
        n_cancelled = await cancelling[0]

    assert (held, n_cancelled) == ({written.id}, 1)
    states = {task.source: task.state for task in await tasks_of(database, job.id)}
    assert states == {written.source: TaskState.DONE, left.source: TaskState.CANCELLED}


@pytest.mark.slow
async def test_an_interrupted_ingestion_is_paused_and_the_same_call_goes_on_with_its_job(
    database: Database, quick: QuickEmbedder, tmp_path: Path
):
    many(tmp_path, 150)
    expected = await clean(database, quick, [tmp_path])
    heard = asyncio.Event()
    call = asyncio.create_task(ingest(database, quick, [tmp_path], hear=lambda items: heard.set() if items else None))
    await heard.wait()

    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call

    paused = await only_job(database)
    assert (paused.state, paused.detail) == (JobState.PAUSED, "interrupted")
    assert paused.states.keys() <= {TaskState.QUEUED, TaskState.DONE}
    assert await work(database, quick, once=True) == 0
    report = await ingest(database, quick, [tmp_path])
    assert report.job == paused.id
    assert report.count(WriteOutcome.UNCHANGED) == paused.states[TaskState.DONE]
    assert {task.attempts for task in await tasks_of(database, paused.id)} == {1}
    assert (await graph_checksum(database)).same_graph(expected)


async def test_an_ingestion_is_interrupted_also_where_what_is_being_written_arrives_all_the_same(
    database: Database, quick: QuickEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    many(tmp_path, 1)
    written, write_as_ever = asyncio.Event(), Writing.write

    async def arrive(self: Writing, entries: Any, vectors: Any) -> None:
        await write_as_ever(self, entries, vectors)
        written.set()
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(60)

    monkeypatch.setattr(Writing, "write", arrive)
    call = asyncio.create_task(ingest(database, quick, [tmp_path]))
    await asyncio.wait_for(written.wait(), 60)
    await asyncio.sleep(0.5)  # by now it waits for nothing else

    call.cancel()

    with pytest.raises(asyncio.CancelledError):
        await call
    assert (await only_job(database)).states == {TaskState.DONE: 1}
