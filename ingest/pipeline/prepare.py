"""Documents prepared for writing: parsed, chunked, and with their language."""

import logging
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pydantic import TypeAdapter

from papergraph.embedding import Embedder, Floats, ModelCard, encode_whole, load_tokenizer
from papergraph.embedding.files import shown_name, supported_languages
from papergraph.errors import Reason, SourceError
from papergraph.ingest.chunkers import Chunker, ChunkOptions, ChunkSpan, chunkers
from papergraph.ingest.graph.rows import PaperKey, PaperRows, build, config_hash, language_of_paper, paper_text
from papergraph.ingest.jobs.model import Stage
from papergraph.ingest.originals import Originals
from papergraph.ingest.parsers import Document, parse, parsers
from papergraph.ingest.parsers.cache import WORTH_KEEPING_S, ParsedDocuments
from papergraph.ingest.parsers.sandbox import abandoned
from papergraph.ingest.parsers.sandboxed import parse_sandboxed
from papergraph.ingest.sources import DocumentRef, Format, PdfService, RawDocument, Web, find_documents
from papergraph.ingest.sources.uploads import is_foreign
from papergraph.schema.fulltext import LANGUAGES, analyzer_for, reads
from papergraph.schema.ids import is_template_doi, text_hash
from papergraph.telemetry import metrics
from papergraph.telemetry.logs import summary
from papergraph.text.language import NAMES

if TYPE_CHECKING:
    from tokenizers import Tokenizer


# Warnings about papers in languages that the store is not prepared for


def language_warning(language: str | None, *, model: str, analyzer: str) -> str | None:
    """Return a warning that searches may miss papers in a language, with the next step, or None.

    Args:
        language: ISO 639-1 code; None if uncertain.
        model: Name of the embedding model.
        analyzer: Analyzer of the store's full-text indexes.
    """
    if language is None:
        return None
    reasons, steps = [], []
    if (supported := supported_languages(language, model)) is not None:
        reasons.append(f"the embedding model {shown_name(model)} supports {supported} only")
        steps.append(f"papergraph models list --language {language}")
    if not reads(analyzer, language):
        reasons.append(f"full-text search reads {NAMES.get(LANGUAGES[analyzer], analyzer)}")
        steps.append(f"papergraph fulltext switch {analyzer_for(language)}")
    if not reasons:
        return None
    return (
        f"{NAMES[language]} text may be missed by searches: {' and '.join(reasons)}. Other models and analyzers: "
        f"{', '.join(steps)}."
    )


def notes_warning(document: Document) -> str | None:
    """Return the warning about losses and repairs in reading a document, or None."""
    if not document.warnings:
        return None
    told = "; ".join(document.warnings)
    if document.is_partial:
        return f"PARTIAL: {told}."
    names_file = "." in told.partition(" ")[0]
    return f"{told}." if names_file else f"{told[0].upper()}{told[1:]}."


# The documents that a job found, and which of two with one key stays


@dataclass(frozen=True)
class Documents:
    """The documents that a job found, by name: what to read, and the order that decides which of two stays.

    Attributes:
        found: By name.
        places: Place of each name among what was found.
        max_bytes: Largest document.
        specs: What they were found by.
        web: The way to what lies outside, if there is one.
    """

    found: Mapping[str, DocumentRef]
    places: Mapping[str, int]
    max_bytes: int
    specs: tuple[str, ...]
    web: Web | None = None

    @classmethod
    def find(cls, specs: Sequence[str], *, max_bytes: int, web: Web | None = None) -> Self:
        """Find the documents that a job was opened for, as they are now."""
        return cls.of(list(find_documents(specs, web=web)), specs, max_bytes=max_bytes, web=web)

    def with_sources(self, names: Sequence[str]) -> Self:
        """Return these documents and those of ``names`` that are missing, as they are now.

        A file of its own is found by its name, which is its path. Only for others, such as records and pages, what the
        job was opened for is walked again.
        """
        missing = [name for name in names if name not in self.found]
        files = [name for name in missing if Path(name).is_absolute() and Path(name).is_file()]
        found = {one.name: one for one in find_documents(files) if isinstance(one, DocumentRef)}
        if any(name not in found and (not Path(name).is_absolute() or "#" in name) for name in missing):
            return self.find(self.specs, max_bytes=self.max_bytes, web=self.web)
        return replace(self, found={**self.found, **found})

    @classmethod
    def of(
        cls, found: Sequence[DocumentRef | SourceError], specs: Sequence[str], *, max_bytes: int, web: Web | None = None
    ) -> Self:
        """Put documents in order that were found."""
        documents = {entry.name: (place, entry) for place, entry in enumerate(found) if isinstance(entry, DocumentRef)}
        by_name = {name: entry for name, (_, entry) in documents.items()}
        return cls(by_name, {name: place for name, (place, _) in documents.items()}, max_bytes, tuple(specs), web)


