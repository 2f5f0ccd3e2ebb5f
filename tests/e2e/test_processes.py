"""A server of several processes, over real sockets: limits hold for all, and one that is killed is replaced.

Each server takes three times the start of a program, so each also shows a way in which all of them end.
"""

import signal
import socket
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx
import psutil
import pytest

from tests.support.command import Papergraph, Started
from tests.support.waiting import free_port, wait_until

pytestmark = [pytest.mark.slow, pytest.mark.release]

SEARCH = '{ search(input: {query: "quantum annealing", k: 1}) { hits { paper { title } } } }'
CHEAP = "{ __typename }"


@contextmanager
def serving(papergraph: Papergraph, n: int, **settings: str) -> Iterator[tuple[str, Started]]:
    port = free_port()
    with papergraph.started("serve", "--port", str(port), "--processes", str(n), **settings) as started:
        started.wait_for("Ctrl-C stops")
        yield f"http://127.0.0.1:{port}", started


def workers(started: Started) -> list[psutil.Process]:
    children = psutil.Process(started.process.pid).children()
    return [child for child in children if "papergraph.server.worker" in child.cmdline()]


def ask(url: str, query: str = CHEAP) -> httpx.Response:
    """Ask by a connection of its own, which any process may take."""
    return httpx.post(f"{url}/graphql", json={"query": query}, timeout=60)


def count_of(url: str, name: str) -> float:
    lines = httpx.get(f"{url}/metrics", timeout=60).text.splitlines()
    return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(name))


def assert_ended_by(number: signal.Signals, url: str, started: Started) -> None:
    """Assert that a signal ends a server that answers, all its processes with it."""
    running = workers(started)
    assert ask(url).status_code == 200
    status = started.send(number, timeout_s=60)
    assert status == 0
    assert not [process for process in running if process.is_running()]
    with pytest.raises(httpx.ConnectError):
        ask(url)


def test_a_rate_holds_for_all_processes_together_and_they_end_when_what_keeps_them_running_is_killed(
    library, papergraph
):
    with serving(papergraph, 2, PAPERGRAPH_LIMITS_REQUESTS_PER_MINUTE="40") as (url, started):
        if time.time() % 60 > 50:  # a minute begins anew with the first request, so that it holds for all that follow
            time.sleep(1)
        with ThreadPoolExecutor(8) as pool:
            statuses = Counter(answer.status_code for answer in pool.map(lambda _: ask(url), range(60)))
        asked = [len(process.net_connections()) for process in workers(started)]

        assert statuses == {200: 40, 429: 20}
        assert len(asked) == 2
        answer = ask(url)
        assert answer.status_code == 429
        assert 0 < int(answer.headers["Retry-After"]) <= 60

        running = workers(started)
        started.process.kill()
        wait_until(lambda: not any(process.is_running() for process in running), timeout_s=60)


def test_metrics_are_those_of_all_processes_and_one_that_is_killed_is_replaced(library, papergraph):
    counted = 'papergraph_http_requests_total{method="POST",route="/graphql",status="200"}'
    with serving(papergraph, 2) as (url, started):
        with ThreadPoolExecutor(8) as pool:
            assert {answer.status_code for answer in pool.map(lambda _: ask(url), range(40))} == {200}
        assert {count_of(url, counted) for _ in range(8)} == {40}
        assert count_of(url, "papergraph_build_info") == 1
        assert count_of(url, "papergraph_job_queue_up") == 1
        assert count_of(url, "papergraph_http_requests_in_flight") == 1
        (one, other) = workers(started)
        assert min(one.cpu_times().user, other.cpu_times().user) > 0

        before = {process.pid for process in workers(started)}
        killed, kept = sorted(before)
        psutil.Process(killed).kill()
        answers = [ask(url, SEARCH) for _ in range(10)]
        assert {answer.status_code for answer in answers} == {200}
        assert all("errors" not in answer.json() for answer in answers)

        wait_until(lambda: len({p.pid for p in workers(started)} - before) == 1, timeout_s=120)
        assert kept in {process.pid for process in workers(started)}
        (new,) = {process.pid for process in workers(started)} - before
        wait_until(lambda: "started anew" in started.output.read_text(), timeout_s=60)
        psutil.Process(kept).suspend()  # only the new one can answer now
        try:
            answer = httpx.post(f"{url}/graphql", json={"query": SEARCH}, timeout=120)
            assert answer.json()["data"]["search"]["hits"]
        finally:
            psutil.Process(kept).resume()
        assert psutil.pid_exists(new)
        assert_ended_by(signal.SIGTERM, url, started)


def test_processes_that_cannot_start_are_told_of(library, papergraph):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        result = papergraph(
            *("serve", "--port", str(free_port()), "--processes", "2"),
            PAPERGRAPH_METRICS_ADDRESS=f"127.0.0.1:{taken.getsockname()[1]}",
        )
    assert result.returncode == 1
    assert "ended before it was ready" in result.stderr
