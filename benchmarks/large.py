"""Cost and latency of a store that grows to millions of chunks, extrapolated to ten million.

Usage: PAPERGRAPH_DATA=… python -m benchmarks.large [--sizes 100000,300000,1000000,3000000] [--minutes 170]

Drawn papers (``benchmarks.large``) go through the writer of ``papergraph ingest`` into a store that starts
empty, no model and no parser in between; a hundredth of them into a collection of its own. At each size are measured

- the rate: seconds per 1,000 chunks by windows, on the wall and of the processor: ours, Neo4j's, and of that its
  garbage collection;
- bytes by part, segments of Lucene's indexes, memory of Neo4j;
- the vector and full-text retriever with 200 candidates: whole, with filters of 10, 1 and .1 %, in the small
  collection; recall@10 of vectors against the comparison with every vector that was written;
- the ways of a vector search with a filter, by the share that passes (``benchmarks.filter_ways``);
- pipelines over HTTP with one client and with eight;
- each command once, with seconds and the largest memory of its process;
- recovery: Neo4j is killed amid a transaction, the files are dropped from the system's cache, and it starts again; then
  the first searches.

Queries are claims and questions of real people. After each size results/large.json is written, so that a run that is
stopped leaves what it has. Loading ends after ``--minutes``, and what was reached is measured as the last size. The
store is deleted at the end.
"""

import argparse
import asyncio
import itertools
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import psutil
from scipy import stats

from benchmarks import filter_ways
from benchmarks.common import (
    data_folder,
    empty_store,
    home_of_store,
    index_files,
    largest_memory,
    percentiles,
    server,
    write_result,
)
from benchmarks.filters import SHARES, never_asked
from benchmarks.growth import CLOCKS, clocks, transactions
from benchmarks.realistic import Fit, Mixture, RealTexts, fitted
from papergraph import local_neo4j
from papergraph.database import Database
from papergraph.embedding import Floats, PackagedModel, load_model
from papergraph.errors import DatabaseError
from papergraph.evaluation.task import read_task
from papergraph.ingest.chunkers import ChunkOptions, ChunkSpan
from papergraph.ingest.graph.paper_sources import source_of
from papergraph.ingest.graph.rows import PaperKey, build, config_hash
from papergraph.ingest.graph.writer import MakeRows, PaperUpsert, delete_source, write_papers
from papergraph.ingest.parsers.document import CitedAt, Document, HeadingSource, ParsedSection, Reference
from papergraph.ingest.pipeline.work import CHUNKS_PER_TRANSACTION
from papergraph.ingest.sources import Format, RawDocument
from papergraph.local_neo4j.server import status
from papergraph.schema.ids import DEFAULT_COLLECTION, sha256
from papergraph.schema.migrate import prepare
from papergraph.server.retrieval.active_model import ActiveModel
from papergraph.server.retrieval.candidates import Candidate
from papergraph.server.retrieval.filters import parse_filter, resolve
from papergraph.server.retrieval.retrievers.fulltext import retrieve_by_fulltext
from papergraph.server.retrieval.retrievers.vector import retrieve_by_vector
from papergraph.server.retrieval.scope import Scope
from papergraph.settings import Settings
from papergraph.statement import Statement
from papergraph.store import Address

CONFIDENCE = 0.95


def extrapolated(sizes: Sequence[float], values: Sequence[float], at: float) -> dict[str, float | None]:
    """Return the value of a power law at a size; the law is fitted to measurements.

    Args:
        sizes: Sizes that were measured, at least two different ones, above 0.
        values: What was measured at each, above 0.
        at: The size that is asked for.

    Returns:
        ``value``, the ``power``, and with three sizes or more ``low`` and ``high``, between which a measurement lies
        with 95 % probability if the law holds; else None.
    """
    x, y = np.log(np.asarray(sizes, float)), np.log(np.asarray(values, float))
    power, constant = np.polyfit(x, y, 1)
    value, low, high = constant + power * math.log(at), None, None
    if len(x) > 2:
        residual = math.sqrt(float(((y - constant - power * x) ** 2).sum()) / (len(x) - 2))
        leverage = 1 + 1 / len(x) + (math.log(at) - x.mean()) ** 2 / float(((x - x.mean()) ** 2).sum())
        around = float(stats.t.ppf((1 + CONFIDENCE) / 2, len(x) - 2)) * residual * math.sqrt(leverage)
        low, high = math.exp(value - around), math.exp(value + around)
    return {"value": math.exp(value), "power": round(float(power), 3), "low": low, "high": high}


