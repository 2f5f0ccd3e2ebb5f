"""A server of embedding models and rerankers, played over a real loopback socket, with the faults that one can have.

Speaks OpenAI's ``/v1/embeddings``; ``/embed``, ``/info``, ``/rerank`` and ``/predict`` of text-embeddings-inference;
and the rerankers' ``/v1/rerank`` of Cohere, Jina and Voyage. Vectors depend on nothing but the model and the text.
"""

import hashlib
import json
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.support.local_server import LocalServer, QuietHandler


@dataclass(frozen=True)
class Request:
    path: str
    headers: Mapping[str, str]
    body: Any
    at_s: float

    @property
    def texts(self) -> list[str]:
        return list(self.body.get("input") or self.body.get("inputs") or self.body.get("texts") or ())


@dataclass(frozen=True)
class Fault:
    """What is sent instead of, or around, an answer.

    Attributes:
        status: HTTP status; with another than 200 the body says ``told``.
        told: Words of an error.
        headers: More headers.
        delay_s: Silence before the first byte, seconds.
        cut_after: The connection is closed after so many bytes of the body.
        body: Sent as it is.
        change: Makes other vectors of the right ones.
    """

    status: int = 200
    told: str = "out of order"
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    cut_after: int | None = None
    body: bytes | None = None
    change: Callable[[list[list[float]]], list[Any]] | None = None


def vector_of(model: str, text: str, dimension: int) -> list[float]:
    """Return the vector of a text by a model, not of length 1."""
    seed = int.from_bytes(hashlib.sha256(f"{model}\n{text}".encode()).digest()[:8], "big")
    return np.random.default_rng(seed).standard_normal(dimension).round(5).tolist()


class FakeModelServer(LocalServer):
    """``model`` is what answers under whatever name; put another one there, and the server has changed its model."""

    def __init__(self, *, model: str = "first", dimension: int = 32, most_texts: int = 1000) -> None:
        self.model, self.dimension, self.most_texts = model, dimension, most_texts
        self.key: str | None = None
        self.faults: deque[Fault] = deque()
        self.always: Callable[[Request], Fault | None] = lambda request: None
        self.requests: list[Request] = []
        self.n_open = self.most_open = 0
        self._lock = threading.Lock()
        super().__init__(self._handler())

    @property
    def url(self) -> str:
        return f"{self.address}/v1"

    @property
    def texts(self) -> list[str]:
        """All texts that were sent, in order."""
        return [text for request in self.requests for text in request.texts]

    def _answer(self, request: Request, fault: Fault) -> tuple[int, Any]:
        if self.key is not None and request.headers.get("authorization") != f"Bearer {self.key}":
            return 401, {"error": {"message": "invalid key"}}
        if fault.status != 200:
            return fault.status, {"error": {"message": fault.told}}
        if request.path == "/info":
            return 200, {"model_id": self.model, "max_input_length": 128, "max_client_batch_size": self.most_texts}
        if request.path == "/predict":
            return 200, [self._labels(*pair) for pair in request.body["inputs"]]
        if request.path.endswith("/rerank"):
            return 200, self._scores(request)
        if len(request.texts) > self.most_texts:
            return 413, {"error": f"batch size {len(request.texts)} > maximum allowed batch size {self.most_texts}"}
        vectors: list[Any] = [vector_of(self.model, text, self.dimension) for text in request.texts]
        vectors = fault.change(vectors) if fault.change else vectors
        if request.path == "/embed":
            return 200, vectors
        if request.path == "/v1/embeddings":
            data = [{"object": "embedding", "index": n, "embedding": v} for n, v in enumerate(vectors)]
            return 200, {"object": "list", "data": data[::-1], "model": request.body["model"], "usage": {}}
        return 404, {"error": "no such path"}

    def _labels(self, premise: str, claim: str) -> Any:
        """Return the share of a claim's words in a premise as its entailment."""
        words = set(claim.lower().split())
        share = len(words & set(premise.lower().split())) / max(1, len(words))
        return [{"label": "contradiction", "score": 0.0}, {"label": "Entailment", "score": share}]

    def _scores(self, request: Request) -> Any:
        """Return the share of the query's words in each passage, best first."""
        words = set(request.body["query"].lower().split())
        texts = request.body.get("documents") or request.body.get("texts")
        scores = [len(words & set(text.lower().split())) / max(1, len(words)) for text in texts]
        order = sorted(range(len(texts)), key=lambda place: -scores[place])
        if request.path == "/rerank":
            return [{"index": place, "score": scores[place]} for place in order]
        return {"results": [{"index": place, "relevance_score": scores[place]} for place in order]}

    def _handler(self) -> type[QuietHandler]:
        server = self

        class Handler(QuietHandler):
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
                request = Request(
                    self.path, {name.lower(): value for name, value in self.headers.items()}, body, time.monotonic()
                )
                with server._lock:
                    server.requests.append(request)
                    server.n_open += 1
                    server.most_open = max(server.most_open, server.n_open)
                    fault = server.faults.popleft() if server.faults else server.always(request) or Fault()
                try:
                    time.sleep(fault.delay_s)
                    status, answer = server._answer(request, fault)
                    self._send(status, fault.body or json.dumps(answer).encode(), fault)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True
                finally:
                    with server._lock:
                        server.n_open -= 1

            def do_GET(self) -> None:
                self.do_POST()

            def _send(self, status: int, body: bytes, fault: Fault) -> None:
                self.send_response(status)
                for name, value in {**fault.headers, "Content-Type": "application/json"}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body if fault.cut_after is None else body[: fault.cut_after])
                self.close_connection = self.close_connection or fault.cut_after is not None

        return Handler
