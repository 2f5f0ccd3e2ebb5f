"""Reranking by a cross-encoder: query and passage are read together, scores lie in [0, 1]."""

import asyncio
import threading
from collections.abc import Sequence

import numpy as np

from papergraph.embedding.device import (
    ON_CPU,
    Batches,
    Execution,
    check_code,
    is_out_of_memory,
    require_libraries,
    resolve_device,
)
from papergraph.embedding.files import find_model, is_folder
from papergraph.errors import DeviceMemoryError, EmbeddingError, InputError
from papergraph.served_reranker import ServedReranker
from papergraph.settings.models import RerankerSettings


class RerankerMissingError(InputError):
    """A pipeline reranks, and no reranker is configured."""

    def __init__(self, pipeline: str) -> None:
        super().__init__(
            f"pipeline {pipeline} reranks with a cross-encoder and none is configured: set "
            "PAPERGRAPH_RERANKER_MODEL to the name or path of one, or choose another pipeline",
            field="pipeline",
        )


class Reranker:
    """A sentence-transformers CrossEncoder with one output, made a score in [0, 1] by the logistic function.

    Source: Nogueira and Cho 2019, Passage Re-ranking with BERT, arXiv:1901.04085.
    """

    def __init__(self, name: str, execution: Execution = ON_CPU) -> None:
        """Load a model by name or path.

        Raises:
            DeviceMissingError: The processor that it is to run on is not there.
            RemoteCodeError: It has program code of its own.
            DeviceMemoryError: The memory of the GPU is too small for it at present.
            ModelLibrariesMissingError: The extra ``models`` is not installed.
            EmbeddingError: It cannot be loaded, or gives several numbers for a passage.
        """
        folder = find_model(name)
        check_code(name, folder, execution)
        require_libraries(name)
        device = resolve_device(execution)
        from sentence_transformers import CrossEncoder
        from torch import nn

        try:
            self._model = CrossEncoder(str(folder), device=device, activation_fn=nn.Sigmoid(), local_files_only=True)
        except Exception as error:  # the libraries below raise what they like
            if isinstance(error, RuntimeError) and is_out_of_memory(error):
                raise DeviceMemoryError(device, setting=execution.setting) from error
            raise EmbeddingError(f"cannot load the reranker {name!r}: {error}") from error
        if self._model.config.num_labels != 1:
            raise EmbeddingError(f"the reranker {name!r} gives {self._model.config.num_labels} numbers, not one score")
        self.name = name
        self.device = device
        self._batches = Batches(device, setting=execution.setting)

    def scores(self, query: str, passages: Sequence[str]) -> list[float]:
        """Return the score of each passage, in [0, 1], higher is better."""
        if not passages:
            return []
        pairs = [(query, passage) for passage in passages]
        found = self._batches.run(lambda size: self._model.predict(pairs, batch_size=size, show_progress_bar=False))
        found = np.asarray(found, dtype=np.float64)
        return [float(score) for score in np.nan_to_num(found.reshape(-1))]


class Rerankers:
    """Cross-encoders by name; each is loaded once, when it is first needed."""

    def __init__(self, default: str | None = None, *, served: RerankerSettings | None = None) -> None:
        """Know the one that pipelines mean that name none.

        Args:
            default: Its name or path.
            served: Where other rerankers than those of folders are, if a server is set; and where local ones run.
        """
        self.default = default
        self._served = served if served is not None and served.url is not None else None
        self._execution = Execution(served.device if served else "cpu", setting="PAPERGRAPH_RERANKER_DEVICE")
        self._loaded: dict[str, Reranker | ServedReranker] = {}
        self._lock = threading.Lock()

    def name(self, wanted: str | None, *, pipeline: str) -> str:
        """Return the name of the reranker that is meant.

        Raises:
            RerankerMissingError: None is named, and none is configured.
        """
        name = wanted or self.default
        if name is None:
            raise RerankerMissingError(pipeline)
        return name

    async def get(self, name: str) -> Reranker | ServedReranker:
        """Return a reranker, loaded in a thread the first time; of a server where one is set and it is no folder.

        Raises:
            EmbeddingError: It cannot be loaded.
        """
        return await asyncio.to_thread(self._get, name)

    def _get(self, name: str) -> Reranker | ServedReranker:
        with self._lock:
            if name not in self._loaded:
                if self._served is not None and not is_folder(name):
                    self._loaded[name] = ServedReranker(self._served, name)
                else:
                    self._loaded[name] = Reranker(name, self._execution)
            return self._loaded[name]
