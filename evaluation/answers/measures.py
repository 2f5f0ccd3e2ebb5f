"""One answer to its figures: those of its words, of its meaning, of its citations, and what a judge says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from evaluation.answers.examples import Example, SystemAnswer
from evaluation.answers.judge import Judge
from evaluation.answers.lexical_overlap import evidence_rouge_l, exact_match, match_accuracy, rouge_l, token_f1
from evaluation.answers.semantic_similarity import bert_score, cosines
from papergraph.embedding import Embedder, Floats

ANSWERED, REFUSED_RIGHTLY = "answered", "refused rightly"
EVIDENCE, FOUND_EVIDENCE = "evidence ROUGE-L", "passages ROUGE-L"
GOLD_REACHED, GOLD_CITED = "gold reached", "gold cited"
MATCHED = "accuracy (match)"


class Encoder(Embedder, Protocol):
    """An embedding model that gives vectors of tokens too."""

    def encode_tokens(self, texts: Sequence[str]) -> list[Floats]:
        """Return the vectors of each text's tokens, length 1, shape (n_tokens, d)."""


@dataclass(frozen=True)
class Measured:
    """What a reader gave for a question, and the figures of it.

    Attributes:
        case: The question.
        given: What the reader gave.
        figures: By measure; a measure that does not apply here is not there.
        missing: By measure, why it is missing although it applies.
        reasons: By measure, what a judge says for it.
    """

    case: Example
    given: SystemAnswer
    figures: Mapping[str, float]
    missing: Mapping[str, str] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)


async def measure(case: Example, given: SystemAnswer, encoder: Encoder, judge: Judge | None = None) -> Measured:
    """Return all figures of what a reader gave.

    Refusals and failures have figures of their own, and none of an answer: they are counted apart and drag no mean
    down.

    Args:
        case: The question.
        given: What the reader gave.
        encoder: The local embedding model.
        judge: A language model that judges, or None.

    Raises:
        EmbeddingError: A text cannot be embedded.
    """
    figures = _of_evidence(case, given)
    if given.failure is None:
        name = ANSWERED if case.is_answerable else REFUSED_RIGHTLY
        figures[name] = float(given.is_answer == case.is_answerable)
    if not given.is_answer:
        return Measured(case, given, figures)
    if case.answers:
        figures |= _of_words(case, given) | _of_meaning(case, given, encoder)
    if judge is None:
        return Measured(case, given, figures)
    said = await judge.judge(case, given)
    return Measured(case, given, figures | said.figures, said.missing, said.reasons)


def _of_words(case: Example, given: SystemAnswer) -> dict[str, float]:
    return {
        "F1": token_f1(given.plain, case.answers),
        "ROUGE-L": max(rouge_l(given.plain, answer) for answer in case.answers),
        "exact match": exact_match(given.plain, case.answers),
        MATCHED: match_accuracy(given.plain, case.answers),
    }


def _of_meaning(case: Example, given: SystemAnswer, encoder: Encoder) -> dict[str, float]:
    """Cosine and BERTScore with the reference that is nearest by it."""
    ours, *theirs = encoder.encode_tokens([given.plain, *case.answers])
    score = max((bert_score(ours, reference) for reference in theirs), key=lambda one: one.f1)
    return {
        "cosine": max(cosines(encoder, given.plain, case.answers)),
        "BERTScore P": score.precision,
        "BERTScore R": score.recall,
        "BERTScore F1": score.f1,
    }


def _of_evidence(case: Example, given: SystemAnswer) -> dict[str, float]:
    """How near what is shown and what was found come to what is right, and whether the place is the right one."""
    figures = {}
    if case.evidence and given.is_answer:
        figures[EVIDENCE] = evidence_rouge_l(given.shown, case.evidence) or 0.0
    if case.evidence and given.passages:
        found = [passage.text for passage in given.passages]
        figures[FOUND_EVIDENCE] = evidence_rouge_l(found, case.evidence) or 0.0
    if case.spans and given.passages:
        reached = any(s.is_covered_by(place) for s in case.spans for one in given.passages for place in one.places)
        figures[GOLD_REACHED] = float(reached)
        if reached and given.quotes:
            cited = any(s.overlaps(place) for s in case.spans for one in given.quotes for place in one.places)
            figures[GOLD_CITED] = float(cited)
    return figures