# A document on its way to the graph: read, parsed, cut, embedded, and made into rows


Vectors = dict[str, Floats]
OnStage = Callable[[Stage], None]
MAX_BYTES = 20_000_000
Made = tuple["Prepared | Refused", Vectors]


@dataclass(frozen=True)
class JobSettings:
    """Settings of a job of ingestion.

    Attributes:
        options: Options of chunking.
        max_bytes: Largest document.
        pdf_by: Service that parses PDFs; None for the built-in parser.
        partial_share: Share of pages or letters above which their loss makes a paper partial.
    """

    options: ChunkOptions = field(default_factory=ChunkOptions)
    max_bytes: int = MAX_BYTES
    pdf_by: PdfService | None = None
    partial_share: float = 0.2


JOB_SETTINGS = TypeAdapter(JobSettings)
"""Writes and reads the settings of a job as JSON."""


@dataclass(frozen=True)
class Prepared:
    """A document that was parsed and cut; its ``source`` has no bytes any more.

    ``parsed_before`` says that what the same parser made of the same content was still there.
    """

    source: RawDocument
    document: Document
    spans: list[ChunkSpan]
    parsed_before: bool = False

    @property
    def n_chunks(self) -> int:
        """Number of its chunks, parents aside."""
        return sum(span.level == 0 for span in self.spans)

    @property
    def is_record(self) -> bool:
        """True for a record, which is stored before its vectors."""
        return self.source.format == Format.RECORD

    @property
    def n_tokens(self) -> int:
        """Tokens of the chunks that are embedded."""
        return sum(span.n_tokens for span in self.spans if span.has_vector)

    @cached_property
    def language(self) -> str | None:
        """Its language as ISO 639-1 code; None if uncertain."""
        return language_of_paper(self.document, self.spans)

    @property
    def texts(self) -> list[str]:
        """Texts to embed: the paper's own, then that of each chunk."""
        own = paper_text(self.document.title, self.document.abstract)
        return [own, *(span.embedded_text for span in self.spans if span.has_vector)]


@dataclass(frozen=True)
class Refused:
    """A document that cannot become a paper; one that ``may_work`` is tried again."""

    source: str
    stage: Stage
    reason: Reason
    detail: str
    may_work: bool = False


def hear_nothing(stage: Stage) -> None:
    """Take no notice."""


def fetch(found: DocumentRef, settings: JobSettings) -> RawDocument | Refused:
    """Read a document's bytes, or say why that cannot be."""
    try:
        source = found.read(max_bytes=settings.max_bytes)
        return replace(source, read_by=settings.pdf_by) if source.format == Format.PDF else source
    except SourceError as error:
        return Refused(found.name, Stage.FETCH, error.reason, error.detail)
    except Exception as error:
        return our_fault(found.name, Stage.FETCH, error)


log = logging.getLogger(__name__)


