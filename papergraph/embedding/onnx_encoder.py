"""The packaged model on ONNX Runtime: ready in a fraction of a second, without PyTorch.

The ONNX file is made once per machine by :mod:`papergraph.embedding.export` and lies in the cache under the checksum of
the weights.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from papergraph.embedding import files
from papergraph.embedding.model import Floats, unit
from papergraph.errors import EmbeddingError

if TYPE_CHECKING:
    from tokenizers import Encoding

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


def _session(path: Path) -> Any:
    try:
        import onnxruntime

        onnxruntime.set_default_logger_severity(3)  # errors only; warnings are about processors that are not there
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the library's errors share no base class
        raise EmbeddingError(f"cannot load {path}: {error}. Delete the file; it is exported again.") from error