SMALL = "small"
"""The collection with a hundredth of the papers."""

N_SURNAMES, TOKENS_PER_WORD = 20_000, 1.35
SECTIONS, MEDIAN_CHUNKS, SPREAD = (5, 12), 2.5, 0.7
"""Sections of a paper, fewest and most; chunks of a section, median and standard deviation of the logarithm."""

REFERENCES, CITED_HERE = 12, 3
"""Entries of a list of references, and how many of them are papers of the store."""

PAPERS_AT_ONCE = 64


class LargePapers:
    """Drawn papers, the same ones for the same seed."""

    def __init__(self, texts: RealTexts, mixture: Mixture, *, seed: int) -> None:
        self._texts, self._mixture = texts, mixture
        self._random = np.random.default_rng(seed)
        self._words = np.array(texts.words, dtype=object)
        self._weights = np.cumsum(texts.counts / texts.counts.sum())
        self._surnames = [
            bytes(row).decode().capitalize()
            for row in self._random.integers(97, 123, size=(N_SURNAMES, 7), dtype=np.uint8)
        ]
        self._titles: dict[str, list[str]] = {DEFAULT_COLLECTION: [], SMALL: []}
        self._card, self._options = PackagedModel().card, ChunkOptions()
        self._seed, self._number = seed, 0

    def groups(self) -> Iterator[list["LargePaper"]]:
        """Yield papers as many at a time as their vectors are drawn, all of one collection."""
        while True:
            collection = SMALL if self._number // PAPERS_AT_ONCE % 100 == 50 else DEFAULT_COLLECTION
            shapes = [self._sections() for _ in range(PAPERS_AT_ONCE)]
            sizes = [1 + sum(shape) for shape in shapes]
            vectors = self._mixture.draw(sizes, self._random)
            ends = np.cumsum(sizes)
            yield [
                self._paper(collection, shape, vectors[end - size : end])
                for shape, size, end in zip(shapes, sizes, ends, strict=True)
            ]

    def _sections(self) -> list[int]:
        """Return the number of chunks of each section of a paper."""
        n = self._random.integers(*SECTIONS, endpoint=True)
        drawn = self._random.lognormal(np.log(MEDIAN_CHUNKS), SPREAD, n).round()
        return [max(1, int(one)) for one in drawn]

    def _drawn(self, n_words: int) -> list[str]:
        places = np.searchsorted(self._weights, self._random.random(n_words))
        return list(self._words[np.minimum(places, len(self._words) - 1)])

    def _paper(self, collection: str, shape: list[int], vectors: Floats) -> "LargePaper":
        number, self._number = self._number, self._number + 1
        lengths = self._random.choice(self._texts.lengths, sum(shape))
        words = self._drawn(int(lengths.sum()) + 10 + 4 * len(shape))
        title = f"{' '.join(words[:10])} {self._seed}-{number}"
        references = self._references(collection)
        cited_in = dict(zip(self._random.integers(0, sum(shape), len(references)).tolist(), range(99), strict=False))
        text, sections, spans, cited = title + "\n\n", [], [], []
        used, chunk = 10, 0
        for section, n_chunks in enumerate(shape):
            heading = " ".join(words[used : used + 4])
            used += 4
            text += f"{heading}\n\n"
            start = len(text)
            for _ in range(n_chunks):
                n_words = int(lengths[chunk])
                body = " ".join(words[used : used + n_words])
                used += n_words
                begin = len(text)
                if chunk in cited_in:
                    mark = f" [{cited_in[chunk] + 1}]"
                    cited.append(CitedAt(begin + len(body) + 1, begin + len(body) + len(mark), cited_in[chunk]))
                    body += mark
                text += body + "\n\n"
                n_tokens = int(TOKENS_PER_WORD * n_words)
                span = ChunkSpan(section, begin, begin + len(body), body, heading, n_tokens, n_read=n_tokens)
                spans.append(span)
                chunk += 1
            sections.append(ParsedSection(heading, 1, "body" if section else "abstract", None, start, len(text)))
        shares = {name: self._random.random() < share for name, share in SHARES.items()}
        surnames = np.minimum(self._random.zipf(1.5, size=3), N_SURNAMES) - 1
        name = f"/drawn/{collection}/{self._seed}-{number}.md"
        source = RawDocument(name, b"", Format.MARKDOWN, sha256(text))
        document = Document(
            key=source.key,
            title=title,
            abstract=text[sections[0].start : sections[0].end].strip(),
            authors=tuple(f"Ada {self._surnames[place]}" for place in dict.fromkeys(surnames.tolist())),
            year=2000 + number % 25,
            doi=None,
            arxiv_id=None,
            categories=tuple(name for name, passes in shares.items() if passes),
            license=None,
            text=text,
            format=Format.MARKDOWN,
            sections=tuple(sections),
            heading_source=HeadingSource.MARKUP,
            n_body_chars=sum(len(span.text) for span in spans),
            references=references,
            cited_at=tuple(cited),
        )
        self._titles[collection].append(title)
        card, options = self._card, self._options

        def make_rows(key: str) -> Any:
            return build(source, document, spans, list(vectors), PaperKey(collection, key), card, options)

        stated = source_of(source, document, config=config_hash(card, options))
        return LargePaper(PaperUpsert(collection, stated, len(spans)), make_rows, vectors[1:], shares)

    def _references(self, collection: str) -> tuple[Reference, ...]:
        """Return a list of references: works of elsewhere, and papers of the collection, older ones more often."""
        known = self._titles[collection]
        n_here = min(CITED_HERE, len(known))
        places = {int(len(known) * self._random.random() ** 2) for _ in range(n_here)}
        titles = [known[place] for place in places]
        titles += [" ".join(self._drawn(9)) for _ in range(REFERENCES - len(titles))]
        return tuple(
            Reference(str(number + 1), f"Ada Somebody. {title}. 2001.", title, ("Ada Somebody",), 2001)
            for number, title in enumerate(titles)
        )


