"""Years in questions about the graph: single ones, ranges, decades, and words such as "since" beside them."""

from collections.abc import Sequence

from server.answers.graph_words import Token

Years = tuple[int | None, int | None]
N_BEFORE, N_AFTER = 4, 2
"""Words before and after a year that may say how it is meant."""


def years_of(tokens: Sequence[Token]) -> Years:
    """Return the first and the last year that a question allows; None and None without years, or with three."""
    places = [place for place, token in enumerate(tokens) if token.years is not None]
    if not places or len(places) > 2:
        return None, None
    found = [years for token in tokens if (years := token.years) is not None]
    if len(places) == 2:
        return min(first for first, _ in found), max(last for _, last in found)
    first, last = found[0]
    keys = [token.key for token in tokens]
    before = keys[max(0, places[0] - N_BEFORE) : places[0]]
    after = keys[places[0] + 1 : places[0] + 1 + N_AFTER]
    return _bounded(first, last, before, after)


def _bounded(first: int, last: int, before: Sequence[str], after: Sequence[str]) -> Years:
    near = set(before)
    if (
        near & {"since"}
        or "onwards" in after
        or "onward" in after
        or list(after) in (["or", "later"], ["and", "later"])
    ):
        return first, None
    if list(after) in (["or", "newer"], ["and", "newer"], ["and", "after"], ["or", "after"]):
        return first, None
    if "after" in near or ("than" in near and near & {"later", "newer"}) or "past" in near:
        return last + 1, None
    if "before" in near or "prior" in near or ("than" in near and near & {"earlier", "older"}):
        return None, first - 1
    if near & {"until", "till", "through"} or before[-2:] == ["up", "to"]:
        return None, last
    if list(after) in (["or", "earlier"], ["and", "earlier"], ["or", "before"], ["or", "older"], ["and", "before"]):
        return None, last
    return first, last
