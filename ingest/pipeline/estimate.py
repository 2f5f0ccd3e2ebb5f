"""Estimate of an ingestion: documents, chunks, tokens, calls of models, time and cost.

Documents are found, hashed and looked up as in an ingestion. A sample of new and changed ones is parsed and cut, and
the rest extrapolated by size, formats apart, because a byte of a PDF is less text than one of Markdown; a few texts are
embedded to measure the speed.
"""

import asyncio
import math
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
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
from papergraph.ingest.sources.records import Record as BibliographyRecord
from papergraph.progress import Progress, silent
from papergraph.records import Record, described, internal
from papergraph.schema.ids import check_collection, public_name

SAMPLED, SAMPLING_S = 64, 4.0
"""Most parsed documents, and longest time in seconds; at least four of each format are parsed."""

OF_EACH = 4

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
    """A document that was parsed here: what it counts for each of papers, chunks, texts and tokens, and the time."""

    kind: str
    size: float
    counts: tuple[int, int, int, int]
    seconds: float


@dataclass(frozen=True)
class _Sizes:
    """Formats and sizes of all documents: bytes, or 1 for each if one is no file of its own."""

    kinds: list[str]
    sizes: list[float]

    @classmethod
    def of(cls, documents: Sequence[DocumentRef]) -> Self:
        paths = [
            entry.name if isinstance(entry, LocalFile) else entry.path if isinstance(entry, DescribedFile) else None
            for entry in documents
        ]
        kinds = [Path(path or "").suffix.lower() for path in paths]
        try:
            sizes = [float(max(1, Path(path or "").stat().st_size)) for path in paths] if all(paths) else []
        except OSError:
            sizes = []
        return cls(kinds, sizes or [1.0] * len(paths))

    def order(self) -> list[int]:
        """Return the places of documents to sample: four of each format, then all formats, spread over their sizes."""
        places = {kind: [at for at, one in enumerate(self.kinds) if one == kind] for kind in dict.fromkeys(self.kinds)}
        spreads = [
            [of_kind[at] for at in spread([self.sizes[place] for place in of_kind])]
            for of_kind in sorted(places.values(), key=len, reverse=True)
        ]
        first = [
            place for turn in zip_longest(*(one[:OF_EACH] for one in spreads)) for place in turn if place is not None
        ]
        rest = [(rank / len(one), place) for one in spreads for rank, place in enumerate(one)]
        return list(dict.fromkeys([*first, *(place for _, place in sorted(rest))]))

    def n_least(self) -> int:
        """Return how many documents are parsed in any case."""
        return sum(min(OF_EACH, n) for n in Counter(self.kinds).values())


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
    sizes = _Sizes.of(documents)
    progress.step("parsing a sample")
    # PDFs are parsed in other processes
    parsing = asyncio.to_thread(_parse_some, preparer, documents, sizes)
    loading = asyncio.to_thread(context.embedder.encode_documents, ["tides"] if documents else [])
    (sampled, texts, previews), _ = await asyncio.gather(parsing, loading)
    papers, chunks, n_texts, tokens = (_reckon(sampled, which, sizes) for which in range(4))
    n_joined = _n_joined(documents)
    rate = await asyncio.to_thread(_texts_per_s, context.embedder, texts) if texts else None
    return IngestionEstimate(
        collection,
        settings.options,
        n_documents=len(found),
        n_unchanged=len(surveyed.unchanged),
        n_refused=len(new) - len(documents) + sum(entry.counts[0] == 0 for entry in sampled),
        n_sampled=len(sampled),
        papers=EstimatedNumber(*(max(0, n - n_joined) for n in (papers.value, papers.low, papers.high))),
        chunks=chunks,
        texts=n_texts,
        tokens=tokens,
        llm_calls=0,
        cost=tokens.value * price_of(context.embedder) / 1e6,
        preparing_seconds=_seconds(sampled, sizes) if sampled else None,
        embedding_seconds=None if rate is None else n_texts.value / rate,
        texts_per_s=rate,
        elapsed_s=time.perf_counter() - start,
        documents=(
            *previews,
            *(DocumentPreview(public_name(e.source), detail=e.detail) for e in new if isinstance(e, SourceError)),
        ),
    )


