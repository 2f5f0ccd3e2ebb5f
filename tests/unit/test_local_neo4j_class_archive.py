"""The archive of classes that a start of Neo4j maps: its name, when it is used, and when it is written."""

import fcntl
import json
import os
import time
from pathlib import Path

import pytest

from papergraph.local_neo4j.java import (
    KEPT_JAVAS,
    LIST,
    STARTING,
    Java,
    archive_file,
    archive_recorded,
    archive_used,
    forget_archive,
    note_archive,
    write_archive,
)

WHOLE = b"\xa8\xba\x0b\xf0 classes"
DUMPS = """#!/bin/sh
file=$(sed -n 's/^"-XX:SharedArchiveFile=\\(.*\\)"$/\\1/p' "${1#@}")
grep -q Xshare:dump "${1#@}" && printf 'whole archive' > "$file"
"""


@pytest.fixture
def java(tmp_path: Path) -> Java:
    return java_in(tmp_path / "java")


@pytest.fixture
def class_path(tmp_path: Path) -> list[Path]:
    jars = [tmp_path / "neo4j" / "lib" / name for name in ("a.jar", "b.jar")]
    for jar in jars:
        jar.parent.mkdir(parents=True, exist_ok=True)
        jar.write_bytes(b"jar")
    return jars


@pytest.fixture
def run(tmp_path: Path) -> Path:
    (tmp_path / "run").mkdir()
    return tmp_path / "run"


def java_in(home: Path, *, machine: bytes = b"machine") -> Java:
    """An installation of Java that writes an archive when it is asked to."""
    path = home / "bin" / "java"
    for file, content in ((path, DUMPS.encode()), (home / "lib/server/libjvm.so", machine)):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    path.chmod(0o755)
    (home / "release").write_text('JAVA_VERSION="25.0.2"\n')
    return Java(path, 25, "test")


def eventually_used(java: Java, class_path: list[Path]) -> list[str]:
    deadline = time.monotonic() + 20
    while not archive_used(java, class_path) and time.monotonic() < deadline:
        time.sleep(0.02)
    return archive_used(java, class_path)


def test_the_first_server_lists_its_classes_and_later_ones_use_the_archive(java, class_path, run):
    archive = archive_file(java, class_path)
    before, first = archive_used(java, class_path), archive_recorded(java, class_path, run, ["--add-modules=m"])
    (run / STARTING).write_text("java/lang/Object\n")
    note_archive(run)
    write_archive(run)

    assert (before, first) == ([], [f"-XX:DumpLoadedClassList={run / STARTING}"])
    assert eventually_used(java, class_path) == [f"-XX:SharedArchiveFile={archive}"]
    assert archive.read_text() == "whole archive"
    assert archive.with_suffix(".list").read_text() == "java/lang/Object\n"
    assert '"--add-modules=m"' in archive.with_suffix(".args").read_text()
    assert list(run.iterdir()) == []


def test_a_server_that_was_never_ready_gives_no_archive(java, class_path, run):
    archive_recorded(java, class_path, run)
    (run / STARTING).write_text("java/lang/Object\n")

    write_archive(run)
    forget_archive(run)

    assert not list(class_path[0].parents[1].glob("classes-*"))
    assert list(run.iterdir()) == []


def test_one_process_at_a_time_writes_it(java, class_path, run):
    archive = archive_file(java, class_path)
    archive_recorded(java, class_path, run)
    (run / LIST).write_text("java/lang/Object\n")

    with archive.with_suffix(".lock").open("a") as lock:
        fcntl.flock(lock.fileno(), fcntl.LOCK_EX)
        write_archive(run)

    assert not archive.with_suffix(".list").exists()
    assert list(run.iterdir()) == []


@pytest.mark.parametrize("suffix", [".new", ".jsa"])
def test_an_archive_that_was_written_meanwhile_is_not_written_again(java, class_path, run, suffix):
    archive = archive_file(java, class_path)
    archive_recorded(java, class_path, run)
    (run / LIST).write_text("java/lang/Object\n")
    archive.with_suffix(suffix).write_bytes(WHOLE)

    write_archive(run)

    assert not archive.with_suffix(".list").exists()
    assert archive.with_suffix(suffix).read_bytes() == WHOLE
    assert list(run.iterdir()) == []


def test_an_archive_that_was_cut_off_is_not_used(java, class_path):
    archive = archive_file(java, class_path)
    archive.write_bytes(b"\0\0\0\0 classes")
    archive.with_suffix(".new").write_bytes(b"\0\0\0\0 classes")

    assert archive_used(java, class_path) == []


def test_it_belongs_to_a_build_of_java_wherever_it_is_installed_and_to_these_jars(java, class_path, tmp_path):
    archive = archive_file(java, class_path)
    elsewhere = archive_file(java_in(tmp_path / "moved"), class_path)
    another = archive_file(java_in(tmp_path / "another", machine=b"another machine"), class_path)
    os.utime(class_path[1], ns=(1, 1))

    assert archive == elsewhere
    assert len({archive, another, archive_file(java, class_path)}) == 3


def test_a_java_of_another_layout_has_none(java, class_path, run):
    (java.path.parents[1] / "lib" / "server" / "libjvm.so").unlink()

    assert archive_file(java, class_path) is None
    assert archive_recorded(java, class_path, run) == []


def test_nothing_is_recorded_where_nothing_can_be_written(java, class_path, run, monkeypatch):
    monkeypatch.setattr("papergraph.local_neo4j.java.os.access", lambda path, mode: False)

    assert archive_recorded(java, class_path, run) == []


def test_archives_of_the_javas_that_were_used_longest_ago_are_deleted(java, class_path, run):
    folder = class_path[0].parents[1]
    for number in range(KEPT_JAVAS + 1):
        for suffix in ("jsa", "list"):
            old = folder / f"classes-{number}.{suffix}"
            old.write_bytes(WHOLE)
            os.utime(old, (number, number))
    archive_recorded(java, class_path, run)
    (run / LIST).write_text("java/lang/Object\n")

    write_archive(run)

    assert sorted(file.name for file in folder.glob("classes-?.*")) == [
        f"classes-{number}.{suffix}" for number in (2, 3) for suffix in ("jsa", "list")
    ]


def test_a_damaged_plan_is_no_error(java, class_path, run):
    archive_recorded(java, class_path, run)
    plan = json.loads((run / "classes.json").read_text())
    (run / "classes.json").write_text(json.dumps(plan | {"java": str(run / "missing")}))
    (run / LIST).write_text("java/lang/Object\n")

    write_archive(run)

    assert archive_used(java, class_path) == []
