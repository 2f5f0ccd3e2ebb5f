"""Models that sentence-transformers runs on PyTorch: every local model but the packaged one.

Both libraries come with the extra ``models`` and take seconds to import; they are imported when a model is loaded.
"""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from papergraph.embedding import files
from papergraph.embedding.device import (
    CPU,
    CUDA,
    MPS,
    ON_CPU,
    Batches,
    Execution,
    check_code,
    require_libraries,
    resolve_device,
)
from papergraph.embedding.model import Floats, ModelCard, check_vectors, encode_whole, unit, windows
from papergraph.errors import EmbeddingError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

ALL_THREADS = 0
WORTHWHILE_SPEEDUP = 1.2
LARGEST_COSINE_LOSS = 1e-3
PROBED = {CPU: 16, CUDA: 128}
"""Texts that tell which numbers are faster; a GPU is not busy with fewer."""


class SentenceTransformerModel:
    """A loaded sentence-transformers model; calls from several threads wait for each other."""

    def __init__(
        self, model: Any, tokenizer: "Tokenizer", card: ModelCard, *, bfloat16: bool, execution: Execution = ON_CPU
    ) -> None:
        self._model = model
        self._bfloat16 = bfloat16
        self._lock = threading.Lock()
        self.tokenizer = tokenizer
        self.card = card
        self._execution = execution
        self.device = str(getattr(getattr(model, "device", None), "type", CPU))
        self._batches = Batches(self.device, setting=execution.setting)

    def __reduce__(self) -> tuple[Any, ...]:
        return SentenceTransformerModel.load, (
            self.card.name,
            self._execution,
        )  # another process loads it from its own files

    @classmethod
    def load(cls, name: str, execution: Execution = ON_CPU) -> "SentenceTransformerModel":
        """Load a local model by name or path, see :func:`papergraph.embedding.load_model`.

        Raises:
            EmbeddingError: The processor that it is to run on is not there.
            EmbeddingError: It has program code that is not trusted.
            EmbeddingError: There is no such model here, its files cannot be read, or the extra ``models`` is missing.
        """
        folder = files.find_model(name)
        sha256 = files.weights_checksum(folder)
        check_code(name, folder, execution)
        require_libraries(name)
        device = resolve_device(execution)
        model = open_sentence_transformer(folder, device=device, trusts_code=execution.trusts_code)
        card = ModelCard(
            name,
            sha256,
            int(model.get_embedding_dimension()),
            int(model.max_seq_length),
            files.tokenizer_checksum(folder),
        )
        return cls(
            model,
            files.read_tokenizer(folder),
            card,
            bfloat16=device != MPS and _bfloat16_pays(model, device),
            execution=execution,
        )

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
        """Return the contextual vectors of each text's tokens, before pooling.

        A text beyond the model's limit is read in windows, as by :func:`encode_whole`. Special tokens are left out.

        Args:
            texts: Texts of any length.

        Returns:
            Vectors of length 1 for each text, shape (n_tokens, d), where n_tokens may be 0.
        """
        cut = [windows(text, self) for text in texts]
        distinct = list(dict.fromkeys(window for of in cut for window in of))
        with self._lock, self._rounding():
            found = self._batches.run(
                lambda size: self._model.encode(
                    distinct, batch_size=size, output_value="token_embeddings", show_progress_bar=False
                )
            )
        of_window = {w: self._own_tokens(w, vectors) for w, vectors in zip(distinct, found, strict=True)}
        return [np.concatenate([of_window[window] for window in of]) for of in cut]

    def _rounding(self) -> AbstractContextManager[Any]:
        return _precision(self.device, bfloat16=self._bfloat16)

    def _own_tokens(self, text: str, vectors: Any) -> Floats:
        is_special = np.array(self.tokenizer.encode(text).special_tokens_mask, dtype=bool)
        return unit(vectors.float().cpu().numpy()[~is_special])

    def _encode(self, method: Any, texts: list[str] | str, *, n_threads: int = ALL_THREADS) -> Floats:
        with self._lock, _threads(n_threads), self._rounding():
            vectors = self._batches.run(
                lambda size: method(texts, batch_size=size, normalize_embeddings=True, show_progress_bar=False)
            )
        return np.asarray(vectors, dtype=np.float32)


def open_sentence_transformer(folder: Path, *, device: str = CPU, trusts_code: bool = False) -> Any:
    """Load the sentence-transformers model of a folder onto a processor.

    Raises:
        EmbeddingError: Its files cannot be read.
    """
    try:
        from sentence_transformers import SentenceTransformer
        from transformers.utils.logging import disable_progress_bar

        disable_progress_bar()
        return SentenceTransformer(
            str(folder),
            device=device,
            local_files_only=True,
            trust_remote_code=trusts_code,
            model_kwargs={"use_safetensors": True},
        )
    except Exception as error:  # these libraries raise whatever their own dependencies raise
        raise EmbeddingError(f"cannot load the embedding model in {folder}: {error}") from error


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


def _precision(device: str, *, bfloat16: bool) -> AbstractContextManager[Any]:
    if not bfloat16:
        return nullcontext()
    import torch

    rounded: AbstractContextManager[Any] = torch.autocast(device, dtype=torch.bfloat16)
    return rounded


def _bfloat16_pays(model: Any, device: str) -> bool:
    """Probe whether this processor is faster in bfloat16 and the vectors stay the same within 1e-3 cosine.

    On an H100, models in the sizes of bge-base and bge-large embed 3 and 5 times as many texts a second with it.

    Weights stay in float32 under autocast: casting the whole model was as fast but lost up to 3e-3 cosine. Processors
    without instructions for bfloat16 are skipped: it was ten times as slow there, and the probe took 11 s.
    """
    if not _has_bfloat16(device):
        return False
    words = " ".join(filter(None, (__doc__, windows.__doc__, encode_whole.__doc__, check_vectors.__doc__))).split()
    texts = [" ".join(words[at:] + words[:at]) for at in range(PROBED[device])]  # as long as a chunk, all different
    (exact, slow_s), (rounded, fast_s) = (_timed_encode(model, texts, device, bfloat16=on) for on in (False, True))
    loss = 1.0 - float(np.min(np.sum(exact * rounded, axis=1)))
    return slow_s > WORTHWHILE_SPEEDUP * fast_s and loss < LARGEST_COSINE_LOSS


def _has_bfloat16(device: str) -> bool:
    import torch

    if device == CUDA:
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    return any(has for name, has in torch.cpu.get_capabilities().items() if "bf16" in name)


def _timed_encode(model: Any, texts: list[str], device: str, *, bfloat16: bool) -> tuple[Floats, float]:
    """Return the vectors and the time they took, the lesser of two runs.

    On the CPU that is processor time, in which other work does not count.
    """
    clock = time.process_time if device == CPU else time.perf_counter
    batches, times = Batches(device), []
    with _precision(device, bfloat16=bfloat16):
        for _ in range(2):
            start = clock()
            vectors = batches.run(
                lambda size: model.encode(texts, batch_size=size, normalize_embeddings=True, show_progress_bar=False)
            )
            times.append(clock() - start)
    return np.asarray(vectors, dtype=np.float32), min(times)
