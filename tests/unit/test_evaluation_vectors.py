import numpy as np
import pytest

from papergraph.embedding import ModelCard
from papergraph.errors import EmbeddingError
from papergraph.evaluation.corpus_store import RememberingEmbedder


class CountingEmbedder:
    """Embeds a text as its length, and remembers what it was asked for."""

    def __init__(self, sha256: str = "0" * 64) -> None:
        self.card = ModelCard("counting", sha256, 2, 256)
        self.tokenizer = None
        self.asked: list[str] = []

    def encode_documents(self, texts):
        self.asked += texts
        return np.array([[len(text), 1] for text in texts], dtype=np.float32).reshape(-1, 2)

    def encode_query(self, text):
        return self.encode_documents([text])[0]


@pytest.fixture
def model():
    return CountingEmbedder()


def test_what_was_embedded_is_not_embedded_again_not_even_by_another_process(model, tmp_path):
    first = RememberingEmbedder(model, tmp_path / "below" / "vectors.sqlite").encode_documents(["a", "bb"])

    again = RememberingEmbedder(model, tmp_path / "below" / "vectors.sqlite").encode_documents(["ccc", "bb", "a", "bb"])

    assert model.asked == ["a", "bb", "ccc"]
    assert first.tolist() == [[1, 1], [2, 1]]
    assert again.tolist() == [[3, 1], [2, 1], [1, 1], [2, 1]]
    assert again.dtype == np.float32


def test_another_model_has_vectors_of_its_own(model, tmp_path):
    RememberingEmbedder(model, tmp_path / "vectors.sqlite").encode_documents(["a"])
    other = CountingEmbedder("1" * 64)

    RememberingEmbedder(other, tmp_path / "vectors.sqlite").encode_documents(["a"])

    assert other.asked == ["a"]


def test_queries_are_embedded_each_time(model, tmp_path):
    remembering = RememberingEmbedder(model, tmp_path / "vectors.sqlite")

    remembering.encode_query("a")
    remembering.encode_query("a")

    assert model.asked == ["a", "a"]


def test_no_texts_give_no_vectors(model, tmp_path):
    assert RememberingEmbedder(model, tmp_path / "vectors.sqlite").encode_documents([]).shape == (0, 2)


def test_a_file_that_holds_something_else_is_named(model, tmp_path):
    (tmp_path / "vectors.sqlite").write_text("These are no vectors, and there are enough words to see that. " * 40)

    with pytest.raises(EmbeddingError, match=r"cannot keep vectors in .*vectors.sqlite"):
        RememberingEmbedder(model, tmp_path / "vectors.sqlite").encode_documents(["a"])
