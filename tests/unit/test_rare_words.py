"""Rare nouns of a question near its answer, and what a refusal and its warnings say."""

import pytest

from papergraph.embedding.files import languages_of, query_warning
from papergraph.server.answers.sentences import sentences_of
from papergraph.server.answers.term_weights import absent, around, asked_words, rare_nouns, weights


def nouns(question, counts, *, n_all=1000):
    return rare_nouns(question, weights({word: counts.get(word, 0) for word in asked_words(question)}, n_all=n_all))


def test_words_that_few_chunks_have_are_rare_nouns_unless_their_ending_is_of_another_kind():
    found = nouns("Which fundamental dose of aspirin reduces fever quickly?", {"dose": 300, "fever": 2, "reduces": 400})

    assert found == ["aspirin", "fever"]


def test_a_word_is_as_rare_in_a_small_collection_as_in_a_large_one():
    assert nouns("Which decoder?", {"decoder": 3}, n_all=100) == ["decoder"]
    assert nouns("Which decoder?", {"decoder": 30}, n_all=100) == []
    assert nouns("Which decoder?", {"decoder": 30}, n_all=1_000_000) == ["decoder"]


@pytest.mark.parametrize(
    "question", ["how many qubits", "How large are such qubits?", "Please tell me how often qubits"]
)
def test_words_of_closed_classes_are_no_nouns_where_no_chunk_has_them(question):
    assert nouns(question, {"qubits": 1}, n_all=2) == []
    assert nouns(question, {"qubits": 0}, n_all=2) == ["qubits"]


def test_another_form_of_a_noun_is_as_good_and_another_noun_is_not():
    near = "The simulated version of both decoders was compared with doses of ibuprofen."

    assert absent(["decoder", "simulation", "dose", "aspirin"], near) == ("aspirin",)


def test_near_are_two_sentences_on_both_sides_within_the_passage():
    said = [f"{name} was measured in both of the laboratories." for name in ("Zinc", "Lead", "Iron", "Tin", "Gold")]
    texts = ["Air was measured in both of the laboratories. " + " ".join(said), "Salt was measured in both of them."]
    sentences = sentences_of(texts)
    third = next(one for one in sentences if one.text.startswith("Iron"))

    assert around(third, sentences) == " ".join(said)


@pytest.mark.parametrize(
    ("name", "languages"),
    [
        ("bge-small-en-v1.5", {"en"}),
        ("BAAI/bge-small-en-v1.5", {"en"}),
        ("BAAI/bge-m3", None),
        ("sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2", None),
        ("/models/our-own", None),
    ],
)
def test_the_name_of_a_model_tells_its_languages_or_nothing(name, languages):
    assert languages_of(name) == languages


def test_a_question_in_a_language_that_the_model_does_not_support_is_reported():
    german = "Welche Dekoder werden für den Oberflächencode verglichen?"

    assert "The query is in German" in (query_warning(german, "bge-small-en-v1.5") or "")
    assert query_warning(german, "BAAI/bge-m3") is None
    assert query_warning("Which decoders are compared for the surface code?", "bge-small-en-v1.5") is None
    assert query_warning("lme4 nlme", "bge-small-en-v1.5") is None


def test_in_german_the_capital_tells_nouns():
    words = weights({"dekoder": 0, "oberflächencode": 0, "verglichen": 0}, n_all=100, language="de")

    nouns = rare_nouns("Welche Dekoder werden für den Oberflächencode verglichen?", words)

    assert nouns == ["dekoder", "oberflächencode"]
    assert absent(nouns, "Zwei Oberflächencodes wurden untersucht.", "de") == ("dekoder",)
