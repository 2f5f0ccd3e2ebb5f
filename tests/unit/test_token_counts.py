"""Tokens counted by words are as many as the tokenizer gives for the whole text."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import AddedToken, Encoding, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from papergraph.embedding.token_counts import token_counter
from tests.support.chunking import TEXTS, n_tokens, tokenizer

count = token_counter(tokenizer())
SIGNS = st.text(st.sampled_from("ab1 \n\t\r\x0b\x1c\x85\xa0\u2028\u3000\u200b\u0301中İﬁ’'.-[]#😀"), max_size=30)


@given(st.one_of(TEXTS, st.text(max_size=60), SIGNS, st.sampled_from(["[CLS] a[MASK]b", "[UNK]\n[SEP]", "", " \n"])))
def test_words_have_together_the_tokens_of_their_text(text: str):
    assert count(text) == n_tokens(text)


class Watched:
    """A tokenizer that notes what it reads."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def encode(self, text: str, **options: bool) -> Encoding:
        self.read.append(text)
        return tokenizer().encode(text, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(tokenizer(), name)


def test_a_word_is_read_once_unless_it_is_long():
    watched, long = Watched(), "x" * 65
    of = token_counter(watched)  # type: ignore[arg-type]

    found = [of(text) for text in ("tabu search", "tabu\ttabu search", f"{long} tabu", long)]

    assert watched.read == ["tabu", "search", long, long]
    assert found == [n_tokens(text) for text in ("tabu search", "tabu tabu search", f"{long} tabu", long)]


def byte_pairs() -> Tokenizer:
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.train_from_iterator(["the tabu search of the tenure"] * 9, trainers.BpeTrainer(vocab_size=300))
    return made


def unigrams() -> Tokenizer:
    made = Tokenizer(models.Unigram())
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.normalizer = normalizers.NFKC()
    made.train_from_iterator(
        ["the tabu search of the tenure"] * 9,
        trainers.UnigramTrainer(vocab_size=60, unk_token="<unk>", special_tokens=["<unk>"]),
    )
    return made


def with_a_token_of_two_words() -> Tokenizer:
    made = Tokenizer.from_str(tokenizer().to_str())
    made.add_tokens([AddedToken("tabu search")])
    return made


@pytest.mark.parametrize("made", [byte_pairs, unigrams, with_a_token_of_two_words])
def test_other_tokenizers_read_the_whole_text(made: Callable[[], Tokenizer]):
    other = made()
    of = token_counter(other)

    for text in ("the tabu search", " the  tabu search\n\nof tenure ", "tabu search tabu search", ""):
        assert of(text) == len(other.encode(text, add_special_tokens=False).ids)
    by_words = sum(of(word) for word in ("tabu", "search"))
    assert made is unigrams or of("tabu search") != by_words
