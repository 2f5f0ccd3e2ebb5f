"""Execution of a local model: device, batches, and permission for its own code."""

import importlib.util
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from papergraph.errors import DeviceMemoryError, EmbeddingError, install_command
from papergraph.settings.groups import EmbeddingSettings

CPU, CUDA, MPS, AUTO = "cpu", "cuda", "mps", "auto"
BATCH_SIZES = {CPU: 32, CUDA: 256, MPS: 64}
"""Texts at once; :class:`Batches` halves what does not fit into the memory of a GPU."""

T = TypeVar("T")


@dataclass(frozen=True)
class Execution:
    """Options of executing a local model.

    Attributes:
        device: ``cpu``, ``cuda``, ``mps``, or ``auto`` to prefer a GPU.
        trusts_code: True to run code among the model's files.
        setting: Name of the setting of the device, for errors.
    """

    device: str = CPU
    trusts_code: bool = False
    setting: str = "PAPERGRAPH_EMBEDDING_DEVICE"


ON_CPU = Execution()


def execution_of(settings: EmbeddingSettings, name: str) -> Execution:
    """Return how the settings have a model run."""
    return Execution(settings.device, name in settings.trust_remote_code)


def resolve_device(execution: Execution) -> str:
    """Return the available device for ``execution``.

    Raises:
        EmbeddingError: PyTorch does not find the device.
    """
    if execution.device == CPU:
        return CPU
    there = devices()
    if execution.device == AUTO:
        return there[0]
    if execution.device not in there:
        raise missing_device(execution, ", ".join(there))
    return execution.device


def missing_device(execution: Execution, found: str) -> EmbeddingError:
    """Return the error of a processor that this machine, or its PyTorch, does not have."""
    return EmbeddingError(
        f"{execution.setting} is {execution.device}, which PyTorch does not find here (it finds {found}): set it to "
        "auto or cpu, or install a PyTorch and driver for it, see https://pytorch.org/get-started",
        public="The processor of the server's models is missing. Its operator must choose another one.",
    )


def require_libraries(name: str) -> None:
    """Check that what runs a local model is installed.

    Raises:
        EmbeddingError: sentence-transformers is not.
    """
    if importlib.util.find_spec("sentence_transformers") is None:
        raise EmbeddingError(
            f"the model {name} needs sentence-transformers and PyTorch, which are not installed: "
            f"{install_command('models')}. Without them, models run at a server: PAPERGRAPH_EMBEDDING_URL, "
            "PAPERGRAPH_RERANKER_URL",
            public="The libraries of the server's model are missing. Its operator must install the extra `models`.",
        )


def devices() -> list[str]:
    """Return the processors that PyTorch finds here, the fastest first."""
    import torch

    found = {CUDA: torch.cuda.is_available(), MPS: torch.backends.mps.is_available(), CPU: True}
    return [name for name, is_there in found.items() if is_there]


def has_code(folder: Path) -> bool:
    """Say whether a model's configuration names program code that is not of the libraries."""
    for file in ("config.json", "tokenizer_config.json"):
        with suppress(OSError, ValueError):
            read = json.loads((folder / file).read_bytes())
            if isinstance(read, dict) and read.get("auto_map"):
                return True
    with suppress(OSError, ValueError):
        modules = json.loads((folder / "modules.json").read_bytes())
        return any(not str(one.get("type", "")).startswith("sentence_transformers.") for one in modules)
    return False


def check_code(name: str, folder: Path, execution: Execution) -> None:
    """Refuse a model with program code that is not trusted.

    Raises:
        EmbeddingError: It has such code.
    """
    if not execution.trusts_code and has_code(folder):
        raise EmbeddingError(
            f"the model {name!r} has program code of its own, which would run with all your rights. Read it in "
            f"{folder}; if you trust it, set PAPERGRAPH_EMBEDDING_TRUST_REMOTE_CODE={name}. Otherwise choose a model "
            "without code: papergraph models list",
            public="The server's model needs program code that its operator did not allow.",
        )


class Batches:
    """The number of texts at once: that of the device's table, halved each time the memory of a GPU is too small.

    Threads may share it.
    """

    def __init__(self, device: str, *, setting: str = ON_CPU.setting) -> None:
        self.size = BATCH_SIZES[device]
        self._device, self._setting = device, setting

    def run(self, work: Callable[[int], T]) -> T:
        """Return the result of ``work`` with the largest batch that fits into memory.

        Raises:
            DeviceMemoryError: A single text is too large; the next call starts with a full batch again.
        """
        while True:
            size = self.size
            try:
                return work(size)
            except RuntimeError as error:
                if not is_out_of_memory(error):
                    raise
                if size == 1:
                    self.size = BATCH_SIZES[self._device]
                    raise DeviceMemoryError(self._device, setting=self._setting) from error
            self.size = min(self.size, size // 2)
            _release()


def is_out_of_memory(error: RuntimeError) -> bool:
    """Say whether an error of PyTorch is about memory of a GPU; that of MPS has no class of its own."""
    message = str(error).lower()
    return type(error).__name__ == "OutOfMemoryError" or "out of memory" in message or "alloc_failed" in message


def _release() -> None:
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()
