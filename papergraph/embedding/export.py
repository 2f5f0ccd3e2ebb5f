"""Export of the packaged model to ONNX; ``python -m papergraph.embedding.export`` makes it before a first use.

The weights have a known checksum, so their architecture is known: the graph is written here, and the weights are put
into it. This takes a second or two, and no PyTorch. The result must give the vectors that sentence-transformers gave of
texts of many lengths and scripts (``probe_vectors.npy``); otherwise there is no file and the export fails.
"""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from papergraph.embedding import files
from papergraph.embedding.onnx_encoder import OnnxEncoder
from papergraph.embedding.packaged import MAX_TOKENS
from papergraph.errors import EmbeddingError

if TYPE_CHECKING:
    import numpy as np

    Weights = dict[str, np.ndarray]

EXPORT_VERSION = 2
"""Part of the file name; raise it when this module makes another graph."""

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
PROBE_VECTORS = Path(__file__).with_name("probe_vectors.npy")
"""What sentence-transformers gives of the probes in 32 bits, kept in 16; a test makes them anew and compares."""

N_LAYERS, N_HEADS, HEAD_WIDTH = 6, 12, 32
WIDTH = N_HEADS * HEAD_WIDTH
NORM = "LayerNormalization<axis=-1, epsilon=1e-12>"

# BERT (Devlin et al. 2019, arXiv:1810.04805) in ONNX's own notation. Operators read from the batch's shape: (b, t) ids
# become (b, t, WIDTH) vectors; tokens that are padding get a score so low that softmax gives them no weight.
HEAD = f"""
<ir_version: 10, opset_import: ["": 20]>
bert (int64[b, t] input_ids, int64[b, t] attention_mask) => (float[b, t, {WIDTH}] token_embeddings)
<
  int64[4] heads = {{0, 0, {N_HEADS}, {HEAD_WIDTH}}}, int64[3] joined = {{0, 0, {WIDTH}}},
  int64[1] zero = {{0}}, int64[2] inner = {{1, 2}},
  float one = {{1.0}}, float lowest = {{-3e38}}, float scale = {{{HEAD_WIDTH**-0.5}}}
>
{{
  length = Shape<start=1, end=2>(input_ids)
  word = Gather(words, input_ids)
  place = Slice(places, zero, length, zero)
  placed = Add(word, place)
  typed = Add(placed, type)
  hidden_0 = {NORM}(typed, norm_weight, norm_bias)
  mask = Cast<to=1>(attention_mask)
  padding = Sub(one, mask)
  low = Mul(padding, lowest)
  unseen = Unsqueeze(low, inner)
"""
LAYER = f"""
  query_N = MatMul(hidden_N, attention_self_query_weight_N)
  query_biased_N = Add(query_N, attention_self_query_bias_N)
  query_parted_N = Reshape(query_biased_N, heads)
  queries_N = Transpose<perm=[0, 2, 1, 3]>(query_parted_N)
  key_N = MatMul(hidden_N, attention_self_key_weight_N)
  key_biased_N = Add(key_N, attention_self_key_bias_N)
  key_parted_N = Reshape(key_biased_N, heads)
  keys_N = Transpose<perm=[0, 2, 3, 1]>(key_parted_N)
  value_N = MatMul(hidden_N, attention_self_value_weight_N)
  value_biased_N = Add(value_N, attention_self_value_bias_N)
  value_parted_N = Reshape(value_biased_N, heads)
  values_N = Transpose<perm=[0, 2, 1, 3]>(value_parted_N)
  score_N = MatMul(queries_N, keys_N)
  scaled_N = Mul(score_N, scale)
  masked_N = Add(scaled_N, unseen)
  share_N = Softmax<axis=-1>(masked_N)
  read_N = MatMul(share_N, values_N)
  read_turned_N = Transpose<perm=[0, 2, 1, 3]>(read_N)
  read_joined_N = Reshape(read_turned_N, joined)
  attended_N = MatMul(read_joined_N, attention_output_dense_weight_N)
  attended_biased_N = Add(attended_N, attention_output_dense_bias_N)
  attended_added_N = Add(attended_biased_N, hidden_N)
  attention_N = {NORM}(attended_added_N, attention_output_LayerNorm_weight_N, attention_output_LayerNorm_bias_N)
  wide_N = MatMul(attention_N, intermediate_dense_weight_N)
  wide_biased_N = Add(wide_N, intermediate_dense_bias_N)
  active_N = Gelu(wide_biased_N)
  narrow_N = MatMul(active_N, output_dense_weight_N)
  narrow_biased_N = Add(narrow_N, output_dense_bias_N)
  narrow_added_N = Add(narrow_biased_N, attention_N)
  hidden_NEXT = {NORM}(narrow_added_N, output_LayerNorm_weight_N, output_LayerNorm_bias_N)
"""
TAIL = f"  token_embeddings = Identity(hidden_{N_LAYERS})\n}}"


