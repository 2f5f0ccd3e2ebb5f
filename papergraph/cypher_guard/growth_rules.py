"""What a few words of a query make as long as they like: lists and texts, whose memory Neo4j does not count."""

from collections.abc import Sequence

from papergraph.cypher_guard.query_tokens import CLOSING, OPENING, arguments_of, pairs_of
from papergraph.cypher_guard.sum_rules import check_sums, grows
from papergraph.errors import UnsafeQueryError

LONGEST_RANGE = 10_000

GROWING = frozenset({"range", "reduce", "allreduce", "split"})
"""Functions that give a list, or make one longer, of a value that is short."""


def check_growth(tokens: Sequence[str]) -> None:
    """Refuse lists that a few words make as long as they like: Neo4j does not count the memory of expressions.

    ``range`` may only be gone through row by row, or be short; and no list, and no text, is made of itself or of lists
    that are being made. One query with such a list ended the whole server (docs/decisions/0041-cypher.md).
    """
    lower = [token.lower() for token in tokens]
    for start, end in pairs_of(lower).items():
        called = lower[start - 1] if start and lower[start] == "(" else ""
        if called == "range" and not (_is_gone_through(lower, start) or _is_short(lower[start + 1 : end])):
            raise UnsafeQueryError(
                "range(…) has no upper bound.",
                f"Write UNWIND range(…) AS i, or end it at size(…), length(…) or a number up to {LONGEST_RANGE:,}.",
            )
        is_comprehension = lower[start] == "[" and lower[start + 2 : start + 3] == ["in"]
        if not is_comprehension and called not in ("reduce", "allreduce"):
            continue
        words = lower[start + 1 : end]
        body = words[words.index("|") + 1 :] if "|" in words else []
        if called and words[1:2] == ["="] and body.count(words[0]) > 1:
            raise UnsafeQueryError(
                f"reduce(…) uses {tokens[start + 1]} more than once.",
                "Use it once in the expression, or use sum() and collect().",
            )
        if any(word in GROWING and body[place + 1 : place + 2] == ["("] for place, word in enumerate(body)) or any(
            word == "[" and body[place + 2 : place + 3] == ["in"] for place, word in enumerate(body)
        ):
            raise UnsafeQueryError(
                "A list comprehension creates lists inside a list.", "Use UNWIND and collect() instead."
            )
        _check_sums_of(words, is_comprehension=is_comprehension)
    check_sums(lower)


def _check_sums_of(words: Sequence[str], *, is_comprehension: bool) -> None:
    """Refuse a comprehension or ``reduce`` that makes texts or lists longer."""
    head, body = _split_at_bar(words)
    if is_comprehension and head and grows(body, loop=head[0]):
        raise UnsafeQueryError(
            "A list comprehension adds to texts or lists, or replaces in them.",
            "Use UNWIND, and +, replace(…) or string.join(…) in RETURN.",
        )
    if not is_comprehension and head[1:2] == ["="]:
        first, loop = [*arguments_of(head), []][:2]
        if grows(body, loop="".join(loop[:1]), total=[head[0], *first[2:]]):
            raise UnsafeQueryError(
                f"reduce(…) may add texts or lists to {head[0]}.",
                "Begin with a number and add numbers, or use collect() and string.join(…).",
            )


def _split_at_bar(words: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Return what stands before and behind the first bar that is in no further brackets and is none of ``||``."""
    depth = 0
    for place, word in enumerate(words):
        depth += (word in OPENING) - (word in CLOSING)
        if word == "|" and depth == 0 and "|" not in (*words[place - 1 : place], *words[place + 1 : place + 2]):
            return words[:place], words[place + 1 :]
    return words, []


def _is_gone_through(tokens: Sequence[str], start: int) -> bool:
    """Say whether the list of the brackets at ``start`` is taken row by row."""
    before = tokens[max(0, start - 4) : start - 1]
    return before[-1:] == ["unwind"] or (before[:1] == ["for"] and before[-1:] == ["in"])


def _is_short(within: Sequence[str]) -> bool:
    """Say whether ``range`` with these arguments is not longer than what there is, or than :data:`LONGEST_RANGE`."""
    start, end = arguments_of(within)[:2] if "," in within else ([], [])
    if end[:2] in (["size", "("], ["length", "("]) and start in (["0"], ["1"]) and "range" not in end:
        return end[pairs_of(end).get(1, len(end)) + 1 :] in ([], ["-", "1"])
    return all(len(side) == 1 and side[0].isdigit() for side in (start, end)) and int(end[0]) <= LONGEST_RANGE
