"""Cost of one more chunk in stores of 5,000 and 100,000 chunks, by index.

Usage: python -m benchmarks.growth [all] [without-vectors] [without-fulltext] [bare]

100,000 chunks (or PAPERGRAPH_BENCH_CHUNKS) of generated papers go through the writer of ``papergraph ingest`` into a
store that starts empty. Parsing, cutting and vectors are prepared outside the measured time. Words are drawn by Zipf's
law from 50,000, vectors uniformly from the unit sphere: all are equally far apart, which is harder on an HNSW index
than a model's vectors. First 5,000 chunks are written and deleted, so that Java is warm. Measured are the seconds of
every 5,000 chunks, as wall time and as processor time of this process and of Neo4j. The other variants do the same with
indexes dropped; the default is all four. New figures of a variant replace the earlier ones in results/growth.json.
"""

import asyncio
import json
import sys
import time
from collections.abc import Collection, Iterable, Iterator
from typing import Any

import numpy as np
import psutil

from benchmarks.common import INDEXES, earlier_result, empty_store, environment_number, home_of_store, write_result
from papergraph.database import Database
from papergraph.embedding import PackagedModel
from papergraph.ingest.chunkers import Chunker, ChunkOptions
from papergraph.ingest.graph.paper_sources import source_of
from papergraph.ingest.graph.rows import PaperKey, build, config_hash
from papergraph.ingest.graph.writer import MakeRows, PaperUpsert, delete_source, write_papers
from papergraph.ingest.parsers import parse
from papergraph.ingest.pipeline.work import CHUNKS_PER_TRANSACTION, DOCUMENTS_PER_TRANSACTION
from papergraph.ingest.sources import Format, RawDocument
from papergraph.local_neo4j.server import status
from papergraph.schema.ids import sha256
from papergraph.schema.migrate import prepare
from papergraph.statement import Statement
from papergraph.store import Address

