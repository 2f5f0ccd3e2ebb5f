"""The files of the local Neo4j's vector and full-text indexes: their sizes, and the memory that is left for them.

Both kinds are Lucene's, which reads files through the operating system's file cache, not through Neo4j's page cache.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from papergraph.local_neo4j.config import MIB, OTHERS_MB, memory_of, memory_of_this_machine
from papergraph.local_neo4j.home import Home, file_sizes
from papergraph.local_neo4j.process import Record, find_process, record_file
from papergraph.local_neo4j.replica import SHARE, replica_home
from papergraph.settings import Settings

VECTOR, FULLTEXT = "vector", "fulltext"
"""Prefixes of the providers' folders, before the version."""


@dataclass(frozen=True)
class IndexFiles:
    """The files of an index, or of several.

    Attributes:
        n_bytes: Their size.
        n_segments: Lucene's segments, each of which a search looks through.
    """

    n_bytes: int
    n_segments: int


@dataclass(frozen=True)
class IndexMemory:
    """Sizes of vector and full-text indexes on disk, and memory available for the file cache, in bytes."""

    vector_bytes: int
    fulltext_bytes: int
    file_cache_bytes: int


def index_files(home: Path, kinds: Sequence[str] = (VECTOR, FULLTEXT)) -> dict[int, IndexFiles]:
    """Return the files of each vector and full-text index of the papergraph home ``home``, by the id of the index.

    Neo4j writes an index in ``schema/index/<provider>/<id>``; the provider's version changes with Neo4j's.
    """
    found: dict[int, IndexFiles] = {}
    for kind in kinds:
        for folder in (Home.below(home).data / "databases" / "neo4j" / "schema" / "index").glob(f"{kind}-*/*"):
            if folder.name.isdigit():
                sizes = dict(file_sizes(folder))
                n_segments = sum(file.suffix == ".si" for file in sizes)
                found[int(folder.name)] = IndexFiles(sum(sizes.values()), n_segments)
    return found


def index_memory(settings: Settings) -> IndexMemory | None:
    """Return what the indexes of the local servers take, and the memory that is left for them; None for another Neo4j.

    The store counts with the memory that it has, or would have if it were started, and a replica while it runs.
    """
    if settings.neo4j.uri is not None:
        return None
    taken_mb, sizes = OTHERS_MB, {VECTOR: 0, FULLTEXT: 0}
    for home, share in ((settings.home, 1), (replica_home(settings), SHARE)):
        store = Home.below(home)
        record = Record.read(record_file(store))
        runs = record is not None and find_process(store, record) is not None
        if runs or home == settings.home:
            memory = (record.memory if record and runs else None) or memory_of(settings, share=share)
            taken_mb += memory.heap_mb + memory.page_cache_mb
            for kind in sizes:
                sizes[kind] += sum(files.n_bytes for files in index_files(home, [kind]).values())
    return IndexMemory(sizes[VECTOR], sizes[FULLTEXT], max(memory_of_this_machine() - taken_mb * MIB, 0))
