"""The packaged model: bge-small-en-v1.5 on ONNX Runtime."""

import threading
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from papergraph.embedding import files
from papergraph.embedding.device import AUTO, CPU, ON_CPU, Execution
from papergraph.embedding.known_models import known_model
from papergraph.embedding.model import Floats, ModelCard
from papergraph.embedding.onnx_encoder import OnnxEncoder
from papergraph.embedding.packaged_files import DEFAULT_NAME, DEFAULT_SHA256, MODEL_FILE, packaged_folder
from papergraph.embedding.windows import windows
from papergraph.errors import DeviceMissingError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

DIMENSION = 384
MAX_TOKENS = 256
"""Of the 512 that the model can read: a default chunk has at most 192, and time grows faster than length."""
QUERY_PREFIX = known_model(DEFAULT_NAME).query_prefix


class PackagedModel:
    """bge-small-en-v1.5. Its card and tokenizer are available at once; the first text loads the weights.

    Queries get the model's prefix, documents none. May be called from several threads at once.
    """

    device = CPU

    def __init__(self, execution: Execution = ON_CPU) -> None:
        """Find the model's files; fetch them if the cache lacks them.

        Args:
            execution: ``cpu`` or ``auto``; this model runs on no other processor.

        Raises:
            DeviceMissingError: Another processor is set.
            EmbeddingError: The files cannot be fetched.
        """
        if execution.device not in (CPU, AUTO):
            raise DeviceMissingError(execution.device, setting=execution.setting, there=f"{CPU}, for {DEFAULT_NAME}")
        self._folder = packaged_folder()
        tokenizer_sha256 = files.tokenizer_checksum(self._folder)
        self.card = ModelCard(DEFAULT_NAME, DEFAULT_SHA256, DIMENSION, MAX_TOKENS, tokenizer_sha256)
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[type["PackagedModel"], tuple[()]]:
        return PackagedModel, ()  # another process loads it from its own files

    @cached_property
    def tokenizer(self) -> "Tokenizer":
        """The model's tokenizer, without truncation and padding."""
        return files.read_tokenizer(self._folder)

    def encode_query(self, text: str) -> Floats:
        """Return the vector of a query, length 1, shape (dimension,); on one thread."""
        (vector,) = self._encoder.encode([QUERY_PREFIX + text])
        return np.asarray(vector)

    def encode_documents(self, texts: Sequence[str]) -> Floats:
        """Return one vector of length 1 for each text, shape (n, dimension)."""
        return self._encoder.encode(texts) if texts else np.zeros((0, DIMENSION), dtype=np.float32)

    def encode_tokens(self, texts: Sequence[str]) -> list[Floats]:
        """Return the vectors of each text's tokens, see :meth:`SentenceTransformerModel.encode_tokens`."""
        cut = [windows(text, self) for text in texts]
        distinct = list(dict.fromkeys(window for of in cut for window in of))
        vectors = dict(zip(distinct, self._encoder.encode_tokens(distinct), strict=True))
        return [np.concatenate([vectors[window] for window in of]) for of in cut]

    @property
    def _encoder(self) -> OnnxEncoder:
        with self._lock:
            return self._loaded

    @cached_property
    def _loaded(self) -> OnnxEncoder:
        return OnnxEncoder(self._folder / MODEL_FILE, self._folder, max_tokens=MAX_TOKENS)