def our_fault(name: str, stage: Stage, error: Exception) -> Refused:
    """Return that papergraph itself failed on a document, which must not stop the others."""
    frame = traceback.extract_tb(error.__traceback__)[-1:]  # the message may quote the document
    log.error("a document made papergraph fail at %s: %s in %s", stage, summary(error), frame)
    return Refused(name, stage, Reason.INTERNAL, "made papergraph fail; its log has details", may_work=True)


def without_template_doi(document: Document, source: RawDocument) -> Document:
    """Return a document without the DOI of a publisher's template, which it shares with others."""
    if not document.doi or not is_template_doi(document.doi):
        return document
    key = document.key
    if key == f"doi:{document.doi}":
        key = f"arxiv:{document.arxiv_id}" if document.arxiv_id else source.key
    return replace(document, doi=None, key=key)


MOST_CHUNKS, CHUNKING_S = 20_000, 60.0
"""Most chunks of a document, where the longest text has about 7,000, and seconds of processor time of cutting it."""


class Reader:
    """Parses and cuts documents; can be sent to another process, which loads the tokenizer itself."""

    def __init__(
        self,
        card: ModelCard,
        settings: JobSettings,
        *,
        parsed: ParsedDocuments | None = None,
        tokenizer: "Tokenizer | None" = None,
    ) -> None:
        """Make a reader.

        Args:
            card: The embedding model.
            settings: How documents are read and cut.
            parsed: Where documents are kept that took a while to parse.
            tokenizer: The model's; None loads it by the model's name when it is needed.
        """
        self.card, self.settings, self._parsed = card, settings, parsed
        self._tokenizer = tokenizer

    def __reduce__(self) -> tuple[Any, ...]:
        return _reader, (self.card, self.settings, self._parsed)

    @cached_property
    def tokenizer(self) -> "Tokenizer":
        """The model's tokenizer, without truncation and padding."""
        return self._tokenizer or load_tokenizer(self.card.tokenizer or self.card.name)

    def read(self, source: RawDocument, *, reached: OnStage = hear_nothing) -> Prepared | Refused:
        """Parse and cut a document; ``reached`` hears the stages that begin."""
        reached(stage := Stage.PARSE)
        try:
            kept = self._parsed and self._parsed.get(source)
            document = without_template_doi(kept or self._parse(source), source)
            document = replace(document, is_partial=document.lost > self.settings.partial_share)
            reached(stage := Stage.CHUNK)
            spans = self._cut(document, source.name)
            return Prepared(replace(source, data=b""), document, spans, parsed_before=kept is not None)
        except SourceError as error:
            return Refused(source.name, stage, error.reason, error.detail)
        except Exception as error:
            return our_fault(source.name, stage, error)

    def _cut(self, document: Document, name: str) -> list[ChunkSpan]:
        """Return the chunks of a document.

        Raises:
            SourceError: They are too many, or take too long.
        """
        spans: list[ChunkSpan] = []
        end, is_abandoned = time.thread_time() + CHUNKING_S, abandoned.get()
        for span in self._chunker.chunks(document):
            spans.append(span)
            if len(spans) > MOST_CHUNKS:
                told = f"has more than {MOST_CHUNKS:,} chunks; split it, or raise maxTokens (--max-tokens)"
                raise SourceError(name, Reason.TOO_LARGE, told)
            if is_abandoned():
                raise SourceError(name, Reason.UNREADABLE, "was interrupted; ingest it again")
            if time.thread_time() > end:
                told = f"could not be cut within {CHUNKING_S:g} s of processor time"
                raise SourceError(name, Reason.OUT_OF_TIME, f"{told}; split it, or choose another chunker (--chunker)")
        return spans

    def _parse(self, source: RawDocument) -> Document:
        start = time.perf_counter()
        apart = parsers()[source.format].sandboxed and is_foreign(source)
        document = parse_sandboxed(source) if apart else parse(source)
        if self._parsed is not None and time.perf_counter() - start > WORTH_KEEPING_S:
            self._parsed.put(source, document)
        return document

    @cached_property
    def _chunker(self) -> Chunker:
        return Chunker(self.tokenizer, self.settings.options, longest_read=self.card.max_tokens)


