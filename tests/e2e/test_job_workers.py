"""A server with a worker beside it: uploads become papers without another command, and a dead worker is replaced."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import psutil
import pytest

from tests.support.command import Papergraph, Started
from tests.support.waiting import free_port, wait_until

TEXT = b"# Tabu search on dense graphs\n\nTabu search keeps a list of moves that it does not undo.\n"


@contextmanager
def serving(papergraph: Papergraph, n: int, *options: str) -> Iterator[tuple[httpx.Client, Started]]:
    port = free_port()
    with papergraph.started("serve", "--port", str(port), *options, PAPERGRAPH_WORKERS=str(n)) as started:
        started.wait_for("Ctrl-C stops")
        with httpx.Client(base_url=f"http://127.0.0.1:{port}/v1", timeout=60) as client:
            yield client, started


def workers(started: Started) -> list[psutil.Process]:
    children = psutil.Process(started.process.pid).children()
    return [child for child in children if "papergraph.server.local.background_processes" in command_of(child)]


def command_of(process: psutil.Process) -> list[str]:
    """Return the words of a process's command; none of one that has just ended."""
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def opened(client: httpx.Client, name: str, text: bytes) -> str:
    """Upload a file, and return the id of the job that ingests it."""
    upload = client.post("/uploads", files={"file": (name, text, "text/markdown")})
    assert upload.status_code == 201, upload.text
    job = client.post("/jobs", json={"uploads": [upload.json()["id"]], "collection": "brought"})
    assert job.status_code == 202, job.text
    return str(job.json()["id"])


def wait_for_job(client: httpx.Client, id: str) -> None:
    wait_until(lambda: client.get(f"/jobs/{id}").json()["state"] == "done", timeout_s=120)


@pytest.mark.slow
@pytest.mark.parametrize("options", [("--processes", "2")])
def test_a_server_ingests_what_is_uploaded_and_replaces_a_worker_that_is_killed(library, papergraph, options):
    with serving(papergraph, 1, *options) as (client, started):
        wait_for_job(client, opened(client, "tabu.md", TEXT))
        hits = client.post("/search", json={"query": "moves that are not undone", "collection": "brought"}).json()
        assert "Tabu search" in hits["hits"][0]["paper"]["title"]

        (first,) = workers(started)
        assert first.nice() == min(19, psutil.Process(started.process.pid).nice() + 10)
        first.send_signal(signal.SIGKILL)
        wait_until(lambda: [one.pid for one in workers(started)] not in ([], [first.pid]), timeout_s=60)
        wait_for_job(client, opened(client, "more.md", TEXT.replace(b"dense", b"sparse")))

        (second,) = workers(started)
        started.process.terminate()
        started.process.wait(30)
        assert not second.is_running()


@pytest.mark.slow
def test_a_job_says_that_no_worker_works_and_a_server_without_workers_starts_none(library, papergraph):
    with serving(papergraph, 0) as (client, started):
        id = opened(client, "waits.md", TEXT.replace(b"dense", b"planar"))
        assert workers(started) == []
        assert client.get(f"/jobs/{id}").json()["waitsFor"] is None
        wait_until(lambda: client.get(f"/jobs/{id}").json()["waitsFor"] == "worker", timeout_s=60)
        shown = papergraph("jobs", "show", id)

        assert "Start papergraph serve or papergraph worker" in shown.stdout
        assert client.post(f"/jobs/{id}/cancel").json()["waitsFor"] is None
