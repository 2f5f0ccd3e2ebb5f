"""Warnings about papers in languages that the store is not prepared for."""

from papergraph.embedding.languages import shown_name, supported_languages
from papergraph.text.language import NAMES
from schema.fulltext import LANGUAGES, analyzer_for, reads


def language_warning(language: str | None, *, model: str, analyzer: str) -> str | None:
    """Return why searches may miss papers in a language, with the next step; None if nothing speaks for that.

    Args:
        language: ISO 639-1 code, None where it is not certain.
        model: Name of the embedding model.
        analyzer: That of the store's full-text indexes.
    """
    if language is None:
        return None
    reasons, steps = [], []
    if (supported := supported_languages(language, model)) is not None:
        reasons.append(f"the embedding model {shown_name(model)} supports {supported} only")
        steps.append(f"papergraph models list --language {language}")
    if not reads(analyzer, language):
        reasons.append(f"full-text search reads {NAMES.get(LANGUAGES[analyzer], analyzer)}")
        steps.append(f"papergraph fulltext switch {analyzer_for(language)}")
    if not reasons:
        return None
    return (
        f"{NAMES[language]} text may be missed by searches: {' and '.join(reasons)}. Other models and analyzers: "
        f"{', '.join(steps)}."
    )
