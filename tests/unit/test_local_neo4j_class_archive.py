"""The file of classes that a start of Neo4j maps: whose it is, when it is used, and when it is made."""

import os
import time
from pathlib import Path

import pytest

from papergraph.local_neo4j.class_archive import (
    DUMP_TIMEOUT_S,
    N_KEPT,
    archive_file,
    forget,
    reading,
    reading_or_writing,
    trust,
)
from papergraph.local_neo4j.config import Memory
from papergraph.local_neo4j.home import Home
from papergraph.local_neo4j.java import Java
from papergraph.local_neo4j.process import spawn

WHOLE = b"\xa8\xba\x0b\xf0 classes"


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


def java_in(home: Path, *, machine: bytes = b"machine", dumps: str = "") -> Java:
    """An installation of Java with an archive of its own classes, or one that runs a script to make it."""
    path = home / "bin" / "java"
    for file, content in ((path, dumps.encode()), (home / "lib/server/libjvm.so", machine)):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    path.chmod(0o755)
    if not dumps:
        (home / "lib/server/classes.jsa").write_bytes(WHOLE)
    (home / "release").write_text('JAVA_VERSION="25.0.2"\n')
    return Java(path, 25, "test")


def written(archive: Path) -> Path:
    return archive.with_suffix(".new.jsa")


def test_the_first_run_makes_it_and_the_next_ones_use_it(java, class_path):
    archive = archive_file(java, class_path)

    nothing, first = reading(java, class_path), reading_or_writing(java, class_path)
    trust(java, class_path)
    written(archive).write_bytes(WHOLE)

    assert archive.parent == class_path[0].parents[1]
    assert (nothing, first) == ([], [f"-XX:ArchiveClassesAtExit={written(archive)}"])
    assert reading(java, class_path) == reading_or_writing(java, class_path) == [f"-XX:SharedArchiveFile={archive}"]
    assert list(archive.parent.glob("classes-*")) == [archive]


def test_a_server_that_is_stopped_soon_writes_none(tmp_path, class_path):
    java = java_in(tmp_path / "java", dumps="#!/bin/sh\n")
    (java.path.parents[1] / "lib/server/classes.jsa").write_bytes(WHOLE)
    home = Home.below(tmp_path / "home")
    home.make_folders()

    options = []
    for writes in (False, True):
        spawn(home, java, class_path, memory=Memory(512, 64), owned=False, writes_archive=writes)
        options.append("ArchiveClassesAtExit" in (home.run / "java.args").read_text())

    assert options == [False, True]


def test_that_of_a_server_that_was_never_ready_is_not_used_and_made_again(java, class_path):
    archive = archive_file(java, class_path)
    reading_or_writing(java, class_path)
    trust(java, class_path)  # of a server that was killed then and wrote nothing
    options = reading_or_writing(java, class_path)
    written(archive).write_bytes(WHOLE)

    again = reading(java, class_path), reading_or_writing(java, class_path)

    assert again == ([], options)
    assert options == [f"-XX:ArchiveClassesAtExit={written(archive)}"]
    assert not list(archive.parent.glob("classes-*"))


def test_one_that_was_written_while_another_server_started_is_not_taken_for_that_of_this_server(java, class_path):
    reading_or_writing(java, class_path)
    written(archive_file(java, class_path)).write_bytes(WHOLE)

    trust(java, class_path)

    assert reading(java, class_path) == []


def test_a_java_without_an_archive_of_its_own_classes_makes_that_first(tmp_path, class_path):
    java = java_in(tmp_path / "java", dumps='#!/bin/sh\n[ "$1" = -Xshare:dump ] && echo whole > "${2#*=}"\n')
    archive = archive_file(java, class_path)
    base = archive.with_name(archive.name.replace("classes-", "java-"))

    options = reading_or_writing(java, class_path)

    assert options == [f"-XX:SharedArchiveFile={base}", f"-XX:ArchiveClassesAtExit={written(archive)}"]
    assert base.read_text() == "whole\n"


def test_a_java_that_cannot_make_it_goes_without(tmp_path, class_path):
    java = java_in(tmp_path / "java", dumps="#!/bin/sh\nexit 1\n")

    assert reading_or_writing(java, class_path) == []
    assert not list(class_path[0].parents[1].glob("*.jsa*"))


def test_that_of_a_start_that_failed_is_forgotten(java, class_path):
    trust(java, class_path)
    written(archive_file(java, class_path)).write_bytes(WHOLE)

    forget(java, class_path)
    forget(java, class_path)

    assert reading(java, class_path) == []


def test_one_that_was_cut_off_is_made_again(java, class_path):
    archive = archive_file(java, class_path)
    archive.write_bytes(b"\0\0\0\0 classes")

    assert reading(java, class_path) == []
    assert reading_or_writing(java, class_path) == [f"-XX:ArchiveClassesAtExit={written(archive)}"]


def test_it_is_that_of_a_build_of_java_wherever_it_is_installed_and_of_these_jars(java, class_path, tmp_path):
    archive = archive_file(java, class_path)
    elsewhere = archive_file(java_in(tmp_path / "moved"), class_path)
    another = archive_file(java_in(tmp_path / "another", machine=b"another machine"), class_path)
    os.utime(class_path[1], ns=(1, 1))

    assert archive == elsewhere
    assert len({archive, another, archive_file(java, class_path)}) == 3


def test_a_java_of_another_layout_has_none(java, class_path):
    (java.path.parents[1] / "lib" / "server" / "libjvm.so").unlink()

    assert archive_file(java, class_path) is None
    assert reading_or_writing(java, class_path) == []


def test_nothing_is_made_where_nothing_can_be_written(java, class_path, monkeypatch):
    monkeypatch.setattr("papergraph.local_neo4j.class_archive.os.access", lambda path, mode: False)

    assert reading_or_writing(java, class_path) == []


def test_those_of_former_javas_are_deleted_the_oldest_first(java, class_path):
    folder = class_path[0].parents[1]
    for number in range(N_KEPT + 1):
        old = folder / f"classes-{number}.jsa"
        old.write_bytes(WHOLE)
        os.utime(old, (number, number))

    reading_or_writing(java, class_path)

    assert sorted(file.name for file in folder.glob("*.jsa")) == [f"classes-{number}.jsa" for number in (2, 3)]


def test_archives_of_their_own_classes_go_with_them_and_dumps_that_were_cut_off_too(java, class_path):
    archive = archive_file(java, class_path)
    folder, now = archive.parent, time.time()
    for number in range(N_KEPT):
        for name in (f"classes-{number}.jsa", f"java-{number}.jsa"):
            (folder / name).write_bytes(WHOLE)
            os.utime(folder / name, (number, number))
    own = archive.name.replace("classes-", "java-")
    for name, age_s in (("java-9.jsa.17", DUMP_TIMEOUT_S + 5), (f"{own}.18", DUMP_TIMEOUT_S - 30), (own, now)):
        (folder / name).write_bytes(WHOLE)
        os.utime(folder / name, (now - age_s, now - age_s))

    reading_or_writing(java, class_path)

    kept = {f"{kind}-{number}.jsa" for kind in ("classes", "java") for number in range(1, N_KEPT)}
    assert {file.name for file in folder.glob("*.jsa*")} == kept | {own, f"{own}.18"}