def _n_joined(documents: Sequence[DocumentRef]) -> int:
    """Return how many records name a text that is among the documents: both become one paper."""
    texts = {Path(public_name(one.name)).name for one in documents if not isinstance(one, BibliographyRecord)}
    return sum(
        isinstance(one, BibliographyRecord) and one.file is not None and Path(one.file).name in texts
        for one in documents
    )


def _parse_some(
    preparer: DocumentPreparer, documents: Sequence[DocumentRef], sizes: _Sizes
) -> tuple[list[_Sampled], list[str], list[DocumentPreview]]:
    """Parse and cut documents of all formats and sizes, and return what they count, their texts, and previews."""
    n_least = sizes.n_least()
    order = sizes.order()[: max(SAMPLED, n_least)]
    sampled: list[_Sampled] = []
    texts: list[str] = []
    previews: dict[int, DocumentPreview] = {}
    start = time.perf_counter()
    for place in order:
        begun = time.perf_counter()
        if len(sampled) >= n_least and begun - start > SAMPLING_S:
            break
        source = fetch(documents[place], preparer.settings)
        ready = source if isinstance(source, Refused) else preparer.reader.read(source)
        if isinstance(ready, Prepared):
            own = list(dict.fromkeys(ready.texts))
            counts = (1, ready.n_chunks, len(own), preparer.n_tokens(own))
        else:
            own, counts = [], (0, 0, 0, 0)
        previews[place] = DocumentPreview.of(documents[place], ready)
        seconds = time.perf_counter() - begun
        sampled.append(_Sampled(sizes.kinds[place], sizes.sizes[place], counts, seconds))
        texts += own
    return sampled, texts, [previews[place] for place in sorted(previews)]


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


def _reckon(sampled: Sequence[_Sampled], which: int, sizes: _Sizes) -> EstimatedNumber:
    """Return the count of the sample plus an estimate for the rest, in proportion to its size, with a 95 % interval.

    Each format is a stratum with a ratio of its own.

    Source: Cochran 1977, Sampling Techniques, 3rd edition, sections 6.4 and 6.10.
    """
    counted = sum(entry.counts[which] for entry in sampled)
    more = variance = 0.0
    for own, n_rest, rest in _strata(sampled, sizes):
        if which == 0:  # whether a document becomes a paper does not depend on its size
            own, rest = [replace(entry, size=1.0) for entry in own], float(n_rest)
        n, ratio = len(own), sum(entry.counts[which] for entry in own) / sum(entry.size for entry in own)
        spread_of = sum((entry.counts[which] - ratio * entry.size) ** 2 for entry in own) / max(1, n - 1)
        variance += spread_of * n_rest * (n_rest + n) / n
        more += ratio * rest
    n_rest = len(sizes.kinds) - len(sampled)
    most = counted + n_rest if which == 0 else math.inf
    value, beside = min(most, counted + more), CONFIDENCE_95 * math.sqrt(variance)
    return EstimatedNumber(round(value), max(counted, round(value - beside)), round(min(most, value + beside)))


def _seconds(sampled: Sequence[_Sampled], sizes: _Sizes) -> float:
    """Return the time of preparing all documents, in proportion to the size of each format."""
    return sum(entry.seconds for entry in sampled) + sum(
        rest * sum(entry.seconds for entry in own) / sum(entry.size for entry in own)
        for own, _, rest in _strata(sampled, sizes)
    )


def _strata(sampled: Sequence[_Sampled], sizes: _Sizes) -> Iterator[tuple[list[_Sampled], int, float]]:
    """Yield the sample of each format that has more documents, their number, and their size."""
    for kind, n_all in Counter(sizes.kinds).items():
        own = [entry for entry in sampled if entry.kind == kind]
        size = sum(size for size, one in zip(sizes.sizes, sizes.kinds, strict=True) if one == kind)
        if len(own) < n_all:
            yield own, n_all - len(own), size - sum(entry.size for entry in own)


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
