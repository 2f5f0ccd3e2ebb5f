"""An answer beside its references, by its words alone: ROUGE-L, token F1, and whether they say the same.

Nothing here asks a model, so that these figures are the same on every machine and for every judge.
"""

import re
import string
from collections import Counter
from collections.abc import Sequence

from rapidfuzz.distance import LCSseq

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
    """Return how near the pieces of evidence that are shown come to those that are right, by :func:`rouge_l`.

    The mean over the pieces shown of the best F with any piece of gold evidence: a piece that is beside the point, or
    is much longer than what is right, lowers it. That is the measure of the course report on eight retrieval methods
    (docs/references.md#paper-qa), as far as its table tells: there too, more passages gave less.

    Args:
        shown: Quotes or passages.
        gold: What would be right, any of which will do.

    Returns:
        In [0, 1], 0 where nothing is shown; None where nothing is known to be right.
    """
    if not gold:
        return None
    if not shown:
        return 0.0
    return sum(max(rouge_l(piece, right) for right in gold) for piece in shown) / len(shown)


def token_f1(candidate: str, references: Sequence[str]) -> float:
    """Return the best F1 over words that an answer shares with any of its references.

    P and R count words as often as they stand in both, after :func:`normalised`. Two texts of which nothing is left are
    equal, as in SQuAD 2.0.

    Args:
        candidate: The answer.
        references: Answers that would be right, at least one.

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
    """Return 1 if an answer holds any of its references word by word, else 0: accuracy where there is no judge.

    Answers with citations are sentences, references are often a name or a number, so equality would be asked too much.
    Where the reference is yes or no, the answer has to begin with it. It is no judgement: what says the same in other
    words counts as wrong, and what denies the reference while naming it as right. Reports call it ``accuracy (match)``.

    Args:
        candidate: The answer.
        references: Answers that would be right, at least one; those of which :func:`normalised` leaves nothing are
        none.
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
