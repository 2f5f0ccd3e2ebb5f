"""Tokens of a sentence: words, numbers with units, and phrases, with the keys that make two tokens equal."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from enum import Enum
from functools import lru_cache

from papergraph.server.retrieval.lucene import QUESTION_WORDS
from papergraph.text.alignment import visible
from papergraph.text.words import words_in

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
        """True for a content word."""
        return self.kind is Kind.WORD and self.text.lower() not in STOP


def key_of(value: Decimal) -> str:
    """Return the key of a value: equal for 95.4 and 95.40."""
    return format(value.normalize(), "f") if abs(value.adjusted()) < 40 else str(value.normalize())


def is_decimal(key: str) -> bool:
    """Say whether a key is that of a plain number."""
    return re.fullmatch(r"\d+(?:\.\d+)?", key) is not None


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return a word without the endings that English adds; crude, and the same for claim and source.

    Accents do not count.
    """
    if word == "several":  # not a form of "severe"
        return word
    word = "".join(one for one in unicodedata.normalize("NFD", word) if not unicodedata.combining(one))
    for ending in ("ization", "isation", "ations", "ation", "ingly", "ments", "ment", "ities", "ity", "ness", "ings"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    for ending in ("ies", "ing", "ed", "es", "ly", "s", "al", "ic", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word


# Phrases of several tokens that mean one thing: shares, bounds of numbers, currencies, double negations.
#
# "One in ten" and "a tenth of" are numbers, "at least 20" and "20 or more" begin with the sign ≥, and "not uncommon"
# is "common".


_PARTS: Mapping[str, int] = {
    word: n
    for n, words in {
        2: "half halves", 3: "third thirds", 4: "quarter quarters fourth fourths", 5: "fifth fifths",
        6: "sixth sixths", 7: "seventh sevenths", 8: "eighth eighths", 9: "ninth ninths", 10: "tenth tenths",
        20: "twentieth twentieths",
    }.items()
    for word in words.split()
}  # fmt: skip
MOST_PARTS = 20
_FOLD: Mapping[str, int] = {
    f"{word}fold": n for n, word in enumerate(words_in("two three four five six seven eight nine ten"), start=2)
}
_BEFORE: Mapping[tuple[str, ...], str] = {
    tuple(words.split()): sign
    for sign, phrases in {
        "≥": ("at least", "no less than", "no fewer than", "not less than", "a minimum of"),
        "≤": ("at most", "no more than", "not more than", "a maximum of"),
        ">": ("more than", "greater than", "larger than", "higher than"),
        "<": ("less than", "fewer than", "smaller than", "lower than"),
    }.items()
    for words in phrases
}
_BOUNDS: Mapping[str, Sequence[tuple[tuple[str, ...], str]]] = {
    first: [(words, sign) for words, sign in _BEFORE.items() if words[0] == first] for first, *_ in _BEFORE
}
"""Phrases of bounds by their first word."""
_BEHIND: Mapping[str, str] = {"more": "≥", "greater": "≥", "less": "≤", "fewer": "≤"}
_CURRENCIES: Mapping[str, str] = {
    "dollar": "$", "dollars": "$", "usd": "$", "euro": "€", "euros": "€", "eur": "€",
}  # fmt: skip
_SCALES_OF_HEAT: Mapping[str, str] = {"c": "celsius", "f": "fahrenheit"}
_TWICE_NEGATED = frozenset(
    words_in(
        "common usual likely clear expected reasonable successful possible probable frequent efficient effective "
        "consistent sensitive related dependent known able stable certain complete adequate appropriate correct "
        "significant considerable substantial reliable realistic important dissimilar"
    )
)
"""Words that "not un-" and the like affirm."""
_PREFIXES = ("un", "in", "im", "ir", "in")


def phrased(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield tokens with each phrase made one token, a bound before its number."""
    place = 0
    while place < len(tokens):
        made, taken = _phrase(tokens, place)
        yield from made
        place += taken


def _phrase(tokens: Sequence[Token], place: int) -> tuple[Sequence[Token], int]:
    """Return the normal form of the phrase at a position, and its number of tokens."""
    token = tokens[place]
    if token.kind is Kind.WORD:
        for words, sign in _BOUNDS.get(token.text.lower(), ()):
            if _texts(tokens, place, len(words)) == words and _begins_amount(tokens, place + len(words)):
                return [Token(Kind.SIGN, sign, sign, token.start)], len(words)
        if (factor := _FOLD.get(token.text.lower())) is not None:
            return [_number(Decimal(factor), token), Token(Kind.WORD, stem("times"), "times", token.start)], 1
        if (base := _affirmed(tokens, place)) is not None:
            return [Token(Kind.WORD, stem(base), base, token.start)], 2
    if (share := _share(tokens, place)) is not None:
        return share
    if token.kind is Kind.NUMBER:
        return _amount(tokens, place)
    if token.key == "degree" and (scale := _SCALES_OF_HEAT.get(_text(tokens, place + 1))):
        return [token, Token(Kind.WORD, stem(scale), scale, token.start)], 2
    return [token], 1


def _amount(tokens: Sequence[Token], place: int) -> tuple[Sequence[Token], int]:
    """Return a number with the currency or the bound that stands behind it put before it."""
    token = tokens[place]
    if _text(tokens, place + 1) == "fold":
        return [token, Token(Kind.WORD, stem("times"), "times", token.start)], 2
    if (currency := _CURRENCIES.get(_text(tokens, place + 1))) is not None:
        return [Token(Kind.SIGN, currency, currency, token.start), token], 2
    if _text(tokens, place + 1) == "or" and (sign := _BEHIND.get(_text(tokens, place + 2))) is not None:
        return [Token(Kind.SIGN, sign, sign, token.start), token], 3
    return [token], 1


def _share(tokens: Sequence[Token], place: int) -> tuple[Sequence[Token], int] | None:
    """Return a share such as "two thirds", "a quarter of", "one in ten", "1 out of 10"."""
    token = tokens[place]
    parts = _PARTS.get(_text(tokens, place + 1))
    if token.text.lower() in ("a", "an") and parts is not None and _text(tokens, place + 2) == "of":
        return [_number(Decimal(1) / parts, token)], 2
    if token.kind is not Kind.NUMBER or not token.key.isdecimal() or int(token.key) > MOST_PARTS:
        return None
    if parts is not None and int(token.key) < parts:
        return [_number(Decimal(token.key) / parts, token)], 2
    for words in (("in",), ("out", "of")):
        at = place + 1 + len(words)
        if _texts(tokens, place + 1, len(words)) != words or at >= len(tokens):
            continue
        whole = tokens[at]
        is_whole = whole.kind is Kind.NUMBER and whole.key.isdecimal() and not 1500 <= int(whole.key) < 2100
        if is_whole and int(token.key) < int(whole.key):
            return [_number(Decimal(token.key) / Decimal(whole.key), token)], at + 1 - place
    return None


def _number(value: Decimal, first: Token) -> Token:
    return Token(Kind.NUMBER, key_of(round(value, 4)), first.text, first.start)


def _affirmed(tokens: Sequence[Token], place: int) -> str | None:
    """Return the word that two negations affirm, as "common" for "not uncommon"."""
    if tokens[place].text.lower() != "not":
        return None
    word = _text(tokens, place + 1)
    return next(
        (word[len(one) :] for one in _PREFIXES if word.startswith(one) and word[len(one) :] in _TWICE_NEGATED), None
    )


def _begins_amount(tokens: Sequence[Token], place: int) -> bool:
    if place < len(tokens) and tokens[place].key in ("$", "€", "£"):
        place += 1
    return place < len(tokens) and tokens[place].kind is Kind.NUMBER and is_decimal(tokens[place].key)


def _texts(tokens: Sequence[Token], place: int, n: int) -> tuple[str, ...]:
    return tuple(token.text.lower() for token in tokens[place : place + n])


def _text(tokens: Sequence[Token], place: int) -> str:
    return tokens[place].text.lower() if place < len(tokens) else ""


# Quantities: what a number counts, how it is bounded, and the same quantity in another unit or as a share


_FACTORS: Mapping[str, Mapping[str, str]] = {
    "time": {
        "nanosecond": "1e-9", "microsecond": "1e-6", "millisecond": "1e-3", "second": "1", "minute": "60",
        "hour": "3600", "day": "86400", "week": "604800",
    },
    "length": {
        "nanometre": "1e-9", "micrometre": "1e-6", "millimetre": "1e-3", "centimetre": "1e-2", "metre": "1",
        "kilometre": "1e3",
    },
    "mass": {"microgram": "1e-6", "milligram": "1e-3", "gram": "1", "kilogram": "1e3", "tonne": "1e6"},
    "volume": {"microlitre": "1e-6", "millilitre": "1e-3", "litre": "1"},
    "memory": {"byte": "1", "kilobyte": "1e3", "megabyte": "1e6", "gigabyte": "1e9", "terabyte": "1e12"},
    "frequency": {"hertz": "1", "kilohertz": "1e3", "megahertz": "1e6", "gigahertz": "1e9"},
}  # fmt: skip
DIMENSIONS: Mapping[str, tuple[str, Decimal]] = {
    unit: (dimension, Decimal(factor)) for dimension, units in _FACTORS.items() for unit, factor in units.items()
}
"""Dimension of each unit, and the factor to the base unit of its dimension."""
CURRENCIES = ("$", "€", "£")
_LOWER, _UPPER = frozenset({"≥", ">"}), frozenset({"≤", "<"})
_MAYBE_LOWER = frozenset({"over", "above", "exceeding", "exceeds", "exceeded"})
_MAYBE_UPPER = frozenset({"under", "below"})
_THIRDS: Mapping[str, str] = {
    "33": "0.3333", "33.3": "0.3333", "33.33": "0.3333", "67": "0.6667", "66.7": "0.6667", "66.67": "0.6667",
}  # fmt: skip
_YEAR_FOLLOWS = frozenset(
    {"in", "of", "since", "before", "after", "until", "from", "to", "by", "during", "and", "or", "the", "year", "years",
     "early", "late", "mid", "around", "about", "al", "for", "between", "circa", "than"}
)  # fmt: skip


def text_at(tokens: Sequence[Token], place: int) -> str:
    """Return a token's text in small letters, empty outside of the sentence."""
    return tokens[place].text.lower() if 0 <= place < len(tokens) else ""


def keys_of_share(tokens: Sequence[Token], place: int) -> Iterator[str]:
    """Yield the keys that a number may have in its source: its own, and a share for a percentage and back."""
    key = tokens[place].key
    yield key
    if not is_decimal(key):
        return
    value = Decimal(key)
    if text_at(tokens, place + 1) == "%":
        yield key_of(value / 100)
        if key in _THIRDS:
            yield _THIRDS[key]
    elif 0 < value < 1:
        yield key_of(value * 100)
        yield from (percent for percent, share in _THIRDS.items() if share == key)


def is_year(tokens: Sequence[Token], place: int) -> bool:
    """Say whether a number is a year, not a count as in "covered 1998 households"."""
    if re.fullmatch(r"(?:1[5-9]|20)\d\d", tokens[place].text) is None:
        return False
    before = tokens[place - 1] if place else None
    if before is None or before.kind is not Kind.WORD:
        return True
    return before.text.lower() in _YEAR_FOLLOWS or before.text[:1].isupper()


def currency(tokens: Sequence[Token], place: int) -> str:
    """Return the sign of a currency before a number; the dollar signs around a formula are none."""
    before = text_at(tokens, place - 1)
    return before if before in CURRENCIES and text_at(tokens, place + 1) != "$" else ""


def bounds_alike(said: Sequence[Token], place: int, known: Sequence[Token], at: int) -> bool:
    """Return whether a number has its source's bound: "more than 20" differs from "20" and "at most 20"."""
    (sign, is_strong), (other, is_strong_there) = _bound(said, place), _bound(known, at)
    if sign == other:
        return True
    return not (sign and other) and not (is_strong or is_strong_there)


def _bound(tokens: Sequence[Token], place: int) -> tuple[int, bool]:
    """Return 1 for a lower bound, -1 for an upper one, 0 for none, and whether the words are unambiguous."""
    before = text_at(tokens, place - 1)
    if before in CURRENCIES:
        place, before = place - 1, text_at(tokens, place - 2)
    if before in _LOWER or before in _UPPER:
        return (1 if before in _LOWER else -1), True
    if before in _MAYBE_LOWER:
        return 1, False
    is_upper = before in _MAYBE_UPPER or (before == "to" and text_at(tokens, place - 2) == "up")
    return (-1 if is_upper else 0), False


def same_in_another_unit(said: Sequence[Token], place: int, known: Sequence[Token], at: int) -> bool:
    """Say whether two numbers with different units of one dimension are one quantity, as 2 hours and 120 minutes."""
    if not (is_decimal(said[place].key) and is_decimal(known[at].key)):
        return False
    one, other = (
        DIMENSIONS.get(tokens[i + 1].key) if i + 1 < len(tokens) else None for tokens, i in ((said, place), (known, at))
    )
    if one is None or other is None or one[0] != other[0]:
        return False
    return Decimal(said[place].key) * one[1] == Decimal(known[at].key) * other[1]


# Tokens of a sentence for comparison with another: words by stem, numbers by value, signs.
#
# Numbers are read as digits with separators, powers of ten, scale words ("3 million") and number words ("three", "two
# hundred and five"), so that equal values are equal tokens. Units have one spelling ("hrs", "h" and "hours").


_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_SUPERSCRIPT = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+")
_BLANK_SEPARATOR = re.compile(r"(?<![\d.,])\d{1,3}(?: \d{3}){2,}(?![\d.,]*\d)")
_POWER_OF_TEN = re.compile("(?<![\\d.,×x*·^])(10) ?(?:\u2212(\\d{1,2})|[-\u2010\u2011](\\d))(?![\\d.,:–-]*\\d)")
_MINUS_SIGN = re.compile(r"(?<![\w.,)\]%-])(?<!\d )–(?=\d|\.\d)")
_THIN_SEPARATOR = re.compile("(?<=\\d)[\u00a0\u2007\u2009\u202f](?=\\d{3}(?!\\d))")
_PERCENT = re.compile(r"\bper[ -]?cent\b|\bpct\b|\bpercent\b", re.IGNORECASE)
_MINUS = re.compile("[\u2010\u2011\u2212]")
_TOKEN = re.compile(
    r"(?P<number>(?<![^\W\d_])(?:(?<![\w.)\]%-])(?<!\d )-)?(?:\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|"
    r"\d+:\d+(?![\d:])|\d+(?:\.\d+)*|\.\d+)"
    r"(?:\s?[×x*·]\s?10\s?\^?\s?\{?(?P<power>[-+]?\d{1,3})\}?|[eE](?P<exponent>[-+]?\d{1,3})(?!\w)|\^\{?(?P<raised>[-+]?\d{1,3})\}?"
    r"|(?P<scale>[kMB])(?!\w))?)"
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
    "dozen": 12, "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12,
}  # fmt: skip
_LETTERS: Mapping[str, int] = {"k": 10**3, "M": 10**6, "B": 10**9}
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
        "kelvin": "k kelvin kelvins", "nanometre": "nm nanometer nanometre nanometers nanometres",
        "micrometre": "µm μm um micron microns micrometer micrometre micrometers micrometres",
        "nanosecond": "ns nanosecond nanoseconds", "microsecond": "µs μs us microsecond microseconds",
        "microgram": "µg μg ug mcg microgram micrograms", "tonne": "tonne tonnes",
        "byte": "byte bytes", "kilobyte": "kb kilobyte kilobytes", "megabyte": "mb megabyte megabytes",
        "gigabyte": "gb gigabyte gigabytes", "terabyte": "tb terabyte terabytes",
        "kilohertz": "khz kilohertz", "megahertz": "mhz megahertz", "gigahertz": "ghz gigahertz",
        "millilitre": "ml milliliter millilitre milliliters millilitres",
        "microlitre": "µl μl ul microliter microlitre microliters microlitres",
        "litre": "l liter liters litre litres", "hertz": "hz hertz",
    }.items()
    for spelling in spellings.split()
}  # fmt: skip
"""One name for each spelling of a unit behind a number."""


def normalised(text: str) -> str:
    """Return a text with one spelling of blanks, minus signs, powers, and ``%``."""
    text = _THIN_SEPARATOR.sub("", visible(text))
    text = _BLANK_SEPARATOR.sub(lambda match: match[0].replace(" ", ""), text)
    text = _MINUS_SIGN.sub("-", _POWER_OF_TEN.sub(r"\1^-\2\3", text))
    text = _SUPERSCRIPT.sub(lambda match: "^" + match[0].translate(_SUPERSCRIPTS), text)
    return _PERCENT.sub("%", _MINUS.sub("-", unicodedata.normalize("NFKC", text)))


@lru_cache(maxsize=4096)
def tokens_of(text: str) -> tuple[Token, ...]:
    """Return the tokens of a text, in order."""
    return tuple(phrased(tuple(_with_values(list(_raw(normalised(text)))))))


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
    text = re.sub(r"(?<=.)[^\d.,:].*", "", match["number"]).replace(",", "")
    if text.count(".") > 1 or ":" in text:  # a version, a section; a ratio
        return text
    try:
        value = Decimal(text)
        power = match["power"] or match["exponent"]
        if match["scale"] is not None:
            value *= _LETTERS[match["scale"]]
        if power is not None:
            value = value.scaleb(int(power))
        elif match["raised"] is not None and value == 10:
            value = Decimal(1).scaleb(int(match["raised"]))
        elif match["raised"] is not None:
            return f"{key_of(value)}^{int(match['raised'])}"
    except InvalidOperation:
        return text
    return key_of(value)


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
        if scale in _SCALES and is_decimal(first.key):
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
