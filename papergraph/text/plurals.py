"""Singular forms of English nouns, as far as their letters tell."""

import re

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
