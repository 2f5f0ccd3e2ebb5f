"""Words of a text: their boundaries, function words, plurals and stems."""

import re
from functools import cache, lru_cache
from typing import Any

from papergraph.text.language import NAMES

# Lists of words as plain text, and how many words a text has


_WORD = re.compile("[\u2e80-\U0003ffff]|[^\\s\u2e80-\U0003ffff]+")


def words_in(text: str) -> list[str]:
    """Return the words of a text that blanks separate."""
    return text.split()


def n_words(text: str) -> int:
    """Return the number of words between blanks; each Chinese, Japanese or Korean character counts as one."""
    return len(_WORD.findall(text))


# English words of closed classes: they say how the words of a subject belong together, and name nothing themselves.
#
# Source: the closed word classes of Quirk et al. 1985, A Comprehensive Grammar of the English Language.


FUNCTION_WORDS = frozenset(
    words_in(
        "a an the this that these those such same "  # determiners
        "all any both each either neither enough every few fewer fewest half less least little lot lots many more most "
        "much multiple no none numerous only other others another own plenty several some various "
        "one two three four five six seven eight nine ten first second third last next "
        "i me my mine myself you your yours yourself he him his himself she her hers herself it its itself we us our "
        "ours ourselves they them their theirs themselves "
        "anybody anyone anything everybody everyone everything nobody nothing somebody someone something "
        "who whom whose which what when where why how whether whatever whenever wherever whichever whoever however "
        "am is are was were be been being do does did done doing have has had having "
        "can cannot could may might must ought shall should will would "
        "about above across after against along alongside among amongst amid around as at before behind below beneath "
        "beside besides between beyond by concerning considering despite down during except excluding following for "
        "from in including inside into like near of off on onto out outside over past per regarding round since than "
        "through throughout till to toward towards under underneath unlike until up upon versus via vs with within "
        "without worth "
        "and but or nor so yet if unless although though because while whereas once "
        "not never ever always often sometimes usually rarely seldom also again already almost even just rather quite "
        "really still then thus hence therefore there here now today too very well further instead together apart "
        "away back else maybe perhaps please "
        "big deep far fast good great hard high large long low new old quick short slow small soon wide"
    )
)
"""Words in small letters: determiners, pronouns, prepositions, conjunctions, auxiliary verbs, small numbers and common
adverbs; besides the adjectives of size and degree that "how" asks with."""


# Singular forms of English nouns, as far as their letters tell


_SAME_IN_PLURAL = frozenset(
    re.findall(
        r"\S+",
        "alias analysis apparatus atlas axis basis bias canvas chaos corps focus gas keras kubernetes lens locus "
        "mathematics news pandas physics radius series species status thesis virus windows",
    )
)
"""Singular nouns that end in s."""

_IRREGULAR = {
    "analyses": "analysis",
    "appendices": "appendix",
    "axes": "axis",
    "biases": "bias",
    "corpora": "corpus",
    "characteristics": "characteristic",
    "criteria": "criterion",
    "heuristics": "heuristic",
    "hypotheses": "hypothesis",
    "indices": "index",
    "matrices": "matrix",
    "metrics": "metric",
    "phenomena": "phenomenon",
    "statistics": "statistic",
    "syntheses": "synthesis",
    "theses": "thesis",
    "topics": "topic",
    "vertices": "vertex",
}


def singular(word: str) -> str:
    """Return an English noun in small letters without its plural's ending, as far as its letters tell."""
    front, hyphen, last = word.rpartition("-")
    if hyphen and last in _IRREGULAR | dict.fromkeys(_SAME_IN_PLURAL):
        return front + hyphen + singular(last)
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or word in _SAME_IN_PLURAL or word.endswith(("ss", "us", "is", "ics")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "zzes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") else word


# Stems of words in many languages


def snowball_stem(word: str, language: str) -> str:
    """Return the stem of a word in small letters; the word itself in languages without a stemmer.

    Args:
        word: The word.
        language: ISO 639-1 code.
    """
    return stem_by(NAMES.get(language, "").lower(), word)


@lru_cache(maxsize=65_536)
def stem_by(stemmer: str, word: str) -> str:
    """Return what one of Snowball's stemmers, such as ``german`` or ``porter``, makes of a word; the word if none.

    Source: Porter 2001, Snowball: a language for stemming algorithms.
    """
    known = _stemmer(stemmer)
    return word if known is None else str(known.stemWord(word))


@cache
def _stemmer(name: str) -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer(name) if name in snowballstemmer.algorithms() else None
