"""The words by which terms are found and sorted, with the forms that are made of them."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("lexicon.toml")
_VOWELS = frozenset("aeiou")
_DOUBLED = frozenset("bgmnprt")


@dataclass(frozen=True)
class Words:
    """Sets of words in small letters.

    Attributes:
        breaks: A term ends before them.
        participles: Words in -ed that are part of terms.
        weak: A term does not begin with them.
        generic: They are no entity by themselves, in the singular.
        empty_heads: A term that ends so names nothing.
        named_by_letters: Nouns after which a letter is the name of a variable.
        heads: For the last word of a name, the type that it tells.
        endings: Endings of that word with the type that they tell, longest first.
    """

    breaks: frozenset[str]
    participles: frozenset[str]
    weak: frozenset[str]
    generic: frozenset[str]
    empty_heads: frozenset[str]
    named_by_letters: frozenset[str]
    heads: dict[str, str]
    endings: tuple[tuple[str, str], ...]


@cache
def words() -> Words:
    """Return the words of ``words.toml``."""
    from spacy.lang.en.stop_words import STOP_WORDS

    said = tomllib.loads(FILE.read_text(encoding="utf-8"))
    nouns_too = frozenset(said["nouns_too"].split())
    forms = {form for verb in said["verbs"].split() for form in _forms(verb)}
    endings = sorted(((end, type) for type, ends in said["endings"].items() for end in ends), key=lambda e: -len(e[0]))
    stop_words = {word for word in STOP_WORDS if word.isalpha()} - {"full", "top", "bottom", "side", "serious", "name"}
    return Words(
        breaks=frozenset((forms - nouns_too) | set(said["breaks"].split()) | stop_words),
        participles=frozenset(said["participles"].split()),
        weak=frozenset(said["weak"].split()),
        generic=frozenset(said["generic"].split()),
        empty_heads=frozenset(said["empty_heads"].split()),
        named_by_letters=frozenset(said["named_by_letters"].split()),
        heads={word: type for type, heads in said["heads"].items() for word in heads.split()},
        endings=tuple(endings),
    )


def _forms(verb: str) -> set[str]:
    """Return the forms of a regular verb; of the others those that are regular."""
    silent = verb.endswith("e")
    stem = verb[:-1] if silent else verb
    third = verb + ("es" if verb.endswith(("s", "x", "z", "ch", "sh")) else "s")
    past = {verb + "d"} if silent else {verb + "ed"}
    forms = {verb, third, stem + "ing", *past}
    if verb.endswith("y") and verb[-2] not in _VOWELS:
        forms |= {verb[:-1] + "ies", verb[:-1] + "ied"}
    if verb[-1] in _DOUBLED and verb[-2:-1] in tuple(_VOWELS) and verb[-3:-2] not in tuple(_VOWELS):
        forms |= {verb + verb[-1] + "ing", verb + verb[-1] + "ed"}
    return forms