def _reader(card: ModelCard, settings: JobSettings, parsed: ParsedDocuments | None) -> Reader:
    return Reader(card, settings, parsed=parsed)


class DocumentPreparer:
    """Prepares documents with one embedding model and one job's settings."""

    def __init__(
        self,
        embedder: Embedder,
        settings: JobSettings,
        *,
        collection: str,
        parsed: ParsedDocuments | None = None,
        originals: Originals | None = None,
    ) -> None:
        self.embedder, self.settings, self.collection, self._parsed = embedder, settings, collection, parsed
        self._originals = originals
        self._config_hashes: dict[tuple[PdfService | None, str | None], str] = {}

    def config_hash(self, read_by: PdfService | None = None, format: str | None = None) -> str:
        """Return the configuration hash of a document of a format that a service parses, or our own parser."""
        made_by = read_by, format
        if made_by not in self._config_hashes:
            self._config_hashes[made_by] = config_hash(
                self.embedder.card, self.settings.options, read_by, format=format
            )
        return self._config_hashes[made_by]

    def config_hash_of(self, document: DocumentRef) -> str:
        """Return the configuration hash of a document by what is known of it before it is read."""
        return self.config_hash(
            self.settings.pdf_by if document.known_format == Format.PDF else None, document.known_format
        )

    def fetch(self, found: DocumentRef) -> RawDocument | Refused:
        """Read a document's bytes and keep them where originals are kept, or say why they cannot be read."""
        source = fetch(found, self.settings)
        if self._originals is not None and isinstance(source, RawDocument):
            self._originals.keep(source)
        return source

    @cached_property
    def reader(self) -> Reader:
        """Function that parses and cuts."""
        return Reader(self.embedder.card, self.settings, parsed=self._parsed, tokenizer=self.embedder.tokenizer)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each distinct text."""
        return embed(self.embedder, texts, self.settings)

    def hash_of(self, text: str) -> str:
        """Return the hash by which a text's vector is stored."""
        return text_hash(self.embedder.card.sha256, text)

    @property
    def chunkers(self) -> list[str]:
        """Ways of cutting whose texts are embedded as this one's are, long ones included."""
        whole = self.settings.options.method.read_whole
        return [name for name, method in chunkers().items() if method.read_whole is whole]

    def n_tokens(self, texts: Sequence[str]) -> int:
        """Return how many tokens some texts have."""
        return sum(len(encoded.ids) for encoded in self.embedder.tokenizer.encode_batch(list(texts)))

    def rows(self, entry: Prepared, vectors: Mapping[str, Floats], key: str) -> PaperRows:
        """Return a document's rows under a key, with its language.

        A record that misses vectors has none; of another document the missing ones are made.
        """
        missing = [text for text in entry.texts if text not in vectors]  # of a text, deleted since we looked: rare
        follow = bool(missing) and entry.is_record
        known = {**vectors, **self.embed(missing)} if missing and not follow else vectors
        rows = build(
            entry.source,
            entry.document,
            entry.spans,
            None if follow else [known[text] for text in entry.texts],
            PaperKey(self.collection, key),
            self.embedder.card,
            self.settings.options,
        )
        return replace(rows, paper=rows.paper | {"language": entry.language})


def embed(embedder: Embedder, texts: Sequence[str], settings: JobSettings) -> Vectors:
    """Return a vector for each distinct text."""
    distinct = list(dict.fromkeys(texts))
    if not distinct:
        return {}
    whole = settings.options.method.read_whole
    with metrics.EMBEDDING_SECONDS.labels("documents").time():
        vectors = encode_whole(embedder, distinct) if whole else embedder.encode_documents(distinct)
    metrics.EMBEDDED_TEXTS.labels("documents").inc(len(distinct))
    return dict(zip(distinct, vectors, strict=True))
