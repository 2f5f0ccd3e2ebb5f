"""Terms of papers found by rules: abbreviations with what they stand for, frequent terms, and their types."""

import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import NamedTuple

from papergraph.text.words import singular

# The words by which terms are found and sorted, with the forms that are made of them


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


# Abbreviations that a text explains: «long form (SF)» and «SF (long form)».
#
# Source: A. S. Schwartz and M. A. Hearst, A simple algorithm for identifying abbreviation definitions in biomedical
# text, PSB 2003; with a filter on what short forms look like, for brackets in papers hold many other words.


_BRACKETS = re.compile(r"\(([^()\[\]\n]{2,200})\)")
_LONG_WORD = re.compile(r"\S+")
_SENTENCE_END = re.compile(r"[.;:!?](?=\s)")
LONGEST_SHORT = 10
MOST_SHORT_WORDS = 2
LONGEST_WINDOW = 1000
"""Characters before a bracket that are looked at."""
_ROMAN = re.compile(r"[IVX]+")


class Abbreviation(NamedTuple):
    """A short form with its long form; ``start`` is where the text explains it: the first character of the first."""

    short: str
    long: str
    start: int


def abbreviations(text: str) -> list[Abbreviation]:
    """Return the abbreviations that ``text`` explains, in its order; each pair once, where it comes first.

    A short form has 2 to 10 characters in at most two words and the shape of an acronym: a capital beside another one,
    a digit or small letters before it (BERT, mAP, GloVe, CNNs, F1; not More, Table or 2018). Its characters occur in
    this order in the long form, the first of them at the beginning of its first word, which is among the min(n + 5, 2
    n) words beside the bracket for n characters.
    """
    found: dict[tuple[str, str], Abbreviation] = {}
    for bracket in _BRACKETS.finditer(text):
        pair = _explained(text, bracket)
        if pair is not None:
            found.setdefault((pair.short, pair.long), pair)
    return list(found.values())


def is_acronym(word: str) -> bool:
    """Say whether a word or two have the shape of a short form."""
    letters = [letter for letter in word if letter.isalpha()]
    capitals = sum(letter.isupper() for letter in letters)
    return (
        2 <= len(word) <= LONGEST_SHORT
        and len(word.split()) <= MOST_SHORT_WORDS
        and word[0].isalnum()
        and word[-1] not in ".,;:"
        and capitals > 0
        and (capitals > 1 or not letters[0].isupper() or any(letter.isdigit() for letter in word))
        and not _ROMAN.fullmatch(word)
    )


def _explained(text: str, bracket: re.Match[str]) -> Abbreviation | None:
    inside = re.split(r"[,;:]", bracket[1])[0].strip()
    offset = max(0, bracket.start() - LONGEST_WINDOW)
    before = text[offset : bracket.start()].rstrip()
    if is_acronym(inside):
        n_words = min(len(inside) + 5, 2 * len(inside))
        begin = _start_of_last_words(before, n_words)
        if (start := _long_form(inside, before[begin:])) is not None:
            return Abbreviation(inside, " ".join(before[begin + start :].split()), offset + begin + start)
        return None
    begin = _start_of_last_words(before, 1)
    short = before[begin:]
    whole = bracket[1].strip()
    if is_acronym(short) and len(whole.split()) <= min(len(short) + 5, 2 * len(short)):
        start = _long_form(short, whole)
        if start == 0:
            return Abbreviation(short, " ".join(whole.split()), offset + begin)
    return None


def _start_of_last_words(text: str, n: int) -> int:
    """Return where the last ``n`` words of the sentence that ``text`` ends in begin."""
    window = 0
    for end in _SENTENCE_END.finditer(text):
        window = end.end()
    words = [word.start() for word in _LONG_WORD.finditer(text, window)][-n:]
    return words[0] if words else len(text)


def _long_form(short: str, text: str) -> int | None:
    """Return the offset in ``text`` of the shortest suffix that ``short`` abbreviates, or None."""
    at = len(text)
    wanted = [letter.lower() for letter in short if letter.isalnum()]
    for number, letter in reversed(list(enumerate(wanted))):
        at -= 1
        while at >= 0 and (text[at].lower() != letter or (number == 0 and at > 0 and text[at - 1].isalnum())):
            at -= 1
        if at < 0:
            return None
    start = max(text.rfind(" ", 0, at) + 1, 0)
    long = text[start:]
    begins = start + next((n for n, letter in enumerate(long) if letter.isalnum()), 0)
    return begins if _is_long_enough(short, text[begins:]) else None


def _is_long_enough(short: str, long: str) -> bool:
    words = re.split(r"[\s-]+", long.lower())
    return len(long) > len(short) and short.lower() not in words and not re.search(r"[()\[\]=<>]", long)


