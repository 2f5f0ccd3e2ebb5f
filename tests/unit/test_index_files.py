"""Sizes of index files, and the memory that is left for them."""

import sys
from pathlib import Path

import pytest

from papergraph.local_neo4j import IndexFiles, IndexMemory, index_files, index_memory
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


def test_a_home_without_a_store_has_no_index_files(tmp_path):
    assert index_files(tmp_path) == {}


def test_what_is_left_is_the_memory_without_heap_page_cache_and_the_server(home, monkeypatch):
    monkeypatch.setattr(sys.modules[index_memory.__module__], "memory_of_this_machine", lambda: 16 * GIB)
    settings = Settings(home=home).replace(neo4j={"heap_mb": 4096, "page_cache_mb": 2048})

    memory = index_memory(settings)

    assert memory == IndexMemory(vector_bytes=1025, fulltext_bytes=10, file_cache_bytes=int(8.5 * GIB))


def test_more_than_the_machine_has_leaves_nothing(home, monkeypatch):
    monkeypatch.setattr(sys.modules[index_memory.__module__], "memory_of_this_machine", lambda: 2 * GIB)

    memory = index_memory(Settings(home=home).replace(neo4j={"heap_mb": 1024, "page_cache_mb": 1024}))

    assert memory == IndexMemory(1025, 10, 0)


def test_the_files_of_another_neo4j_are_not_known(home):
    assert index_memory(Settings(home=home).replace(neo4j={"uri": "bolt://example.org"})) is None
