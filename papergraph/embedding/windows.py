"""Vectors of texts that are longer than a model reads: the mean over windows of about the same length."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from papergraph.embedding.model import Embedder, Floats, unit

LONGEST_WORD = 60


def encode_whole(embedder: Embedder, texts: Sequence[str]) -> Floats:
    """Return one vector of length 1 for each text, however long, shape (n, dimension).

    The vector of a text that is longer than the model reads is the direction of the mean over windows of about the
    same length, cut between words; a model alone would leave out what is beyond its limit without a word.

    Args:
        embedder: The model.
        texts: Texts of any length.
    """
    cut = [windows(text, embedder) for text in texts]
    distinct = {window: number for number, window in enumerate(dict.fromkeys(w for of in cut for w in of))}
    vectors = embedder.encode_documents(list(distinct))
    means = [np.mean([vectors[distinct[window]] for window in of], axis=0) for of in cut]
    whole = np.asarray(means, dtype=np.float32).reshape(-1, embedder.card.dimension)
    return unit(whole)


def windows(text: str, embedder: Embedder) -> list[str]:
    """Cut ``text`` between words into parts that the model reads whole, as few as there can be."""
    n_read = embedder.card.max_tokens - embedder.tokenizer.num_special_tokens_to_add(is_pair=False)
    starts = [start for start, _ in embedder.tokenizer.encode(text, add_special_tokens=False).offsets]
    n_windows = -(-len(starts) // n_read)
    while n_windows > 1:
        cuts = [0]
        for number in range(1, n_windows):
            position = starts[number * len(starts) // n_windows]
            word = _word_start(text, position)
            cuts.append(word if word > cuts[-1] else max(position, cuts[-1]))
        parts = [text[start:end] for start, end in pairwise([*cuts, len(text)]) if text[start:end].strip()]
        lengths = (len(embedder.tokenizer.encode(window, add_special_tokens=False).ids) for window in parts)
        if n_windows >= len(starts) or max(lengths) <= n_read:
            return parts
        n_windows += 1
    return [text]


def _word_start(text: str, position: int) -> int:
    """Return where the word at ``position`` begins, unless it is longer than a word is."""
    start = position
    while start > 0 and not text[start - 1].isspace():
        start -= 1
        if position - start > LONGEST_WORD:
            return position
    return start
