"""Documents that are prepared in threads are the same, and child processes end with the process that waits for them."""

import asyncio
import hashlib
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace

import psutil
import pytest

from papergraph.ingest.pipeline.executor import ThreadExecutor
from papergraph.ingest.pipeline.prepare import Prepared, Refused, hear_nothing
from papergraph.ingest.sources import Format, RawDocument
from tests.support.article_xml import ARTICLE
from tests.support.crews import children, document, preparer
from tests.support.typeset import pdf

HOLDER = """
import asyncio
from papergraph.ingest.pipeline.executor import ThreadExecutor
from papergraph.ingest.pipeline.prepare import hear_nothing
from tests.support.crews import preparer
from tests.unit.test_crew import typeset

async def main():
    crew = ThreadExecutor(2)
    while True:
        await asyncio.gather(
            *(crew.prepare(preparer(), typeset(n), embed=False, reached=hear_nothing) for n in range(4))
        )

asyncio.run(main())
"""


def typeset(number: int, *, n_paragraphs: int = 1) -> RawDocument:
    method = "We look at the sea.\n\n" * n_paragraphs
    data = pdf(f"= Tides\n\nThe moon pulls at the sea, {number} times.\n\n== Method\n\n{method}")
    return RawDocument(f"/papers/{number}.pdf", data, Format.PDF, hashlib.sha256(data).hexdigest())


def stopped_child(pid: int) -> psutil.Process:
    """Return a child that has set its limits, stopped, so that it does not end by itself."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        for child in children(pid):
            with suppress(psutil.Error):
                if child.rlimit(psutil.RLIMIT_CPU)[0] != psutil.RLIM_INFINITY:
                    child.send_signal(signal.SIGSTOP)
                    return child
        time.sleep(0.005)
    raise AssertionError("no child parses")


async def test_what_threads_prepare_is_what_this_one_does():
    documents = [*map(document, range(3)), typeset(3), typeset(4), document(5, "a\0b")]
    crew = ThreadExecutor(2)
    try:
        theirs = await asyncio.gather(
            *(crew.prepare(preparer(), one, embed=True, reached=hear_nothing) for one in documents)
        )
    finally:
        await crew.close()

    assert theirs == [(preparer().reader.read(one), {}) for one in documents]
    assert [type(ready) for ready, _ in theirs] == [Prepared] * 5 + [Refused]
    assert {ready.source.data for ready, _ in theirs[:5] if isinstance(ready, Prepared)} == {b""}


async def test_children_are_ended_when_nobody_waits_for_them():
    crew, long = ThreadExecutor(1), typeset(0, n_paragraphs=1000)
    waiting = asyncio.create_task(crew.prepare(preparer(), long, embed=False, reached=hear_nothing))
    child = await asyncio.to_thread(stopped_child, os.getpid())

    await crew.close()
    ready, _ = await waiting

    assert isinstance(ready, Refused)
    assert not child.is_running()


async def test_document_is_read_again_when_what_forks_children_ends():
    crew, source = ThreadExecutor(1), typeset(0, n_paragraphs=1000)
    waiting = asyncio.create_task(crew.prepare(preparer(), source, embed=False, reached=hear_nothing))
    child = await asyncio.to_thread(stopped_child, os.getpid())

    psutil.Process(child.ppid()).kill()
    ready, _ = await waiting

    assert ready == preparer().reader.read(source)
    gone = not child.is_running() or child.status() == psutil.STATUS_ZOMBIE  # where nothing reaps orphans
    assert gone


@pytest.mark.slow
def test_children_end_with_a_parent_that_is_killed():
    holder = subprocess.Popen([sys.executable, "-c", HOLDER], env=dict(os.environ))
    try:
        child = stopped_child(holder.pid)
    finally:
        holder.kill()
        holder.communicate()

    gone, _ = psutil.wait_procs([child], timeout=30)
    assert gone == [child]


def test_documents_that_need_no_child_are_read_in_this_thread():
    articles = [replace(document(number, ARTICLE), format=Format.XML) for number in range(2)]
    foreign = replace(articles[0], name="https://example.org/1.xml")
    crew = ThreadExecutor(2)

    here = [
        crew.read_here(preparer(), one, reached=hear_nothing) is not None
        for one in (document(0), *articles, foreign, typeset(0))
    ]

    assert here == [True, True, True, False, False]
