import json
import os
import socket
import stat
import subprocess
import sys
import threading
import time
from collections import namedtuple
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import psutil
import pytest

from papergraph.errors import LocalNeo4jError
from papergraph.file_lock import locked
from papergraph.local_neo4j import Note, log_path, readiness, server, start, status, stop
from papergraph.local_neo4j.config import Memory, Ports
from papergraph.local_neo4j.home import Home
from papergraph.local_neo4j.java import Java
from papergraph.local_neo4j.process import Record, end, find_process, lost_its_owner, record_file
from papergraph.local_neo4j.readiness import FIRST_PORTS, last_ports, note_ports, reserved_ports, wait_until_ready
from papergraph.progress import Silent, silent
from papergraph.settings import Settings

Usage = namedtuple("Usage", "free")
NO_NEO4J = server.Installation(java=Java(Path("java"), 25, "test"), version="2026.09.0", class_path=(), plugins=Path())


@pytest.fixture
def home(tmp_path) -> Home:
    home = Home.below(tmp_path)
    home.make_folders()
    return home


@pytest.fixture
def sleeper():
    """Start a process that sleeps, with further words on its command line; it is gone after the test."""
    started: list[subprocess.Popen[bytes]] = []

    def start(*words: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", *words])
        started.append(process)
        while not psutil.Process(process.pid).cmdline():  # Linux shows it a moment after the start
            time.sleep(0.01)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


def record_of(pid: int, *, owner_pid: int | None = None) -> Record:
    return Record(pid=pid, ports=Ports(7687, 7474), version="2026.09.0", java="java", owner_pid=owner_pid)


def test_a_record_is_read_as_it_was_written(home):
    record = replace(record_of(4711, owner_pid=1), memory=Memory(512, 64))

    record.write(record_file(home))

    assert Record.read(record_file(home)) == record


def test_a_record_of_an_older_papergraph_is_read_too(home):
    record_of(4711).write(record_file(home))
    fields = json.loads(record_file(home).read_text())
    del fields["memory"]
    record_file(home).write_text(json.dumps(fields))

    assert Record.read(record_file(home)) == record_of(4711)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": 1}', '{"ports": {"bolt": 1}}'])
def test_a_broken_record_is_no_record(home, text):
    record_file(home).write_text(text)

    assert Record.read(record_file(home)) is None


def test_the_process_of_a_record_is_known_by_the_home_on_its_command_line(home, sleeper):
    process = sleeper(f"--home-dir={home.root}")

    assert find_process(home, record_of(process.pid)).pid == process.pid


def test_another_process_that_got_the_same_number_is_not_taken_for_the_server(home, sleeper):
    assert find_process(home, record_of(sleeper("--home-dir=/another").pid)) is None


def test_a_process_that_has_ended_is_not_running_even_before_its_parent_notices(home, sleeper):
    process = sleeper(f"--home-dir={home.root}")
    process.kill()
    deadline = time.monotonic() + 10
    while psutil.Process(process.pid).status() != psutil.STATUS_ZOMBIE and time.monotonic() < deadline:
        time.sleep(0.01)

    assert find_process(home, record_of(process.pid)) is None


def test_a_server_whose_parent_is_not_its_owner_has_lost_it(home, sleeper):
    process = psutil.Process(sleeper(f"--home-dir={home.root}").pid)

    assert not lost_its_owner(process, record_of(process.pid))
    assert not lost_its_owner(process, record_of(process.pid, owner_pid=os.getpid()))
    assert lost_its_owner(process, record_of(process.pid, owner_pid=1))


def test_a_process_that_does_not_end_when_asked_is_killed():
    stubborn = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('.', flush=True); time.sleep(60)"
    )
    process = subprocess.Popen([sys.executable, "-c", stubborn], stdout=subprocess.PIPE)
    process.stdout.readline()

    end(psutil.Process(process.pid), timeout_s=0.5)

    assert not psutil.pid_exists(process.pid)
    process.stdout.close()
    process.wait()


