"""Languages of embedding models, as far as their names tell."""

import re

from papergraph.embedding.files import is_default
from papergraph.text.language import ENGLISH

_ENGLISH_ONLY = re.compile(
    r"all-(?:MiniLM|mpnet|distilroberta)|multi-qa-|msmarco-|(?:^|[-_/])en(?:[-_.]|$)|scincl|specter|allenai",
    re.IGNORECASE,
)
_MULTILINGUAL = re.compile(r"multilingual|paraphrase-xlm|labse|[-_/]m3(?:$|[-_])|xlm", re.IGNORECASE)


def languages_of(name: str) -> frozenset[str] | None:
    """Return the languages that an embedding model was trained on, as ISO 639-1 codes; None where that is unknown.

    Args:
        name: Of the model, as configured.
    """
    if _MULTILINGUAL.search(name):
        return None
    return frozenset({ENGLISH}) if is_default(name) or _ENGLISH_ONLY.search(name) else None
