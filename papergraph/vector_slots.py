"""The two slots of vectors: sets of property and index names, of which one is active.

Queries are written for the first slot. If the second is active, the names that a query declares are replaced here; the
rest of its text never changes.
"""

import re
from collections.abc import Iterable
from enum import StrEnum

PARTNERS = {
    "first": "second",
    "embedding": "secondEmbedding",
    "embeddingModel": "secondEmbeddingModel",
    "embeddingHash": "secondEmbeddingHash",
    "paper_embedding": "second_paper_embedding",
    "chunk_embedding": "second_chunk_embedding",
    "question_embedding": "second_question_embedding",
    "entity": "second_entity",
    "cluster_embedding": "second_cluster_embedding",
}
"""Each name of the first place with that of the second; nothing else is ever exchanged."""

VECTOR_PROPERTIES = ("embedding", "embeddingModel", "embeddingHash")

_BOTH_WAYS = PARTNERS | {second: first for first, second in PARTNERS.items()}


class VectorSlot(StrEnum):
    """One of the two slots for vectors; its value is the id of the node of its model."""

    FIRST = "first"
    SECOND = "second"

    @property
    def other(self) -> "VectorSlot":
        """The other slot."""
        return VectorSlot.SECOND if self is VectorSlot.FIRST else VectorSlot.FIRST

    def called(self, first: str) -> str:
        """Return the name in this slot of a property or index of the first slot.

        Raises:
            KeyError: The first slot has no such name.
        """
        second = PARTNERS[first]
        return first if self is VectorSlot.FIRST else second


def exchange(text: str, names: Iterable[str]) -> str:
    """Return ``text`` with each of some names of the first place, as a whole word, and its partner changing places.

    Parameters (``$embedding``) stay what they are.

    Raises:
        KeyError: A name has no partner.
    """
    words = [word for name in names for word in (name, PARTNERS[name])]
    pattern = rf"(?<![\w$])(?:{'|'.join(words)})\b"
    return re.sub(pattern, lambda found: _BOTH_WAYS[found[0]], text) if words else text
