"""The packaged model on ONNX Runtime: ready in a fraction of a second, without PyTorch.

The ONNX file is made once per machine by :mod:`papergraph.embedding.export`, in a process of its own, and lies in the
cache under the checksum of the weights.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from papergraph.embedding import files
from papergraph.embedding.model import Floats, unit
from papergraph.errors import EmbeddingError
from papergraph.settings import Settings

if TYPE_CHECKING:
    from tokenizers import Encoding

EXPORT_TIMEOUT_S = 600
EXPORT_VERSION = 1
"""Part of the file name; raise it when :mod:`papergraph.embedding.export` makes another graph."""
BATCH_SIZE = 4
"""Texts of about one length per run; with more, 5 to 20 % more processor time was measured per text."""


class OnnxEncoder:
    """A loaded ONNX model that pools by the mean; calls from several threads run at the same time.

    Each run uses one thread, batches of one call are spread over the processors: a query waits for no other thread.
    """

    def __init__(self, path: Path, folder: Path, *, max_tokens: int) -> None:
        """Load a model.

        Args:
            path: The ONNX file.
            folder: Where its ``tokenizer.json`` is.
            max_tokens: Longest input, special tokens included; the rest of a text is not read.

        Raises:
            EmbeddingError: A file cannot be read.
        """
        self._tokenizer = files.read_tokenizer(folder)
        self._tokenizer.enable_truncation(max_tokens)
        self._inference = _session(path)

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return one vector of length 1 for each text, shape (n, dimension); ``texts`` is not empty."""
        encodings = self._tokenizer.encode_batch(list(texts))
        longest_first = sorted(range(len(texts)), key=lambda number: -len(encodings[number].ids))
        batches = [longest_first[start : start + BATCH_SIZE] for start in range(0, len(texts), BATCH_SIZE)]

        def run(batch: list[int]) -> Floats:
            return self._run([encodings[number] for number in batch])

        if len(batches) == 1:
            found = [run(batches[0])]
        else:
            with ThreadPoolExecutor(min(len(batches), os.cpu_count() or 1)) as pool:
                found = list(pool.map(run, batches))
        vectors = np.empty((len(texts), found[0].shape[1]), dtype=np.float32)
        vectors[longest_first] = np.concatenate(found)
        return unit(vectors)

    def _run(self, encodings: Sequence["Encoding"]) -> Floats:
        shape = len(encodings), max(len(encoding.ids) for encoding in encodings)
        ids, mask = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
        for row, encoding in enumerate(encodings):
            ids[row, : len(encoding.ids)] = encoding.ids
            mask[row, : len(encoding.ids)] = 1
        (tokens,) = self._inference.run(None, {"input_ids": ids, "attention_mask": mask})
        return np.asarray(np.einsum("btd,bt->bd", tokens, mask.astype(np.float32)), dtype=np.float32)


def exported_path(sha256: str) -> Path:
    """Return where the ONNX file of the weights with this checksum lies in the cache, whether it is there or not."""
    return Settings().cache.expanduser() / "models" / f"{sha256}-{EXPORT_VERSION}.onnx"


def ensure_exported(sha256: str) -> Path:
    """Return the ONNX file of the packaged model; export it now if the cache does not hold it, which takes seconds.

    Raises:
        EmbeddingError: It cannot be exported, or its vectors are not those of the original.
    """
    path = exported_path(sha256)
    if path.exists():
        return path
    command = [sys.executable, "-m", "papergraph.embedding.export", str(path)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=EXPORT_TIMEOUT_S, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired) as error:
        raise EmbeddingError(f"cannot export the embedding model to {path}: {error}") from error
    if done.returncode != 0 or not path.exists():
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise EmbeddingError(f"cannot export the embedding model to {path}: {reason}")
    return path


def _session(path: Path) -> Any:
    try:
        import onnxruntime

        onnxruntime.set_default_logger_severity(3)  # errors only; warnings are about processors that are not there
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the library's errors share no base class
        raise EmbeddingError(f"cannot load {path}: {error}. Delete the file; it is exported again.") from error
