"""Terms of a paper without a parser or a trained model: what stands between function words, weighed by C-value.

Candidates are the longest runs of words that no function word, verb form or punctuation ends, without words that say
nothing at their ends. A candidate counts if its shape or its head noun speaks for it, or that it is used again.

Source: K. Frantzi, S. Ananiadou, H. Mima, Automatic recognition of multi-word terms: the C-value/NC-value method,
IJDL 2000.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ingest.enrichments.entities.lexicon import words
from papergraph.text.plurals import singular

_WORD = re.compile(r"[^\W_]+(?:[-'’.+/@&_][^\W_]+)*\+*")
_ONLY_SPACE = re.compile(r"\s+")
_LATIN_NUMBER = re.compile(r"[ivx]+", re.IGNORECASE)
_CITED = re.compile(r"\s+et\s+al|\s*,?\s*[([]?(?:19|20)\d\d[a-z]?\b|\s+(?:and|&)\s+[A-Z]\w+,?\s*\(?(?:19|20)\d\d")
"""What follows an author's name where a text cites."""
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
    """Return what of a run is a term; nothing where it names nothing."""
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
