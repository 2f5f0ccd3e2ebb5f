"""The file of classes that a start of Neo4j maps: whose it is, when it is used, and when it is made."""

import os
from pathlib import Path

import pytest

from papergraph.local_neo4j.class_archive import N_KEPT, archive_file, reading, reading_or_writing
from papergraph.local_neo4j.java import Java

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


def java_in(home: Path, *, version: int = 25, machine: bytes = b"machine") -> Java:
    """An installation of Java that cannot be run."""
    path = home / "bin" / "java"
    for file, content in ((path, b""), (home / "lib/server/libjvm.so", machine), (home / "release", b"")):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    path.chmod(0o755)
    (home / "release").write_text(f'JAVA_VERSION="{version}.0.2"\n')
    return Java(path, version, "test")


def test_the_first_run_makes_it_and_the_next_ones_use_it(java, class_path):
    archive = archive_file(java, class_path)

    nothing, first = reading(java, class_path), reading_or_writing(java, class_path)
    archive.write_bytes(WHOLE)

    assert archive.parent == class_path[0].parents[1]
    assert (nothing, first) == ([], [f"-XX:AOTCacheOutput={archive}"])
    assert reading(java, class_path) == reading_or_writing(java, class_path) == [f"-XX:AOTCache={archive}"]


def test_one_that_was_cut_off_is_made_again(java, class_path):
    archive = archive_file(java, class_path)
    archive.write_bytes(b"\0\0\0\0 classes")

    assert reading(java, class_path) == []
    assert reading_or_writing(java, class_path) == [f"-XX:AOTCacheOutput={archive}"]


def test_it_is_that_of_a_build_of_java_wherever_it_is_installed_and_of_these_jars(java, class_path, tmp_path):
    archive = archive_file(java, class_path)
    elsewhere = archive_file(java_in(tmp_path / "moved"), class_path)
    another = archive_file(java_in(tmp_path / "another", machine=b"another machine"), class_path)
    os.utime(class_path[1], ns=(1, 1))

    assert archive == elsewhere
    assert len({archive, another, archive_file(java, class_path)}) == 3


def test_an_older_java_and_one_of_another_layout_have_none(class_path, tmp_path, java):
    (java.path.parents[1] / "lib" / "server" / "libjvm.so").unlink()

    for one in (java, java_in(tmp_path / "older", version=21)):
        assert archive_file(one, class_path) is None
        assert reading_or_writing(one, class_path) == []


def test_nothing_is_made_where_nothing_can_be_written(java, class_path, monkeypatch):
    monkeypatch.setattr("papergraph.local_neo4j.class_archive.os.access", lambda path, mode: False)

    assert reading_or_writing(java, class_path) == []


def test_those_of_former_javas_are_deleted_the_oldest_first(java, class_path):
    folder = class_path[0].parents[1]
    for number in range(N_KEPT + 1):
        old = folder / f"classes-{number}.aot"
        old.write_bytes(WHOLE)
        os.utime(old, (number, number))

    reading_or_writing(java, class_path)

    assert sorted(file.name for file in folder.glob("*.aot")) == [f"classes-{number}.aot" for number in (2, 3)]
