"""A token of a sentence, and the keys that make two tokens equal."""

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from functools import lru_cache

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
    word = "".join(one for one in unicodedata.normalize("NFD", word) if not unicodedata.combining(one))
    for ending in ("ization", "isation", "ations", "ation", "ingly", "ments", "ment", "ities", "ity", "ness", "ings"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    for ending in ("ies", "ing", "ed", "es", "ly", "s", "al", "ic", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word
