"""Export of the packaged model to ONNX, run once per machine: ``python -m papergraph.embedding.export [FILE]``.

The exported model must give the vectors of sentence-transformers on texts of many lengths and scripts; otherwise there
is no file and the command fails.
"""

import logging
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from papergraph.embedding import files
from papergraph.embedding.onnx_encoder import OnnxEncoder, exported_path
from papergraph.embedding.packaged import MAX_TOKENS
from papergraph.embedding.sentence_transformer import open_sentence_transformer
from papergraph.errors import EmbeddingError

LOWEST_COSINE = 0.9999
PROBES = (
    "tides",
    "How many physical qubits does a distance-7 surface code patch need?",
    "Das Verfahren konvergiert für jede Schrittweite α < 1/L; 收敛速度是线性的。",
    "∀ε>0 ∃δ>0: |x − y| < δ ⇒ |f(x) − f(y)| < ε",
    "We compare tabu search with simulated annealing on dense quadratic problems. " * 10,
    "A text that is longer than the model reads, of which the end is left out. " * 40,
    "",
)


def main() -> None:
    """Export the model unless the file is there.

    Raises:
        EmbeddingError: The model cannot be exported, or the exported one gives other vectors.
    """
    folder = files.find_model(files.DEFAULT_NAME)
    sha256 = files.checked_weights(files.DEFAULT_NAME, folder)
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else exported_path(sha256)
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    original = open_sentence_transformer(folder)
    with tempfile.TemporaryDirectory(dir=path.parent) as beside:
        made = Path(beside) / path.name
        write_onnx(original, made)
        check_same_vectors(original, OnnxEncoder(made, folder, max_tokens=MAX_TOKENS))
        made.replace(path)  # in one step: another process never sees half a file


def write_onnx(original: Any, path: Path) -> None:
    """Write the transformer of a sentence-transformers model, without its pooling, as an ONNX file.

    Inputs ``input_ids`` and ``attention_mask``, shape (batch, length); output the tokens' vectors, shape
    (batch, length, dimension).
    """
    import torch

    class Tokens(torch.nn.Module):
        def __init__(self, transformer: Any) -> None:
            super().__init__()
            self.transformer = transformer

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            return self.transformer(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state

    ids, mask = (
        torch.ones((2, 8), dtype=torch.long),
        torch.ones((2, 8), dtype=torch.long),
    )  # one tensor would be one input
    dynamic = {0: torch.export.Dim("batch"), 1: torch.export.Dim("length")}
    with torch.inference_mode(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the exporter, about itself
        logging.getLogger("torch").setLevel(logging.ERROR)
        torch.onnx.export(
            Tokens(original[0].auto_model).eval(),
            (ids, mask),
            str(path),
            input_names=["input_ids", "attention_mask"],
            output_names=["token_embeddings"],
            dynamic_shapes={"input_ids": dynamic, "attention_mask": dynamic},
            external_data=False,
            verbose=False,
            dynamo=True,  # the older exporter gave a graph with other vectors
        )


def check_same_vectors(original: Any, exported: OnnxEncoder) -> None:
    """Compare the exported model with the original on the probe texts.

    Raises:
        EmbeddingError: A cosine is below :data:`LOWEST_COSINE`.
    """
    expected = original.encode(list(PROBES), normalize_embeddings=True, show_progress_bar=False)
    cosines = np.sum(expected * exported.encode(PROBES), axis=1)
    if not np.all(cosines >= LOWEST_COSINE):  # also when it is not a number
        text = PROBES[int(np.argmin(cosines))][:40]
        raise EmbeddingError(
            f"the exported model gives other vectors than the original: cosine {np.min(cosines):.6f} for {text!r}, "
            f"at least {LOWEST_COSINE} is needed. Report this with the versions of torch and onnxruntime."
        )


if __name__ == "__main__":
    try:
        main()
    except EmbeddingError as error:
        sys.exit(str(error))
