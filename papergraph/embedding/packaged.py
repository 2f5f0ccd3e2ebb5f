"""The packaged model: queries and small batches on ONNX Runtime, bulk work on PyTorch where that is faster."""

import platform
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from papergraph.embedding import files
from papergraph.embedding.device import CPU, ON_CPU, Execution, resolve_device
from papergraph.embedding.model import Floats, ModelCard
from papergraph.embedding.onnx_encoder import OnnxEncoder
from papergraph.embedding.sentence_transformer import SentenceTransformerModel

if TYPE_CHECKING:
    from tokenizers import Tokenizer

DIMENSION, MAX_TOKENS = 384, 256
BULK_TEXTS = 512
"""Texts after which a process loads PyTorch: about where the time that bfloat16 saves has paid for loading it."""
CPU_INFO = Path("/proc/cpuinfo")


class PackagedModel:
    """all-MiniLM-L6-v2. Its identity and tokenizer are there at once; weights are loaded by the first text.

    The same weights give the same vectors on both back ends, within a cosine of 0.999.
    """

    def __init__(self, name: str = files.DEFAULT_NAME, execution: Execution = ON_CPU) -> None:
        """Find the model and check its weights.

        Args:
            name: One of its names, see :func:`papergraph.embedding.files.is_default`.
            execution: Where bulk work is done; queries and small batches stay on the CPU.

        Raises:
            DeviceMissingError: The processor that it is to run on is not there.
            EmbeddingError: Its package is missing, or the weights are not the official ones.
        """
        self._folder = files.find_model(name)
        sha256 = files.checked_weights(name, self._folder)
        self.card = ModelCard(name, sha256, DIMENSION, MAX_TOKENS, files.tokenizer_checksum(self._folder))
        self._lock = threading.Lock()
        self._n_texts = 0
        self._execution = execution
        self.device = resolve_device(execution)

    def __reduce__(self) -> tuple[type["PackagedModel"], tuple[str, Execution]]:
        return PackagedModel, (self.card.name, self._execution)  # another process loads it from its own files

    @cached_property
    def tokenizer(self) -> "Tokenizer":
        """The model's tokenizer, without truncation and padding."""
        return files.read_tokenizer(self._folder)

    def encode_query(self, text: str) -> Floats:
        """Return the vector of a query, length 1, shape (dimension,); on one thread."""
        (vector,) = self._small.encode([text])
        return np.asarray(vector)

    def encode_documents(self, texts: Sequence[str]) -> Floats:
        """Return one vector of length 1 for each text, shape (n, dimension)."""
        if not texts:
            return np.zeros((0, DIMENSION), dtype=np.float32)
        with self._lock:
            self._n_texts += len(texts)
            is_bulk = self._n_texts > BULK_TEXTS and (self.device != CPU or has_bfloat16())
        if is_bulk and (self.device != CPU or self._bulk.precision == "bfloat16"):
            return self._bulk.encode_documents(texts)
        return self._small.encode(texts)

    def encode_tokens(self, texts: Sequence[str]) -> list[Floats]:
        """Return the vectors of each text's tokens, see :meth:`SentenceTransformerModel.encode_tokens`."""
        return self._bulk.encode_tokens(texts)

    @property
    def _small(self) -> OnnxEncoder:
        with self._lock:
            return self._onnx

    @property
    def _bulk(self) -> SentenceTransformerModel:
        with self._lock:
            return self._sentence_transformer

    @cached_property
    def _onnx(self) -> OnnxEncoder:
        from papergraph.embedding.export import ensure_exported  # runs as a program too

        return OnnxEncoder(ensure_exported(self.card.sha256, self._folder), self._folder, max_tokens=MAX_TOKENS)

    @cached_property
    def _sentence_transformer(self) -> SentenceTransformerModel:
        return SentenceTransformerModel.load(self.card.name, self._execution)


def has_bfloat16() -> bool:
    """Return whether Linux reports instructions for bfloat16; elsewhere False.

    Without them PyTorch takes more time per text than ONNX Runtime (135 and 77 ms of processor time measured).
    """
    if platform.system() != "Linux" or not CPU_INFO.exists():
        return False
    return any("bf16" in line for line in CPU_INFO.read_text().splitlines() if line.startswith(("flags", "Features")))
