"""A document on its way to the graph: read, parsed, cut, embedded, and made into rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ingest.build import PaperRows, build, paper_text, recipe
from ingest.chunk import Chunker, ChunkOptions, ChunkSpan
from ingest.jobs import Stage
from ingest.parse import Document, parse
from ingest.sources import Found, SourceFile
from papergraph.embedding import Embedder, Floats, encode_whole
from papergraph.errors import Reason, SourceError

Vectors = dict[str, Floats]


@dataclass(frozen=True)
class JobSettings:
    """How a job's documents are made into papers.

    Attributes:
        options: How chunks are cut.
        max_bytes: Largest document that is read.
    """

    options: ChunkOptions
    max_bytes: int = 20_000_000


@dataclass(frozen=True)
class Prepared:
    """A document that was parsed and cut."""

    source: SourceFile
    document: Document
    spans: list[ChunkSpan]

    @property
    def texts(self) -> list[str]:
        """What is embedded of it: the paper's own text, then that of each chunk."""
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


class Preparer:
    """Prepares documents with one embedding model and one job's settings."""

    def __init__(self, embedder: Embedder, settings: JobSettings, *, collection: str) -> None:
        self._embedder, self._settings = embedder, settings
        self.collection = collection
        self.recipe = recipe(embedder.card, settings.options)

    def read(self, found: Found, *, reached: Callable[[Stage], None]) -> Prepared | Refused:
        """Read, parse and cut a document; ``reached`` hears the stages that begin."""
        stage = Stage.FETCH
        try:
            source = found.read(max_bytes=self._settings.max_bytes)
            reached(stage := Stage.PARSE)
            document = parse(source)
            reached(stage := Stage.CHUNK)
            return Prepared(source, document, list(self._chunker.chunks(document)))
        except SourceError as error:
            return Refused(found.name, stage, error.reason, error.detail)
        except Exception as error:  # a fault of ours in one document, which must not stop the others
            detail = f"made papergraph fail: {type(error).__name__}: {error}"
            return Refused(found.name, stage, Reason.INTERNAL, detail[:500], may_work=True)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each distinct text."""
        distinct = list(dict.fromkeys(texts))
        return dict(zip(distinct, self._encode(distinct), strict=True)) if distinct else {}

    def rows(self, entry: Prepared, vectors: Mapping[str, Floats], key: str) -> PaperRows:
        """Return a document's rows under a key; what has no vector is embedded."""
        missing = [text for text in entry.texts if text not in vectors]  # deleted since we looked: rare
        known = {**vectors, **self.embed(missing)} if missing else vectors
        return build(
            entry.source,
            entry.document,
            entry.spans,
            [known[text] for text in entry.texts],
            key=key,
            collection=self.collection,
            card=self._embedder.card,
            options=self._settings.options,
        )

    def _encode(self, texts: Sequence[str]) -> Floats:
        whole = self._settings.options.method.read_whole
        return encode_whole(self._embedder, texts) if whole else self._embedder.encode_documents(texts)

    @cached_property
    def _chunker(self) -> Chunker:
        card = self._embedder.card
        return Chunker(self._embedder.tokenizer, self._settings.options, longest_read=card.max_tokens)
