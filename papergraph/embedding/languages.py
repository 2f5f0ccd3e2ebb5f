"""Languages of embedding models, as far as their names tell."""

import re
from pathlib import PurePath

from papergraph.embedding.files import is_default
from papergraph.text.language import ENGLISH, NAMES, language_of

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


def supported_languages(language: str | None, model: str) -> str | None:
    """Return the names of the languages that a model supports, if ``language`` is not one of them; else None.

    Args:
        language: ISO 639-1 code, None where it is not certain.
        model: Name of an embedding model, as configured.
    """
    known = languages_of(model)
    if language is None or known is None or language in known:
        return None
    return ", ".join(NAMES[one] for one in sorted(known))


def shown_name(model: str) -> str:
    """Return the name of a model for users of a server: of a folder its own name."""
    return PurePath(model).name if PurePath(model).is_absolute() else model


def query_warning(query: str, model: str) -> str | None:
    """Return that a model does not support the language of a query, None if it does, or may do so."""
    language = language_of(query)
    if language is None or (supported := supported_languages(language, model)) is None:
        return None
    return (
        f"The query is in {NAMES[language]}, but the embedding model {shown_name(model)} supports {supported} only, "
        f"so passages may be missed. Ask in {supported}, or switch to another model with papergraph embeddings switch."
    )
