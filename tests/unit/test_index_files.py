"""Sizes of index files, and the memory that is left for them."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from papergraph.local_neo4j import IndexFiles, IndexMemory, index_files, index_memory
from papergraph.local_neo4j.config import Memory, Ports
from papergraph.local_neo4j.home import Home
from papergraph.local_neo4j.process import Record, record_file
from papergraph.settings import Settings

GIB = 1024**3
INDEX = "neo4j/data/databases/neo4j/schema/index"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name, size in {
        "vector-2026.08/35/1/_0.si": 10,
        "vector-2026.08/35/1/_0.cfs": 1000,
        "vector-2026.08/35/2/_7.si": 10,
        "vector-2026.08/35/failure-message": 5,
        "fulltext-2.0/41/1/_3.si": 10,
        "range-1.0/12/index-12": 9999,
        "vector-2026.08/notes/other": 7,
    }.items():
        file = tmp_path / INDEX / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"x" * size)
    return tmp_path


def test_files_and_segments_are_counted_for_each_vector_and_full_text_index(home):
    assert index_files(home) == {35: IndexFiles(1025, 2), 41: IndexFiles(10, 1)}


def test_folders_that_the_server_removes_meanwhile_are_left_out(home, monkeypatch):
    scan, others = os.scandir, {"1": "2", "2": "1"}

    def scan_and_remove(path):
        if str(path).endswith(("35/1", "35/2")):
            shutil.rmtree(Path(path).with_name(others[Path(path).name]), ignore_errors=True)
        return scan(path)

    monkeypatch.setattr(os, "scandir", scan_and_remove)

    assert index_files(home)[35].n_segments == 1
    assert Home.below(home).size_bytes() == sum(file.stat().st_size for file in home.rglob("*") if file.is_file())


def test_a_home_without_a_store_has_no_index_files(tmp_path):
    assert index_files(tmp_path) == {}


def test_what_is_left_is_the_memory_without_heap_page_cache_and_the_server(home, monkeypatch):
    monkeypatch.setattr(sys.modules[index_memory.__module__], "memory_of_this_machine", lambda: 16 * GIB)
    settings = Settings(home=home).replace(neo4j={"heap_mb": 4096, "page_cache_mb": 2048})

    memory = index_memory(settings)

    assert memory == IndexMemory(vector_bytes=1025, fulltext_bytes=10, file_cache_bytes=int(8.5 * GIB))


def test_a_replica_of_an_older_version_counts_with_its_share(home, monkeypatch):
    module = sys.modules[index_memory.__module__]
    monkeypatch.setattr(module, "memory_of_this_machine", lambda: 16 * GIB)
    monkeypatch.setattr(module, "find_process", lambda store, record: record.pid)
    replica = Home.below(home / "replica")
    replica.make_folders()
    settings = Settings(home=home).replace(neo4j={"heap_mb": 4096, "page_cache_mb": 2048})
    left = {}
    for memory in (None, Memory(512, 256)):
        Record(1, Ports(1, 2), "2026.09.0", "java", None, memory).write(record_file(replica))
        left[memory] = index_memory(settings).file_cache_bytes

    assert left == {None: 7 * GIB, Memory(512, 256): int(7.75 * GIB)}


def test_more_than_the_machine_has_leaves_nothing(home, monkeypatch):
    monkeypatch.setattr(sys.modules[index_memory.__module__], "memory_of_this_machine", lambda: 2 * GIB)

    memory = index_memory(Settings(home=home).replace(neo4j={"heap_mb": 1024, "page_cache_mb": 1024}))

    assert memory == IndexMemory(1025, 10, 0)


def test_the_files_of_another_neo4j_are_not_known(home):
    assert index_memory(Settings(home=home).replace(neo4j={"uri": "bolt://example.org"})) is None
