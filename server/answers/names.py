"""Names and values that must stand in a source as they are, in any language of the claim."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from server.answers.tokens import Kind, Token, normalised, tokens_of

_NAME = re.compile(r"[^\W_]+(?:[-–/.'’][^\W_]+)*")
_ADDRESS_LIKE = re.compile(r"https?://\S+")
_COUNT = re.compile(r"\d[\d.,]*[-–]?[^\W\d_]+(?:[-–][^\W\d_]+)*|\d+(?:st|nd|rd|th)|\d[\d.]*[eE][-+]?\d+")


@dataclass(frozen=True)
class Grounds:
    """What a claim is compared with.

    Attributes:
        sentences: The quoted sentences.
        before: The sentences before those that point back ("It reached ..."): names may stand there.
        context: Question, titles and headings: names may stand there, and numbers with their noun.
    """

    sentences: tuple[str, ...]
    before: tuple[str, ...] = ()
    context: str = ""


def exact_names(text: str) -> frozenset[str]:
    """Return the names of a text that are written with digits or inner capitals, such as GPT-4, in small letters."""
    found = set()
    for match in _NAME.finditer(normalised(text)):
        word = match[0].removesuffix("'s").removesuffix("’s")
        has_letters = any(map(str.isalpha, word))
        if has_letters and (any(map(str.isdigit, word)) or any(map(str.isupper, word[1:]))) and not _is_count(word):
            found.add(word.lower())
    return frozenset(found)


def _is_count(word: str) -> bool:
    """Say whether a word is a number with its unit, as 3-hour or 5ms."""
    return _COUNT.fullmatch(word) is not None


def missing_name(claim: str, grounds: Grounds) -> str | None:
    everywhere = normalised(" ".join((*grounds.sentences, *grounds.before, grounds.context))).lower()
    for name in sorted(exact_names(claim)):
        if not _stands(name, everywhere):
            return f"the quoted sentence does not name {name!r}"
    capitals = _capitalised(claim)
    if capitals and len(capitals) < 0.5 * len(tokens_of(claim)):
        known = {_transliterated(token.key) for token in tokens_of(everywhere)}
        strange = [token for token in capitals if _transliterated(token.key) not in known]
        if strange:
            return f"the quoted sentence does not name {strange[0].text!r}"
    return None


def _transliterated(key: str) -> str:
    """Return a key with one spelling of umlauts: "Graeler" and "Gräler" are one name."""
    return re.sub(r"([aou])e", r"\1", key)


def _stands(name: str, text: str) -> bool:
    """Say whether a name stands in a text, whatever joins its parts."""
    parts = [re.escape(part) for part in re.split(r"[-–/.'’]", name) if part]
    joined = r"[\W_]{0,2}".join(parts)
    return re.search(rf"(?<![^\W_]){joined}(?:s\b|(?![^\W_]))", text) is not None


def _capitalised(claim: str) -> list[Token]:
    """Return the words of content with a capital that begin no sentence."""
    found = []
    tokens = tokens_of(claim)
    for place, token in enumerate(tokens):
        is_first = place == 0 or (tokens[place - 1].kind is Kind.STOP and tokens[place - 1].text in ".!?:;(")
        if token.is_content and not is_first and token.text[:1].isupper() and len(token.text) > 1:
            found.append(token)
    return found


def missing_abroad(claim: str, known: Sequence[Token], grounds: Grounds) -> str | None:
    """Compare values and marked names alone: decimal commas and thousands points are those of other languages."""
    there = {token.key for token in (*known, *tokens_of(grounds.context)) if token.kind is Kind.NUMBER}
    place_of = _foreign_values(claim)
    for text, keys in place_of.items():
        if not keys & there:
            return f"the quoted sentence does not say {text!r}"
    everywhere = normalised(" ".join((*grounds.sentences, *grounds.before, grounds.context))).lower()
    missing = [name for name in sorted(exact_names(claim)) if not _stands(name, everywhere)]
    return f"the quoted sentence does not name {missing[0]!r}" if missing else None


def _foreign_values(claim: str) -> dict[str, set[str]]:
    """Return the values that each number of a text may have, by how it is written."""
    found: dict[str, set[str]] = {}
    for match in re.finditer(r"(?<![^\W_])\d+(?:[.,]\d+)*", _ADDRESS_LIKE.sub(" ", normalised(claim))):
        text = match[0]
        readings = {text.replace(",", ""), text.replace(".", "").replace(",", "."), text.replace(",", ".")}
        keys = {token.key for reading in readings for token in tokens_of(reading) if token.kind is Kind.NUMBER}
        found[text] = keys
    return found


def values_in(claim: str) -> frozenset[str]:
    """Return the values of a text's numbers, in any reading."""
    return frozenset(key for keys in _foreign_values(claim).values() for key in keys)