def main() -> None:
    """Export the model into the cache unless it is there.

    Raises:
        EmbeddingError: The model is not here, cannot be exported, or the exported one gives other vectors.
    """
    folder = files.find_model(files.DEFAULT_NAME)
    ensure_exported(files.checked_weights(files.DEFAULT_NAME, folder), folder)


def exported_path(sha256: str) -> Path:
    """Return where the ONNX file of the weights with this checksum lies in the cache, whether it is there or not."""
    from papergraph.settings import Settings

    return Settings().cache.expanduser() / "models" / f"{sha256}-{EXPORT_VERSION}.onnx"


def ensure_exported(sha256: str, folder: Path) -> Path:
    """Return the ONNX file of the packaged model; export it now if the cache does not hold it, which takes seconds.

    Args:
        sha256: Checksum of its weights.
        folder: Where its files are.

    Raises:
        EmbeddingError: It cannot be exported, or its vectors are not those of the original.
    """
    path = exported_path(sha256)
    if path.exists():
        return path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent) as beside:
            made = Path(beside) / path.name
            write_onnx(folder, made)
            check_same_vectors(OnnxEncoder(made, folder, max_tokens=MAX_TOKENS))
            made.replace(path)  # in one step: another process never sees half a file
    except EmbeddingError:
        raise
    except Exception as error:  # the libraries' errors share no base class
        reason = f"{type(error).__name__}: {error}"
        raise EmbeddingError(f"cannot export the embedding model to {path}: {reason}") from error
    return path


def write_onnx(folder: Path, path: Path) -> None:
    """Write the transformer of the model in ``folder``, without its pooling, as an ONNX file.

    Inputs ``input_ids`` and ``attention_mask``, shape (batch, length); output the tokens' vectors, shape
    (batch, length, dimension).
    """
    import numpy as np
    import onnx
    from safetensors.numpy import load_file

    layers = [LAYER.replace("_NEXT", f"_{number + 1}").replace("_N", f"_{number}") for number in range(N_LAYERS)]
    model = onnx.parser.parse_model(HEAD + "".join(layers) + TAIL)
    weights = load_file(folder / "model.safetensors")
    model.graph.initializer.extend(
        onnx.numpy_helper.from_array(np.ascontiguousarray(values), name) for name, values in _named(weights)
    )
    onnx.save(model, path)


def check_same_vectors(exported: OnnxEncoder) -> None:
    """Compare an exported model with the original on the probe texts.

    Raises:
        EmbeddingError: A cosine is below :data:`LOWEST_COSINE`.
    """
    import numpy as np

    expected = np.load(PROBE_VECTORS).astype(np.float32)
    norms = np.linalg.norm(expected, axis=1)
    cosines = np.sum(expected * exported.encode(PROBES), axis=1) / norms
    if not np.all(cosines >= LOWEST_COSINE):  # also when it is not a number
        text = PROBES[int(np.argmin(cosines))][:40]
        raise EmbeddingError(
            f"the exported model gives other vectors than the original: cosine {np.min(cosines):.6f} for {text!r}, "
            f"at least {LOWEST_COSINE} is needed. Report this with the versions of onnx and onnxruntime."
        )


def _named(weights: "Weights") -> "Iterator[tuple[str, np.ndarray]]":
    """Yield the weights under their names in the graph; matrices of layers are turned, as MatMul expects them."""
    yield "words", weights["embeddings.word_embeddings.weight"]
    yield "places", weights["embeddings.position_embeddings.weight"]
    yield "type", weights["embeddings.token_type_embeddings.weight"][0]
    yield "norm_weight", weights["embeddings.LayerNorm.weight"]
    yield "norm_bias", weights["embeddings.LayerNorm.bias"]
    for name, values in weights.items():
        if name.startswith("encoder.layer."):
            number, _, part = name.removeprefix("encoder.layer.").partition(".")
            yield f"{part.replace('.', '_')}_{number}", values.T


if __name__ == "__main__":
    try:
        main()
    except EmbeddingError as error:
        sys.exit(str(error))
