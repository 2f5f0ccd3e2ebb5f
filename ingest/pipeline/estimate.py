"""Estimate of an ingestion: documents, chunks, tokens, calls of models, time and cost.

Documents are found, hashed and looked up as in an ingestion. A sample of new and changed ones is parsed and cut, and
the rest extrapolated by size; a few texts are embedded to measure the speed.
"""

import asyncio
import math
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Self

from papergraph.embedding import Embedder, price_of
from papergraph.errors import SourceError
from papergraph.ingest.chunkers import ChunkOptions
from papergraph.ingest.pipeline.changes import detect_changes
from papergraph.ingest.pipeline.executor import IngestContext
from papergraph.ingest.pipeline.prepare import DocumentPreparer, JobSettings, Prepared, Refused, fetch
from papergraph.ingest.sources import DocumentRef, LocalFile, Spec, find_documents
from papergraph.ingest.sources.records import DescribedFile
from papergraph.progress import Progress, silent
from papergraph.records import Record, described, internal
from papergraph.schema.ids import check_collection, public_name

SAMPLED, SAMPLING_S = 64, 4.0
"""Most parsed documents, and longest time in seconds; at least two are parsed."""

EMBEDDED, EMBEDDING_S = (8, 16, 40), 1.5
"""Numbers of texts embedded in each call, and time in seconds after which no further call starts."""

SEED = 0
CONFIDENCE_95 = 1.96


@dataclass(frozen=True)
class EstimatedNumber(Record):
    """A number that was counted, or estimated from a sample."""

    value: Annotated[int, described("The number.")]
    low: Annotated[int, described("In 95 of 100 samples it is at least this; ``value`` where it was counted.")]
    high: Annotated[int, described("In 95 of 100 samples it is at most this; ``value`` where it was counted.")]


@dataclass(frozen=True)
class DocumentPreview(Record):
    """Document before it is stored."""

    source: Annotated[str, described("Source of the document; only the name of a local file.")]
    title: Annotated[str | None, described("Title.")] = None
    authors: Annotated[tuple[str, ...], described("Authors.")] = ()
    year: Annotated[int | None, described("Year.")] = None
    doi: Annotated[str | None, described("DOI.")] = None
    file: Annotated[str | None, described("Name of the text that its record names.")] = None
    detail: Annotated[str | None, described("Reason of the refusal, or what is left out of it.")] = None

    @classmethod
    def of(cls, found: DocumentRef, ready: Prepared | Refused) -> Self:
        """Make a preview of a document that was parsed, or refused."""
        name = public_name(found.name)
        if isinstance(ready, Refused):
            return cls(name, detail=ready.detail)
        document, metadata = ready.document, ready.source.metadata
        file = public_name(metadata.file).rpartition("/")[2] if metadata and metadata.file else None
        notes = "; ".join(document.warnings) or None
        return cls(name, document.title, document.authors, document.year, document.doi, file, notes)


@dataclass(frozen=True)
class IngestionEstimate(Record):
    """Estimate of an ingestion."""

    collection: Annotated[str, described("Collection of the papers.")]
    chunking: Annotated[ChunkOptions, internal("Chunker and its sizes.")]
    n_documents: Annotated[int, described("Documents that were found.")]
    n_unchanged: Annotated[int, described("Number of documents that are stored already and stay unchanged.")]
    n_refused: Annotated[
        int,
        described("Number of refused documents: files that are no documents, or that the sample failed to parse."),
    ]
    n_sampled: Annotated[
        int,
        described(
            "Number of parsed documents; ``papers`` and all below are exact if all were parsed, else extrapolated."
        ),
    ]
    papers: Annotated[EstimatedNumber, described("Papers that would be written.")]
    chunks: Annotated[EstimatedNumber, described("Their chunks.")]
    texts: Annotated[
        EstimatedNumber, described("Texts that would be embedded: calls of the embedding model, in batches of its own.")
    ]
    tokens: Annotated[EstimatedNumber, described("Tokens of these.")]
    llm_calls: Annotated[int, internal("Calls of a language model: none, since no stage of ingestion asks one.")]
    cost: Annotated[float, described("Cost of the tokens at the configured price; 0 for a local model.")]
    preparing_seconds: Annotated[
        float | None,
        described("Time for reading, parsing and cutting, in one process, or None where nothing could be measured."),
    ]
    embedding_seconds: Annotated[float | None, described("Time for embedding.")]
    texts_per_s: Annotated[float | None, internal("Embedding rate of the sample, in texts per second.")]
    elapsed_s: Annotated[float, internal("Duration of the estimate in seconds.")]
    documents: Annotated[tuple[DocumentPreview, ...], described("Parsed documents, and those that were refused.")] = ()

    @property
    def n_new(self) -> int:
        """Documents that are new or changed, and may become papers."""
        return self.n_documents - self.n_unchanged

    @property
    def total_s(self) -> float | None:
        """Total time of the steps in sequence; writing runs in parallel."""
        return None if self.preparing_seconds is None else self.preparing_seconds + (self.embedding_seconds or 0.0)


