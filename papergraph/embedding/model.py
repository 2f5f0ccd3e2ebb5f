"""What an embedding model is, whichever library runs it, and what its vectors must be like."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from papergraph.errors import EmbeddingError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class ModelCard:
    """What tells one embedding model from another; stored with the vectors.

    Attributes:
        name: As configured.
        sha256: Checksum over the weights; of a served model, over its name and probe vectors.
        dimension: Length of a vector.
        max_tokens: Longest text in tokens, special ones included; what is beyond is not seen by the model.
        tokenizer_sha256: Checksum of the tokenizer; '' for what has none of its own.
        tokenizer: Name of the model whose tokenizer measures texts; '' for its own.
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
            raise EmbeddingError(f"vector {number} has shape {vector.shape}, the index has {dimension} dimensions")
        norm = float(np.linalg.norm(vector))
        if not np.isfinite(norm) or norm == 0.0:
            raise EmbeddingError(f"vector {number} of {len(vectors)} is zero or not finite; it would never be found")
    return vectors


def unit(vectors: Floats) -> Floats:
    """Return ``vectors`` at length 1, shape (n, d); zero vectors stay zero."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(norms > 0, norms, 1), dtype=np.float32)
