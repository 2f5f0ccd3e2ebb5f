"""How much a query may ask of the planner, whose work on EXPLAIN no deadline ends and whose stack may overflow."""

from collections.abc import Sequence

from papergraph.cypher_guard.query_tokens import CLOSING, DEEPEST, OPENING
from papergraph.cypher_guard.visibility import words_of
from papergraph.errors import UnsafeQueryError

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