# Terms of a paper without a parser or a trained model: what stands between function words, weighed by C-value.
#
# Candidates are the longest runs of words that no function word, verb form or punctuation ends, without words that say
# nothing at their ends. A candidate counts if its shape or its head noun speaks for it, or that it is used again.
#
# Source: K. Frantzi, S. Ananiadou, H. Mima, Automatic recognition of multi-word terms: the C-value/NC-value method,
# IJDL 2000.


_WORD = re.compile(r"[^\W_]+(?:[-'’.+/@&_][^\W_]+)*\+*")
_ONLY_SPACE = re.compile(r"\s+")
_LATIN_NUMBER = re.compile(r"[ivx]+", re.IGNORECASE)
_CITED = re.compile(r"\s+et\s+al|\s*,?\s*[([]?(?:19|20)\d\d[a-z]?\b|\s+(?:and|&)\s+[A-Z]\w+,?\s*\(?(?:19|20)\d\d")
"""Text after an author's name in a citation."""
_SYMBOL = re.compile(r"[^\W\d_]|[^\W\d_]\d{1,2}|[A-Z][ijkmnt]{1,2}")
"""A letter, with a number or an index: what a variable is called."""
NOT_ADVERBS = frozenset(
    ["family", "assembly", "anomaly", "supply", "monopoly", "early", "fully", "weakly", "densely", "doubly"]
)
LONGEST_TERM = 6
LONGEST_WORD = 40
LONGEST_IN_CAPITALS = 6


@dataclass(frozen=True)
class Term:
    """A place where a text uses a term; ``start`` and ``end`` in characters."""

    start: int
    end: int
    name: str


@dataclass(frozen=True)
class _Token:
    text: str
    start: int
    end: int
    begins_sentence: bool

    @property
    def lower(self) -> str:
        return self.text.lower()


def terms(text: str, taken: Sequence[tuple[int, int]] = ()) -> list[Term]:
    """Return the terms of a text in its order; none overlaps another, or a span of ``taken``."""
    found = []
    for run in _runs(text, taken):
        if trimmed := _trimmed(run):
            span = text[trimmed[0].start : trimmed[-1].end]
            found.append(Term(trimmed[0].start, trimmed[-1].end, " ".join(span.split())))
    return found


def made_up_names(text: str, taken: Sequence[tuple[int, int]] = ()) -> list[Term]:
    """Return the words of a text in any language that look like names that someone made, outside of ``taken``.

    Long words in capitals alone are those of headings.
    """
    return [
        Term(*match.span(), word)
        for match in _WORD.finditer(text)
        if has_name_shape(word := match[0])
        and len(word) > 1
        and not (word.isupper() and word.isalpha() and len(word) > LONGEST_IN_CAPITALS)
        and not _LATIN_NUMBER.fullmatch(word)
        and not any(start < match.end() and match.start() < end for start, end in taken)
    ]


def has_name_shape(word: str) -> bool:
    """Say whether a word looks like a name that someone made: a capital inside, or a digit (BERT, GloVe, k-NN)."""
    capitals = sum(letter.isupper() for letter in word)
    return capitals > 0 and (capitals > 1 or not word[0].isupper() or any(letter.isdigit() for letter in word))


def is_greek_symbol(word: str) -> bool:
    """Say whether a word is one of a formula: of Greek letters and one Latin one at most, such as ZΛθ; TNFα is not."""
    greek = sum("Α" <= letter <= "ω" or letter == "µ" for letter in word)
    return greek > 0 and sum(letter.isascii() and letter.isalpha() for letter in word) <= 1


def _is_symbol_after(word: str, noun: str) -> bool:
    """Say whether a word names a variable after a noun: in small or Greek letters, or what the noun says of it."""
    if is_greek_symbol(word):
        return True
    known = words()
    is_of = singular(noun) in known.generic or singular(noun) in known.heads or singular(noun) in known.named_by_letters
    return _SYMBOL.fullmatch(word) is not None and (word[0].islower() or is_of)


def c_values(names: Iterable[Sequence[str]]) -> dict[tuple[str, ...], float]:
    """Return the C-value of each distinct term of a paper, given the words of each of its uses without case.

    log₂(n + 1) · (f(a) - Σ f(b) / m) over the m longer terms b that hold a, of n words; one is added to the length so
    that single words count too.
    """
    counts = Counter(map(tuple, names))
    inside: dict[tuple[str, ...], list[int]] = {}
    for name, n in counts.items():
        parts = {name[i:j] for i in range(len(name)) for j in range(i + 1, len(name) + 1) if j - i < len(name)}
        for part in parts & counts.keys():
            inside.setdefault(part, []).append(n)
    values = {}
    for name, n in counts.items():
        longer = inside.get(name, [])
        values[name] = math.log2(len(name) + 1) * (n + sum(longer) - (sum(longer) / len(longer) if longer else 0))
    return values


