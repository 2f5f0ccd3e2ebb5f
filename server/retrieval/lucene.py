"""A user's words as a query of the full-text index, in which nothing they type is syntax."""

import re
from collections.abc import Iterable

from schema.ids import collection_term

WORD = re.compile(r"\w+")
MAX_WORDS = 256
CONTEXT_WEIGHT = 0.5
"""Weight of titles and headings against the text; see benchmarks/README.md for what was tried."""


def fulltext_query(text: str, *, collection: str, kinds: Iterable[str]) -> str | None:
    """Return the query for index ``chunk_text``, or None when ``text`` has no word in it.

    The collection and the kinds of section are required terms with weight 0: they narrow the search inside the index,
    so that a small collection is not starved, and leave the scores alone.

    Args:
        text: What the user typed; of its words the first 256 count, and any of them may match.
        collection: Where to look.
        kinds: Kinds of section to look in; words of the model, not a user's.
    """
    words = WORD.findall(text.lower())[:MAX_WORDS]
    if not words:
        return None
    any_word = " ".join(words)
    return (
        f"+collectionTerm:{collection_term(collection)}^0 +kind:({' '.join(kinds)})^0 "
        f"+(text:({any_word}) context:({any_word})^{CONTEXT_WEIGHT})"
    )
