"""Facts of sentences that can be compared: names, negations, opposites and roles."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from papergraph.server.answers.term_weights import terms_of
from papergraph.server.answers.tokens import Kind, Token, normalised, stem, text_at, tokens_of
from papergraph.text.words import words_in

# Names and values that a source must contain literally, in any language of the claim


_NAME = re.compile(r"[^\W_]+(?:[-–/.'’][^\W_]+)*")
_ADDRESS_LIKE = re.compile(r"https?://\S+")
_COUNT = re.compile(r"\d[\d.,]*[-–]?[^\W\d_]+(?:[-–][^\W\d_]+)*|\d+(?:st|nd|rd|th)|\d[\d.]*[eE][-+]?\d+")


@dataclass(frozen=True)
class Grounds:
    """Texts that a claim is compared with.

    Attributes:
        sentences: The quoted sentences.
        before: Preceding sentences of those that refer back ("It reached ..."); they may contain names.
        question: The question; it may contain names, and numbers with their noun.
        heads: Titles and headings of the cited papers; as the question.
    """

    sentences: tuple[str, ...]
    before: tuple[str, ...] = ()
    question: str = ""
    heads: str = ""

    @property
    def context(self) -> str:
        """Question, titles and headings."""
        return f"{self.question} {self.heads}"


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


LEAST_PLURAL = 5
"""Letters of a name whose last "s" may be that of a plural, as in "lncRNAs"."""


def missing_name(claim: str, grounds: Grounds) -> str | None:
    everywhere = normalised(" ".join((*grounds.sentences, *grounds.before, grounds.context))).lower()
    for name in sorted(exact_names(claim)):
        is_plural = len(name) >= LEAST_PLURAL and name.endswith("s")
        if not _stands(name, everywhere) and not (is_plural and _stands(name[:-1], everywhere)):
            return f"the quoted sentence does not name {name!r}"
    capitals = _capitalised(claim)
    if capitals and len(capitals) < 0.5 * len(tokens_of(claim)):
        known = {transliterated(token.key) for token in tokens_of(everywhere)}
        strange = [token for token in capitals if transliterated(token.key) not in known]
        if strange:
            return f"the quoted sentence does not name {strange[0].text!r}"
    return None


def transliterated(key: str) -> str:
    """Return a key with one spelling of umlauts: "Graeler" and "Gräler" are one name."""
    return re.sub(r"([aou])e", r"\1", key)


def _stands(name: str, text: str) -> bool:
    """Return whether a text contains a name, with any joiner between its parts."""
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


# Negations of other languages than English in a claim and the sentences that it quotes


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
"""Negations by language."""

ALIKE, VERBATIM = 0.5, 0.8
"""Shares of a claim's words in a sentence above which it may, and above which it does, express the same fact."""


def missing_negation(claim: str, sentences: Sequence[str], language: str) -> str | None:
    """Return a message if the negations of a claim and its sentences differ; None if they agree or are unknown.

    Args:
        claim: A sentence without marks.
        sentences: Quoted sentences in the same language.
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


# Words of direction, comparison and negation: which say the same, which the opposite, which turn a word around


NEGATIONS = frozenset(
    words_in(
        "not no never none neither nor without nobody nothing nowhere hardly scarcely barely lacks lack lacking "
        "fail fails failed unable absence absent"
    )
)
"""Words that negate what follows them."""

PREFIXES = ("un", "in", "im", "ir", "il", "non", "dis", "mis")
"""Prefixes that negate a word."""


@dataclass(frozen=True)
class Direction:
    """Direction of a word.

    Attributes:
        family: Family of words about the same property.
        sign: 1 or -1; words of one family with equal signs are synonyms.
        is_strong: True if the source must state the direction; others must only not be contradicted.
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
    "ease": ("easy easily simple simply", "difficult hard complex"),
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

SCALES = frozenset({"amount", "quality", "speed", "strength", "length"})
"""Families whose words of one sign stand for each other, as "better" for "higher"."""


def is_negation(word: str) -> bool:
    """Say whether a word in small letters negates what follows it."""
    return word in NEGATIONS


def without_prefix(word: str) -> str | None:
    """Return the word without its negating prefix, or None."""
    for prefix in PREFIXES:
        if word.startswith(prefix) and len(word) - len(prefix) >= 4:
            return word[len(prefix) :].lstrip("-")
    return None