N_CHUNKS = environment_number("PAPERGRAPH_BENCH_CHUNKS", 100_000)
WINDOW = min(5_000, N_CHUNKS // 2)
N_WORDS, PARAGRAPHS_PER_SECTION, SECTIONS, WORDS_PER_PARAGRAPH = 50_000, 2, 5, 90
GATE = 1.2
CLOCKS = ("wall", "processorOurs", "processorNeo4j")
VARIANTS: dict[str, tuple[str, ...]] = {
    "all": (),
    "without-vectors": ("VECTOR",),
    "without-fulltext": ("FULLTEXT",),
    "bare": ("VECTOR", "FULLTEXT"),
}
"""Kinds of indexes that are dropped before the clock starts."""


class Papers:
    """Generated papers, the same ones for the same seed, with vectors."""

    def __init__(self, collection: str, *, seed: int) -> None:
        self._collection = collection
        self._model = PackagedModel()  # its tokenizer and card alone; it is never loaded
        self._chunker = Chunker(self._model.tokenizer, ChunkOptions())
        self._random = np.random.default_rng(seed)
        letters = self._random.integers(97, 123, size=(N_WORDS, 7), dtype=np.uint8)
        self.words = [bytes(row).decode() for row in letters]
        weights = 1.0 / np.arange(1, N_WORDS + 1)
        self._weights = np.cumsum(weights / weights.sum())

    def __iter__(self) -> Iterator[tuple[PaperUpsert, MakeRows]]:
        number = 0
        while True:
            yield self._paper(number)
            number += 1

    def _paper(self, number: int) -> tuple[PaperUpsert, MakeRows]:
        sections = [
            f"## {self._sentence(4)}\n\n"
            + "\n\n".join(self._sentence(WORDS_PER_PARAGRAPH) for _ in range(PARAGRAPHS_PER_SECTION))
            for _ in range(SECTIONS)
        ]
        head = f"---\nauthors: [{self._sentence(2)}, {self._sentence(2)}]\nyear: {2000 + number % 25}\n---\n"
        data = (head + f"# {self._sentence(9)}\n\n" + "\n\n".join(sections)).encode()
        source = RawDocument(f"/generated/{self._collection}/{number}.md", data, Format.MARKDOWN, sha256(data.decode()))
        document = parse(source)
        spans = list(self._chunker.chunks(document))
        drawn = self._random.normal(size=(1 + len(spans), self._model.card.dimension)).astype(np.float32)
        vectors = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
        card, options = self._model.card, ChunkOptions()

        def make_rows(key: str) -> Any:
            return build(source, document, spans, list(vectors), PaperKey(self._collection, key), card, options)

        stated = source_of(source, document, config=config_hash(card, options))
        arrival = PaperUpsert(self._collection, stated, len(spans))
        return arrival, make_rows

    def _sentence(self, n_words: int) -> str:
        places = np.searchsorted(self._weights, self._random.random(n_words))
        return " ".join(self.words[min(place, N_WORDS - 1)] for place in places).capitalize()


def main() -> None:
    chosen = sys.argv[1:] or list(VARIANTS)
    if unknown := [name for name in chosen if name not in VARIANTS]:
        sys.exit(f"no such variant: {', '.join(unknown)}; there are {', '.join(VARIANTS)}")
    for variant in chosen:
        with empty_store("growth") as address:
            figures = asyncio.run(measure_variant(address, VARIANTS[variant]))
        write_result("growth", earlier_result("growth") | {variant: figures})


async def measure_variant(address: Address, dropped: tuple[str, ...]) -> dict[str, Any]:
    home = home_of_store("growth")
    pid = status(home).pid
    assert pid is not None
    async with await address.connect() as database:
        await prepare(database, PackagedModel().card)
        await drop_indexes(database, dropped)
        await warm_up(database, n_chunks=WINDOW)
        windows = await measure(database, psutil.Process(pid), n_chunks=N_CHUNKS, window=WINDOW)
    ratios = {name: round(windows[-1][name] / windows[0][name], 3) for name in CLOCKS}
    return {
        "indexes dropped": list(dropped),
        "seconds per 1,000 chunks": windows,
        f"last {WINDOW} chunks over first": ratios,
        "storeMiB": round(status(home).store_bytes / 2**20),
        "within the gate (wall)": ratios["wall"] <= GATE,
    }


async def drop_indexes(database: Database, kinds: Collection[str]) -> None:
    for record in await database.read(INDEXES):
        if record["type"] in kinds:
            await database.run_alone(Statement("drop an index", f"CYPHER 25 DROP INDEX {record['name']}"))


async def measure(database: Database, neo4j: psutil.Process, *, n_chunks: int, window: int) -> list[dict[str, Any]]:
    """Write papers until there are ``n_chunks``; return the seconds per 1,000 chunks of each ``window``."""
    windows: list[dict[str, Any]] = []
    groups = transactions(Papers("main", seed=0))
    total = 0
    while total < n_chunks:
        n_written, spent = 0, np.zeros(len(CLOCKS))
        while n_written < window:
            group = next(groups)
            before = clocks(neo4j)
            await write_papers(database, group)
            spent += clocks(neo4j) - before
            n_written += sum(arrival.n_chunks for arrival, _ in group)
        total += n_written
        seconds = dict(zip(CLOCKS, (spent / n_written * 1000).round(3).tolist(), strict=True))
        windows.append({"chunks": total, **seconds})
        print(json.dumps(windows[-1]), file=sys.stderr)
    return windows


async def warm_up(database: Database, *, n_chunks: int) -> None:
    written: list[PaperUpsert] = []
    groups = transactions(Papers("warm-up", seed=1))
    while sum(arrival.n_chunks for arrival in written) < n_chunks:
        group = next(groups)
        await write_papers(database, group)
        written += [arrival for arrival, _ in group]
    for arrival in written:
        await delete_source(database, collection="warm-up", name=arrival.source.name)


def transactions(
    papers: Iterable[tuple[PaperUpsert, MakeRows]], *, most_chunks: int = CHUNKS_PER_TRANSACTION
) -> Iterator[list[tuple[PaperUpsert, MakeRows]]]:
    """Yield the papers in groups as ingestion writes them, each in a transaction of its own."""
    group: list[tuple[PaperUpsert, MakeRows]] = []
    for paper in papers:
        n_chunks = sum(arrival.n_chunks for arrival, _ in [*group, paper])
        if group and (len(group) == DOCUMENTS_PER_TRANSACTION or n_chunks > most_chunks):
            yield group
            group = []
        group.append(paper)
    if group:
        yield group


def clocks(neo4j: psutil.Process) -> np.ndarray:
    """Return the time in seconds on each of the ``CLOCKS``."""
    times = neo4j.cpu_times()
    return np.array([time.perf_counter(), time.process_time(), times.user + times.system])


if __name__ == "__main__":
    main()
