"""What ``+``, ``replace`` and ``string.join`` make of texts, which Neo4j keeps without counting their memory."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from papergraph.cypher_guard.query_tokens import CLOSING, LONG_TEXT, OPENING, TEXTS, arguments_of, is_name, pairs_of
from papergraph.cypher_guard.visibility import words_of
from papergraph.errors import UnsafeQueryError

MAX_GROWING_REPLACES = 2
"""Most replacements of a query that may make a text longer."""

NUMBERS = words_of(
    """
    abs acos asin atan atan2 ceil ceiling char_length character_length cos count degrees e exp floor length ln log
    log10 pi radians rand round sign sin size sqrt tan tofloat tointeger vector.similarity.cosine
    """
)
"""Functions that give numbers."""

ARITHMETIC = frozenset("*/%^-")

ENDS_OPERAND = frozenset(",|=<>~+:") | words_of(
    """
    and or xor not in is contains starts ends as when then else where with return order limit skip offset union next
    unwind match call let filter for yield asc desc ascending descending distinct
    """
)

NO_NAMES = words_of("true false null")


def check_sums(words: Sequence[str]) -> None:
    """Refuse texts or lists that are added to themselves, and replacements that make a text as long as they like.

    Raises:
        UnsafeQueryError: It has such a sum or replacement.
    """
    n_growing = 0
    pairs = pairs_of(words)
    for start, end in pairs.items():
        called = words[start - 1] if start and words[start] == "(" else ""
        if called == "join" and not _is_text(arguments_of(words[start + 1 : end])[1:2]):
            raise UnsafeQueryError(
                "string.join(…) has a separator that is no short string.", "Write the separator, such as ', '."
            )
        if called not in ("replace", "regexreplace"):
            continue
        given = arguments_of(words[start + 1 : end])[2:3]
        if not (_is_text(given) or (given and _is_property(given[0]))):
            raise UnsafeQueryError(
                f"{called}(…) puts in what is neither a short string nor a property.",
                "Write the third argument, at most 30 characters, or take a property such as p.title.",
            )
        n_growing += given != [["''"]]
    if n_growing > MAX_GROWING_REPLACES:
        raise UnsafeQueryError(
            f"The query has {n_growing} replacements by longer strings, more than {MAX_GROWING_REPLACES}.",
            "Replace by at most one character each.",
        )
    for chain in _sums(words):
        seen = {tuple(part) for part in chain if is_name(part[0]) and "$" not in part and not _is_number(part)}
        for name in seen:
            if chain.count(list(name)) > 1:
                raise UnsafeQueryError(
                    f"{''.join(name)} is added to itself.", f"Write 2 * {''.join(name)} if it is a number."
                )


def grows(body: Sequence[str], *, loop: str, total: Sequence[str] = ()) -> bool:
    """Say whether an expression that is made for each element of a list may make long texts or lists.

    Args:
        body: The expression.
        loop: Variable of the elements; it may be added once.
        total: Variable of a ``reduce`` and the words of its first value.
    """
    if any(word in ("replace", "regexreplace", "join") and follows == "(" for word, follows in pairwise(body)):
        return True
    chains = list(_sums(body))
    if chains and total and not _is_number(total[1:]):
        return True
    parts = [part for chain in chains for added in chain for part in _values(added)]
    own = frozenset({loop, *total[:1]})
    growing = [part for part in parts if not (_is_number(part) or _is_text([part]))]
    return any(not _names(part) <= own for part in growing) or sum(loop in _names(part) for part in growing) > 1


def _sums(words: Sequence[str]) -> Iterator[list[list[str]]]:
    """Yield the operands of each chain of ``+`` or ``||`` with at least two of them."""
    chains: list[list[list[str]]] = [[[]]]
    opened: list[int] = []
    for place, word in enumerate(words):
        operand = chains[-1][-1]
        is_concatenation = word == "|" and "|" in (*words[place + 1 : place + 2], *words[max(0, place - 1) : place])
        if word in OPENING:
            opened.append(place)
            chains.append([[]])
        elif word in CLOSING:
            yield from _ended(chains.pop())
            chains = chains or [[[]]]
            chains[-1][-1].extend(words[opened.pop() if opened else place : place + 1])
        elif operand[:1] == ["case"]:
            operand.append(word)
            if word == "end":
                operand.insert(0, "(")
        elif is_concatenation or (word == "+" and operand):
            chains[-1] += [[]] if operand else []
        elif word in ENDS_OPERAND and not _is_name_here(words, place):
            yield from _ended(chains[-1])
            chains[-1] = [[]]
        else:
            operand.append(word)
    for chain in chains:
        yield from _ended(chain)


def _ended(chain: list[list[str]]) -> list[list[list[str]]]:
    return [[part for part in chain if part]] if len(chain) > 1 else []


def _is_name_here(words: Sequence[str], place: int) -> bool:
    return is_name(words[place]) and place > 0 and words[place - 1] in (".", "$")


def _values(operand: list[str]) -> list[list[str]]:
    """Return what a CASE may give, or the operand where it is none."""
    if operand[:2] != ["(", "case"]:
        return [operand]
    values: list[list[str]] = []
    for word in operand[2:]:
        if word in ("then", "else"):
            values.append([])
        elif word == "when" or word == "end":
            values.append(["0"])
        elif values:
            values[-1].append(word)
    return [value for value in values if value]


def _is_number(operand: Sequence[str]) -> bool:
    """Say whether an operand is a number, or fails."""
    depth = 0
    for word in operand:
        depth += (word in OPENING) - (word in CLOSING)
        if word in ARITHMETIC and depth == 0:
            return True
    if operand[:1] == ["("] and pairs_of(operand).get(0) == len(operand) - 1:
        return _is_number(operand[1:-1])
    called = (list(operand[1:2]) == ["("] and operand[0] in NUMBERS) or list(operand[:2]) == ["count", "{"]
    return operand[:1] != [] and (called or (len(operand) == 1 and operand[0][0].isdigit()))


def _is_text(arguments: Sequence[Sequence[str]]) -> bool:
    return [list(one) for one in arguments] in [[[text]] for text in TEXTS if text != LONG_TEXT]


def _is_property(operand: Sequence[str]) -> bool:
    return len(operand) == 3 and operand[1] == "." and is_name(operand[0]) and is_name(operand[2])


def _names(operand: Sequence[str]) -> frozenset[str]:
    """Return the variables of an operand; a parameter is ``$``."""
    found = set()
    for place, word in enumerate(operand):
        before, after = operand[place - 1] if place else "", operand[place + 1] if place + 1 < len(operand) else ""
        if word == "$" or (is_name(word) and before not in (".", "$") and after != "(" and word not in NO_NAMES):
            found.add(word)
    return frozenset(found)
