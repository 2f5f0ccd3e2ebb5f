"""Phrases of several tokens that mean one thing: shares, bounds of numbers, currencies, double negations.

"One in ten" and "a tenth of" are numbers, "at least 20" and "20 or more" begin with the sign ≥, and "not uncommon" is
"common".
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from papergraph.text.words import words_in
from server.answers.token import Kind, Token, is_decimal, key_of, stem

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
    """Return what stands for the tokens from a place on, and how many they are."""
    token = tokens[place]
    if token.kind is Kind.WORD:
        for words, sign in _BEFORE.items():
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
