"""Lists of words as plain text."""


def words_in(text: str) -> list[str]:
    """Return the words of a text that blanks separate."""
    return text.split()
