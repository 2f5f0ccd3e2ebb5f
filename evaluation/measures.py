"""Measures: a ranking and what would be right to a figure for each query.

What ir-measures has is computed by it (nDCG and recall by trec_eval's code, the measures over subtopics by ndeval's);
hits on evidence and ``perfect@k`` are computed here. Names are written as in the literature.
"""

import importlib.util
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from itertools import accumulate

from papergraph.errors import InputError, install_command
from papergraph.evaluation.queries import Evidence, Judged, Query, Subtopics

ALPHA = 0.5
LARGEST_GAIN = 10**6
"""trec_eval counts documents for each gain up to the largest, so grades with many decimals would fill the memory."""


class Kind(StrEnum):
    """Kind of a measure; the values are the names without cut-off."""

    NDCG = "nDCG"
    RECALL = "recall"
    MRR = "MRR"
    PERFECT = "perfect"
    HIT = "hit"
    EVIDENCE = "evidence"
    ALPHA_NDCG = "alpha-nDCG"
    SUBTOPIC_RECALL = "subtopic-recall"
    ERR_IA = "ERR-IA"


OVER_SUBTOPICS = (Kind.ALPHA_NDCG, Kind.SUBTOPIC_RECALL, Kind.ERR_IA)
OF_ANSWERS = frozenset({"ROUGE-L", "F1"})
NAME = re.compile(rf"({'|'.join(Kind)})(?:@([1-9]\d*)(w?)|%([1-9]\d?|100))")
WORDS_PER_CHUNK = 25
"""Assumed words per chunk, which sets the depth of a ranking for a budget of words; short chunks have about this many.
"""


