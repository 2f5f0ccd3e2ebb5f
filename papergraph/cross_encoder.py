"""Cross-encoders that rerank passages: local ones, and those at a server."""

import asyncio
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

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
from papergraph.errors import DeviceMemoryError, EmbeddingError, InputError, ModelServerError
from papergraph.model_server import ModelServer, Patience, require_url
from papergraph.settings.groups import RerankerSettings

# A reranker behind a server: the protocol of Cohere, Jina and Voyage, or that of text-embeddings-inference


CONCURRENCY = 4
Request = Callable[[str, str, Sequence[str]], Mapping[str, Any]]


def _cohere_request(model: str, query: str, passages: Sequence[str]) -> Mapping[str, Any]:
    return {"model": model, "query": query, "documents": list(passages)}


def _tei_request(model: str, query: str, passages: Sequence[str]) -> Mapping[str, Any]:
    return {"query": query, "texts": list(passages), "truncate": True}


def _labels_request(model: str, query: str, passages: Sequence[str]) -> Mapping[str, Any]:
    return {"inputs": [[query, passage] for passage in passages], "truncate": True}


REQUESTS: Mapping[str, tuple[str, Request]] = {
    "cohere": ("/rerank", _cohere_request),
    "tei": ("/rerank", _tei_request),
    "labels": ("/predict", _labels_request),
}
"""Path and message of each protocol."""
ENTAILMENT = "entail"
"""Beginning of the label of entailment, in any case."""


class ServedReranker:
    """A model at :attr:`RerankerSettings.url`; may be called from several threads at once."""

    def __init__(self, settings: RerankerSettings, name: str) -> None:
        """Ask nothing yet.

        Args:
            settings: Where it is, and how it is asked.
            name: Its name there.

        Raises:
            InputError: The address or the key cannot be one, or no address is set.
        """
        url = require_url(settings.url, setting="PAPERGRAPH_RERANKER_URL", what=f"the reranker {name}")
        self._server = ModelServer(url, settings.api_key, setting="PAPERGRAPH_RERANKER", connections=CONCURRENCY)
        self._settings, self.name = settings, name

    def scores(self, query: str, passages: Sequence[str]) -> list[float]:
        """Return the score of each passage, in [0, 1], higher is better.

        Raises:
            ModelServerError: The server failed at every attempt, or sent scores that cannot be used.
        """
        size = self._settings.batch_size
        batches = [passages[start : start + size] for start in range(0, len(passages), size)]
        if not batches:
            return []
        pool = ThreadPoolExecutor(min(CONCURRENCY, len(batches)))
        try:
            parts = list(pool.map(lambda batch: self._scores(query, batch), batches))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
        return [score for part in parts for score in part]

    def _scores(self, query: str, passages: Sequence[str]) -> list[float]:
        path, message = REQUESTS[self._settings.protocol]
        patience = Patience(self._settings.attempts, self._settings.timeout_s)
        answer = self._server.post(path, message(self.name, query, passages), patience=patience)
        try:
            read = self._read_labels if self._settings.protocol == "labels" else self._read
            found = read(answer, len(passages))
        except (KeyError, TypeError, ValueError, OverflowError):
            raise ModelServerError(f"what {self._server.url} answers holds no score of each passage") from None
        if self._settings.scores == "logit":
            return [1 / (1 + math.exp(-max(-700.0, score))) for score in found]
        if not all(0 <= score <= 1 for score in found):
            raise ModelServerError(
                f'{self._server.url} sends scores outside of 0 to 1; set [reranker] scores = "logit" for logits'
            )
        return found

    def _read(self, answer: Any, n: int) -> list[float]:
        """Return the scores of an answer in the order of the passages."""
        rows = answer if isinstance(answer, list) else answer["results" if "results" in answer else "data"]
        by_place = {
            row["index"]: float(row["relevance_score" if "relevance_score" in row else "score"]) for row in rows
        }
        if sorted(by_place) != list(range(n)) or len(rows) != n or not all(map(math.isfinite, by_place.values())):
            raise ValueError("a passage has no score, or two")
        return [by_place[place] for place in range(n)]

    def _read_labels(self, answer: Any, n: int) -> list[float]:
        """Return the score of the label of entailment for each passage."""
        found = []
        for labels in answer:
            (score,) = (float(label["score"]) for label in labels if label["label"].lower().startswith(ENTAILMENT))
            found.append(score)
        if len(found) != n or not all(map(math.isfinite, found)):
            raise ValueError("a passage has no score, or two")
        return found