@pytest.mark.slow
def test_a_process_whose_parent_does_not_notice_its_end_has_ended():
    parent = (
        "import subprocess, sys, time; "
        "print(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']).pid, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE) as process:
        child = psutil.Process(int(process.stdout.readline()))
        begun = time.monotonic()

        end(child, timeout_s=50)

        assert time.monotonic() - begun < 20
        assert child.status() == psutil.STATUS_ZOMBIE
        process.kill()


def test_stop_ends_the_recorded_process_and_says_so(home, sleeper):
    process = sleeper(f"--home-dir={home.root}")
    record_of(process.pid).write(record_file(home))

    assert status(home.root.parent).running
    assert stop(home.root.parent)
    assert not status(home.root.parent).running
    assert not stop(home.root.parent)
    assert not record_file(home).exists()


def test_stop_leaves_a_stranger_alone_that_a_stale_record_points_to(home, sleeper):
    stranger = sleeper()
    record_of(stranger.pid).write(record_file(home))

    assert not stop(home.root.parent)
    assert stranger.poll() is None
    assert not record_file(home).exists()


def test_a_home_that_was_never_used_has_a_status(tmp_path):
    found = status(tmp_path)

    assert (found.running, found.store_bytes, found.pid) == (False, 0, None)
    assert log_path(tmp_path) == tmp_path / "neo4j" / "logs" / "neo4j.log"
    assert list(tmp_path.iterdir()) == []


def test_the_password_is_made_once_and_only_its_owner_can_read_it(home):
    password = home.password()

    assert len(password) >= 32
    assert password.isalnum()  # neo4j-admin takes one that begins with a dash for an option
    assert home.password() == password
    assert stat.S_IMODE(home.password_file.stat().st_mode) == 0o600
    assert stat.S_IMODE(home.root.stat().st_mode) == 0o700


def test_a_store_whose_password_is_lost_is_not_given_a_new_one(home):
    (home.data / "databases" / "system").mkdir(parents=True)

    with pytest.raises(LocalNeo4jError, match=r"password.* is missing or empty"):
        home.password()


@pytest.mark.slow
def test_a_store_that_another_process_has_locked_is_not_started(home):
    lock = home.data / "databases" / "store_lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    home.check_nobody_uses_the_store()
    program = (
        f"import fcntl, time; lock = open({str(lock)!r}, 'r+'); fcntl.lockf(lock, fcntl.LOCK_EX)\n"
        "print('.', flush=True); time.sleep(60)"
    )
    holder = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    holder.stdout.readline()
    try:
        with pytest.raises(LocalNeo4jError, match="another Neo4j"):
            home.check_nobody_uses_the_store()
    finally:
        holder.kill()
        holder.communicate()


def test_a_home_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("not a folder")

    with pytest.raises(LocalNeo4jError, match=r"cannot keep Neo4j in .*PAPERGRAPH_HOME"):
        start(Settings(home=tmp_path / "file"))


def test_a_port_that_is_taken_is_passed_over():
    with reserved_ports(None, Ports(bolt=17687, http=17474)) as first:
        pass
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", first.bolt))
        taken.listen()
        with reserved_ports(first, first) as second:
            pass

    assert second.bolt > first.bolt
    assert second.http == first.http


def test_two_starts_at_once_choose_different_ports():
    with reserved_ports(None) as first, reserved_ports(None) as second:
        assert {first.bolt, first.http}.isdisjoint({second.bolt, second.http})
    with reserved_ports(first) as again:
        assert again == first


def test_the_ports_of_a_store_are_kept(tmp_path):
    assert last_ports(tmp_path) is None
    note_ports(tmp_path, Ports(bolt=17690, http=17480))
    assert last_ports(tmp_path) == Ports(bolt=17690, http=17480)
    (tmp_path / "ports.json").write_text("{")
    assert last_ports(tmp_path) is None


def test_a_full_disk_is_named_before_the_start(tmp_path, monkeypatch):
    home = Home.below(tmp_path)
    home.make_folders()
    monkeypatch.setattr("papergraph.local_neo4j.server.shutil.disk_usage", lambda path: Usage(free=30 * 1024**2))

    with pytest.raises(LocalNeo4jError, match=r"is full: Neo4j needs 256 MB to start, and 30 MB are free; make room"):
        server.start_held(home, NO_NEO4J, server.Manner(Memory(512, 64)), ports=FIRST_PORTS, progress=silent)


def test_a_disk_that_fills_up_during_the_start_is_named(tmp_path, monkeypatch):
    home = Home.below(tmp_path)
    home.make_folders()
    (home.run / "java.args").write_text("")
    record = Record(os.getpid(), FIRST_PORTS, "2026.09.0", "java", None)
    (home.logs / "debug.log").write_text("ERROR Failed to start\njava.io.IOException: No space left on device\n")

    with pytest.raises(LocalNeo4jError, match=r"the disk of .* is full \(Neo4j's log says: No space left on device"):
        wait_until_ready(home, record, progress=silent)


def test_a_lock_is_waited_for_and_the_wait_is_told(tmp_path):
    told: list[str] = []

    class Listener(Silent):
        def step(self, message: str) -> None:
            told.append(message)
            release.set()

        def advance(self, message: str, done: int, total: int) -> None:
            pass

    held, release = threading.Event(), threading.Event()

    def hold() -> None:
        with locked(tmp_path / "lock", waiting="", timeout_s=1):
            held.set()
            release.wait(10)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(10)
    with locked(tmp_path / "lock", waiting="another one works", timeout_s=10, progress=Listener()):
        assert told == ["another one works"]
    thread.join()


def test_a_lock_that_is_not_let_go_of_is_an_error_in_the_end(tmp_path):
    with (
        locked(tmp_path / "lock", waiting="", timeout_s=1),
        pytest.raises(LocalNeo4jError, match=r"another one works, and has not finished within 0\.1 s"),
        locked(tmp_path / "lock", waiting="another one works", timeout_s=0.1),
    ):
        pass


@pytest.mark.parametrize("text", ["", "[]", '{"copied_at": "yesterday"}', '{"copied_at": "2026-11-23T04:00:00+00:00"}'])
def test_a_broken_note_is_no_replica(tmp_path, text):
    (tmp_path / "replica.json").write_text(text)

    assert Note.read(tmp_path) is None


def test_a_note_of_a_replica_is_read_as_it_was_written(tmp_path):
    note = Note(datetime(2026, 11, 23, 4, 0, 0, 5, tzinfo=UTC), ("main", "other"), Ports(7887, 7674))

    note.write(tmp_path)

    assert Note.read(tmp_path) == note
    assert note.age_s > 0


class Steps(Silent):
    """Progress that keeps what it is shown."""

    def __init__(self) -> None:
        self.messages: list[str] = []

    def step(self, message: str) -> None:
        self.messages.append(message)


@pytest.mark.parametrize(
    ("shown_after_s", "expected"),
    [
        (60.0, ["waiting for Bolt on port 1", "waiting for the first query"]),
        (0.0, ["waiting for Bolt on port 1 (Starting...)", "waiting for the first query (Starting...)"]),
    ],
)
def test_the_log_of_a_start_is_shown_after_a_few_seconds_only(home, monkeypatch, shown_after_s, expected):
    closed, answers = iter(["Bolt on port 1", None, None]), iter([False, True])
    monkeypatch.setattr(readiness, "find_process", lambda home, record: psutil.Process())
    monkeypatch.setattr(readiness, "_port_not_open", lambda process, ports: next(closed))
    monkeypatch.setattr(readiness, "_answers", lambda home, uri: next(answers))
    monkeypatch.setattr(readiness, "_last_lines", lambda home, name, n: ["Starting..."])
    monkeypatch.setattr(readiness, "LOG_SHOWN_AFTER_S", shown_after_s)
    monkeypatch.setattr(readiness, "POLL_S", 0.0)
    steps = Steps()
    record = Record(pid=1, ports=Ports(1, 2), version="2026.09.0", java="java", owner_pid=None)

    readiness.wait_until_ready(home, record, progress=steps)

    assert steps.messages == expected
