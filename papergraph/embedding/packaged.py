"""The packaged embedding model, which runs on ONNX Runtime."""

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from papergraph.embedding import files
from papergraph.embedding.device import AUTO, CPU, ON_CPU, Execution, missing_device
from papergraph.embedding.model import Floats, ModelCard, known_model, unit, windows
from papergraph.embedding.packaged_files import DEFAULT_NAME, DEFAULT_SHA256, MODEL_FILE, packaged_folder
from papergraph.errors import EmbeddingError

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer


# A BERT model on ONNX Runtime that pools by the vector of the first token ([CLS]); needs no PyTorch


class OnnxEncoder:
    """A loaded ONNX model; calls from several threads run at the same time.

    Each run has one text and one thread; the texts of all calls are distributed over the processors. Runs of 4 and 8
    texts were slower (6.7 and 6.1 texts per second of processor time, 7.0 with one). A single text, such as a query,
    waits for no other.
    """

    def __init__(self, path: Path, folder: Path, *, max_tokens: int) -> None:
        """Load a model.

        Args:
            path: The ONNX file.
            folder: Folder of its ``tokenizer.json``.
            max_tokens: Longest input, special tokens included; the rest of a text is ignored.

        Raises:
            EmbeddingError: A file cannot be read.
        """
        self._tokenizer = files.read_tokenizer(folder)
        self._tokenizer.enable_truncation(max_tokens)
        self._inference = _session(path)
        self._pool = ThreadPoolExecutor(os.cpu_count() or 1)

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return one vector of length 1 for each text, shape (n, dimension); ``texts`` is not empty."""
        return unit(np.array(self._each(texts, lambda encoding: self._run(encoding)[0]), dtype=np.float32))

    def encode_tokens(self, texts: Sequence[str]) -> list[Floats]:
        """Return the vectors of each text's tokens, length 1, shape (n_tokens, dimension), without special tokens."""

        def own_tokens(encoding: "Encoding") -> Floats:
            return unit(self._run(encoding)[~np.array(encoding.special_tokens_mask, dtype=bool)])

        return self._each(texts, own_tokens)

    def _each(self, texts: Sequence[str], run: Callable[["Encoding"], Floats]) -> list[Floats]:
        encodings = self._tokenizer.encode_batch(list(texts))
        if len(encodings) == 1:
            return [run(encodings[0])]
        longest_first = sorted(range(len(texts)), key=lambda number: -len(encodings[number].ids))
        vectors = self._pool.map(lambda number: run(encodings[number]), longest_first)
        found = dict(zip(longest_first, vectors, strict=True))
        return [found[number] for number in range(len(texts))]

    def _run(self, encoding: "Encoding") -> Floats:
        """Return the vectors of all tokens of a text, shape (n_tokens, dimension)."""
        ids = np.array([encoding.ids], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        (tokens,) = self._inference.run(None, inputs)
        return np.asarray(tokens[0], dtype=np.float32)


def _session(path: Path) -> Any:
    try:
        import onnxruntime

        onnxruntime.set_default_logger_severity(3)  # errors only; warnings are about processors that are not there
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the library's errors share no base class
        raise EmbeddingError(f"cannot load {path}: {error}. Delete the file; it is fetched again.") from error


DIMENSION = 384
MAX_TOKENS = 256
"""Longest text in tokens, of the model's 512: a default chunk has at most 192, and time grows faster than length."""
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
            EmbeddingError: Another processor is set.
            EmbeddingError: The files cannot be fetched.
        """
        if execution.device not in (CPU, AUTO):
            raise missing_device(execution, f"{CPU}, for {DEFAULT_NAME}")
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
