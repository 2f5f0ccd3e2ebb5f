"""Protocols of embedding servers: how texts are sent, and where their vectors stand in the answer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from papergraph.embedding.model import Floats
from papergraph.errors import ModelServerError


@dataclass(frozen=True)
class Limits:
    """Where a server tells its limits, and how they are read: by the names of their settings."""

    path: str
    read: Callable[[Any], Mapping[str, int]]


@dataclass(frozen=True)
class Protocol:
    """A protocol.

    Attributes:
        path: Where texts are sent to, below the base address.
        request: Makes the message for a model's name and texts.
        vectors: Takes the vectors out of the answer, in the order of the texts; raises ValueError, KeyError or
            TypeError where it has another form.
        limits: Where the server tells its limits, if it does.
    """

    path: str
    request: Callable[[str, Sequence[str]], Mapping[str, Any]]
    vectors: Callable[[Any], Sequence[Any]]
    limits: Limits | None = None


def _openai_request(model: str, texts: Sequence[str]) -> Mapping[str, Any]:
    return {"model": model, "input": list(texts), "encoding_format": "float"}


def _openai_vectors(answer: Any) -> Sequence[Any]:
    data = answer["data"]
    if sorted(item["index"] for item in data) != list(range(len(data))):
        raise ValueError("an index is missing or there twice")
    return [item["embedding"] for item in sorted(data, key=lambda item: item["index"])]


def _tei_request(model: str, texts: Sequence[str]) -> Mapping[str, Any]:
    return {"inputs": list(texts), "normalize": True, "truncate": True}


def _tei_vectors(answer: Any) -> Sequence[Any]:
    return list(answer)


def _tei_limits(answer: Any) -> Mapping[str, int]:
    names = {"max_input_length": "max_tokens", "max_client_batch_size": "batch_size"}
    info = answer if isinstance(answer, Mapping) else {}
    found = {ours: info.get(theirs) for theirs, ours in names.items()}
    return {name: value for name, value in found.items() if type(value) is int and value > 0}


PROTOCOLS: Mapping[str, Protocol] = {
    "openai": Protocol("/embeddings", _openai_request, _openai_vectors),
    "tei": Protocol("/embed", _tei_request, _tei_vectors, Limits("/info", _tei_limits)),
}
"""OpenAI's, which Ollama, vLLM, LM Studio, llama.cpp and TEI speak too, and that of text-embeddings-inference."""


def read_vectors(protocol: Protocol, answer: Any, *, n: int, url: str) -> Floats:
    """Return the vectors of an answer, shape (n, d), of any length but 0.

    Raises:
        ModelServerError: There are fewer or more than ``n``, they differ in length, one is zero, or a component is
            not finite.
    """
    try:
        found = protocol.vectors(answer)
        vectors = np.array(found, dtype=np.float32)
    except (ValueError, KeyError, TypeError, IndexError, OverflowError):
        raise ModelServerError(f"what {url} answers holds no vectors of one length") from None
    if len(found) != n or vectors.ndim != 2 or vectors.shape[1] == 0:
        raise ModelServerError(f"{url} answers {n} texts with vectors of shape {vectors.shape}")
    norms = np.linalg.norm(vectors, axis=1)
    if not np.all(np.isfinite(norms) & (norms > 0)):
        raise ModelServerError(f"a vector of {url} is zero or has a component that is not finite")
    return vectors