class LargePaper:
    """Generated paper with its rows and vectors.

    Attributes:
        arrival: The paper as the writer takes it.
        make_rows: Function that makes its rows.
        vectors: Vectors of its chunks, shape (n, d).
        shares: True for each category of ``benchmarks.filters.SHARES`` that it has.
    """

    def __init__(self, arrival: PaperUpsert, make_rows: MakeRows, vectors: Floats, shares: Mapping[str, bool]) -> None:
        self.arrival, self.make_rows, self.vectors, self.shares = arrival, make_rows, vectors, shares


STORE, SIZES, MINUTES = "large", "100000,300000,1000000,3000000", 170.0
WINDOW, WARM_UP, LONG_S = 10_000, 5_000, 3600.0
K, N_WANTED, N_QUERIES, N_WARM_UP, N_COLD = 200, 10, 40, 8, 10
CLIENTS, PIPELINES = (1, 8), ("fast", "default")
N_WAYS, N_FILES, READING = 18, 100, "reading"
POLL_S = 0.05
GARBAGE = ("GC ", "G1 ")
"""Beginnings of the names of threads that collect garbage."""

FILTERS = {"tenth": 0.1, "hundredth": 0.01, "thousandth": 0.001}
TEN_MILLION = 10_000_000
GATE_LAST, GATE_P95, GATE_RECALL, GATE_FILTERED, GATE_S, GATE_BYTES = 1.3, 2.5, 0.95, 2.5, 300.0, 2_000_000_000
BASE = 100_000
"""The size that latencies of larger ones are compared with."""

COUNTS = Statement(
    "benchmark/counts",
    "CYPHER 25 RETURN COUNT { (:Paper) } AS papers, COUNT { (:Section) } AS sections, COUNT { (:Chunk) } AS chunks, "
    "COUNT { ()-->() } AS relationships",
)
ENDED = (0, 1, 3)
"""Exit statuses of commands that did their work: done, problems found, nothing found."""


class Nearest:
    """The right answers to fixed queries among all vectors so far, kept up as they are drawn.

    Attributes:
        queries: Shape (n, d).
    """

    def __init__(self, queries: Floats) -> None:
        self.queries = queries
        self._best = {name: np.full((len(queries), N_WANTED), -2.0, np.float32) for name in ("all", SMALL, *FILTERS)}

    def add(self, papers: Sequence[LargePaper]) -> None:
        """Take papers of one collection in."""
        if papers[0].arrival.collection == SMALL:
            return self._add(SMALL, papers)
        self._add("all", papers)
        for name in FILTERS:
            self._add(name, [paper for paper in papers if paper.shares[name]])

    def _add(self, name: str, papers: Sequence[LargePaper]) -> None:
        if papers:
            cosines = self.queries @ np.concatenate([paper.vectors for paper in papers]).T
            both = np.concatenate([self._best[name], cosines], axis=1)
            self._best[name] = -np.partition(-both, N_WANTED - 1, axis=1)[:, :N_WANTED]

    def recall(self, name: str, found: Sequence[Sequence[float]]) -> float | None:
        """Return which share of the nearest was found, by the cosines of what each query found; None for too few."""
        least = self._best[name].min(axis=1) - 1e-4
        if least[0] < -1:
            return None  # there are not as many yet
        right = sum(min(N_WANTED, int((np.array(one) >= limit).sum())) for one, limit in zip(found, least, strict=True))
        return round(right / (N_WANTED * len(least)), 4)


