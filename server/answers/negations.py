"""Negations of other languages than English in a claim and the sentences that it quotes."""

import re
from collections.abc import Mapping, Sequence

from server.answers.term_weights import terms_of

_NEGATIONS: Mapping[str, re.Pattern[str]] = {
    language: re.compile(pattern if language in ("zh", "ja") else rf"\b(?:{pattern})", re.IGNORECASE)
    for language, pattern in {
        "de": r"(?:nicht|kein\w{0,2}|nie|niemals|weder|ohne)\b",
        "fr": r"(?:n['’]|(?:ne|pas|jamais|aucune?|sans)\b)",
        "es": r"(?:no|nunca|jamás|ningun[oa]|ningún|sin)\b",
        "it": r"(?:non|mai|nessun\w?|senza)\b",
        "pt": r"(?:não|nunca|nenhum|nenhuma|sem)\b",
        "nl": r"(?:niet|geen|nooit|zonder)\b",
        "sv": r"(?:inte|ingen|inget|inga|aldrig|utan)\b",
        "pl": r"(?:nie|żadn\w+|nigdy|bez)\b",
        "ru": r"(?:не|нет|никогда|без)\b",
        "tr": r"(?:değil|yok|hiç)\b",
        "zh": "[不没沒無无未非]",
        "ja": "ない|なかった|ません|ず(?:に|、)",
    }.items()
}
"""How sentences are negated."""

ALIKE, VERBATIM = 0.5, 0.8
"""Shares of a claim's words in a sentence: from which on it may tell of the same, and from which on it does."""


def missing_negation(claim: str, sentences: Sequence[str], language: str) -> str | None:
    """Return that a claim negates what its sentences do not, or the reverse, in words; None if neither, or unknown.

    Args:
        claim: A sentence without marks.
        sentences: What it quotes, in the same language.
        language: ISO 639-1 code.
    """
    if (pattern := _NEGATIONS.get(language)) is None or not sentences:
        return None
    said, wanted = pattern.search(claim), terms_of(claim, language)
    shares = {one: len(wanted & terms_of(one, language)) / max(1, len(wanted)) for one in sentences}
    negated = {one: match[0] for one in sentences if (match := pattern.search(one)) is not None}
    if said is not None:
        return None if any(shares[one] >= ALIKE for one in negated) else f"the quoted sentence does not say {said[0]!r}"
    if len(negated) == len(shares) and (same := next((one for one in negated if shares[one] >= VERBATIM), None)):
        return f"the quoted sentence says {negated[same]!r}"
    return None
