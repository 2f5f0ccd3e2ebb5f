"""Lists of words as plain text, and how many words a text has."""

import re

_WORD = re.compile("[\u2e80-\U0003ffff]|[^\\s\u2e80-\U0003ffff]+")


def words_in(text: str) -> list[str]:
    """Return the words of a text that blanks separate."""
    return text.split()


def n_words(text: str) -> int:
    """Return the number of words between blanks; each Chinese, Japanese or Korean character counts as one."""
    return len(_WORD.findall(text))
