"""Interface of embedding models, windows of long texts, and facts about known models."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from papergraph.errors import EmbeddingError

if TYPE_CHECKING:
    from tokenizers import Tokenizer


# Interface of embedding models, and requirements on their vectors


Floats = NDArray[np.float32]


@dataclass(frozen=True)
class ModelCard:
    """Identity of an embedding model, stored with the vectors.

    Attributes:
        name: As configured.
        sha256: Checksum over the weights; of a served model, over its name and probe vectors.
        dimension: Length of a vector.
        max_tokens: Longest text in tokens including special ones; the rest of a longer text is ignored.
        tokenizer_sha256: Checksum of the tokenizer; '' for a model without its own.
        tokenizer: Model of the tokenizer that measures texts; '' for its own.
        probes: Vectors of the probe texts, see :mod:`papergraph.embedding.served`; '' of a local model.
    """

    name: str
    sha256: str
    dimension: int
    max_tokens: int
    tokenizer_sha256: str = ""
    tokenizer: str = ""
    probes: str = field(default="", repr=False, compare=False)

    @property
    def identity(self) -> str:
        """Name and checksum in one line."""
        return f"{self.name} ({self.dimension} dimensions, sha256 {self.sha256[:12]})"


class Embedder(Protocol):
    """Anything that embeds texts; the tokenizer is what chunks are measured with."""

    card: ModelCard

    @property
    def tokenizer(self) -> "Tokenizer":
        """The model's tokenizer, without truncation and padding."""

    def encode_documents(self, texts: Sequence[str]) -> Floats:
        """Return one vector of length 1 for each text, shape (n, dimension)."""

    def encode_query(self, text: str) -> Floats:
        """Return the vector of a query, length 1, shape (dimension,)."""


def check_vectors(vectors: Sequence[Floats], *, dimension: int) -> Sequence[Floats]:
    """Return ``vectors`` unchanged if a cosine index can hold each; Neo4j would store the others without a word.

    Args:
        vectors: Each of shape (d,).
        dimension: The index's number of dimensions.

    Raises:
        EmbeddingError: A vector has another length, is zero, or has a component that is not finite.
    """
    for number, vector in enumerate(vectors):
        if vector.shape != (dimension,):
            raise EmbeddingError(
                f"vector {number} has shape {vector.shape}, the index has {dimension} dimensions; "
                "use the model that the index was made with"
            )
        norm = float(np.linalg.norm(vector))
        if not np.isfinite(norm) or norm == 0.0:
            raise EmbeddingError(f"vector {number} of {len(vectors)} is zero or not finite; it would never be found")
    return vectors


