"""Turns of accounts in a worker: floods and hostile documents of one keep no other waiting."""

import asyncio
import itertools
import json
import threading
from collections.abc import Collection
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from papergraph.errors import ConflictError, Reason
from papergraph.ingest import worker
from papergraph.ingest.jobs import queue
from papergraph.ingest.parsers import sandbox
from papergraph.ingest.parsers.sandbox import RefusedError, SandboxLimits, run_child
from papergraph.ingest.pipeline import prepare
from papergraph.ingest.pipeline.executor import ThreadExecutor
from papergraph.ingest.pipeline.work import BATCH_S, FIRST_TEXTS, Embedding
from papergraph.ingest.sources import Format
from papergraph.progress import silent


@dataclass
class Ledger:
    """Jobs by id, each with an account and a number of documents, which take a step of time each."""

    jobs: dict[str, tuple[str, int]] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    step_s: float = 0.0
    most_at_once: int = 0
    n_running: int = 0

    async def next_jobs(self, store: Any, *, skipped: Collection[str], busy: Collection[str]) -> dict[str, str]:
        found: dict[str, str] = {}
        for id, (account, n_left) in self.jobs.items():
            if n_left and id not in skipped and account not in busy:
                found.setdefault(account, id)
        return found

    async def find_job(self, store: Any, id: str) -> Any:
        return SimpleNamespace(id=id)

    async def work_on(self, turns: Any, job: Any, turn_is_over: Any) -> int:
        account, n_left = self.jobs[job.id]
        self.n_running += 1
        self.most_at_once = max(self.most_at_once, self.n_running)
        n_done = 0
        while n_left and not (n_done and turn_is_over()):
            await asyncio.sleep(self.step_s)
            n_left, n_done = n_left - 1, n_done + 1
            self.jobs[job.id] = account, n_left
            self.order.append(account)
        self.n_running -= 1
        return n_done


@pytest.fixture
def ledger(monkeypatch: pytest.MonkeyPatch) -> Ledger:
    made = Ledger()
    monkeypatch.setattr(worker.jobs, "next_jobs", made.next_jobs)
    monkeypatch.setattr(worker.jobs, "find_job", made.find_job)
    monkeypatch.setattr(worker._Turns, "_work_on", lambda turns, job, over: made.work_on(turns, job, over))
    for name in ("TURN_S", "FIRST_PAUSE_S", "LOOK_S"):
        monkeypatch.setattr(worker, name, 0.001)
    return made


async def work() -> int:
    return await worker.work(SimpleNamespace(store=None), once=True, progress=silent)  # type: ignore[arg-type]


FLOODS: dict[str, dict[str, tuple[str, int]]] = {
    "one long job": {"a0": ("a", 60)},
    "many jobs": {f"a{number}": ("a", 1) for number in range(60)},
    "many long jobs": {f"a{number}": ("a", 10) for number in range(10)},
    "two accounts": {f"a{number}": (f"a{number % 2}", 15) for number in range(4)},
    "as many accounts as are worked for": {f"a{number}": (f"a{number}", 20) for number in range(3)},
    "more accounts": {f"a{number}": (f"a{number}", 10) for number in range(6)},
    "twelve accounts": {f"a{number}": (f"a{number}", 8) for number in range(12)},
    "the command line": {f"a{number}": ("", 30) for number in range(3)},
    "jobs of the other one behind": {"a0": ("a", 60), "b1": ("b", 20)},
    "jobs of the other one before": {"b1": ("b", 1), "a0": ("a", 60)},
}


@pytest.mark.parametrize("kind", FLOODS)
async def test_a_job_of_another_account_is_not_behind_a_flood(ledger: Ledger, kind: str):
    ledger.jobs, ledger.step_s = dict(FLOODS[kind]) | {"b": ("b", 1)}, 0.001
    n_documents = sum(n for _, n in ledger.jobs.values())

    assert await work() == n_documents == len(ledger.order)
    n_accounts = len({account for account, _ in FLOODS[kind].values()} | {"b"})
    assert ledger.order.index("b") <= 8 * n_accounts
    assert ledger.most_at_once <= worker.ACCOUNTS_AT_ONCE


async def test_a_job_that_comes_later_begins_beside_one_that_hangs(ledger: Ledger):
    ledger.jobs, ledger.step_s = {"a": ("a", 1)}, 60.0
    working = asyncio.create_task(work())
    while not ledger.n_running:  # noqa: ASYNC110
        await asyncio.sleep(0)
    ledger.step_s = 0.0
    ledger.jobs["b"] = ("b", 1)
    async with asyncio.timeout(5):
        while ledger.order != ["b"]:  # noqa: ASYNC110
            await asyncio.sleep(0.001)
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)


@pytest.mark.parametrize("n", [queue.MOST_UNFINISHED - 1, queue.MOST_UNFINISHED, queue.MOST_UNFINISHED + 1])
@pytest.mark.parametrize("account", ["a", ""])
async def test_the_unfinished_jobs_of_an_account_are_bounded(n: int, account: str):
    class Graph:
        async def read(self, statement: Any, **given: Any) -> list[dict[str, int]]:
            assert given == {"account": "a", "id": "j"}
            return [{"n": n}]

    if account and n >= queue.MOST_UNFINISHED:
        with pytest.raises(ConflictError, match="cancel some"):
            await queue._refuse_flood(Graph(), account, "j")  # type: ignore[arg-type]
    else:
        await queue._refuse_flood(Graph(), account, "j")  # type: ignore[arg-type]


