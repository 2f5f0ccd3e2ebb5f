"""Tokens of a sentence for comparison with another: words by stem, numbers by value, signs.

Numbers are read as digits with separators, powers of ten, scale words ("3 million") and number words ("three", "two
hundred and five"), so that equal values are equal tokens. Units have one spelling ("hrs", "h" and "hours").
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from enum import Enum
from functools import lru_cache

from papergraph.text.words import words_in
from server.answers.injection import visible
from server.retrieval.lucene import QUESTION_WORDS

STOP = QUESTION_WORDS | frozenset(
    re.findall(
        r"\S+",
        "a about above after again all also although among an and another any are as at be because been before "
        "being between both but by can cannot could did do does doing done during each either few for from "
        "further had has have having he her here hers him his however i if in into is it its itself just less may "
        "me might me more most much must my neither no nor not now of off often on once one only or other others our "
        "out over own per rather same several shall she should since so some such than that the their them themselves "
        "then there therefore these they this those though through thus to too under until up upon us use used "
        "using very was we were while will with within without would yet you your according paper papers source "
        "sources study studies passage passages authors author state states stated report reports reported show "
        "shows showed shown suggest suggests found find finds including include includes",
    )
)
"""Words that say nothing of a subject."""

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_SUPERSCRIPT = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+")
_THIN_SEPARATOR = re.compile("(?<=\\d)[\u00a0\u2007\u2009\u202f](?=\\d{3}(?!\\d))")
_PERCENT = re.compile(r"\bper[ -]?cent\b|\bpct\b|\bpercent\b", re.IGNORECASE)
_MINUS = re.compile("[\u2010\u2011\u2212]")
_TOKEN = re.compile(
    r"(?P<number>(?<![^\W\d_])(?:\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)*|\.\d+)"
    r"(?:\s?[×x*·]\s?10\s?\^?\s?\{?(?P<power>[-+]?\d{1,3})\}?|[eE](?P<exponent>[-+]?\d{1,3})(?!\w)|\^\{?(?P<raised>[-+]?\d{1,3})\}?)?)"
    r"|(?P<word>[^\W\d_]+(?:['’][^\W\d_]+)?)"
    r"|(?P<digits>\d+)"
    r"|(?P<sign>[%‰°$€£µ<>≤≥±])"
    r"|(?P<stop>[.,;:!?()\[\]{}|])"
)
_ONES = words_in(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_TENS = words_in("twenty thirty forty fifty sixty seventy eighty ninety")
_SMALL: Mapping[str, int] = {word: n for n, word in enumerate(_ONES)} | {
    word: 10 * n for n, word in enumerate(_TENS, start=2)
}
_SCALES: Mapping[str, int] = {
    "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12,
}  # fmt: skip
_VALUES: Mapping[str, Decimal] = {
    "twice": Decimal(2), "thrice": Decimal(3), "double": Decimal(2), "triple": Decimal(3), "half": Decimal("0.5"),
    "dozen": Decimal(12), "doubled": Decimal(2), "tripled": Decimal(3), "halved": Decimal("0.5"),
}  # fmt: skip
_ORDINALS = words_in(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
_UNITS: Mapping[str, str] = {
    spelling: unit
    for unit, spellings in {
        "hour": "h hr hrs hour hours", "minute": "min mins minute minutes", "second": "s sec secs second seconds",
        "millisecond": "ms millisecond milliseconds", "day": "d day days", "week": "wk week weeks",
        "year": "yr yrs year years", "metre": "m metre metres meter meters", "kilometre": "km kilometer kilometre "
        "kilometers kilometres", "centimetre": "cm centimeter centimetre centimeters centimetres",
        "millimetre": "mm millimeter millimetre millimeters millimetres", "gram": "g gram grams",
        "kilogram": "kg kilogram kilograms", "milligram": "mg milligram milligrams", "degree": "° degree degrees",
        "kelvin": "k kelvin kelvins", "litre": "l liter liters litre litres", "hertz": "hz hertz",
    }.items()
    for spelling in spellings.split()
}  # fmt: skip
"""One name for each spelling of a unit behind a number."""


class Kind(Enum):
    """Kind of a token."""

    WORD = "word"
    NUMBER = "number"
    SIGN = "sign"
    STOP = "stop"


@dataclass(frozen=True)
class Token:
    """A token.

    Attributes:
        kind: Its kind.
        key: What equal tokens share: the stem of a word, the value of a number, a sign as it is.
        text: As written, normalised.
        start: Its place in the normalised text.
    """

    kind: Kind
    key: str
    text: str
    start: int

    @property
    def is_content(self) -> bool:
        """Whether it is a word that says something of a subject."""
        return self.kind is Kind.WORD and self.text.lower() not in STOP


def normalised(text: str) -> str:
    """Return a text with one spelling of blanks, minus signs, powers, and ``%``."""
    text = _THIN_SEPARATOR.sub("", visible(text))
    text = _SUPERSCRIPT.sub(lambda match: "^" + match[0].translate(_SUPERSCRIPTS), text)
    return _PERCENT.sub("%", _MINUS.sub("-", unicodedata.normalize("NFKC", text)))


@lru_cache(maxsize=4096)
def tokens_of(text: str) -> tuple[Token, ...]:
    """Return the tokens of a text, in order."""
    return tuple(_with_values(list(_raw(normalised(text)))))


def _raw(text: str) -> Iterator[Token]:
    for match in _TOKEN.finditer(text):
        if match["number"] is not None:
            yield Token(Kind.NUMBER, _value(match), match[0], match.start())
        elif match["word"] is not None:
            yield from _word(match[0], match.start())
        elif match["digits"] is not None:  # "H2O", "x1": part of a name
            yield Token(Kind.WORD, match[0], match[0], match.start())
        else:
            kind = Kind.SIGN if match["sign"] is not None else Kind.STOP
            yield Token(kind, match[0], match[0], match.start())


def _word(word: str, start: int) -> Iterator[Token]:
    lower = word.lower().replace("’", "'")
    if lower.endswith("n't"):
        yield Token(Kind.WORD, stem(lower[:-3]), lower[:-3], start)
        yield Token(Kind.WORD, "not", "not", start + len(word) - 3)
    elif lower == "cannot":
        yield Token(Kind.WORD, "can", "can", start)
        yield Token(Kind.WORD, "not", "not", start + 3)
    else:
        own = word[:-2] if lower.endswith("'s") else word
        yield Token(Kind.WORD, stem(own.lower()), own, start)


def _value(match: re.Match[str]) -> str:
    text = re.sub(r"[^\d.,].*", "", match["number"]).replace(",", "")
    if text.count(".") > 1:  # a version, a section
        return text
    try:
        value = Decimal(text)
        power = match["power"] or match["exponent"]
        if power is not None:
            value = value.scaleb(int(power))
        elif match["raised"] is not None:
            return f"{key_of(value)}^{int(match['raised'])}"
    except InvalidOperation:
        return text
    return key_of(value)


def key_of(value: Decimal) -> str:
    """Return the key of a value: equal for 95.4 and 95.40."""
    return format(value.normalize(), "f") if abs(value.adjusted()) < 40 else str(value.normalize())


def _with_values(raw: Sequence[Token]) -> Iterator[Token]:
    """Yield tokens with number words, ordinals and scale words made numbers, and units in one spelling."""
    place = 0
    was_number = False
    while place < len(raw):
        token = raw[place]
        read = _number_words(raw, place) if token.kind in (Kind.WORD, Kind.NUMBER) else None
        if read is not None:
            made, place = read
            yield made
            was_number = True
            continue
        place += 1
        unit = _UNITS.get(token.text.lower()) if was_number and token.kind is not Kind.STOP else None
        was_number = token.kind is Kind.NUMBER
        yield Token(Kind.WORD, unit, unit, token.start) if unit else token


def _number_words(raw: Sequence[Token], place: int) -> tuple[Token, int] | None:
    """Return the number that begins at a place, and the place behind it."""
    first = raw[place]
    word = first.text.lower()
    if first.kind is Kind.NUMBER:
        scale = raw[place + 1].text.lower() if place + 1 < len(raw) else ""
        if scale in _SCALES and _is_decimal(first.key):
            value = Decimal(first.key) * _SCALES[scale]
            return Token(Kind.NUMBER, key_of(value), f"{first.text} {scale}", first.start), place + 2
        return None
    if word in _VALUES:
        return Token(Kind.NUMBER, key_of(_VALUES[word]), first.text, first.start), place + 1
    if word in _ORDINALS and not (word == "second" and place and raw[place - 1].kind is Kind.NUMBER):
        return Token(Kind.NUMBER, f"#{_ORDINALS.index(word) + 1}", first.text, first.start), place + 1
    whole, part, end = Decimal(0), None, place
    while end < len(raw):
        word = raw[end].text.lower()
        if word in _SMALL and (part is None or (part % 100 in range(20, 100, 10) and _SMALL[word] < 10)):
            part = (part or 0) + _SMALL[word]
        elif word in _SMALL and part is not None and part % 100 == 0 and part > 0:
            part += _SMALL[word]
        elif word == "hundred" and part is not None and part < 100:
            part *= 100
        elif word in _SCALES and word != "hundred" and part is not None:
            whole, part = whole + part * _SCALES[word], 0
        elif word == "and" and part is not None and (part % 100 == 0) and end + 1 < len(raw) and part + whole > 0:
            if raw[end + 1].text.lower() not in _SMALL:
                break
        else:
            break
        end += 1
    if part is None:
        return None
    text = " ".join(token.text for token in raw[place:end])
    return Token(Kind.NUMBER, key_of(whole + part), text, first.start), end


def _is_decimal(key: str) -> bool:
    return re.fullmatch(r"\d+(?:\.\d+)?", key) is not None


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return a word without the endings that English adds; crude, and the same for claim and source."""
    for ending in ("ization", "isation", "ations", "ation", "ingly", "ments", "ment", "ities", "ity", "ness", "ings"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    for ending in ("ies", "ing", "ed", "es", "ly", "s", "al", "ic", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word
