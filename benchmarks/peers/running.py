"""Frame of the peers' programs: arguments on the input, the clock, and figures on the output.

They run in environments of their own, so nothing of papergraph can be imported here.
"""

import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

SIZE_TOKENS, OVERLAP_TOKENS = 192, 32
SIZE_CHARS, OVERLAP_CHARS = 900, 150
"""About as many tokens of abstracts."""

TASK: dict[str, Any] = json.load(sys.stdin)
"""``way``, ``papers`` (a folder), ``state`` (a folder that outlives a run), ``model`` (a folder), ``llm`` (an
address), ``uri``, ``user`` and ``password``."""


def papers() -> list[tuple[str, str]]:
    """Return name and text of each paper."""
    return [(path.name, path.read_text(encoding="utf-8")) for path in sorted(Path(TASK["papers"]).iterdir())]


class Encoder:
    """The packaged model of papergraph, run as papergraph runs it: one text and one thread for each run."""

    MAX_TOKENS = 256
    QUERY_PREFIX = "Represent this sentence for searching relevant passages: "

    def __init__(self) -> None:
        """Load ``model.onnx`` and ``tokenizer.json`` of the model's folder."""
        folder = Path(TASK["model"])
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options)
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(self.MAX_TOKENS)

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vector of each text, length 1."""
        encodings = self.tokenizer.encode_batch(list(texts))
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            return list(pool.map(self._vector, encodings))

    def _vector(self, encoding: Any) -> list[float]:
        ids = np.array([encoding.ids], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        (tokens,) = self._session.run(None, inputs)
        first = tokens[0, 0]
        vector: list[float] = (first / np.linalg.norm(first)).tolist()
        return vector


@contextmanager
def measured() -> Iterator[None]:
    """Print the seconds that it took."""
    start = time.perf_counter()
    yield
    print(json.dumps({"ingestSeconds": round(time.perf_counter() - start, 2)}))
