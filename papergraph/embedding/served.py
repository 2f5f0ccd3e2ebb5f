"""Embedding models at a server, and the protocols that servers speak."""

import base64
import hashlib
import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from papergraph.embedding import files
from papergraph.embedding.model import Floats, ModelCard, is_known, known_model, unit
from papergraph.errors import EmbeddingError, ModelServerError
from papergraph.model_server import ModelServer, Patience, require_url
from papergraph.settings import Settings
from papergraph.settings.groups import EmbeddingSettings

log = logging.getLogger(__name__)

if TYPE_CHECKING:
    from tokenizers import Tokenizer


# Protocols of embedding servers: form of requests, and position of the vectors in answers


@dataclass(frozen=True)
class Limits:
    """Address of a server's limits, and their names, by setting."""

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


# An embedding model behind a server: batches sent side by side, each with a probe text that shows which model answers.
#
# A server may have another model under the same name tomorrow. What identifies a served model is therefore the vectors
# that it makes of fixed texts. They are stored with the model, compared when it is opened, and the first of them is
# part of every request, so that no vector of another model is taken in.


PROBES = (
    "How many physical qubits does a distance-7 surface code patch need?",
    "We compare tabu search with simulated annealing on dense quadratic problems.",
    "Das Verfahren konvergiert für jede Schrittweite α < 1/L.",
)
LOWEST_COSINE = 0.999
"""Least cosine of two vectors of a text by the same model; batches, number formats and processors differ by less."""

MOST_LETTERS = 200_000
"""Letters in one request; providers allow some 300,000 tokens."""

TOO_MUCH = frozenset({400, 413, 422})
"""Statuses of servers that take fewer or shorter texts at once."""

QUERY_PATIENCE = Patience(attempts=3, timeout_s=10.0)


@cache
def _warn_of_prefix(name: str) -> None:
    """Log once that a model's prefixes are unknown."""
    log.warning(
        "No prefixes of the model %s are known, so queries and passages are embedded as they are. If its card names "
        "prefixes, set PAPERGRAPH_EMBEDDING_QUERY_PREFIX and PAPERGRAPH_EMBEDDING_DOCUMENT_PREFIX; an empty text says "
        "that there are none.",
        name,
    )