class Large:
    """A store that grows, and what is measured of it."""

    def __init__(self, address: Address, texts: RealTexts, mixture: Mixture, *, per_transaction: int) -> None:
        self._address = replace(address, deadline_s=120.0)
        self._per_transaction = per_transaction
        self._home = home_of_store(STORE)
        self._own = Settings().replace(home=self._home, neo4j={"uri": None})
        self._embedder = load_model("bge-small-en-v1.5")
        self._papers = LargePapers(texts, mixture, seed=0)
        self._groups = self._papers.groups()
        self._warm_up = LargePapers(texts, mixture, seed=1).groups()
        names = ("scifact", "covidqa")
        queries = [query.text for name in names for query in read_task(data_folder() / name).queries]
        np.random.default_rng(0).shuffle(queries)
        self._queries = queries[: N_WARM_UP + N_QUERIES]
        self._others = itertools.cycle(queries[N_WARM_UP + N_QUERIES :])
        vectors = [self._embedder.encode_query(text) for text in self._queries[N_WARM_UP:]]
        self._nearest = Nearest(np.stack(vectors))
        self._process: psutil.Process | None = None
        self.windows: list[dict[str, Any]] = []
        self.n_chunks, self._last = 0, ""

    @property
    def _neo4j(self) -> psutil.Process:
        """The process of Neo4j, looked for again after another start."""
        if self._process is None or not self._process.is_running():
            self._process = psutil.Process(status(self._home).pid)
        return self._process

    @asynccontextmanager
    async def _database(self) -> AsyncIterator[Database]:
        async with await self._address.connect() as database:
            yield database

    async def begin(self) -> None:
        """Prepare the store, and write and delete papers until Java is warm."""
        async with self._database() as database:
            await prepare(database, PackagedModel().card)
            written: list[LargePaper] = []
            while sum(paper.arrival.n_chunks for paper in written) < WARM_UP:
                group = next(self._warm_up)
                await self._write(database, group)
                written += group
            for paper in written:
                await delete_source(database, collection=paper.arrival.collection, name=paper.arrival.source.name)

    async def _write(self, database: Database, group: Sequence[LargePaper]) -> None:
        papers = [(paper.arrival, paper.make_rows) for paper in group]
        for part in transactions(papers, most_chunks=self._per_transaction):
            for outcome in await write_papers(database, part):
                if isinstance(outcome, Exception):
                    raise outcome

    async def grow(self, n_chunks: int, *, until: float) -> dict[str, Any]:
        """Write papers until there are ``n_chunks`` or the time is over; return the seconds per 1,000 chunks."""
        since, spent, n_window = len(self.windows), np.zeros(len(CLOCKS) + 1), 0
        started, n_before = time.perf_counter(), self.n_chunks
        async with self._database() as database:
            while self.n_chunks < n_chunks and time.monotonic() < until:
                group = next(self._groups)
                self._nearest.add(group)
                before = self._clocks()
                await self._write(database, group)
                spent += self._clocks() - before
                n_written = sum(paper.arrival.n_chunks for paper in group)
                n_window, self.n_chunks = n_window + n_written, self.n_chunks + n_written
                self._last = group[-1].arrival.source.key if group[-1].arrival.collection != SMALL else self._last
                if n_window >= WINDOW or self.n_chunks >= n_chunks:
                    names = (*CLOCKS, "garbageCollection")
                    each = dict(zip(names, (spent / n_window * 1000).round(3).tolist(), strict=True))
                    self.windows.append({"chunks": self.n_chunks, **each})
                    print(json.dumps(self.windows[-1]), file=sys.stderr, flush=True)
                    spent, n_window = np.zeros(len(CLOCKS) + 1), 0
        added = self.windows[since:]
        return {
            "minutes with drawing": round((time.perf_counter() - started) / 60, 1),
            "chunks added": self.n_chunks - n_before,
            "seconds per 1,000 chunks": {"first": added[0], "last": added[-1]} if added else None,
        }

    def _clocks(self) -> np.ndarray:
        garbage, neo4j = 0.0, self._neo4j
        for thread in neo4j.threads():
            if _name(neo4j.pid, thread.id).startswith(GARBAGE):
                garbage += thread.user_time + thread.system_time
        return np.append(clocks(neo4j), garbage)

    async def measure(self) -> dict[str, Any]:
        """Return everything that is measured of a size, but for the rate."""
        figures: dict[str, Any] = {}
        async with self._database() as database:
            figures["counts"] = (await database.read(COUNTS, deadline_s=LONG_S))[0].data()
            figures["memory of Neo4j"] = self._neo4j.memory_info().rss
            figures["retrievers"] = await self._retrievers(database)
            model, asked = ActiveModel(self._embedder), self._queries[:N_WAYS]
            figures["ways of a filter, p50 ms"] = await filter_ways.measured(database, model, asked)
        self._show(figures)
        figures["pipelines, warm"] = await self._pipelines(N_QUERIES)
        self._show(figures["pipelines, warm"])
        figures["pages"] = await self._pages()
        self._show(figures["pages"])
        figures["commands"] = self._commands()
        self._show(figures["commands"])
        async with self._database() as database:  # the replica stopped Neo4j, so that nothing is in its memory alone
            figures |= await self._bytes(database)
        figures["after kill -9, cold"] = await self._recovery()
        self._show(figures["after kill -9, cold"])
        return figures

    def _show(self, figures: Any) -> None:
        print(json.dumps(figures), file=sys.stderr, flush=True)

    async def _bytes(self, database: Database) -> dict[str, Any]:
        indexes = await index_files(database, STORE)
        data = self._home / "neo4j" / "data"
        parts: dict[str, int] = {}
        for file in (data / "databases" / "neo4j").glob("neostore*"):
            part = file.name.removeprefix("neostore.").split(".db")[0]
            name = part if file.name.endswith(".arrays") is False else "arrays, among them vectors"
            parts[name] = parts.get(name, 0) + file.stat().st_size
        by_type: dict[str, int] = {}
        for one in indexes.values():
            by_type[one["type"]] = by_type.get(one["type"], 0) + one["bytes"]
        logs = sum(file.stat().st_size for file in (data / "transactions").rglob("*") if file.is_file())
        files = [file for file in (data / "databases" / "neo4j").rglob("*") if file.is_file()]
        return {
            "bytes": {
                "database": sum(file.stat().st_size for file in files),
                "transaction logs": logs,
                "stores": {name: n for name, n in sorted(parts.items(), key=lambda one: -one[1]) if n > 2**20},
                "indexes by type": by_type,
                "chunk_embedding": indexes["chunk_embedding"]["bytes"],
                "chunk_text": indexes["chunk_text"]["bytes"],
            },
            "segments": {name: one["segments"] for name, one in indexes.items() if one["segments"] > 1},
        }

    async def _retrievers(self, database: Database) -> dict[str, Any]:
        model = ActiveModel(self._embedder)
        whole = (DEFAULT_COLLECTION,)
        figures = {"all": await self._asked(database, model, Scope(whole), "all")}
        figures["1 % in a collection"] = await self._asked(database, model, Scope((SMALL,)), SMALL)
        for name in FILTERS:
            filter = parse_filter({"categories": [name]})
            resolving = [await _ms(resolve(database, never_asked(filter), whole)) for _ in range(3)]
            scope = Scope.filtered(whole, (await resolve(database, filter, whole)).passing)
            found = await self._asked(database, model, scope, name)
            figures[f"filter, {SHARES[name]:g}"] = found | {"resolving p50": percentiles(resolving)["p50"]}
        return figures

    async def _asked(self, database: Database, model: ActiveModel, scope: Scope, name: str) -> dict[str, Any]:
        """Return the milliseconds of both retrievers, on the wall and of Neo4j's processor, and recall@10."""
        ways: dict[str, Callable[[str], Awaitable[list[Candidate]]]] = {
            "vector": lambda text: retrieve_by_vector(database, model, text, scope, k=K),
            "fulltext": lambda text: retrieve_by_fulltext(database, text, scope, k=K),
        }
        figures: dict[str, Any] = {}
        found: list[list[Candidate]] = []
        for text in self._queries:
            await model.vector(text)
        for way, ask in ways.items():
            for text in self._queries[:N_WARM_UP]:
                await ask(text)
            ms, answers, before = [], [], self._clocks()
            for text in self._queries[N_WARM_UP:]:
                start = time.perf_counter()
                answers.append(await ask(text))
                ms.append(1000 * (time.perf_counter() - start))
            spent = self._clocks() - before
            figures[way] = percentiles(ms) | {"processor": round(1000 * spent[2] / len(ms), 1)}
            found = found or answers
        cosines = [[2 * one.score - 1 for one in answer[:N_WANTED]] for answer in found]
        return figures | {"recall@10": self._nearest.recall(name, cosines)}

    async def _pipelines(self, n: int) -> dict[str, Any]:
        figures: dict[str, Any] = {}
        with server(self._address) as (url, process):
            async with httpx.AsyncClient(base_url=url, timeout=120.0) as client:
                for pipeline in PIPELINES:
                    for n_clients in CLIENTS:
                        for _ in range(N_WARM_UP):
                            await self._search(client, pipeline)
                        start = time.perf_counter()
                        ms = await self._at_once(client, pipeline, n * (1 if n_clients == 1 else 3), n_clients)
                        rate = round(len(ms) / (time.perf_counter() - start), 1)
                        figures[f"{pipeline}, {n_clients}"] = percentiles(ms) | {"per second": rate}
                figures["memory of the server"] = process.memory_info().rss
        return figures

    async def _search(self, client: httpx.AsyncClient, pipeline: str) -> float:
        body = {"query": next(self._others), "k": N_WANTED, "pipeline": pipeline}
        start = time.perf_counter()
        (await client.post("/v1/search", json=body)).raise_for_status()
        return 1000 * (time.perf_counter() - start)

    async def _cold_search(self, client: httpx.AsyncClient) -> float | None:
        """Return the milliseconds of a search, None if the server gave it up after its deadline."""
        try:
            return await self._search(client, "default")
        except httpx.HTTPStatusError as error:
            if error.response.status_code != httpx.codes.GATEWAY_TIMEOUT:
                raise
            return None

    async def _at_once(self, client: httpx.AsyncClient, pipeline: str, n: int, n_clients: int) -> list[float]:
        left = iter(range(n))
        ms: list[float] = []

        async def ask() -> None:
            for _ in left:
                ms.append(await self._search(client, pipeline))

        await asyncio.gather(*(ask() for _ in range(n_clients)))
        return ms

    async def _pages(self) -> dict[str, Any]:
        """Return the milliseconds of a page of papers at the beginning and after many others."""
        figures: dict[str, Any] = {}
        with server(self._address) as (url, _):
            async with httpx.AsyncClient(base_url=url, timeout=120.0) as client:
                for sort in ("title", "year"):
                    after, ms = None, []
                    for _ in range(60):
                        asked = {"first": 100, "sort": sort} | ({"after": after} if after else {})
                        start = time.perf_counter()
                        answer = (await client.get("/v1/papers", params=asked)).raise_for_status().json()
                        ms.append(1000 * (time.perf_counter() - start))
                        after = answer["next"]
                        if after is None:
                            break
                    figures[f"by {sort}"] = {
                        "first": round(ms[0], 1),
                        f"after {100 * (len(ms) - 1)} papers": round(float(np.median(ms[-5:])), 1),
                    }
                figures["counted"] = await _ms(client.get("/v1/papers", params={"first": 1, "count": True}))
        return figures

    def _commands(self) -> dict[str, Any]:
        with tempfile.TemporaryDirectory(dir=self._home) as folder:
            files = Path(folder) / "papers"
            files.mkdir()
            for document in read_task(data_folder() / "scifact").documents[:N_FILES]:
                (files / f"{document.id}.txt").write_text(document.file_text, encoding="utf-8")
            wanted: dict[str, list[str]] = {
                "doctor": ["doctor"],
                "checksum": ["db", "checksum"],
                "backup, first": ["backup", f"{folder}/backup"],
                "backup, unchanged": ["backup", f"{folder}/backup"],
                "delete one paper": ["papers", "delete", "--yes", self._last],
                f"ingest {N_FILES} abstracts": ["ingest", str(files), "--collection", READING],
                f"ingest {N_FILES} abstracts, unchanged": ["ingest", str(files), "--collection", READING],
                "jobs list": ["jobs", "list"],
                "enrichment estimate": ["enrich", "--enrichments", "links,map,clusters", "--estimate"],
                "delete the abstracts": ["collections", "delete", "--yes", READING],
                "replica": ["db", "replica"],
            }
            figures = {name: self._command(words) for name, words in wanted.items()}
        self._command(["db", "stop", "--replica"])
        shutil.rmtree(self._home / "replicas", ignore_errors=True)
        local_neo4j.start(self._own, owner=True)
        return figures

    def _command(self, words: Sequence[str]) -> dict[str, Any]:
        """Run a command; return its seconds, wall and processor, its largest memory in bytes, and why it failed."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PAPERGRAPH_NEO4J")}
        environment["PAPERGRAPH_HOME"] = str(self._home)
        start = time.perf_counter()
        command = [str(Path(sys.executable).parent / "papergraph"), *words]
        with tempfile.TemporaryFile() as said:
            process, memory = subprocess.Popen(command, env=environment, stdout=said, stderr=said), 0
            while not (ended := os.wait4(process.pid, os.WNOHANG))[0]:
                memory = max(memory, largest_memory(process.pid))
                time.sleep(POLL_S)
            process.returncode = os.waitstatus_to_exitcode(ended[1])
            said.seek(0)
            last = said.read()[-300:].decode(errors="replace")
        figures = {
            "seconds": round(time.perf_counter() - start, 1),
            "processor": round(ended[2].ru_utime + ended[2].ru_stime, 1),
            "memory": memory,
        }
        failed = process.returncode not in ENDED
        return figures | ({"failed": process.returncode, "says": last} if failed else {})

    async def _recovery(self) -> dict[str, Any]:
        """Kill Neo4j amid a transaction and start it again with nothing in the system's cache."""
        async with self._database() as database:
            before = (await database.read(COUNTS, deadline_s=LONG_S))[0].data()
            writing = asyncio.create_task(self._write(database, next(self._warm_up)))
            await asyncio.sleep(0.3)
            self._neo4j.send_signal(signal.SIGKILL)
            try:
                async with asyncio.timeout(1):
                    await writing
            except (DatabaseError, TimeoutError):
                pass
        forget_files(self._home / "neo4j" / "data")
        start = time.perf_counter()
        local_neo4j.start(self._own, owner=True)
        ready = time.perf_counter() - start
        figures: dict[str, Any] = {"ready after s": round(ready, 1)}
        with server(self._address) as (url, _):
            async with httpx.AsyncClient(base_url=url, timeout=300.0) as client:
                asked = [await self._cold_search(client) for _ in range(N_COLD)]
        ms = [one for one in asked if one is not None]
        figures |= {"too late": len(asked) - len(ms), f"first {N_COLD} searches": percentiles(ms) if ms else None}
        figures["first search"] = round(ms[0], 1) if ms else None
        async with self._database() as database:
            after = (await database.read(COUNTS, deadline_s=LONG_S))[0].data()
        return figures | {"nothing lost": all(after[name] >= n for name, n in before.items())}