@dataclass(frozen=True)
class Measure:
    """A measure with its cut-off.

    That is the first ``k`` ranks, ``percent`` of the documents judged for the query, or the first ``words`` of the
    ranked chunks together, which compares chunks of different sizes.
    """

    name: str
    kind: Kind
    k: int | None = None
    percent: int | None = None
    words: int | None = None

    def cutoff(self, query: Query) -> int:
        """Return how many ranks count for a query: at least 1."""
        if self.k is not None:
            return self.k
        if self.words is not None:
            return max(1, self.words // WORDS_PER_CHUNK)
        return max(1, len(query.within or ()) * (self.percent or 100) // 100)


def parse_measure(name: str) -> Measure | None:
    """Return the measure of a name; None for a measure of answers.

    Raises:
        ValueError: The name is unknown.
        InputError: The extra ``evaluation`` is missing.
    """
    if name in OF_ANSWERS:
        return None
    if importlib.util.find_spec("ir_measures") is None:
        raise InputError(f"measures of rankings need ir-measures: {install_command('evaluation')}", field="measures")
    match = NAME.fullmatch(name)
    if not match or (match[1] == Kind.EVIDENCE) != bool(match[3]):
        known = ", ".join(
            [
                *(f"{kind}@k" for kind in Kind if kind is not Kind.EVIDENCE),
                "nDCG%20",
                "evidence@1000w",
                *sorted(OF_ANSWERS),
            ]
        )
        raise ValueError(f"measure {name!r} is not known; those known are {known}")
    kind, k, in_words, percent = match.groups()
    if in_words:
        return Measure(name, Kind(kind), words=int(k))
    return Measure(name, Kind(kind), k=int(k) if k else None, percent=int(percent) if percent else None)


def figures(measure: Measure, queries: Sequence[Query], rankings: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Return a figure for each query, in [0, 1].

    Args:
        measure: What to compute.
        queries: With documents judged or subtopics as gold.
        rankings: For each query the ids of documents, best first, none twice; no entry is an empty ranking.

    Raises:
        ValueError: The measure needs subtopics that a query does not have, or gains too fine to be counted.
    """
    if measure.kind is Kind.EVIDENCE:
        raise ValueError(f"{measure.name} needs evidence, and the data judges documents")
    by_cutoff: dict[int, list[Query]] = defaultdict(list)
    for query in queries:
        by_cutoff[measure.cutoff(query)].append(query)
    found: dict[str, float] = {}
    for k, group in by_cutoff.items():
        if measure.kind is Kind.PERFECT:
            found |= {q.id: float(_relevant(q) <= set(rankings.get(q.id, ())[:k])) for q in group}
        else:
            found |= _by_ir_measures(measure, k, group, rankings)
    return {query.id: found[query.id] for query in queries}


def evidence_figures(
    measure: Measure,
    queries: Sequence[Query],
    covered: Mapping[str, Sequence[bool]],
    n_words: Mapping[str, Sequence[int]] | None = None,
) -> dict[str, float]:
    """Return a figure for each query whose gold is evidence, any span of which will do; in [0, 1].

    Args:
        measure: ``hit@k``, ``recall@k`` and ``perfect@k`` (all three the same here), or ``MRR@k``; or ``evidence@Nw``:
            whether a chunk that covers the evidence ends within the first N words of all chunks together.
        queries: With evidence as gold.
        covered: For each query, best first, whether the chunk at a rank covers at least half of a span.
        n_words: For each query, best first, the words of the chunk at a rank; for ``evidence@Nw``.

    Raises:
        ValueError: The measure has no meaning for evidence.
    """
    if measure.kind not in (Kind.HIT, Kind.RECALL, Kind.PERFECT, Kind.MRR, Kind.EVIDENCE):
        raise ValueError(f"{measure.name} is not defined for evidence; hit@k, MRR@k and evidence@Nw are")
    found = {}
    for query in queries:
        if measure.words is not None:
            ends = accumulate((n_words or {}).get(query.id, ()))
            pairs = zip(covered.get(query.id, ()), ends, strict=True)
            found[query.id] = float(any(hit and end <= measure.words for hit, end in pairs))
            continue
        first = next((rank for rank, hit in enumerate(covered.get(query.id, ()), start=1) if hit), None)
        reached = first is not None and first <= measure.cutoff(query)
        found[query.id] = (1.0 / first if measure.kind is Kind.MRR and first else 1.0) if reached else 0.0
    return found


def _by_ir_measures(
    measure: Measure, k: int, queries: Sequence[Query], rankings: Mapping[str, Sequence[str]]
) -> dict[str, float]:
    import ir_measures
    from ir_measures import ERR_IA, RR, Qrel, R, ScoredDoc, StRecall, Success, alpha_nDCG, nDCG

    computed = {
        Kind.NDCG: nDCG @ k,
        Kind.RECALL: R @ k,
        Kind.MRR: RR @ k,
        Kind.HIT: Success @ k,
        Kind.ALPHA_NDCG: alpha_nDCG(alpha=ALPHA) @ k,
        Kind.SUBTOPIC_RECALL: StRecall @ k,
        Kind.ERR_IA: ERR_IA @ k,
    }[measure.kind]
    if measure.kind in OVER_SUBTOPICS:
        qrels = [
            Qrel(query.id, doc, 1, subtopic)
            for query in queries
            for subtopic, docs in _subtopics(measure, query).items()
            for doc in sorted(docs)
        ]
    elif measure.kind is Kind.NDCG:
        qrels = [Qrel(query.id, doc, gain) for query in queries for doc, gain in _whole_gains(query).items()]
    else:
        qrels = [Qrel(query.id, doc, 1) for query in queries for doc in sorted(_relevant(query))]
    run = [
        ScoredDoc(query.id, doc, score_at(rank))
        for query in queries
        for rank, doc in enumerate(rankings.get(query.id, ()), start=1)
    ]
    if not run:  # trec_eval's code does not take an empty run
        return {query.id: 0.0 for query in queries}
    values = {metric.query_id: float(metric.value) for metric in ir_measures.iter_calc([computed], qrels, run)}
    return {query.id: values.get(query.id, 0.0) for query in queries}


def score_at(rank: int) -> float:
    """Return the score that keeps a rank in a TREC run: tools sort by score, and break ties in ways of their own."""
    return 1.0 / rank


def _relevant(query: Query) -> frozenset[str]:
    if isinstance(query.gold, Evidence):
        raise ValueError(f"query {query.id!r} has evidence, not documents")
    return query.gold.relevant


def _subtopics(measure: Measure, query: Query) -> Mapping[str, frozenset[str]]:
    if not isinstance(query.gold, Subtopics):
        raise ValueError(f"{measure.name} needs subtopics, and query {query.id!r} has none")
    return query.gold.of_each


def _whole_gains(query: Query) -> dict[str, int]:
    """Return the gains as whole numbers in the same proportions, which nDCG does not tell apart."""
    if not isinstance(query.gold, Judged):
        return dict.fromkeys(sorted(_relevant(query)), 1)
    return _scaled(query.id, query.gold)


def _scaled(query_id: str, gold: Judged) -> dict[str, int]:
    decimals = max((-int(gain.normalize().as_tuple().exponent) for gain in gold.gains.values()), default=0)
    factor = Decimal(10) ** max(0, decimals)
    gains = {doc: max(0, int(gain * factor)) for doc, gain in gold.gains.items()}
    if max(gains.values(), default=0) > LARGEST_GAIN:
        raise ValueError(f"query {query_id!r} has relevance with more than 6 significant digits")
    return gains