class ServedModel:
    """A model at :attr:`EmbeddingSettings.url`; may be called from several threads at once."""

    def __init__(self, settings: EmbeddingSettings, card: ModelCard) -> None:
        """Ask nothing yet; :func:`open_served` asks which model it is.

        Args:
            settings: Where it is, and how it is asked.
            card: What it is known by, probe vectors included.
        """
        self.settings, self.card = settings, card
        url = require_url(settings.url, setting="PAPERGRAPH_EMBEDDING_URL", what=f"the model {card.name}")
        self._server = ModelServer(
            url, settings.api_key, setting="PAPERGRAPH_EMBEDDING", connections=settings.concurrency
        )
        known = known_model(card.name)
        if not is_known(card.name) and settings.query_prefix is None:
            _warn_of_prefix(card.name)
        self._of_query = known.query_prefix if settings.query_prefix is None else settings.query_prefix
        self._of_document = known.document_prefix if settings.document_prefix is None else settings.document_prefix
        self._patience = Patience(settings.attempts, settings.timeout_s)
        self._n_at_once = settings.batch_size - 1  # the probe text goes with them

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopened, (self.card,)  # another process has the key from its own settings

    @cached_property
    def _probe(self) -> Floats:
        return probe_vectors(self.card)[:1]

    @cached_property
    def tokenizer(self) -> "Tokenizer":
        """The tokenizer that texts are measured with, which need not be the model's own."""
        return files.load_tokenizer(self.settings.tokenizer)

    @cached_property
    def _n_tokens(self) -> Callable[[str], int]:
        from papergraph.embedding.token_counts import token_counter

        return token_counter(self.tokenizer)

    def encode_documents(self, texts: Sequence[str]) -> Floats:
        """Return one vector of length 1 for each text, shape (n, dimension).

        Raises:
            ModelServerError: The server failed at every attempt, or sent what cannot be used, or another model answers.
        """
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        batches = list(self._batches(self._cut(self._of_document, [texts[place] for place in order])))
        if len(batches) > 1:
            pool = ThreadPoolExecutor(min(self.settings.concurrency, len(batches)))
            try:
                parts = list(pool.map(self._embed, batches))
            finally:
                pool.shutdown(cancel_futures=True)
        else:
            parts = [self._embed(batch) for batch in batches]
        vectors = np.zeros((len(texts), self.card.dimension), dtype=np.float32)
        if parts:
            vectors[order] = np.concatenate(parts)
        return vectors

    def encode_query(self, text: str) -> Floats:
        """Return the vector of a query, length 1, shape (dimension,); raises as :meth:`encode_documents`."""
        return np.asarray(self._ask(self._cut(self._of_query, [text]), QUERY_PATIENCE)[0])

    def make_probe_vectors(self) -> Floats:
        """Return the vectors of the probe texts as the model makes them, cut to its dimension, shape (n, dimension)."""
        return self._request([self._of_document + text for text in PROBES], self._patience)

    def told_limits(self) -> EmbeddingSettings:
        """Return the settings within the limits that the server tells, where its protocol has a way to tell them."""
        told = PROTOCOLS[self.settings.protocol].limits
        if told is None:
            return self.settings
        limits = told.read(self._server.get(told.path, patience=self._patience))
        found = {name: min(value, getattr(self.settings, name) or value) for name, value in limits.items()}
        return self.settings.model_copy(update=found)

    def _batches(self, texts: Sequence[str]) -> Iterator[list[str]]:
        batch: list[str] = []
        n_letters = 0
        for text in texts:
            if batch and (len(batch) >= self._n_at_once or n_letters + len(text) > MOST_LETTERS):
                yield batch
                batch, n_letters = [], 0
            batch.append(text)
            n_letters += len(text)
        if batch:
            yield batch

    def _embed(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of a batch; of one that is too much for the server, half by half."""
        try:
            return self._ask(texts, self._patience)
        except ModelServerError as error:
            if error.status not in TOO_MUCH or len(texts) == 1:
                raise
            half = len(texts) // 2
            if error.status != 400:
                self._n_at_once = min(self._n_at_once, half)
            return np.concatenate([self._embed(texts[:half]), self._embed(texts[half:])])

    def _ask(self, texts: Sequence[str], patience: Patience) -> Floats:
        """Return vectors that the model made which the card is of."""
        vectors = self._request([self._of_document + PROBES[0], *texts], patience)
        cosine = lowest_cosine(vectors[:1], self._probe)
        if cosine < LOWEST_COSINE:
            raise self._changed(cosine)
        return vectors[1:]

    def _request(self, texts: Sequence[str], patience: Patience) -> Floats:
        protocol = PROTOCOLS[self.settings.protocol]
        sent = [text.encode(errors="replace").decode() for text in texts]  # a query may have half a letter
        answer = self._server.post(protocol.path, protocol.request(self.card.name, sent), patience=patience)
        vectors = read_vectors(protocol, answer, n=len(texts), url=self._server.url)
        wanted = self.settings.dimension or self.card.dimension or vectors.shape[1]
        if vectors.shape[1] < wanted or (vectors.shape[1] > wanted and self.settings.dimension is None):
            raise ModelServerError(f"{self._server.url} sends vectors of {vectors.shape[1]} numbers, not {wanted}")
        return unit(vectors[:, :wanted])

    def _changed(self, cosine: float) -> ModelServerError:
        name, url = self.card.name, self._server.url
        return ModelServerError(
            f"{url} has another model under the name {name} now: the vector of a probe text has cosine {cosine:.4f} "
            "with the one before. None of its vectors was used. Serve the former model again, or re-embed with the "
            f"new one: papergraph embeddings switch {name}",
            public="The server of the embedding model has another model now. Its operator must restore the former one.",
        )

    def _cut(self, prefix: str, texts: Sequence[str]) -> list[str]:
        """Return texts with the prefix, cut to the model's limit."""
        n_read = self.card.max_tokens - self.tokenizer.num_special_tokens_to_add(is_pair=False) - len(prefix)
        read = list(texts)
        for place, text in enumerate(texts):
            if len(text) > n_read and self._n_tokens(text) > n_read:  # no token is shorter than a letter
                offsets = self.tokenizer.encode(text, add_special_tokens=False).offsets
                read[place] = text[: offsets[n_read - 1][1]]
        return [prefix + text for text in read]


def open_served(settings: EmbeddingSettings, name: str, known: Sequence[ModelCard] = ()) -> ServedModel:
    """Ask a server for the probe vectors of a model, and return it as the one of ``known`` that has the same.

    Args:
        settings: Where the server is, and how it is asked.
        name: The model's name there.
        known: Models that the store has vectors of.

    Raises:
        InputError: The address or key of the settings cannot be one, or no address is set.
        EmbeddingError: The server or the tokenizer cannot be used.
    """
    tokenizer_sha256 = files.tokenizer_checksum(files.find_model(settings.tokenizer))
    blank = ModelCard(name, "", 0, known_model(name).max_tokens, tokenizer_sha256, tokenizer=settings.tokenizer)
    model = ServedModel(settings, blank)
    settings = model.told_limits()
    blank = replace(blank, max_tokens=settings.max_tokens or blank.max_tokens)
    vectors = model.make_probe_vectors()
    sha256, probes = _checksum(name, vectors), encode_probes(vectors)
    for card in known:
        if card.probes and lowest_cosine(vectors, probe_vectors(card)) >= LOWEST_COSINE:
            sha256, probes = card.sha256, card.probes
    return ServedModel(settings, replace(blank, sha256=sha256, dimension=vectors.shape[1], probes=probes))


def is_of_the_texts(error: EmbeddingError) -> bool:
    """Say whether a server refused texts, so that others may pass; else no text was at fault."""
    return isinstance(error, ModelServerError) and error.status in TOO_MUCH


def encode_probes(vectors: Floats) -> str:
    """Return probe vectors as text: base64 of float16, row by row."""
    return base64.b64encode(vectors.astype("<f2").tobytes()).decode()


def probe_vectors(card: ModelCard) -> Floats:
    """Return the probe vectors of a card, length 1, shape (n, dimension)."""
    numbers = np.frombuffer(base64.b64decode(card.probes), dtype="<f2")
    return unit(numbers.reshape(-1, card.dimension).astype(np.float32))


def lowest_cosine(one: Floats, other: Floats) -> float:
    """Return the lowest cosine of the rows of two sets of unit vectors; -1 if their shapes differ."""
    return float(np.sum(one * other, axis=1).min()) if one.shape == other.shape else -1.0


def _checksum(name: str, vectors: Floats) -> str:
    """Return the checksum of a model that no store knows yet: over its name and probe vectors."""
    numbers = vectors.round(3).astype("<f4").tobytes()
    return hashlib.sha256(json.dumps([name, *vectors.shape]).encode() + numbers).hexdigest()


def _reopened(card: ModelCard) -> ServedModel:
    return ServedModel(Settings().embedding, card)
