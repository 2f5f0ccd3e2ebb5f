"""The questions within one query, told by rules: sentences, and places where a new question begins.

What leads up to a question is no question: a part is searched by itself only if it can be understood by itself.
"""

import asyncio
import re
from collections.abc import Sequence

import numpy as np

from papergraph.embedding import Floats
from papergraph.text.sentences import sentences
from server.retrieval.query import is_text
from server.retrieval.resources import Resources

LEAST_CONTRAST = 0.35
"""1 - cosine between two parts of a question that are two topics; below it they are one."""
LEAST_WORDS, LEAST_WORDS_CUT = 3, 5
"""Words of a part that is a sentence, and of each side of a cut."""
MOST_CUTS = 12
NEAR_WORDS = 12
"""Words at the beginning of a part in which it may point back."""

_STOP = re.compile(r"\s[.;]+\s+|(?<=[?!])\s+")
"""What ends a question in a query, whatever follows: a stop that stands alone, a question mark."""
_CUT = re.compile(
    r"(?:[,;]?\s+(?:and|or|also))*[,;]?\s+(?P<question>what|how|why"
    r"|(?:and\s+(?:who|which|when|where))"
    r"|(?P<verb>is|are|has|have|can|do|does)(?=\s+(?:any|anyone|the|there|we)\b))\s+",
    re.IGNORECASE,
)
"""Where another question may begin: not at a mere «and», and not at «who», «which», «when» and «where» by themselves,
which mostly go on with the same one."""
_POINTS_BACK = re.compile(
    r"\b(?:it|its|they|them|their|these|those|this|such|same|former|latter|which ones?|if so)\b", re.IGNORECASE
)
"""Words by which what begins so points back, and is no question by itself."""
_OF_NOTHING = re.compile(
    r"\b(?:is it|it is)(?: \w+)? (?:clear|feasible|known|likely|necessary|possible|true|unlikely)\b", re.IGNORECASE
)
"""«It» that points at nothing: «is it possible», «it is not likely»."""
_ASKS = re.compile(r"\b(?:what|how|why|who|whom|whose|which|when|where)\b", re.IGNORECASE)
_VERB = re.compile(
    r"\b(?:am|is|are|was|were|be|been|has|have|had|do|does|did|can|could|will|would|shall|should|may|might|must)\b",
    re.IGNORECASE,
)
_LEADS_UP = re.compile(
    r"(?:about|according|after|among|as|assuming|at|before|being|beside|besides|between|by|concerning|considering|despite|"
    r"during|for|from|given|if|in|of|on|over|regarding|since|though|to|under|when|while|with|within|without)\b",
    re.IGNORECASE,
)
"""How what only leads up to a question begins: «in practice», «as of 5 March 2020», «given a fixed budget»."""
_GOES_ON = re.compile(
    r"\b(?:about|and|as|at|by|for|from|if|in|into|me|of|on|or|so|still|than|that|to|us|whether|with)\Z", re.IGNORECASE
)
"""How what is not finished ends: «is there any information on»."""


async def parts(resources: Resources, query: str, most: int) -> list[str]:
    """Return the questions that a query asks one after the other, or none if it is one question or a whole text.

    Sentences first; where there is one, it is cut where questions begin, each time where the two sides are
    least alike, as long as their contrast, 1 - cosine, is at least .55. A sentence of fewer than three words, or that
    points back ("these", "if so"), belongs to the one before it; nothing is cut off that points back, leads up to a
    question ("in practice"), or is not finished ("is there any information on"). A query of more sentences than
    ``most``, or of over 70 words, is a text.
    """
    if is_text(query):
        return []
    said = _sentences(query)
    if len(said) > most:
        return []
    if len(said) < 2:
        said = [" ".join(query.split())]
        vectors: dict[str, Floats] = {}
        while len(said) < most and (cut := await _best_cut(resources, said, vectors)) is not None:
            place, left, right = cut
            said[place : place + 1] = [left, right]
    return said if len(said) > 1 else []


def _sentences(query: str) -> list[str]:
    """Return the sentences that can be understood by themselves, each with those behind it that cannot."""
    said: list[str] = []
    for sentence in sentences(query):
        for part in _STOP.split(sentence):
            words = part.split()
            n_words = sum(any(map(str.isalnum, word)) for word in words)
            if said and (n_words < LEAST_WORDS or _points_back(part)):
                said[-1] = " ".join([said[-1], *words])
            elif words:
                said.append(" ".join(words))
    return said


async def _best_cut(
    resources: Resources, said: Sequence[str], vectors: dict[str, Floats]
) -> tuple[int, str, str] | None:
    """Return the place of the part to cut and its two sides, or None if no two sides are unlike enough.

    ``vectors`` keeps those of sides from one cut to the next.
    """
    cuts = []
    for place, part in enumerate(said):
        for match in _CUT.finditer(part):
            left, right = part[: match.start()], part[match.start("question") :]
            if _are_two(left, right, at_verb=match["verb"] is not None):
                cuts.append((place, left.strip(), right.strip()))
    if not cuts:
        return None
    cuts = cuts[:MOST_CUTS]
    texts = list(dict.fromkeys(side for _, *sides in cuts for side in sides if side not in vectors))
    if texts:
        encoded = await asyncio.to_thread(resources.model.searched.embedder.encode_documents, texts)
        vectors.update(zip(texts, encoded, strict=True))
    contrast = [1.0 - float(vectors[left] @ vectors[right]) for _, left, right in cuts]
    best = int(np.argmax(contrast))
    return cuts[best] if contrast[best] >= LEAST_CONTRAST else None


def _are_two(left: str, right: str, *, at_verb: bool) -> bool:
    """Say whether both sides of a cut can be understood by themselves; the right one may begin ``at_verb``."""
    asks = _ASKS.search(left) is not None
    needs_verb = at_verb and asks and not _VERB.search(left)  # «how many new cases | are there each year»
    leads_up = not asks and _LEADS_UP.match(left) is not None
    long_enough = min(len(left.split()), len(right.split())) >= LEAST_WORDS_CUT
    return long_enough and not (needs_verb or leads_up or _GOES_ON.search(left) or _points_back(right))


def _points_back(text: str) -> bool:
    beginning = " ".join(text.split()[:NEAR_WORDS])
    return _POINTS_BACK.search(_OF_NOTHING.sub("", beginning)) is not None
