"""Scores of answers beside their references: shared words, nearness of vectors, and verdicts of a judge.

Nothing here asks a language model.
"""

import re
import string
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz.distance import LCSseq

from papergraph.embedding import Embedder, Floats, encode_whole

OVER = (0.7, 0.5, 0.3)
"""Thresholds of ROUGE-L above which questions are counted, as the course report's table has them."""
YES_OR_NO = frozenset({"yes", "no"})
_NO_WORD = re.compile(r"[^a-z0-9]+")
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def rouge_l(candidate: str, reference: str) -> float:
    """Return ROUGE-L, the F-measure over the longest common subsequence of two texts' words.

    P = LCS / words of the candidate, R = LCS / words of the reference, F = 2PR / (P + R). Words are runs of a to z and
    0 to 9 after lowering, as Google's ``rouge-score`` cuts them, without stemming; other letters part words there and
    here.

    Returns:
        F in [0, 1]; 0 where either text has no word.

    Source: Lin 2004, ROUGE: A Package for Automatic Evaluation of Summaries, ACL W04-1013.
    """
    ours, theirs = _rouge_words(candidate), _rouge_words(reference)
    if not ours or not theirs:
        return 0.0
    return 2 * LCSseq.similarity(ours, theirs) / (len(ours) + len(theirs))


def evidence_rouge_l(shown: Sequence[str], gold: Sequence[str]) -> float | None:
    """Return the similarity of the shown evidence to the gold evidence, by :func:`rouge_l`.

    The mean over shown pieces of the best F with any piece of gold evidence; an irrelevant or much too long piece
    lowers it. This appears to be the measure of the course report on eight retrieval methods
    (docs/references.md#paper-qa), in whose table more passages score lower too.

    Args:
        shown: Quotes or passages.
        gold: Alternative pieces of gold evidence.

    Returns:
        In [0, 1], 0 without shown pieces; None without gold evidence.
    """
    if not gold:
        return None
    if not shown:
        return 0.0
    return sum(max(rouge_l(piece, right) for right in gold) for piece in shown) / len(shown)


def token_f1(candidate: str, references: Sequence[str]) -> float:
    """Return the best word F1 of an answer with any of its references.

    P and R count common words with multiplicity, after :func:`normalised`. Two empty normalised texts are equal, as in
    SQuAD 2.0.

    Args:
        candidate: The answer.
        references: Right answers, at least one.

    Returns:
        In [0, 1].

    Source: Rajpurkar et al. 2016, SQuAD: 100,000+ Questions for Machine Comprehension of Text, arXiv:1606.05250; best
    of several as in Dasigi et al. 2021, A Dataset of Information-Seeking Questions and Answers Anchored in Research
    Papers (QASPER), arXiv:2105.03011.
    """
    return max(_f1(normalised(candidate).split(), normalised(reference).split()) for reference in references)


def exact_match(candidate: str, references: Sequence[str]) -> float:
    """Return 1 if an answer and any of its references are the same after :func:`normalised`, else 0.

    Source: SQuAD, as :func:`token_f1`.
    """
    return float(any(normalised(candidate) == normalised(reference) for reference in references))


def match_accuracy(candidate: str, references: Sequence[str]) -> float:
    """Return 1 if an answer contains any of its references literally, else 0: accuracy without a judge.

    Answers are sentences and references often a name or a number, so equality would be too strict. For the references
    yes and no, the answer must begin with the word. Paraphrases count as wrong, and a negated reference as right.
    Reports call it ``accuracy (match)``.

    Args:
        candidate: The answer.
        references: Right answers, at least one; those that :func:`normalised` makes empty are ignored.
    """
    ours = normalised(candidate).split()
    return float(any(_holds(ours, normalised(reference).split()) for reference in references))


