"""Why a hit stands where it does: what the retrievers and the steps say of it and of the one before it."""

from server.retrieval.candidates import RankedCandidate, RetrieverName
from server.retrieval.result import PipelineResult


def why_not_higher(candidate: RankedCandidate, above: RankedCandidate, outcome: PipelineResult) -> str:
    """Return in one sentence what keeps a candidate behind the one above it.

    The last step that put one of them before the other is told; where that is fusion or a single retriever, the
    retriever in which it falls back furthest.
    """
    ours, theirs = ({one.step: one.rank for one in each.rank_history} for each in (candidate, above))
    turned = [
        number
        for number, before in zip([*sorted(ours)[1:], None], sorted(ours), strict=True)
        if number is not None and number in theirs and before in theirs and ours[before] < theirs[before]
    ]
    if turned:
        step = outcome.trace[turned[-1] - 1]
        return (
            f"{step.step} (step {turned[-1]}) put it at {ours[turned[-1]]}, behind {theirs[turned[-1]]}: "
            f"{candidate.score:.4g} against {above.score:.4g}"
        )
    worst: tuple[float, str] | None = None
    for retriever in RetrieverName:
        mine = min((one.rank for one in candidate.retrievers if one.retriever is retriever), default=None)
        other = min((one.rank for one in above.retrievers if one.retriever is retriever), default=None)
        if other is not None and (mine is None or mine > other):
            behind = float("inf") if mine is None else float(mine - other)
            place = "does not find it" if mine is None else f"ranks it {mine}"
            if worst is None or behind > worst[0]:
                worst = behind, f"the {retriever} retriever {place} and the hit before it {other}"
    scores = f"{candidate.score:.4g} against {above.score:.4g}"
    return f"{worst[1]}: {scores}" if worst else scores