def _runs(text: str, taken: Sequence[tuple[int, int]]) -> Iterable[list[_Token]]:
    known = words()
    run: list[_Token] = []
    last_end, after = 0, iter(sorted(taken))
    barrier = next(after, None)
    for match in _WORD.finditer(text):
        between = text[last_end : match.start()]
        while barrier is not None and barrier[1] <= match.start():
            barrier = next(after, None)
            if run:
                yield run
                run = []
        inside = barrier is not None and barrier[0] < match.end()
        if run and not _ONLY_SPACE.fullmatch(between):
            yield run
            run = []
        word = match[0]
        token = _Token(word, match.start(), match.end(), last_end == 0 or _ends_sentence(between))
        inside = inside or (word.istitle() and _CITED.match(text, match.end()) is not None)
        last_end = match.end()
        if inside or _breaks(token, known.breaks, known.participles):
            if run:
                yield run
                run = []
        else:
            run.append(token)
    if run:
        yield run


def _ends_sentence(between: str) -> bool:
    return any(mark in between for mark in ".!?:\n#")


def _breaks(token: _Token, breaks: frozenset[str], participles: frozenset[str]) -> bool:
    word = token.lower
    if len(word) > LONGEST_WORD:
        return True
    if word in breaks and (token.text.islower() or token.begins_sentence or token.text.istitle()):
        return True
    if not token.text[1:].islower():
        return False
    if word.endswith("ly") and len(word) > 4 and word not in NOT_ADVERBS:
        return True
    return (
        word.endswith("ed")
        and len(word) > 4
        and not word.endswith("eed")
        and "-" not in word
        and word not in participles
    )


def _trimmed(run: list[_Token]) -> list[_Token]:
    """Return the term in a run of words; empty if the words name nothing."""
    known = words()
    first, last = 0, len(run)
    while first < last and (_is_weak(run[first]) or _is_number(run[first].text)):
        first += 1
    while first < last and ((_is_number(run[last - 1].text) and last - first < 2) or _is_weak(run[last - 1])):
        last -= 1
    while first < last and is_greek_symbol(run[first].text):
        first += 1
    while last - first > 1 and _is_symbol_after(run[last - 1].text, run[last - 2].lower):
        last -= 1
    kept = run[first:last]
    if not kept or len(kept) > LONGEST_TERM:
        kept = kept[-LONGEST_TERM:]
    if not kept or kept[-1].lower in known.empty_heads:
        return []
    if len(kept) == 1:
        return kept if _is_name(kept[0]) else []
    if all(singular(token.lower) in known.generic for token in kept) and len(kept) < 2:
        return []
    return kept if any(len(token.text) > 2 for token in kept) else []


def _is_weak(token: _Token) -> bool:
    return token.lower in words().weak and (token.text.islower() or token.begins_sentence)


def _is_name(token: _Token) -> bool:
    """Say whether a single word is a term."""
    known, word = words(), token.text
    if len(word) < 2 or singular(token.lower) in known.generic or _LATIN_NUMBER.fullmatch(word):
        return False
    if has_name_shape(word):
        return True
    if word[0].isupper() and not token.begins_sentence:
        return len(word) > 2
    return ("-" in word and not word.endswith("ed")) or singular(token.lower) in known.heads


def _is_number(word: str) -> bool:
    return not any(letter.isalpha() for letter in word) or len(word) == 1


# Type of a named thing, by cheap cues: the last word, ending and shape of the name


class EntityType(StrEnum):
    """The types that the default finder tells apart; gazetteers, pipelines and models may have others."""

    METHOD = "Method"
    TASK = "Task"
    DATASET = "Dataset"
    METRIC = "Metric"
    TERM = "Term"


def kind_of(name: str) -> EntityType:
    """Return the type that a name's own words tell: TERM where they tell nothing."""
    parts = name.split()
    if not parts:
        return EntityType.TERM
    last, known = parts[-1], words()
    for ending, kind in known.endings:
        if last.endswith(ending):
            return EntityType(kind)
    head = last.lower().rpartition("-")[2]
    for word in (last.lower(), singular(last.lower()), head, singular(head)):
        if word in known.heads:
            return EntityType(known.heads[word])
    return EntityType.METHOD if is_proper(parts) else EntityType.TERM


def is_proper(parts: Sequence[str]) -> bool:
    """Say whether all words look like a name: each begins with a capital, one at least has a made-up shape."""
    return any(map(has_name_shape, parts)) and all(part[0].isupper() or part[0].isdigit() for part in parts)