def normalised(text: str) -> str:
    """Return a text lowered, without punctuation and English articles, with single blanks: SQuAD's normal form."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())


def _rouge_words(text: str) -> list[str]:
    return _NO_WORD.sub(" ", text.lower()).split()


def _f1(ours: Sequence[str], theirs: Sequence[str]) -> float:
    if not ours or not theirs:
        return float(ours == theirs)
    n_shared = sum((Counter(ours) & Counter(theirs)).values())
    return 2 * n_shared / (len(ours) + len(theirs))


def _holds(words: Sequence[str], wanted: Sequence[str]) -> bool:
    if len(wanted) == 1 and wanted[0] in YES_OR_NO:
        return list(words[:1]) == list(wanted)
    n = len(wanted)
    return n > 0 and any(list(words[at : at + n]) == list(wanted) for at in range(len(words) - n + 1))


@dataclass(frozen=True)
class BertScore:
    """BERTScore: precision, recall and F1 of greedy matching of token vectors, each at most 1."""

    precision: float
    recall: float
    f1: float


def bert_score(candidate: Floats, reference: Floats) -> BertScore:
    """Return the BERTScore of two texts: each token is matched to the nearest one by vectors.

    P is the mean over the candidate's tokens of the largest cosine with a token of the reference, R the same the other
    way round, F1 = 2PR / (P + R). Tokens have equal weights (no idf), special ones are left out, and scores are not
    rescaled by a baseline. The vectors are from the local sentence encoder instead of the paper's models, so figures
    are comparable with each other only; reports name the encoder.

    Args:
        candidate: Vectors of the answer's tokens, length 1, shape (n, d).
        reference: Those of the reference's tokens, shape (m, d).

    Returns:
        P and R in [-1, 1]; all 0 if a text is empty. F1 is 0 unless P + R is positive.

    Source: Zhang et al. 2019, BERTScore: Evaluating Text Generation with BERT, arXiv:1904.09675.
    """
    if not len(candidate) or not len(reference):
        return BertScore(0.0, 0.0, 0.0)
    cosines = np.asarray(candidate, np.float64) @ np.asarray(reference, np.float64).T
    precision, recall = float(cosines.max(axis=1).mean()), float(cosines.max(axis=0).mean())
    total = precision + recall
    return BertScore(precision, recall, 2 * precision * recall / total if total > 0 else 0.0)


def cosines(embedder: Embedder, text: str, others: Sequence[str]) -> list[float]:
    """Return the cosine of a text with each of the others, in [-1, 1]; texts may be longer than the model reads."""
    vectors = encode_whole(embedder, [text, *others])
    return [float(np.clip(cosine, -1.0, 1.0)) for cosine in vectors[1:] @ vectors[0]]


FACTS, MEANING = 0.75, 0.25
"""Weights of an answer's facts and of its nearness in meaning in :func:`answer_correctness`."""


def share(verdicts: Sequence[bool]) -> float | None:
    """Return the share of positive verdicts, in [0, 1]; None for an empty list.

    Faithfulness is the share of an answer's statements that the passages support; context recall is the share of the
    reference's statements that they support.

    Source: Es et al. 2023, RAGAS: Automated Evaluation of Retrieval Augmented Generation, arXiv:2309.15217.
    """
    return sum(verdicts) / len(verdicts) if verdicts else None


def context_precision(verdicts: Sequence[bool]) -> float | None:
    """Return the average precision of useful passages.

    Σₖ precision@k · vₖ / Σₖ vₖ, where vₖ is 1 if the passage at rank k is useful.

    Args:
        verdicts: True for useful passages, best rank first.

    Returns:
        In [0, 1]; None for an empty list.

    Source: context precision of the RAGAS package (docs.ragas.io). The RAGAS paper defines context relevance instead.
    """
    if not verdicts:
        return None
    n_useful = 0
    total = 0.0
    for rank, is_useful in enumerate(verdicts, start=1):
        n_useful += is_useful
        total += is_useful * n_useful / rank
    return total / n_useful if n_useful else 0.0


def answer_relevancy(cosines: Sequence[float], *, is_noncommittal: bool) -> float | None:
    """Return the similarity of the question to questions that a model generated from the answer.

    Args:
        cosines: Cosines of the question with each generated question, in [-1, 1].
        is_noncommittal: True if the answer avoids the question, which scores 0.

    Returns:
        Their mean, in [-1, 1]; None for an empty list.

    Source: RAGAS, arXiv:2309.15217; 0 for what is noncommittal is its package's.
    """
    if not cosines:
        return None
    return 0.0 if is_noncommittal else sum(cosines) / len(cosines)


def factual_f1(*, true_positives: int, false_positives: int, false_negatives: int) -> float | None:
    """Return the F1 of an answer's statements against the reference's: TP / (TP + (FP + FN) / 2).

    Args:
        true_positives: Number of statements of the answer that the reference supports.
        false_positives: Number of its unsupported statements.
        false_negatives: Number of statements of the reference that the answer omits.

    Returns:
        In [0, 1]; None if all numbers are 0.
    """
    n = 2 * true_positives + false_positives + false_negatives
    return 2 * true_positives / n if n else None


def answer_correctness(facts: float, cosine: float) -> float:
    """Return .75 · F1 of the facts + .25 · cosine of answer and reference.

    Args:
        facts: :func:`factual_f1`, in [0, 1].
        cosine: Of the two texts' vectors, in [-1, 1].

    Returns:
        In [-.25, 1].

    Source: RAGAS, its answer correctness with its default weights (docs.ragas.io).
    """
    return FACTS * facts + MEANING * cosine


def wins(scores: Sequence[float]) -> list[float]:
    """Return for each of at least two scores the share of the others below it, in [0, 1]; equal ones count half.

    The mean over all is one half, so that 0.5 is what a system gets by chance.
    """
    return [
        (sum(one > other for other in scores) + 0.5 * (sum(one == other for other in scores) - 1)) / (len(scores) - 1)
        for one in scores
    ]
