"""Content of a refusal: nearest passage and absent nouns."""

from collections.abc import Sequence

from papergraph.server.answers.answerability import Answerability
from papergraph.server.answers.extractive import Evidence
from papergraph.server.answers.model_text import visible
from papergraph.server.answers.records import Source
from papergraph.server.answers.sources import file_of, url_of

NEAREST = 0.1
"""Probability from which on a refusal shows the sentence that comes nearest to an answer."""
MOST_SHOWN = 400
"""Characters of that sentence."""


def unlikely(answerability: Answerability, least: float, evidence: Evidence, sources: Sequence[Source]) -> str:
    """Return that no passage is likely to answer, with the nearest one from :data:`NEAREST` on."""
    said = f"No passage is likely to answer this question (answerability {_two(answerability)}, minimum {least:.2f})."
    return said + nearest(answerability, evidence, sources)


def without_nouns(answerability: Answerability, evidence: Evidence, sources: Sequence[Source]) -> str:
    """Return that the nearest passage lacks rare nouns of the question, with that passage."""
    names = ", ".join(f"“{noun}”" for noun in answerability.absent)
    said = f"The nearest passage does not mention {names} (answerability {_two(answerability)})."
    return said + nearest(answerability, evidence, sources)


def nearest(answerability: Answerability, evidence: Evidence, sources: Sequence[Source]) -> str:
    """Return the sentence that comes nearest to an answer with its place; nothing below :data:`NEAREST`."""
    if evidence.best is None or answerability.probability < NEAREST:
        return ""
    source = sources[evidence.best.sentence.passage]
    sentence = " ".join(visible(evidence.best.sentence.text).split())[:MOST_SHOWN]
    page = None if source.hit.chunk.start_page is None else f"p. {source.hit.chunk.start_page}"
    place = ", ".join(part for part in (source.hit.paper.title, url_of(source) or file_of(source), page) if part)
    return f" Nearest passage [{source.number}]: “{sentence}” ({place})"


def _two(answerability: Answerability) -> str:
    return f"{answerability.probability:.2f}"