# Roles: "A was faster than B" does not support "B was faster than A".
#
# A word of direction or a verb of a relation that stands once in a claim and once in its source divides both into what
# comes before it and what comes behind it. Words that changed sides in both directions have changed roles, unless one
# of the two is in the passive ("is outperformed by").


_RELATIONS = frozenset(
    stem(word)
    for word in words_in(
        "cause lead produce induce predict precede follow depend imply outperform beat exceed surpass dominate "
        "influence inhibit activate regulate replace approximate generalise generalize extend cite convert "
        "transform require prefer explain affect trigger drive determine contain include defeat inform"
    )
)
"""Stems of verbs whose subject and object cannot change places."""
FORMS_OF_BE = frozenset(words_in("is are was were be been being gets got"))
_ENDS = ".;:!?"
PERMUTED = 0.8
"""Share of a source's words in a claim, without others, from which any of its words divides it into two sides."""


def turned_roles(said: Sequence[Token], known: Sequence[Token]) -> str | None:
    """Return a message if a claim swaps subject and object of its source, else None."""
    mine, theirs = _words(said), _words(known)
    is_permuted = mine <= theirs and len(mine) >= PERMUTED * len(theirs)
    for token in said:
        pivot = token.key
        if token.kind is not Kind.WORD or not (token.is_content or pivot in DIRECTIONS):
            continue
        one, other = _sides(said, pivot), _sides(known, pivot)
        if one is None or other is None:
            continue
        (before, behind, is_passive), (before_there, behind_there, is_passive_there) = one, other
        if is_passive_there and not is_passive and _is_passive_verb(said, pivot):
            if len(before & _agent(known, pivot)) > len(before & before_there):
                return f"the quoted sentence has the subject of {token.text!r} behind 'by'"
            continue
        turned = (before & behind_there) - before_there and (behind & before_there) - behind_there
        kept = (before & before_there) - behind_there and (behind & behind_there) - before_there
        is_relation = pivot in _RELATIONS or pivot in DIRECTIONS
        if not is_relation and (not is_permuted or kept or is_passive or is_passive_there):
            continue
        if (kept and not turned) if is_passive != is_passive_there else turned:
            return f"the quoted sentence has the two sides of {token.text!r} the other way round"
    return None


def _sides(tokens: Sequence[Token], pivot: str) -> tuple[set[str], set[str], bool] | None:
    """Return the words of the clause before and behind a word that stands once, and whether it is a passive."""
    places = [place for place, token in enumerate(tokens) if token.key == pivot]
    if len(places) != 1:
        return None
    (place,) = places
    start = max((at + 1 for at in range(place) if _ends(tokens[at])), default=0)
    end = next((at for at in range(place, len(tokens)) if _ends(tokens[at])), len(tokens))
    is_passive = text_at(tokens, place + 1) == "by" and any(
        text_at(tokens, at) in FORMS_OF_BE for at in range(place - 3, place)
    )
    return _words(tokens[start:place]), _words(tokens[place + 1 : end]), is_passive


def _is_passive_verb(tokens: Sequence[Token], pivot: str) -> bool:
    """Return whether a form of "be" stands directly before a word."""
    return any(token.key == pivot and text_at(tokens, place - 1) in FORMS_OF_BE for place, token in enumerate(tokens))


def _agent(tokens: Sequence[Token], pivot: str) -> set[str]:
    """Return the words of content behind "by" of a passive, to the next other word but articles."""
    place = next(place for place, token in enumerate(tokens) if token.key == pivot)
    found: set[str] = set()
    for token in tokens[place + 2 :]:
        if token.is_content:
            found.add(token.key)
        elif found:
            break
    return found


def _ends(token: Token) -> bool:
    return token.kind is Kind.STOP and token.text in _ENDS


def _words(tokens: Sequence[Token]) -> set[str]:
    """Return what tells the sides apart: words of content and single letters with a capital."""
    return {token.key for token in tokens if token.is_content or _is_letter(token)}


def _is_letter(token: Token) -> bool:
    return token.kind is Kind.WORD and len(token.text) == 1 and token.text.isupper()