def unit(vectors: Floats) -> Floats:
    """Return ``vectors`` at length 1, shape (n, d); zero vectors stay zero."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(norms > 0, norms, 1), dtype=np.float32)


UNRELATED = (
    "Is tabu search better than simulated annealing?",
    "Sleep quality was measured in forty adults after caffeine.",
    "The velocity profile of a boundary layer over a flat plate is computed.",
    "Wages rise faster when unemployment falls.",
    "Penicillin was discovered in a contaminated culture.",
    "Glaciers in the valley lost a third of their volume.",
)
"""Texts about different subjects."""


def chance_cosine(embedder: Embedder) -> float:
    """Return the mean cosine of queries and unrelated documents, at least 0.

    Models differ: about 0 for MiniLM and .45 for bge-small. Only what a cosine exceeds this by is evidence.
    """
    queries = np.stack([embedder.encode_query(text) for text in UNRELATED])
    cosines = queries @ embedder.encode_documents(UNRELATED).T
    return max(0.0, float(cosines[~np.eye(len(UNRELATED), dtype=bool)].mean()))


# Vectors of texts that are longer than a model reads: the mean over windows of about the same length


LONGEST_WORD = 60


def encode_whole(embedder: Embedder, texts: Sequence[str]) -> Floats:
    """Return one vector of length 1 for each text, however long, shape (n, dimension).

    The vector of a text that is longer than the model reads is the direction of the mean over windows of about the
    same length, cut between words; a model alone would leave out what is beyond its limit without a word.

    Args:
        embedder: The model.
        texts: Texts of any length.
    """
    cut = [windows(text, embedder) for text in texts]
    distinct = {window: number for number, window in enumerate(dict.fromkeys(w for of in cut for w in of))}
    vectors = embedder.encode_documents(list(distinct))
    resources = [np.mean([vectors[distinct[window]] for window in of], axis=0) for of in cut]
    whole = np.asarray(resources, dtype=np.float32).reshape(-1, embedder.card.dimension)
    return unit(whole)


def windows(text: str, embedder: Embedder) -> list[str]:
    """Cut ``text`` between words into parts that the model reads whole, as few as there can be."""
    n_read = embedder.card.max_tokens - embedder.tokenizer.num_special_tokens_to_add(is_pair=False)
    starts = [start for start, _ in embedder.tokenizer.encode(text, add_special_tokens=False).offsets]
    n_windows = -(-len(starts) // n_read)
    while n_windows > 1:
        cuts = [0]
        for number in range(1, n_windows):
            position = starts[number * len(starts) // n_windows]
            word = _word_start(text, position)
            cuts.append(word if word > cuts[-1] else max(position, cuts[-1]))
        parts = [text[start:end] for start, end in pairwise([*cuts, len(text)]) if text[start:end].strip()]
        lengths = (len(embedder.tokenizer.encode(window, add_special_tokens=False).ids) for window in parts)
        if n_windows >= len(starts) or max(lengths) <= n_read:
            return parts
        n_windows += 1
    return [text]


def _word_start(text: str, position: int) -> int:
    """Return where the word at ``position`` begins, unless it is longer than a word is."""
    start = position
    while start > 0 and not text[start - 1].isspace():
        start -= 1
        if position - start > LONGEST_WORD:
            return position
    return start


# Known models by name: prefixes of queries and documents, and largest length.
#
# Source: the model cards of the publishers. A model is found by the end of its name, so that ``bge-m3``,
# ``BAAI/bge-m3`` and ``bge-m3:latest`` are one.


SEARCH = "Represent this sentence for searching relevant passages: "
INSTRUCT = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"


@dataclass(frozen=True)
class KnownModel:
    """A model.

    Attributes:
        name: Name at the Hugging Face hub.
        max_tokens: Longest text, in its own tokens.
        query_prefix: What goes before a query.
        document_prefix: What goes before any other text.
    """

    name: str
    max_tokens: int
    query_prefix: str = ""
    document_prefix: str = ""

    @property
    def short_name(self) -> str:
        """Name without the publisher, in small letters."""
        return self.name.rpartition("/")[2].lower()


KNOWN_MODELS = (
    KnownModel("sentence-transformers/all-MiniLM-L6-v2", 256),
    KnownModel("sentence-transformers/all-mpnet-base-v2", 384),
    *(KnownModel(f"intfloat/e5-{size}-v2", 512, "query: ", "passage: ") for size in ("small", "base", "large")),
    *(KnownModel(f"intfloat/multilingual-e5-{size}", 512, "query: ", "passage: ") for size in ("small", "base")),
    KnownModel("intfloat/multilingual-e5-large", 512, "query: ", "passage: "),
    KnownModel("intfloat/multilingual-e5-large-instruct", 512, f"{INSTRUCT} "),
    *(KnownModel(f"BAAI/bge-{size}-en-v1.5", 512, SEARCH) for size in ("small", "base", "large")),
    KnownModel("BAAI/bge-m3", 8192),
    *(KnownModel(f"thenlper/gte-{size}", 512) for size in ("small", "base", "large")),
    *(KnownModel(f"Alibaba-NLP/gte-{size}-en-v1.5", 8192) for size in ("base", "large")),
    KnownModel("Alibaba-NLP/gte-multilingual-base", 8192),
    *(KnownModel(f"Alibaba-NLP/gte-Qwen2-{size}-instruct", 32768, f"{INSTRUCT} ") for size in ("1.5B", "7B")),
    *(KnownModel(f"Qwen/Qwen3-Embedding-{size}", 32768, INSTRUCT) for size in ("0.6B", "4B", "8B")),
    KnownModel("nomic-ai/nomic-embed-text-v1.5", 8192, "search_query: ", "search_document: "),
    KnownModel("nomic-ai/nomic-embed-text", 8192, "search_query: ", "search_document: "),
    KnownModel("mixedbread-ai/mxbai-embed-large-v1", 512, SEARCH),
    KnownModel("mixedbread-ai/mxbai-embed-large", 512, SEARCH),
    *(KnownModel(f"Snowflake/snowflake-arctic-embed-{size}", 512, SEARCH) for size in ("xs", "s", "m", "l")),
    *(KnownModel(f"Snowflake/snowflake-arctic-embed-{size}-v2.0", 8192, "query: ") for size in ("m", "l")),
    KnownModel("MongoDB/mdbr-leaf-ir", 512, SEARCH),
    *(KnownModel(f"avsolatorio/{name}-small-Embedding-v0", 512) for name in ("NoInstruct", "GIST")),
    KnownModel("abhinand/MedEmbed-small-v0.1", 512, SEARCH),
    KnownModel("ibm-granite/granite-embedding-30m-english", 512),
    KnownModel("ibm-granite/granite-embedding-small-english-r2", 8192),
    KnownModel("Alibaba-NLP/gte-modernbert-base", 8192),
    KnownModel("google/embeddinggemma-300m", 2048, "task: search result | query: ", "title: none | text: "),
    *(KnownModel(f"openai/text-embedding-{size}", 8191) for size in ("3-small", "3-large", "ada-002")),
)
DEFAULT_MAX_TOKENS = 512


def known_model(name: str) -> KnownModel:
    """Return the entry of a model; an unknown model has 512 tokens and empty prefixes."""
    return _by_short_name(name) or KnownModel(name, DEFAULT_MAX_TOKENS)


def is_known(name: str) -> bool:
    """Return whether the prefixes of a model are known."""
    return _by_short_name(name) is not None


def _by_short_name(name: str) -> KnownModel | None:
    short = name.rpartition("/")[2].partition(":")[0].lower()
    return next((model for model in KNOWN_MODELS if model.short_name == short), None)
