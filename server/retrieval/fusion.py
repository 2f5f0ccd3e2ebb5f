"""Several rankings to one, by rank: scores of different legs are never compared."""

import math
from collections.abc import Mapping, Sequence

RRF_CONSTANT = 60


def reciprocal_rank_fusion(rankings: Mapping[str, Sequence[str]], *, constant: int = RRF_CONSTANT) -> dict[str, float]:
    """Return the fused score of every id, best first; of equal ones first what an earlier leg ranks higher, then by id.

    Args:
        rankings: For each leg its ids, best first, none twice.
        constant: Damps the first ranks; 60 in the source.

    Source: Cormack, Clarke and Büttcher 2009, Reciprocal Rank Fusion, doi:10.1145/1571941.1572114.
    """
    ranks: dict[str, list[float]] = {}
    for leg, ranking in enumerate(rankings.values()):
        for rank, id in enumerate(ranking, start=1):
            ranks.setdefault(id, [math.inf] * len(rankings))[leg] = rank
    scores = {id: sum(1.0 / (constant + rank) for rank in of_legs) for id, of_legs in ranks.items()}
    return dict(sorted(scores.items(), key=lambda item: (-item[1], ranks[item[0]], item[0])))