# Reranking by a cross-encoder: query and passage are read together, scores lie in [0, 1]


class RerankerMissingError(InputError):
    """A pipeline reranks, and no reranker is configured."""

    def __init__(self, pipeline: str) -> None:
        super().__init__(
            f"pipeline {pipeline} reranks with a cross-encoder and none is configured: set "
            "PAPERGRAPH_RERANKER_MODEL to the name or path of one, or choose another pipeline",
            field="pipeline",
        )


class Reranker:
    """A sentence-transformers CrossEncoder, with scores in [0, 1].

    The score is the logistic function of one output, or the probability of the label of entailment.

    Source: Nogueira and Cho 2019, Passage Re-ranking with BERT, arXiv:1901.04085.
    """

    def __init__(self, name: str, execution: Execution = ON_CPU) -> None:
        """Load a model by name or path.

        Raises:
            EmbeddingError: The processor that it is to run on is not there.
            EmbeddingError: It has program code of its own.
            DeviceMemoryError: The memory of the GPU is too small for it at present.
            EmbeddingError: The extra ``models`` is not installed.
            EmbeddingError: It cannot be loaded, or gives several numbers for a passage.
        """
        folder = find_model(name)
        check_code(name, folder, execution)
        require_libraries(name)
        device = resolve_device(execution)
        from sentence_transformers import CrossEncoder
        from torch import nn

        try:
            self._model = CrossEncoder(str(folder), device=device, activation_fn=nn.Identity(), local_files_only=True)
        except Exception as error:  # the libraries below raise what they like
            if isinstance(error, RuntimeError) and is_out_of_memory(error):
                raise DeviceMemoryError(device, setting=execution.setting) from error
            raise EmbeddingError(f"cannot load the reranker {name!r}: {error}") from error
        labels: Mapping[int, str] = self._model.config.id2label or {}
        entailment = [place for place, label in labels.items() if str(label).lower().startswith(ENTAILMENT)]
        if self._model.config.num_labels != 1 and len(entailment) != 1:
            n_labels = self._model.config.num_labels
            raise EmbeddingError(f"the reranker {name!r} gives {n_labels} numbers, none of which is named entailment")
        self._entailment = entailment[0] if entailment and self._model.config.num_labels != 1 else None
        self.name = name
        self.device = device
        self._batches = Batches(device, setting=execution.setting)

    def scores(self, query: str, passages: Sequence[str]) -> list[float]:
        """Return the score of each passage, in [0, 1], higher is better."""
        if not passages:
            return []
        pairs = [(query, passage) for passage in passages]
        found = self._batches.run(lambda size: self._model.predict(pairs, batch_size=size, show_progress_bar=False))
        found = np.nan_to_num(np.asarray(found, dtype=np.float64)).reshape(len(passages), -1)
        if self._entailment is None:
            return [float(score) for score in 1 / (1 + np.exp(-np.clip(found[:, 0], -700, 700)))]
        shares = np.exp(found - found.max(axis=1, keepdims=True))
        return [float(score) for score in shares[:, self._entailment] / shares.sum(axis=1)]


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

    @property
    def ranks(self) -> bool:
        """True if the configured reranker scores relevance; a server with the protocol ``labels`` scores entailment."""
        return self.default is not None and not (self._served is not None and self._served.protocol == "labels")

    def name(self, wanted: str | None, *, pipeline: str) -> str:
        """Return the name of the requested or configured reranker.

        Raises:
            RerankerMissingError: No name is given or configured.
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
