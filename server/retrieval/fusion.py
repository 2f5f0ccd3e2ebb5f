"""Several rankings to one, by rank: scores of different legs are never compared."""

from collections.abc import Mapping, Sequence

RRF_CONSTANT = 60


def reciprocal_rank_fusion(rankings: Mapping[str, Sequence[str]], *, constant: int = RRF_CONSTANT) -> dict[str, float]:
    """Return the fused score of every id, best first; ties go by id.

    Args:
        rankings: For each leg its ids, best first, none twice.
        constant: Damps the first ranks; 60 in the source.

    Source: Cormack, Clarke and Büttcher 2009, Reciprocal Rank Fusion, doi:10.1145/1571941.1572114.
    """
    scores: dict[str, float] = {}
    for ranking in rankings.values():
        for rank, id in enumerate(ranking, start=1):
            scores[id] = scores.get(id, 0.0) + 1.0 / (constant + rank)
    return dict(sorted(scores.items(), key=lambda item: (-item[1], item[0])))
