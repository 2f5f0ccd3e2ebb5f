"""Sentences made wrong: one number, unit, noun, negation or direction of a true one is changed.

The word lists are those of this benchmark, not those of the verifier.
"""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from benchmarks.grounding.papers import Passage
from papergraph.text.words import words_in

Changed = Iterator[str]
_NUMBER = re.compile(r"(?<![\w.,/-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w]*[A-Za-z]|[/-]\d|\.\d)")
_WORDS = words_in("one two three four five six seven eight nine ten eleven twelve")
_NUMBER_WORD = re.compile(r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven)\b")
_COUNTED = re.compile(
    r"(?<![\w.,-])(\d+(?:,\d{3})*(?:\.\d+)?|" + _NUMBER_WORD.pattern + r")([ -])([A-Za-z]{2,}|%)(?![\w-])"
)
_NOT_COUNTED = frozenset(
    words_in(
        "and or to of in for from with by at as is are was were the a an on that which but than if when then this "
        "these it we be been has have had can may will not also only so per each all both more most less out over"
    )
)
_UNITS = words_in("hours minutes seconds metres grams patients papers volts samples countries kilometres tokens cells")
_AUXILIARY = re.compile(
    r"\b(is|are|was|were|can|could|will|would|should|may|might|must|has|have|had|does|do|did)\b(?! not)"
)
_NEGATION = re.compile(
    r"\b(?:(is|are|was|were|can|could|will|would|should|may|might|must|has|have|had|does|do|did) not)\b"
)
_PAIRS = words_in(
    "increase/decrease increases/decreases increased/decreased increasing/decreasing higher/lower "
    "highest/lowest larger/smaller largest/smallest greater/smaller more/less better/worse best/worst "
    "faster/slower stronger/weaker positive/negative improve/worsen improves/worsens improved/worsened "
    "before/after above/below rise/fall maximum/minimum maximize/minimize longer/shorter earlier/later "
    "most/least first/last high/low large/small upper/lower always/never often/rarely same/different "
    "easy/difficult strong/weak fast/slow long/short allow/prevent allows/prevents positively/negatively "
    "easier/harder simpler/harder"
)
_OPPOSITES = {a: b for pair in _PAIRS for a, b in (pair.split("/"), pair.split("/")[::-1])}
_DIRECTION = re.compile(r"\b(?:" + "|".join(sorted(_OPPOSITES, key=len, reverse=True)) + r")\b", re.IGNORECASE)


@dataclass(frozen=True)
class Kind:
    """A kind of change, and the share of changed sentences that may pass."""

    name: str
    change: Callable[[str, Passage, random.Random], Changed]
    most: float


def one_unit(sentence: str, passage: Passage, draw: random.Random) -> Changed:
    """Change each number by one in its last place."""
    for match in _NUMBER.finditer(sentence):
        digits, sign = match[0], draw.choice((1, -1))
        scale = len(digits.partition(".")[2])
        value = round(float(digits.replace(",", "")) * 10**scale) + sign
        if value < 0:
            value += 2
        text = f"{value / 10**scale:.{scale}f}"
        yield sentence[: match.start()] + text + sentence[match.end() :]
    for match in _NUMBER_WORD.finditer(sentence):
        word = _WORDS[_WORDS.index(match[0]) + draw.choice((1, -1))]
        yield sentence[: match.start()] + word + sentence[match.end() :]


def another_number(sentence: str, passage: Passage, draw: random.Random) -> Changed:
    """Put another number of the chunk in place of each number."""
    others = sorted(set(_NUMBER.findall(passage.text)))
    for match in _NUMBER.finditer(sentence):
        value = float(match[0].replace(",", ""))
        different = [one for one in others if float(one.replace(",", "")) != value]
        if different:
            yield sentence[: match.start()] + draw.choice(different) + sentence[match.end() :]


def another_unit(sentence: str, passage: Passage, draw: random.Random) -> Changed:
    """Put another unit, or a noun that the chunk counts, in place of what each number counts."""
    counted = {match[3] for match in _COUNTED.finditer(passage.text)} - _NOT_COUNTED
    for match in _COUNTED.finditer(sentence):
        word = match[3]
        if word.lower() in _NOT_COUNTED or re.fullmatch(r"(?:1[5-9]|20)\d\d", match[1]):
            continue
        stem = word.lower().rstrip("s")
        others = [one for one in (*sorted(counted), *_UNITS) if one.lower().rstrip("s") != stem]
        yield sentence[: match.start(3)] + draw.choice(others) + sentence[match.end(3) :]


def negated(sentence: str, passage: Passage, draw: random.Random) -> Changed:
    """Negate an auxiliary verb, or take a negation away."""
    for match in _NEGATION.finditer(sentence):
        yield sentence[: match.end(1)] + sentence[match.end() :]
    matches = list(_AUXILIARY.finditer(sentence))
    if matches:
        match = draw.choice(matches)
        yield sentence[: match.end()] + draw.choice((" not", " not", " never")) + sentence[match.end() :]


def reversed_direction(sentence: str, passage: Passage, draw: random.Random) -> Changed:
    """Put the opposite in place of each word of direction."""
    for match in _DIRECTION.finditer(sentence):
        opposite = _OPPOSITES[match[0].lower()]
        if match[0][0].isupper():
            opposite = opposite.capitalize()
        yield sentence[: match.start()] + opposite + sentence[match.end() :]


def unchanged(sentence: str, passage: Passage, draw: random.Random) -> Changed:
    """Leave a sentence as it is."""
    yield sentence


KINDS: Sequence[Kind] = (
    Kind("number changed by one unit", one_unit, 0.01),
    Kind("another number of the same chunk", another_number, 0.02),
    Kind("unit or counted noun changed", another_unit, 0.03),
    Kind("negated", negated, 0.02),
    Kind("direction reversed", reversed_direction, 0.05),
)