async def test_documents_that_hang_leave_a_thread_to_another_job():
    hanging, executor = threading.Event(), ThreadExecutor(2)

    def preparer(read: Any) -> Any:
        return SimpleNamespace(reader=SimpleNamespace(read=read))

    hostile, other = preparer(lambda *_, **__: hanging.wait(60)), preparer(lambda *_, **__: "read")
    flood = [
        asyncio.create_task(executor.prepare(hostile, None, embed=False, reached=prepare.hear_nothing))  # type: ignore[arg-type]
        for _ in range(20)
    ]
    async with asyncio.timeout(10):
        made = await executor.prepare(other, None, embed=False, reached=prepare.hear_nothing)  # type: ignore[arg-type]
    hanging.set()
    await asyncio.gather(*flood)
    await executor.close()

    assert made == ("read", {})


def read_in_child(n_words: int, limits: SandboxLimits) -> Any:
    """Return a Markdown document as a child reads it; 2,000,000 words take it seconds."""
    return run_child("document", limits, b"# Tides\n\n" + b"word " * n_words, "a.md", Format.MARKDOWN, "0" * 64)


def test_a_child_whose_job_was_cancelled_is_ended(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sandbox, "POLL_S", 0.01)
    looks = itertools.count()
    token = sandbox.abandoned.set(lambda: next(looks) > 2)
    try:
        with pytest.raises(RefusedError, match="interrupted"):
            read_in_child(2_000_000, SandboxLimits())
    finally:
        sandbox.abandoned.reset(token)


def test_a_child_answers_within_its_time_or_not_at_all(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sandbox, "POLL_S", 0.01)
    assert len(json.dumps(read_in_child(60_000, SandboxLimits()))) > 300_000
    with pytest.raises(RefusedError) as caught:
        read_in_child(2_000_000, SandboxLimits(wall_seconds=0.05))
    assert caught.value.reason is Reason.BUSY


WORDS_OF_THE_INTERPRETER = [
    "Exception ignored in: <object at 0x7f>",
    "Traceback (most recent call last):",
    "ValueError: /home/someone/secret",
    "Fatal Python error: Segmentation fault",
    "zsh: no such file: /etc/passwd",
]


@pytest.mark.parametrize("words", WORDS_OF_THE_INTERPRETER)
def test_a_refusal_has_no_words_of_the_interpreter(monkeypatch: pytest.MonkeyPatch, words: str):
    made = sandbox.subprocess.CompletedProcess([], 1, b"", f"{words}\n".encode())
    monkeypatch.setattr(sandbox, "_completed", lambda *_: made)
    with pytest.raises(RefusedError) as caught:
        run_child("document", SandboxLimits(), b"")
    assert caught.value.detail == "cannot be read: its reader failed; print it to a new file"


@pytest.mark.parametrize(
    ("most", "seconds", "reason", "told"),
    [
        (3, 60.0, Reason.TOO_LARGE, "more than 3 chunks; split it, or raise maxTokens"),
        (
            99,
            -1.0,
            Reason.OUT_OF_TIME,
            r"within -1 s of processor time; split it, or choose another chunker \(--chunker\)",
        ),
    ],
)
def test_a_document_of_too_many_chunks_is_refused(monkeypatch, most: int, seconds: float, reason: Reason, told: str):
    monkeypatch.setattr(prepare, "MOST_CHUNKS", most)
    monkeypatch.setattr(prepare, "CHUNKING_S", seconds)
    reader = prepare.Reader(SimpleNamespace(max_tokens=1), SimpleNamespace())  # type: ignore[arg-type]
    reader.__dict__["_chunker"] = SimpleNamespace(chunks=lambda document: itertools.repeat("chunk"))
    with pytest.raises(prepare.SourceError, match=told) as caught:
        reader._cut(None, "a.md")  # type: ignore[arg-type]
    assert caught.value.reason is reason


@pytest.mark.parametrize("text_s", [0.001, 0.01, 0.1, 0.4, 1.2])
@pytest.mark.parametrize("n_before_cancel", [1, 3, 1000])
async def test_a_cancelled_document_ends_with_the_batch_however_slow_the_model_is(
    monkeypatch: pytest.MonkeyPatch, text_s: float, n_before_cancel: int
):
    now_s, batches = 0.0, []
    held = {"task": None}

    def embed(texts: list[str]) -> dict[str, Any]:
        nonlocal now_s
        now_s += text_s * len(texts)
        batches.append(len(texts))
        if len(batches) == n_before_cancel:
            held.clear()
        return dict.fromkeys(texts)

    clock = SimpleNamespace(perf_counter=lambda: now_s)
    monkeypatch.setattr("papergraph.ingest.pipeline.work.time", clock)
    document = SimpleNamespace(id="task"), SimpleNamespace(texts=["own"], n_chunks=1000)
    embedding = Embedding(SimpleNamespace(held=held, preparer=SimpleNamespace(embed=embed)))  # type: ignore[arg-type]
    await embedding.run([document], [f"{number:0100}" for number in range(1000)])  # type: ignore[list-item]

    assert batches[0] == FIRST_TEXTS
    assert all(n == 1 or n * text_s <= 1.01 * BATCH_S for n in batches[1:])
    assert len(batches) == n_before_cancel or sum(batches) == 1000
