"""Rules on the size of what a query builds: sums, lists, strings and growth."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from papergraph.cypher_guard.query_tokens import (
    CLOSING,
    DEEPEST,
    LONG_TEXT,
    OPENING,
    TEXTS,
    arguments_of,
    is_name,
    pairs_of,
)
from papergraph.cypher_guard.visibility import words_of
from papergraph.errors import UnsafeQueryError

# What ``+``, ``replace`` and ``string.join`` make of texts, which Neo4j keeps without counting their memory


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


# How much a query may ask of the planner, whose work on EXPLAIN no deadline ends and whose stack may overflow


MAX_XOR = 8
"""Most XOR of a query: the planner writes them out as AND, OR and NOT, twice as many with each further one."""

MAX_CLAUSES = 200

MAX_IN_ROW = 200
"""Most AND, OR and XOR of one expression."""

MAX_NESTED = 100
"""Most other operators that an expression nests, those of the brackets around it included."""

CONNECTIVES = frozenset({"and", "or", "xor"})

OPERATORS = frozenset("+-*/%^=<>~|&!.:") | words_of("not in is contains starts ends")

CLAUSES = words_of("match with return unwind call union next let filter for")

ENDS_EXPRESSION = CLAUSES | words_of("where order skip offset limit yield optional when then else finish search as")

CASE_WORDS = frozenset({"case", "when", "then", "else"})

STAR_FOLLOWS = words_of("return with distinct yield")


def check_size(tokens: Sequence[str]) -> None:
    """Refuse what would keep the planner busy without end, before it is asked.

    Operators are counted for each pair of brackets, and of CASE and END, from the last comma or word of a clause on.

    Raises:
        UnsafeQueryError: It has too many XOR, clauses or operators, or nests too deeply.
    """
    words = [token.lower() for token in tokens]
    depths = _Depths()
    n_xor = n_clauses = 0
    for place, word in enumerate(words):
        before = words[place - 1] if place else ""
        is_operand = _takes_operand(words, place - 1)
        if word == "xor" and before != ".":
            n_xor += 1
        if word in ENDS_EXPRESSION and not is_operand:
            n_clauses += word in CLAUSES
            depths.restart()
        else:
            depths.count(word, before, is_operand=is_operand)
    if n_xor > MAX_XOR:
        raise UnsafeQueryError(f"The query has {n_xor} XOR, more than {MAX_XOR}.", "Write it with AND, OR and NOT.")
    if n_clauses > MAX_CLAUSES:
        raise UnsafeQueryError(f"The query has {n_clauses} clauses, more than {MAX_CLAUSES}.", "Send several queries.")


class _Depths:
    """Operators of the expression that is being read: connectives, and others, for each bracket that is open."""

    def __init__(self) -> None:
        self._waiting: list[tuple[str, int, int]] = []
        self._opened, self._connectives, self._others = "", 0, 0
        self._around_connectives, self._around_others = 0, 0

    def restart(self) -> None:
        """Begin another expression within the same brackets."""
        self._connectives = self._others = 0

    def count(self, word: str, before: str, *, is_operand: bool) -> None:
        """Take the next word.

        Raises:
            UnsafeQueryError: That are too many.
        """
        if word in OPENING or (word == "case" and before not in (".", ":")):
            self._others += word in "[{" and not is_operand and before not in OPENING and before not in ("", ",")
            self._check()
            self._open(word)
        elif word in CLOSING:
            while self._opened == "case":  # not the word, but a name
                self._close()
            self._close()
        elif word == "end" and self._opened == "case" and not is_operand and before not in CASE_WORDS:
            self._close()
        elif word == ",":
            self.restart()
        elif word in CONNECTIVES and before != ".":
            self._connectives, self._others = self._connectives + 1, 0
        else:
            self._others += 1 if word in OPERATORS else max(0, word.count(".") - 1) if word[:1].isdigit() else 0
        self._check()

    def _open(self, word: str) -> None:
        self._waiting.append((self._opened, self._connectives, self._others))
        self._around_connectives += self._connectives
        self._around_others += self._others
        self._opened, self._connectives, self._others = word, 0, 0

    def _close(self) -> None:
        if self._waiting:
            self._opened, self._connectives, self._others = self._waiting.pop()
            self._around_connectives -= self._connectives
            self._around_others -= self._others

    def _check(self) -> None:
        if len(self._waiting) > DEEPEST:
            raise UnsafeQueryError(f"Brackets or CASE are nested more than {DEEPEST} deep.", "Flatten the query.")
        if self._around_connectives + self._connectives > MAX_IN_ROW:
            raise UnsafeQueryError(f"An expression has more than {MAX_IN_ROW} AND, OR and XOR.", "Use IN and a list.")
        if self._around_others + self._others > MAX_NESTED:
            raise UnsafeQueryError(
                f"An expression has more than {MAX_NESTED} operators in a row.",
                "Use sum() or collect() over rows, or split the expression with WITH.",
            )


def _takes_operand(words: Sequence[str], place: int) -> bool:
    """Say whether what follows the word at ``place`` is a value or a name, and no word of a clause."""
    word = words[place] if place >= 0 else ""
    if word in ("starts", "ends"):  # WITH belongs to it
        return True
    if word == "*":
        return place < 1 or words[place - 1] not in STAR_FOLLOWS
    return word in OPERATORS or word in CONNECTIVES


# What a few words of a query make as long as they like: lists and texts, whose memory Neo4j does not count


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