@dataclass(frozen=True)
class _Sampled:
    """A document that was parsed here: what it counts for each of papers, chunks, texts and tokens."""

    size: float
    counts: tuple[int, int, int, int]


async def plan(
    context: IngestContext,
    specs: Sequence[Spec],
    *,
    collection: str,
    settings: JobSettings,
    progress: Progress = silent,
) -> IngestionEstimate:
    """Estimate what an ingestion with the same arguments would take; nothing is written.

    Raises:
        InputError: The collection has no valid name.
        DatabaseError: Neo4j failed.
    """
    start = time.perf_counter()
    check_collection(collection)
    preparer, max_bytes = context.preparer(settings, collection), settings.max_bytes
    found = await asyncio.to_thread(lambda: list(find_documents(specs, web=context.web)))
    progress.step("looking up what stands in the graph")
    surveyed = await detect_changes(
        context.store, found, collection=collection, config_hash_of=preparer.config_hash_of, max_bytes=max_bytes
    )
    new = [found[wanted.ordinal] for wanted in surveyed.wanted]
    documents = [entry for entry in new if not isinstance(entry, SourceError)]
    sizes = _sizes(documents)
    progress.step("parsing a sample")
    # PDFs are parsed in other processes
    parsing = asyncio.to_thread(_parse_some, preparer, documents, sizes)
    loading = asyncio.to_thread(context.embedder.encode_documents, ["tides"] if documents else [])
    (sampled, texts, seconds, previews), _ = await asyncio.gather(parsing, loading)
    n_rest, rest = len(documents) - len(sampled), sum(sizes) - sum(entry.size for entry in sampled)
    papers, chunks, n_texts, tokens = (_reckon(sampled, which, n_rest, rest) for which in range(4))
    rate = await asyncio.to_thread(_texts_per_s, context.embedder, texts) if texts else None
    share = sum(sizes) / sum(entry.size for entry in sampled) if sampled else None
    return IngestionEstimate(
        collection,
        settings.options,
        n_documents=len(found),
        n_unchanged=len(surveyed.unchanged),
        n_refused=len(new) - len(documents) + sum(entry.counts[0] == 0 for entry in sampled),
        n_sampled=len(sampled),
        papers=papers,
        chunks=chunks,
        texts=n_texts,
        tokens=tokens,
        llm_calls=0,
        cost=tokens.value * price_of(context.embedder) / 1e6,
        preparing_seconds=None if share is None else seconds * share,
        embedding_seconds=None if rate is None else n_texts.value / rate,
        texts_per_s=rate,
        elapsed_s=time.perf_counter() - start,
        documents=(
            *previews,
            *(DocumentPreview(public_name(e.source), detail=e.detail) for e in new if isinstance(e, SourceError)),
        ),
    )


