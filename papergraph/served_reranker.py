"""A reranker behind a server: the protocol of Cohere, Jina and Voyage, or that of text-embeddings-inference."""

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from papergraph.errors import ModelServerError
from papergraph.model_server import ModelServer, Patience, require_url
from papergraph.settings.models import RerankerSettings

CONCURRENCY = 4
Request = Callable[[str, str, Sequence[str]], Mapping[str, Any]]


def _cohere_request(model: str, query: str, passages: Sequence[str]) -> Mapping[str, Any]:
    return {"model": model, "query": query, "documents": list(passages)}


def _tei_request(model: str, query: str, passages: Sequence[str]) -> Mapping[str, Any]:
    return {"query": query, "texts": list(passages), "truncate": True}


REQUESTS: Mapping[str, Request] = {"cohere": _cohere_request, "tei": _tei_request}


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
        message = REQUESTS[self._settings.protocol](self.name, query, passages)
        patience = Patience(self._settings.attempts, self._settings.timeout_s)
        answer = self._server.post("/rerank", message, patience=patience)
        try:
            found = self._read(answer, len(passages))
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