def forget_files(folder: Path) -> None:
    """Let the system's cache forget the files below a folder."""
    for file in folder.rglob("*"):
        if file.is_file():
            with file.open("rb") as opened:
                os.fdatasync(opened.fileno())
                os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _name(pid: int, thread: int) -> str:
    try:
        return Path(f"/proc/{pid}/task/{thread}/comm").read_text(encoding="utf-8")
    except OSError:  # it has ended
        return ""


async def _ms(work: Awaitable[Any]) -> float:
    start = time.perf_counter()
    await work
    return round(1000 * (time.perf_counter() - start), 1)


def gates(sizes: Sequence[dict[str, Any]], windows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return for each gate its limit, what was measured, and whether it holds.

    Latencies are compared with those of the first size of 100,000 chunks or more, if a larger one was measured.
    """
    last, base = sizes[-1], next((one for one in sizes if one["chunks"] >= BASE), sizes[-1])
    measured: dict[str, tuple[float, float, bool]] = {}

    def at_most(name: str, value: float, limit: float) -> None:
        measured[name] = (round(value, 3), limit, value <= limit)

    def times(one: dict[str, Any], name: str, way: str) -> float:
        return float(one[name][way]["p95"])

    at_most("last chunks over first, wall", windows[-1]["wall"] / windows[0]["wall"], GATE_LAST)
    recall = min(one["retrievers"]["all"]["recall@10"] for one in sizes)
    measured["recall@10"] = (recall, GATE_RECALL, recall >= GATE_RECALL)
    if base is not last:
        over = f"p95 over that at {base['chunks']:,}"
        both = [times(one, "pipelines, warm", "default, 1") for one in (last, base)]
        at_most(f"default, {over}", both[0] / both[1], GATE_P95)
        for name in last["retrievers"]:
            for way in ("vector", "fulltext") if name.startswith("filter") else ():
                both = [times(one["retrievers"], name, way) for one in (last, base)]
                at_most(f"{name}, {way}, {over}", both[0] / both[1], GATE_FILTERED)
    commands = [command for one in sizes for command in one["commands"].values()]
    at_most("seconds of a command", max(one["seconds"] for one in commands), GATE_S)
    at_most("bytes of a command", max(one["memory"] for one in commands), GATE_BYTES)
    return {name: dict(zip(("measured", "limit", "holds"), one, strict=True)) for name, one in measured.items()}


def expected(sizes: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return what ten million chunks and ten million documents would cost by what was measured."""
    chunks = [one["chunks"] for one in sizes]
    per_paper = sizes[-1]["counts"]["chunks"] / sizes[-1]["counts"]["papers"]
    of: dict[str, Callable[[dict[str, Any]], float]] = {
        "bytes of the database": lambda one: one["bytes"]["database"],
        "bytes of the vectors' index": lambda one: one["bytes"]["chunk_embedding"],
        "bytes of the full-text index": lambda one: one["bytes"]["chunk_text"],
        "seconds per 1,000 chunks": lambda one: one["rate"]["seconds per 1,000 chunks"]["last"]["wall"],
        "vector retriever, p95 ms": lambda one: one["retrievers"]["all"]["vector"]["p95"],
        "full-text retriever, p95 ms": lambda one: one["retrievers"]["all"]["fulltext"]["p95"],
        "default, 1 client, p95 ms": lambda one: one["pipelines, warm"]["default, 1"]["p95"],
        "doctor, s": lambda one: one["commands"]["doctor"]["seconds"],
        "checksum, s": lambda one: one["commands"]["checksum"]["seconds"],
        "first backup, s": lambda one: one["commands"]["backup, first"]["seconds"],
    }
    wanted = {"10 million chunks": TEN_MILLION, "10 million documents": round(TEN_MILLION * per_paper)}
    return {
        "chunks per document": round(per_paper, 1),
        **{
            name: {
                "chunks": at,
                **{what: extrapolated(chunks, [figure(one) for one in sizes], at) for what, figure in of.items()},
            }
            for name, at in wanted.items()
        },
    }


async def run(address: Address, texts: RealTexts, found: Fit, sizes: Sequence[int], *, until: float, n: int) -> None:
    large = Large(address, texts, found.mixture, per_transaction=n)
    await large.begin()
    measured: list[dict[str, Any]] = []
    for size in sizes:
        loads = {"before": round(os.getloadavg()[0], 1)}
        rate = await large.grow(size, until=until)
        if not rate["chunks added"]:
            break
        reached = {"wanted": size, "chunks": large.n_chunks, "load": loads, "rate": rate}
        reached |= await large.measure()
        loads["after"] = round(os.getloadavg()[0], 1)
        measured.append(reached)
        figures = {
            "vectors": found.figures(),
            "chunks per transaction": n,
            "sizes": measured,
            "seconds per 1,000 chunks": large.windows,
            "gates": gates(measured, large.windows),
        }
        write_result("large", figures | ({"expected": expected(measured)} if len(measured) > 1 else {}))
        if time.monotonic() >= until:
            break


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sizes", default=SIZES, help="numbers of chunks, separated by commas")
    parser.add_argument("--minutes", type=float, default=MINUTES, help="when loading ends")
    parser.add_argument("--per-transaction", type=int, default=CHUNKS_PER_TRANSACTION, help="chunks")
    asked = parser.parse_args()
    until = time.monotonic() + 60 * asked.minutes
    texts, found = fitted()
    with empty_store(STORE) as address:
        sizes = [int(size) for size in asked.sizes.split(",")]
        asyncio.run(run(address, texts, found, sizes, until=until, n=asked.per_transaction))
    shutil.rmtree(home_of_store(STORE))


if __name__ == "__main__":
    main()
