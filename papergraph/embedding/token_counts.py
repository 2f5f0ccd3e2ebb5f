"""Number of tokens of a text; for tokenizers that read word by word, the sum over its words, which are cached."""

import re
from collections.abc import Callable
from functools import lru_cache

from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

BLANKS = re.compile(r"[ \t\n\r]+")
"""Blanks that cannot be part of a token, and that separate words for the tokenizers of BERT."""
MOST_WORDS, LONGEST_KEPT = 65_536, 64
"""Words whose numbers are kept, and characters of the longest of them."""


@lru_cache(maxsize=8)
def token_counter(tokenizer: Tokenizer) -> Callable[[str], int]:
    """Return a function that counts the tokens of a text, without special ones; one per tokenizer."""

    def count(text: str) -> int:
        return len(tokenizer.encode(text, add_special_tokens=False).ids)

    if not _reads_words(tokenizer):
        return count
    of_word = lru_cache(MOST_WORDS)(count)

    def count_words(text: str) -> int:
        return sum(of_word(word) if len(word) <= LONGEST_KEPT else count(word) for word in BLANKS.split(text))

    return count_words


def _reads_words(tokenizer: Tokenizer) -> bool:
    """Say whether the tokens of a text are those of its words between blanks, as with BERT's tokenizers."""
    return (
        isinstance(tokenizer.model, WordPiece)
        and isinstance(tokenizer.normalizer, BertNormalizer)
        and isinstance(tokenizer.pre_tokenizer, BertPreTokenizer)
        and tokenizer.truncation is None
        and tokenizer.padding is None
        and not any(BLANKS.search(token.content) for token in tokenizer.get_added_tokens_decoder().values())
    )
