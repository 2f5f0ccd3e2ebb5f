"""Documents prepared by processes beside this one are the same, and a process that dies takes none with it for good."""

import asyncio
import hashlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import psutil
import pytest

from ingest.pipeline.executor import ProcessExecutor
from ingest.pipeline.prepare import Prepared, Refused, hear_nothing
from ingest.sources import Format, RawDocument
from papergraph.errors import Reason
from tests.support.article_xml import ARTICLE
from tests.support.crews import document, preparer, spawned
from tests.support.typeset import pdf

HOLDER = """
import asyncio, sys
from tests.support.crews import document, preparer
from ingest.pipeline.executor import ProcessExecutor
from ingest.pipeline.prepare import hear_nothing

async def main():
    crew = ProcessExecutor(2, start_after_s=0)
    for number in range(2):
        await crew.prepare(preparer(), document(number), embed=False, reached=hear_nothing)
    print("ready", flush=True)
    await asyncio.sleep(600)

if __name__ == "__main__":
    asyncio.run(main())
"""


def typeset(number: int) -> RawDocument:
    data = pdf(f"= Tides\n\nThe moon pulls at the sea, {number} times.\n\n== Method\n\nWe look at the sea.\n")
    return RawDocument(f"/papers/{number}.pdf", data, Format.PDF, hashlib.sha256(data).hexdigest())


@pytest.mark.slow
async def test_what_processes_prepare_is_what_this_one_does():
    documents = [*map(document, range(5)), typeset(5), document(6, "a\0b")]
    crew = ProcessExecutor(2, start_after_s=0)
    try:
        theirs = await asyncio.gather(
            *(crew.prepare(preparer(), one, embed=True, reached=hear_nothing) for one in documents)
        )
        workers = spawned()
    finally:
        await crew.close()

    assert theirs == [(preparer().reader.read(one), {}) for one in documents]
    assert [type(ready) for ready, _ in theirs] == [Prepared] * 6 + [Refused]
    assert {ready.source.data for ready, _ in theirs[:6] if isinstance(ready, Prepared)} == {b""}
    assert workers
    psutil.wait_procs(workers, timeout=30)
    assert not any(worker.is_running() for worker in workers)


@pytest.mark.slow
async def test_a_process_that_dies_is_replaced_and_its_documents_are_to_be_tried_again():
    crew = ProcessExecutor(1, start_after_s=0)
    try:
        first, _ = await crew.prepare(preparer(), document(0), embed=False, reached=hear_nothing)
        (worker,) = spawned()
        worker.send_signal(signal.SIGSTOP)
        waiting = asyncio.create_task(crew.prepare(preparer(), document(1), embed=False, reached=hear_nothing))
        await asyncio.sleep(0.1)
        worker.kill()
        lost, _ = await waiting
        again, _ = await crew.prepare(preparer(), document(1), embed=False, reached=hear_nothing)
    finally:
        await crew.close()

    assert isinstance(first, Prepared)
    assert isinstance(lost, Refused)
    assert (lost.reason, lost.may_work) == (Reason.LOST, True)
    assert isinstance(again, Prepared)


@pytest.mark.slow
def test_processes_end_with_a_parent_that_is_killed():
    holder = subprocess.Popen([sys.executable, "-c", HOLDER], stdout=subprocess.PIPE, text=True, env=dict(os.environ))
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "ready\n"
        workers = psutil.Process(holder.pid).children(recursive=True)
        assert workers
    finally:
        holder.kill()
        holder.communicate()

    end = time.monotonic() + 30
    while time.monotonic() < end and any(worker.is_running() for worker in workers):
        time.sleep(0.05)
    assert [worker for worker in workers if worker.is_running()] == []


def test_this_process_reads_documents_itself_until_they_have_taken_long_and_quick_formats_always():
    articles = [replace(document(number, ARTICLE), format=Format.XML) for number in range(4)]

    def n_read_here(crew: ProcessExecutor, documents: list[RawDocument]) -> int:
        return sum(crew.read_here(preparer(), one, reached=hear_nothing) is not None for one in documents)

    assert n_read_here(ProcessExecutor(2), articles) == 4
    assert n_read_here(ProcessExecutor(2, start_after_s=0), [document(0)]) == 1
    assert n_read_here(ProcessExecutor(2, start_after_s=0), articles) == 0
