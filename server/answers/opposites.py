"""Words of direction, comparison and negation: which say the same, which the opposite, which turn a word around."""

from collections.abc import Mapping
from dataclasses import dataclass

from papergraph.text.words import words_in
from server.answers.tokens import stem

NEGATIONS = frozenset(
    words_in(
        "not no never none neither nor without nobody nothing nowhere hardly scarcely barely lacks lack lacking "
        "fail fails failed unable"
    )
)
"""Words that negate what follows them."""

PREFIXES = ("un", "in", "im", "ir", "il", "non", "dis", "mis")
"""What negates the word that it begins."""


@dataclass(frozen=True)
class Direction:
    """What a word says of a direction.

    Attributes:
        family: Words of one family are about the same thing.
        sign: 1 or -1; words of one sign say about the same.
        is_strong: Whether a claim may say it only if its source does; others only must not be contradicted.
    """

    family: str
    sign: int
    is_strong: bool


_STRONG: Mapping[str, tuple[str, str]] = {
    "amount": (
        "increase increasing rise rising rose risen grow growing grew grown growth more higher larger greater gain "
        "raise exceed upward surpass expand bigger highest largest greatest maximum maximal maximize maximise enlarge",
        "decrease decreasing fall falling fell fallen shrink decline drop dropped reduce reduction less fewer lower "
        "smaller diminish downward smallest lowest minimum minimal minimize minimise lessen fewest",
    ),
    "quality": (
        "improve improvement better best outperform superior enhance",
        "worsen worse worst degrade degradation deteriorate underperform inferior impair",
    ),
    "speed": (
        "faster fastest accelerate quicker quickest acceleration",
        "slower slowest decelerate slowdown slowed",
    ),
    "strength": ("stronger strongest strengthen", "weaker weakest weaken"),
    "sign": ("positive positively", "negative negatively"),
    "length": ("longer longest lengthen", "shorter shortest shorten"),
    "cost": ("costlier dearer", "cheaper cheapest"),
    "ease": ("easier easiest simpler simplest", "harder hardest"),
}
_WEAK: Mapping[str, tuple[str, str]] = {
    "amount": ("above over up most > ≥", "below under down least < ≤"),
    "time": ("before earlier earliest prior precede", "after later latest follow subsequent afterwards"),
    "frequency": ("often frequently always usually", "rarely seldom never"),
    "speed": ("fast quick quickly rapid rapidly", "slow slowly"),
    "strength": ("strong strongly", "weak weakly"),
    "height": ("high highly", "low"),
    "size": ("large big", "small little"),
    "number": ("many numerous", "few"),
    "length": ("long", "short"),
    "width": ("wide wider broad", "narrow narrower"),
    "depth": ("deep deeper", "shallow"),
    "ease": ("easy easily simple simply", "difficult hard"),
    "cost": ("cheap inexpensive", "expensive costly"),
    "sameness": ("same equal identical similar similarly", "different differ unequal dissimilar differently"),
    "permission": ("allow enable permit accept include support", "prevent prohibit reject exclude forbid deny"),
    "addition": ("add added addition insert append", "remove removal delete subtract omit"),
    "outcome": ("succeed success successful", "fail failure unsuccessful"),
    "truth": ("true correct correctly right", "false incorrect incorrectly wrong"),
    "order": ("first start begin beginning initial", "last end final finish"),
    "presence": ("with presence present", "without absence absent"),
    "place": ("upper top inner internal", "lower bottom outer external"),
    "agreement": ("agree confirm", "disagree contradict"),
    "benefit": ("advantage benefit", "disadvantage drawback"),
    "age": ("new newer young younger", "old older"),
    "heat": ("hot hotter warm warmer", "cold colder cool cooler"),
    "extent": ("all every entire whole", "some several partly partially"),
    "precision": ("exactly precisely", "about approximately roughly nearly around almost circa"),
    "reach": ("maximum", "minimum"),
}


def _table() -> Mapping[str, tuple[Direction, ...]]:
    made: dict[str, tuple[Direction, ...]] = {}
    for families, is_strong in ((_STRONG, True), (_WEAK, False)):
        for family, words in families.items():
            for sign, of_sign in zip((1, -1), words, strict=True):
                for word in of_sign.split():
                    ways = made.get(stem(word), ())
                    if not any(way.family == family for way in ways):
                        made[stem(word)] = (*ways, Direction(family, sign, is_strong))
    return made


DIRECTIONS = _table()
"""Directions of each word, by its stem; "lower" is one of amount and of place."""

ALIKE = frozenset({"amount", "quality", "speed", "strength", "length"})
"""Families whose words of one sign stand for each other, as "better" for "higher"."""


def is_negation(word: str) -> bool:
    """Say whether a word in small letters negates what follows it."""
    return word in NEGATIONS


def without_prefix(word: str) -> str | None:
    """Return the word that a prefix of negation turns around, None where there is none."""
    for prefix in PREFIXES:
        if word.startswith(prefix) and len(word) - len(prefix) >= 4:
            return word[len(prefix) :].lstrip("-")
    return None