def _parse_some(
    preparer: DocumentPreparer, documents: Sequence[DocumentRef], sizes: Sequence[float]
) -> tuple[list[_Sampled], list[str], float, list[DocumentPreview]]:
    """Parse and cut documents of all sizes, and return what they count, their texts, the time, and previews."""
    order = spread(sizes)[:SAMPLED]
    sampled: list[_Sampled] = []
    texts: list[str] = []
    previews: dict[int, DocumentPreview] = {}
    start = time.perf_counter()
    for place in order:
        if len(sampled) >= 2 and time.perf_counter() - start > SAMPLING_S:
            break
        source = fetch(documents[place], preparer.settings)
        ready = source if isinstance(source, Refused) else preparer.reader.read(source)
        if isinstance(ready, Prepared):
            own = list(dict.fromkeys(ready.texts))
            counts = (1, ready.n_chunks, len(own), preparer.n_tokens(own))
        else:
            own, counts = [], (0, 0, 0, 0)
        previews[place] = DocumentPreview.of(documents[place], ready)
        sampled.append(_Sampled(sizes[place], counts))
        texts += own
    return sampled, texts, time.perf_counter() - start, [previews[place] for place in sorted(previews)]


def spread(sizes: Sequence[float]) -> list[int]:
    """Return the places of ``sizes`` so that the first ones, however many, are spread evenly over the ranks of sizes.

    However soon the time is over, small and large documents were looked at, which a random order does not grant.

    Source: van der Corput 1935, Verteilungsfunktionen; the sequence of base 2.
    """
    by_size = sorted(range(len(sizes)), key=lambda place: (sizes[place], place))
    n_bits = max(1, (len(sizes) - 1).bit_length())
    reversed_bits = (int(f"{number:0{n_bits}b}"[::-1], 2) for number in (*range(1, 2**n_bits), 0))
    ranks = dict.fromkeys(bits * len(sizes) >> n_bits for bits in reversed_bits)
    return [by_size[rank] for rank in ranks] if sizes else []


def _reckon(sampled: Sequence[_Sampled], which: int, n_rest: int, rest: float) -> EstimatedNumber:
    """Return the count of the sample plus an estimate for the rest, in proportion to its size, with a 95 % interval.

    Source: Cochran 1977, Sampling Techniques, 3rd edition, section 6.4.
    """
    counted = sum(entry.counts[which] for entry in sampled)
    size = sum(entry.size for entry in sampled)
    if which == 0:  # whether a document becomes a paper does not depend on its size
        sampled = [replace(entry, size=1.0) for entry in sampled]
        size, rest = float(len(sampled)), float(n_rest)
    if not n_rest or not size:
        return EstimatedNumber(counted, counted, counted)
    ratio, n = counted / size, len(sampled)
    variance = sum((entry.counts[which] - ratio * entry.size) ** 2 for entry in sampled) / max(1, n - 1)
    beside = CONFIDENCE_95 * math.sqrt(variance * n_rest * (n_rest + n) / n)
    most = counted + n_rest if which == 0 else math.inf
    value = min(most, counted + ratio * rest)
    return EstimatedNumber(round(value), max(counted, round(value - beside)), round(min(most, value + beside)))


def _texts_per_s(embedder: Embedder, texts: Sequence[str]) -> float:
    """Return how fast a loaded model embeds."""
    chosen = random.Random(SEED).sample(list(texts), min(len(texts), sum(EMBEDDED)))  # noqa: S311
    n_done, start = 0, time.perf_counter()
    for size in EMBEDDED:
        embedder.encode_documents(chosen[n_done : n_done + size])
        n_done, seconds = min(len(chosen), n_done + size), time.perf_counter() - start
        if n_done == len(chosen) or seconds > EMBEDDING_S:
            break
    return n_done / seconds


def _sizes(documents: Sequence[DocumentRef]) -> list[float]:
    """Return the documents' sizes in bytes, or 1 for each where one is no file of its own."""
    paths = [
        entry.name if isinstance(entry, LocalFile) else entry.path if isinstance(entry, DescribedFile) else None
        for entry in documents
    ]
    try:
        return [float(max(1, Path(path or "").stat().st_size)) for path in paths] if all(paths) else [1.0] * len(paths)
    except OSError:
        return [1.0] * len(paths)
