"""Vectors of queries: each is embedded once while it is kept, also for those who ask at the same time."""

import asyncio
import threading

import numpy as np
import pytest

from papergraph.embedding import ModelCard
from papergraph.errors import EmbeddingError
from papergraph.server.retrieval.active_model import QueryVectors


class Counting:
    """Embeds by length; may be held up, and may fail."""

    def __init__(self, sha256="ab" * 32):
        self.card = ModelCard("counting", sha256, 2, 256)
        self.asked = []
        self.may_go_on = threading.Event()
        self.may_go_on.set()
        self.failures = 0

    def encode_query(self, text):
        self.asked.append(text)
        assert self.may_go_on.wait(10)
        if self.failures:
            self.failures -= 1
            raise EmbeddingError("not now")
        return np.array([len(text) / 3, 1.0], dtype=np.float32)


async def test_a_query_is_embedded_once_and_its_vector_is_the_same_to_the_last_digit():
    model, vectors = Counting(), QueryVectors()
    first = await vectors.of(model, "a query")
    assert first == [float(np.float32(7 / 3)), 1.0] == await vectors.of(model, "a query")
    assert model.asked == ["a query"]
    vectors.forget()
    await vectors.of(model, "a query")
    assert model.asked == ["a query"] * 2


async def test_what_a_caller_does_with_a_vector_changes_nothing_for_others():
    model, vectors = Counting(), QueryVectors()
    (await vectors.of(model, "a query")).clear()
    assert len(await vectors.of(model, "a query")) == 2


async def test_each_model_has_vectors_of_its_own():
    one, other, vectors = Counting(), Counting("cd" * 32), QueryVectors()
    await vectors.of(one, "a query")
    await vectors.of(other, "a query")
    assert (one.asked, other.asked) == (["a query"], ["a query"])


async def test_who_asks_at_the_same_time_waits_for_the_same_embedding_also_when_the_first_one_leaves():
    model, vectors = Counting(), QueryVectors()
    model.may_go_on.clear()
    first, second = (asyncio.create_task(vectors.of(model, "a query")) for _ in range(2))
    while not model.asked:  # noqa: ASYNC110 the model runs in a thread
        await asyncio.sleep(0.01)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    model.may_go_on.set()
    assert len(await second) == 2
    assert model.asked == ["a query"]


async def test_what_could_not_be_embedded_is_tried_again():
    model, vectors = Counting(), QueryVectors()
    model.failures = 1
    with pytest.raises(EmbeddingError):
        await vectors.of(model, "a query")
    assert len(await vectors.of(model, "a query")) == 2
    assert model.asked == ["a query"] * 2


async def test_the_query_that_was_not_asked_for_longest_is_forgotten_first():
    model, vectors = Counting(), QueryVectors(most=2)
    for query in ("one", "two", "one", "three", "one", "two"):
        await vectors.of(model, query)
    assert model.asked == ["one", "two", "three", "two"]


async def test_a_query_with_half_a_character_is_kept_too():
    model, vectors = Counting(), QueryVectors()
    for _ in range(2):
        await vectors.of(model, "half \ud800")
    assert len(model.asked) == 1
