"""What a query is: a question, or a text that is looked for as a whole."""

LONGEST_QUESTION = 70
"""Words of a query beyond which it is a text: an abstract to find others like it, not something that is asked."""


def is_text(query: str) -> bool:
    """Say whether a query is a text rather than one or several questions."""
    return len(query.split()) > LONGEST_QUESTION
