"""Bounds of the size of values, computed from the text of a query.

Neo4j limits the memory of rows, but not of expressions. Each expression is read with an upper bound of the bytes of its
value; a query with a larger value than :data:`MOST_BYTES` is refused. Everything is read as expressions, patterns too:
what is misunderstood makes a bound too large, not too small.
"""

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import count
from types import MappingProxyType
from typing import NamedTuple

from papergraph.cypher_guard.tokens import CLOSING, OPENING, arguments_of, is_name, is_text, pairs_of, words_of
from papergraph.errors import UnsafeQueryError

MOST_BYTES = 40e6
"""Most bytes of one value."""

MOST_BYTES_OF_QUERY = 96e6
"""Most bytes of all values that a query makes for one row."""

MOST_VALUES = 5_000
"""Most values in one value, more than a query has words: ``WITH [s, s] AS s`` doubles them, and Neo4j shares memory."""

COLLECTED = 16e6
"""Assumed size of what ``collect`` returns. Neo4j limits its memory, so only copies count."""

PARAMETER = 2.4e6
"""Size of a parameter: 200,000 characters as JSON, in a list of numbers."""

PROPERTY = 1e3
"""Assumed size of a property."""

SHORT = 30
"""Most characters of a text that regular expressions may be matched with whatever they are."""

ELEMENT = 24
"""Least size of an element of a list."""

PATH_LENGTH = 16
LONGEST_RANGE = 10_000
N_MATCHES = 1_000
"""Assumed length of a list made by a pattern."""

MOST_STEPS = 3e7
"""Most steps of loops and scans for one row, 0.15 s: Neo4j ends no query within an expression, nor after each row."""

SCANNED = 100
"""Pairs of bytes that are compared in a step. `CONTAINS` compares each start of a text with all of another one."""

MOST_COPIED = 1e10
"""Most bytes that ``reduce``, or a function in a loop, copies for one row."""

OPERATORS = frozenset("+-*/%^=<>~|!")
COMPARING = words_of("= < > ~ ! and or xor in is contains starts ends")

KEYWORDS = words_of(
    """
    call case distinct else filter for in let limit match not offset return skip then unwind when where with yield and
    or xor
    """
)
"""Words before an expression. No value may have such a name, so that brackets behind it are read as an expression."""

CLAUSES = words_of("call let match return unwind with yield")

NO_OPERANDS = words_of("and or xor in is contains starts ends as when then else end")

NUMBERS = words_of(
    """
    abs acos asin atan atan2 avg cardinality ceil ceiling char_length character_length cos cosh cot coth count degrees e
    exists exp floor haversin isempty isnan length ln log log10 path_length percentile_cont percentile_disc
    percentilecont percentiledisc pi property_exists radians rand round sign sin sinh size sqrt stdev stdev_pop
    stdev_samp stdevp tan tanh tofloat tointeger toboolean tobooleanornull tofloatornull tointegerornull
    vector_dimension_count vector_distance vector_norm vector.similarity.cosine vector.similarity.euclidean
    """
)
"""Functions that return numbers or truth values."""

NUMERIC_PROPERTIES = words_of(
    """
    arxivVersion attempts bodyCoverage byPerson commonTokensPerDay cost costPerMinute dimension endChar endPage
    everyS high isPartial isPaused keyTermS level line low maxUses nChars nChunks nCutShort nDocuments nearness
    nEmbedded nFailures nKeys nMembers nPages nPagesWithoutText nPapers nParents nQuestions nRanked nReferences
    nRequests nSections nSimilar nTokens nTokensEmbedded nTrained number nUnchanged nUses ordinal pageRank
    position raters requestsPerMinute resolves score secondsLeft startChar startPage tokens version year
    """
)
"""Properties of nodes and relationships that the schema says are numbers or truth values."""

FOLDS = frozenset({"reduce", "allreduce"})
TESTS = frozenset({"all", "any", "none", "single"})
SUBQUERIES = frozenset({"collect", "count", "exists"})
REPLACES = frozenset({"replace", "regexreplace"})
SEARCHES, TRIMS = words_of("indexof replace split"), words_of("btrim ltrim rtrim trim")

ONCE = "Use each long text or list once, or shorten it before: [..100], left(…, 1000)."


Parts = Mapping[tuple[int, str], float]
"""Number of occurrences of elements of surrounding loops, by loop and property."""

NONE: Parts = MappingProxyType({})


class Value(NamedTuple):
    """Upper bound of the size of a value.

    Attributes:
        size: Bytes, apart from ``parts``.
        parts: Elements of surrounding loops.
        length: Most elements, if known.
        element: Its largest element; None for itself.
        is_number: Whether it is a number or a truth value.
        loop: The loop whose element it is, 0 for others.
        is_stored: Whether it is a property, so that the author of the query has not chosen it.
        n_values: Values of the query in it, each as often as it is contained.
    """

    size: float
    parts: Parts = NONE
    length: float | None = None
    element: "Value | None" = None
    is_number: bool = False
    loop: int = 0
    is_stored: bool = False
    n_values: float = 1


NUMBER = Value(8, is_number=True)
ENTITY = Value(16)
FIELD = Value(PROPERTY, is_stored=True)
GIVEN = Value(PARAMETER)
LIST_OF_NUMBERS = Value(PARAMETER, length=PARAMETER / ELEMENT, element=NUMBER)


def check_growth(tokens: Sequence[str], numeric: Collection[str] = ()) -> None:
    """Refuse a query whose values may become too large, or whose regular expressions may not end.

    ``numeric`` are the parameters that are numbers or lists of numbers.

    Raises:
        UnsafeQueryError: It has such a value, or a loop in loops with too many steps.
    """
    reader = _Reader(tokens, numeric)
    reader.read(0, len(tokens), is_block=True)


def _sum(values: Sequence[Value]) -> Value:
    """Return the bound of a value that contains all of these."""
    if len(values) == 1:
        return values[0]
    parts: dict[tuple[int, str], float] = {}
    for value in values:
        for key, copies in value.parts.items():
            parts[key] = parts.get(key, 0) + copies
    return Value(sum(value.size for value in values), parts or NONE, n_values=sum(value.n_values for value in values))


def _largest(values: Sequence[Value]) -> Value:
    """Return the bound of a value that is one of these."""
    if not values:
        return NUMBER
    if all(value is values[0] for value in values):
        return values[0]
    parts: dict[tuple[int, str], float] = {}
    for value in values:
        for key, copies in value.parts.items():
            parts[key] = max(parts.get(key, 0), copies)
    lengths = [value.length for value in values if value.length is not None]
    elements = [_element(value) for value in values]
    return Value(
        max(value.size for value in values),
        parts or NONE,
        max(lengths) if len(lengths) == len(values) else None,
        None if any(value.element is None for value in values) else _largest(elements),
        all(value.is_number for value in values),
        is_stored=all(value.is_stored or value.size <= SHORT for value in values),
        n_values=max(value.n_values for value in values),
    )


def _element(value: Value) -> Value:
    return value if value.element is None else value.element


def _length(value: Value) -> float:
    return value.size / ELEMENT if value.length is None else value.length


def _copies(value: Value, loop: int) -> float:
    """Return how often a value contains an element of a loop; its properties are disjoint parts of it."""
    of_parts = [copies for (of, name), copies in value.parts.items() if of == loop and name]
    return value.parts.get((loop, ""), 0) + max(of_parts, default=0)


AFTER_THE_END = ("",) * 4
"""Words behind the last one, so that the next ones can be asked for."""


class _Reader:
    """Reads tokens as expressions; see the module."""

    def __init__(self, tokens: Sequence[str], numeric: Collection[str]) -> None:
        self._numeric = numeric
        self._tokens, self._end = [*tokens, *AFTER_THE_END], len(tokens)
        self._words = [token.lower() for token in self._tokens]
        self._closing = pairs_of(tokens)
        self._names: dict[str, Value] = {}
        self._clause = ""
        self._loops = count(1)
        self._entity_loops: set[int] = set()
        self._lengths: dict[int, float] = {}
        self._n_steps = self._size_of_query = 0.0
        self._n_made = 0

    # Lists of expressions, and clauses

    def read(self, start: int, end: int, *, is_block: bool = False, is_map: bool = False) -> list[Value]:
        """Read all expressions of a range; bind the names that it gives to their values."""
        values: list[Value] = []
        place = start
        while place < end:
            if is_map and is_name(self._tokens[place]) and self._words[place + 1] == ":":
                place += 2
            name, place = self._bound_before(place)
            n_made = self._n_made
            after, value = self.expression(place, end)
            if after == place:
                place += 1
                continue
            if self._words[after] == "as" and after + 1 < end:
                name, after = self._tokens[after + 1], after + 2
            if name:
                is_row = self._clause in ("unwind", "for")
                self._bind(name, _element(value) if is_row else value)
                self._clause = "" if is_row else self._clause
            if is_block and self._n_made > n_made and self._words[place] not in ("collect", "collect_list"):
                self._size_of_query += value.size
                if self._size_of_query > MOST_BYTES_OF_QUERY:
                    raise UnsafeQueryError("The query makes too many long texts or lists for one row.", ONCE)
            values.append(value)
            place = after
        return values

    def _bound_before(self, place: int) -> tuple[str, int]:
        """Return the name of FOR and LET that stands before its value, and where the value begins."""
        place = self._skip_keywords(place)
        is_bound = (self._clause, self._words[place + 1]) in (("for", "in"), ("let", "="))
        if is_bound and is_name(self._tokens[place]):
            return self._tokens[place], place + 2
        return "", place

    def _skip_keywords(self, place: int) -> int:
        """Return the place behind words of clauses, and note the last clause."""
        while self._is_keyword(place) and self._begins_operand(place + 1):
            if self._words[place] in CLAUSES or (self._words[place] == "for" and self._words[place + 2] == "in"):
                self._clause = self._words[place]
            place += 1
        return place

    def _is_keyword(self, place: int) -> bool:
        word = self._words[place]
        return (word in KEYWORDS and word != "case") or (word == "by" and self._words[place - 1] in ("order", "group"))

    def _begins_operand(self, place: int) -> bool:
        word = self._words[place]
        return word not in NO_OPERANDS if is_name(word) else word[:1].isdigit() or word[:1] in tuple("([{$-'\"`")

    def _bind(self, name: str, value: Value) -> None:
        """Bind a name; never to less than before, because scopes are not told apart."""
        if name.lower() in KEYWORDS:
            raise UnsafeQueryError(f"A variable is named {name}, a word of Cypher.", "Choose another name.")
        if value.parts:
            value = Value(COLLECTED, n_values=value.n_values)
        known = self._names.get(name)
        self._names[name] = value if known is None else _largest([known, value])

    def _made(self, value: Value, what: str, advice: str = ONCE) -> Value:
        """Return what an expression makes, if it is small enough."""
        self._n_made += 1
        if value.size > MOST_BYTES:
            raise UnsafeQueryError(f"{what} may make more than {MOST_BYTES / 1e6:.0f} MB.", advice)
        if value.n_values > MOST_VALUES:
            raise UnsafeQueryError(f"{what} repeats values more than {MOST_VALUES:,} times.", ONCE)
        if self._lengths and math.prod(self._lengths.values()) * value.size >= MOST_COPIED:
            raise UnsafeQueryError(
                f"{what} makes a long text or list for each element of a list.",
                "Make it once before, such as WITH toLower($text) AS text.",
            )
        return value

    # Expressions

    def expression(self, place: int, end: int) -> tuple[int, Value]:
        """Read operands that operators join; return the place behind them and their value."""
        terms: list[Value] = []
        compared, in_text = 0, None  # terms before the last comparison, and the text that CONTAINS searches
        is_test, is_product = False, False
        while True:
            after, value = self._operand(place, end)
            if after == place:
                break
            place = after
            if is_product and terms:
                terms[-1] = NUMBER
            else:
                terms.append(value)
            word = self._words[place] if place < end else ""
            if word == "|" and self._words[place + 1] != "|":
                break
            if word in COMPARING:
                text, compared = _added(terms[compared:]), len(terms)
                if word == "=" and self._words[place + 1] == "~":
                    self._check_pattern(place + 2, text, most=1)
                if word == "is" and "normalized" in self._words[place + 1 : place + 4]:
                    self._scan(text, text)
                self._search(in_text, text)
                in_text = text if word == "contains" else None
                is_test = True
            elif word not in OPERATORS:
                break
            is_product = word in "*/%^-"
            if is_product:
                terms[-1] = NUMBER
            place += 2 if word == "|" else 1
            while place < end and self._words[place] in ("=", "<", ">", "~", "with", "not", "*", "+"):
                place += 1
        self._search(in_text, _added(terms[compared:]))
        if is_test or not terms:
            return place, NUMBER
        if len(terms) == 1:
            return place, terms[0]
        if all(term.is_number for term in terms):
            return place, NUMBER
        return place, self._made(_added(terms), "A sum of texts or lists")

    def _operand(self, place: int, end: int) -> tuple[int, Value]:
        start, is_number = place, False
        while place < end:
            after = self._skip_keywords(place)
            if after == place and self._words[place] in ("+", "-", "!", "not"):
                after, is_number = place + 1, is_number or self._words[place] != "+"
            if after == place:
                break
            place = after
        if place >= end or self._words[place] in CLOSING or self._words[place] in ",|=<>":
            return start, NUMBER
        after, value = self._behind(*self._atom(place, end), end)
        return after, NUMBER if is_number else value

    def _atom(self, place: int, end: int) -> tuple[int, Value]:
        word, token = self._words[place], self._tokens[place]
        if is_text(token):
            return place + 1, Value(len(token) - 2)
        if word == "$" and self._words[place + 1] not in OPENING:
            return place + 2, LIST_OF_NUMBERS if self._tokens[place + 1] in self._numeric else GIVEN
        if word == "(":
            return self._behind_bracket(place), _sum(self.read(place + 1, self._close(place)))
        if word == "[":
            return self._behind_bracket(place), self._list(place)
        if word == "{":
            return self._behind_bracket(place), self._braces(place)
        if word == ":":
            return self._behind_labels(place, end), ENTITY
        if word == "." and is_name(self._words[place + 1]):
            return place + 2, FIELD
        if word == "case" and (self._begins_operand(place + 1) or self._words[place + 1] == "when"):
            return self._case(place, end)
        if is_name(token) or token[:1] == "`":
            return self._named(place, end)
        return place + 1, NUMBER  # numbers, and signs of patterns

    def _behind(self, place: int, value: Value, end: int) -> tuple[int, Value]:
        """Read properties, indexes, labels and maps behind an operand."""
        while place < end:
            word = self._words[place]
            if word == "." and is_name(self._words[place + 1]):
                value = self._property(value, self._tokens[place + 1])
                place += 2
            elif word == "[":
                value, place = self._indexed(value, place), self._behind_bracket(place)
            elif word == "{":
                if self._words[place - 1] in (")", ">", "-"):
                    self.read(place + 1, self._close(place), is_block=True)
                else:
                    made = _sum([value, *self.read(place + 1, self._close(place), is_map=True)])
                    value = self._made(made, "A map")
                place = self._behind_bracket(place)
            elif word == ":":
                place = self._behind_labels(place, end)
            else:
                break
        return place, value

    def _property(self, value: Value, name: str) -> Value:
        if (value is ENTITY or value.loop in self._entity_loops) and name in NUMERIC_PROPERTIES:
            return NUMBER
        if value is ENTITY:
            return FIELD
        if not value.loop:
            return value._replace(is_number=False)
        return Value(0, {(value.loop, name): 1.0}, is_stored=value.is_stored)

    def _indexed(self, value: Value, place: int) -> Value:
        end = self._close(place)
        self.read(place + 1, end)
        dots = [at for at in self._level(place + 1, end) if ".." in self._words[at] + self._words[at + 1]]
        if not dots:
            return _element(value)
        last = self._words[end - 1].rpartition(".")[2]
        if not last.isdigit() or dots[-1] < end - 3 or value.element is None:  # no number alone behind the dots
            return value._replace(loop=0)
        size = min(value.size, int(last) * value.element.size)
        return value._replace(size=size, length=min(_length(value), int(last)), loop=0)

    def _level(self, place: int, end: int) -> Iterator[int]:
        """Yield the places of a range that are in no further brackets, and those of these brackets."""
        while place < end:
            yield place
            place = self._close(place) + 1 if self._words[place] in OPENING else place + 1

    def _behind_labels(self, place: int, end: int) -> int:
        """Return the place behind a label expression; those in brackets and behind $ are read like any other."""
        start = place
        while place < end:
            word, before = self._words[place], self._words[place - 1]
            is_open = place > start and before in (":", "!", "&", "|", "$")
            if word in OPENING and is_open:
                self.read(place + 1, self._close(place))
                place = self._close(place)
            elif not (word in (":", "!", "&", "$", "%") or is_open or (word == "|" and self._words[place + 1] != "|")):
                break
            place += 1
        return min(place, end)

    def _case(self, place: int, end: int) -> tuple[int, Value]:
        values: list[Value] = []
        place, is_value = place + 1, False
        while place < end and self._words[place] != "end":
            if self._words[place] in ("when", "then", "else"):
                is_value = self._words[place] != "when"
                place += 1
            after, value = self.expression(place, end)
            if after == place:
                break
            values += [value] if is_value else []
            place = after
        return place + (self._words[place] == "end"), _largest(values)

    def _check_pattern(self, place: int, value: Value, *, most: int) -> None:
        """Check the regular expression at ``place``, to be matched with ``value``; properties are short."""
        token, follows = self._tokens[place], self._words[place + 1]
        if not is_text(token) or follows in ("+", ".", "[") or (follows == "|" and self._words[place + 2] == "|"):
            raise UnsafeQueryError(
                "A regular expression is not written as one string.", "Write it in the query, or use CONTAINS."
            )
        check_pattern(token, most=most + 2 * value.is_stored)

    def _named(self, place: int, end: int) -> tuple[int, Value]:
        """Read a variable, a call, or a subquery."""
        after = place + 1
        while self._words[after] == "." and is_name(self._words[after + 1]):
            after += 2
        if self._words[after] == "(" and after < end:
            return self._behind_bracket(after), self._call("".join(self._words[place:after]), after)
        word = self._words[place]
        if word in SUBQUERIES and self._words[place + 1] == "{":
            self._braces(place + 1)
            return self._behind_bracket(place + 1), Value(COLLECTED) if word == "collect" else NUMBER
        if word in ("true", "false", "null"):
            return place + 1, NUMBER
        name = self._tokens[place]
        if name not in self._names and self._clause in ("match", "yield"):
            self._names[name] = ENTITY
        return place + 1, self._names.get(name, GIVEN)

    def _braces(self, place: int) -> Value:
        if self._words[place + 2] != ":" and self._words[place + 1] != ".":
            self.read(place + 1, self._close(place), is_block=True)
            return NUMBER
        made = _sum([NUMBER, *self.read(place + 1, self._close(place), is_map=True)])
        return self._made(made, "A map")

    def _close(self, place: int) -> int:
        return self._closing.get(place, self._end)

    def _behind_bracket(self, place: int) -> int:
        return min(self._close(place) + 1, self._end)

    # Lists, loops and calls

    def _list(self, place: int) -> Value:
        end = self._close(place)
        if self._words[place + 2] == "in" and is_name(self._tokens[place + 1]):
            return self._loop(place + 1, end)
        bar = self._bar(place + 1, end)
        if bar < end and (self._words[place + 1] == "(" or self._words[place + 2] == "="):
            clause, self._clause = self._clause, "match"
            self.read(place + 1, bar)
            self._clause = clause
            body = _sum([NUMBER, *self.read(bar + 1, end)])
            made = _repeated(Value(0, length=N_MATCHES), body, 0)
            return self._made(made, "A pattern comprehension", "Use MATCH and collect().")
        values = self.read(place + 1, end)
        made = _sum([NUMBER, *values])._replace(length=float(len(values)), element=_largest(values))
        return self._made(made, "A list")

    def _loop(self, place: int, end: int, total: tuple[str, Value] | None = None) -> Value:
        """Read ``x IN list WHERE … | …``, or the same within ``reduce`` with the name and first value of its total."""
        bar = self._bar(place, end)
        after, source = self.expression(place + 2, bar)
        loop = next(self._loops)
        self._lengths[loop] = _length(source)
        self._count_steps(1, "Long lists are gone through within each other.", "Use UNWIND instead.")
        of_source = _element(source)
        if of_source is ENTITY:
            self._entity_loops.add(loop)
        is_stored = of_source.is_stored or of_source is ENTITY
        element = Value(0, {(loop, ""): 1.0}, None, None, of_source.is_number, loop, is_stored)
        inner = {self._tokens[place]: element}
        if total:
            inner[total[0]] = Value(0, {(-loop, ""): 1.0}, is_number=total[1].is_number)
        outer = {name: self._names.get(name) for name in inner}
        self._names.update(inner)
        self.read(after, bar)
        values = self.read(bar + 1, end)
        for name, value in outer.items():
            self._names.pop(name) if value is None else self._names.update({name: value})
        del self._lengths[loop]
        body = element if bar >= end else values[0] if len(values) == 1 else _sum([NUMBER, *values])
        if total:
            return self._made(_folded(source, body, loop, total[1]), "reduce(…)")
        return self._made(
            _repeated(source, body, loop),
            "A list comprehension",
            "Use only its variable in the result, or UNWIND and collect().",
        )

    def _count_steps(self, n_steps: float, problem: str, advice: str, *, apart: Collection[int] = ()) -> None:
        """Count steps that are taken for each element of the surrounding loops, except those of ``apart``."""
        self._n_steps += n_steps * math.prod(length for loop, length in self._lengths.items() if loop not in apart)
        if self._n_steps >= MOST_STEPS:
            raise UnsafeQueryError(problem, advice)

    def _search(self, text: Value | None, searched: Value) -> None:
        if text is not None and not text.is_stored:
            self._scan(text, searched)

    def _scan(self, text: Value, searched: Value) -> None:
        """Count the steps of a search in a text; the elements of a list are together as long as the list."""
        sizes = [PROPERTY if one.is_stored else one.size + (PARAMETER if one.parts else 0) for one in (text, searched)]
        self._count_steps(
            sizes[0] * sizes[1] / SCANNED,
            "Long texts are normalized, searched for in each other, or for each element of a list.",
            "Shorten them, such as left($text, 100).",
            apart={loop for loop, _ in (*text.parts, *searched.parts)},
        )

    def _bar(self, place: int, end: int) -> int:
        """Return the place of the bar before the result of a loop, or the end; some labels are joined by bars too."""
        for at in self._level(place, end):
            is_label = is_name(self._words[at + 1]) and self._words[at + 2] == "|"
            if self._words[at] == "|" and "|" not in (self._words[at - 1], self._words[at + 1]) and not is_label:
                return at
        return end

    def _call(self, name: str, place: int) -> Value:
        end = self._close(place)
        short = name.rpartition(".")[2]
        if name in TESTS and self._words[place + 2] == "in":
            self._loop(place + 1, end)
            return NUMBER
        if name in FOLDS and self._words[place + 2] == "=":
            after, first = self.expression(place + 3, end)
            return self._loop(after + 1, end, (self._tokens[place + 1], first))
        values = self.read(place + 1, end)
        if name == "normalize" and values:
            self._scan(values[0], values[0])
        elif len(values) > 1 and short in SEARCHES and not values[0].is_stored:
            self._scan(values[0], values[1])
        elif len(values) > 1 and short in TRIMS:  # trim(BOTH letters FROM text)
            self._scan(values[1], values[0]) if short != "trim" else self._scan(values[-3], values[-1])
        if name in NUMBERS:
            return NUMBER
        if name in ("collect", "collect_list"):
            element = _sum(values) if values else NUMBER
            return Value(COLLECTED, element=element, n_values=element.n_values)
        if name in ("nodes", "relationships"):
            return Value(PATH_LENGTH * PROPERTY, length=PATH_LENGTH, element=ENTITY)
        if name == "range":
            return self._range(place, end)
        if short in REPLACES or name == "string.join":
            if short == "regexreplace" and len(values) > 1:
                comma = next(at for at in self._level(place + 1, end) if self._words[at] == ",")
                self._check_pattern(comma + 1, values[0], most=0)  # it may begin anywhere
            return self._made(
                _multiplied(name, values),
                f"{name}(…)",
                "Write the text that is put in, such as ', ', and use a property or a short text.",
            )
        return self._made(_of_function(name, values, self._words[end - 1]), f"{name}(…)")

    def _range(self, place: int, end: int) -> Value:
        """Return the bound of a range: as long as a list, or with numbers up to :data:`LONGEST_RANGE`."""
        arguments = arguments_of(self._words[place + 1 : end])
        if not (self._is_gone_through(place) or _is_short(arguments)):
            raise UnsafeQueryError(
                "range(…) has no upper bound.",
                f"Write UNWIND range(…) AS i, or end it at size(…), length(…) or a number up to {LONGEST_RANGE:,}.",
            )
        length = float(LONGEST_RANGE)
        if len(arguments) > 1 and arguments[1][:2] == ["size", "("]:
            start = place + 1 + len(arguments[0]) + 3
            length = _length(self.expression(start, self._close(start - 1))[1])
        return Value(8 * length, length=length, element=NUMBER)

    def _is_gone_through(self, place: int) -> bool:
        """Say whether the list of the brackets at ``place`` is taken row by row."""
        before = self._words[max(0, place - 4) : place - 1]
        return before[-1:] == ["unwind"] or (before[:1] == ["for"] and before[-1:] == ["in"])


def _is_short(arguments: Sequence[Sequence[str]]) -> bool:
    """Say whether ``range`` is not longer than what there is, or than :data:`LONGEST_RANGE`."""
    if all(side and side[-1].isdigit() and list(side[:-1]) in ([], ["-"]) for side in arguments):
        first, last = (int("".join(side)) for side in arguments[:2])
        return len(arguments) in (2, 3) and abs(last - first) <= LONGEST_RANGE
    if len(arguments) != 2:
        return False
    start, end = arguments
    if list(end[:2]) in (["size", "("], ["length", "("]) and list(start) in (["0"], ["1"]) and "range" not in end:
        return list(end[pairs_of(end).get(1, len(end)) + 1 :]) in ([], ["-", "1"])
    return False


def _added(values: Sequence[Value]) -> Value:
    """Return the bound of texts or lists that are joined."""
    if len(values) == 1:
        return values[0]
    lengths = [value.length for value in values if value.length is not None]
    length = sum(lengths) if len(lengths) == len(values) else None
    return _sum(values)._replace(length=length, element=_largest([_element(value) for value in values]))


def _scaled(value: Value, factor: float) -> Value:
    parts = {key: copies * factor for key, copies in value.parts.items()}
    return Value(value.size * factor, parts or NONE, n_values=value.n_values)


def _repeated(source: Value, body: Value, loop: int) -> Value:
    """Return the bound of a list with one value of ``body`` for each element of ``source``."""
    copies, constant = _copies(body, loop), _without(body, loop)
    of_source = _scaled(source, copies + (constant.size / ELEMENT if source.length is None else 0))
    size = copies * source.size + constant.size * _length(source)
    if constant.parts and source.parts:
        size = math.inf
    made = _sum([_scaled(constant, _length(source)), Value(0, of_source.parts)])
    element = _sum([constant, _scaled(_element(source), copies)])._replace(is_number=body.is_number)
    n_values = _n_values(source, copies) + body.n_values
    return Value(size, made.parts, source.length, element, n_values=n_values)


def _folded(source: Value, body: Value, loop: int, first: Value) -> Value:
    """Return the bound of what ``reduce`` makes; ``-loop`` is its total."""
    if body.is_number:
        return NUMBER
    totals, copies = _copies(body, -loop), _copies(body, loop)
    constant = _without(_without(body, loop), -loop)
    size = first.size + copies * source.size + constant.size * _length(source)
    if totals > 1 or constant.parts or source.parts or size * _length(source) >= MOST_COPIED:
        raise UnsafeQueryError(
            "reduce(…) may make a long text or list.",
            "If it computes a number, write 1 * x for each element x. Otherwise use UNWIND with collect() or "
            "string.join(collect(…), ', ').",
        )
    return Value(size, n_values=first.n_values + _n_values(source, copies) + body.n_values)


def _n_values(source: Value, copies: float) -> float:
    return source.n_values * max(1.0, copies)


def _without(value: Value, loop: int) -> Value:
    return value._replace(parts={key: copies for key, copies in value.parts.items() if key[0] != loop})


def _multiplied(name: str, values: Sequence[Value]) -> Value:
    """Return the bound of ``replace(text, old, new)`` or ``string.join(list, separator)``."""
    if len(values) < 2:
        return _sum([NUMBER, *values])
    first, last = values[0], values[-1]
    if name == "string.join":
        value = _sum([first, Value(last.size * _length(first)), Value(0, _scaled(first, last.size / ELEMENT).parts)])
    else:
        value = _scaled(first, 1 + last.size)
    if last.parts:
        value = Value(math.inf)
    return value


def _of_function(name: str, values: Sequence[Value], last: str) -> Value:
    """Return the bound of what a function makes of its arguments, whose last word is ``last``."""
    if name in ("left", "substring") and len(values) == 2 + (name == "substring") and last.isdigit():
        return Value(float(last))
    if name == "split" and values:
        return _scaled(values[0], 8)._replace(element=values[0]._replace(loop=0))
    if name in ("head", "last") and values:
        return _element(values[0])
    if name in ("coalesce", "nullif", "max", "min"):
        return _largest(values)
    if name in ("keys", "labels", "type", "id", "elementid"):
        return FIELD
    if name in ("startnode", "endnode"):
        return ENTITY
    if len(values) == 1:
        return values[0]._replace(is_number=False, loop=0)
    return _sum([*values, Value(40)])


LONGEST_PATTERN = 100
"""Most characters of a regular expression."""

MOST_CHOICES = 12
"""Most alternatives and optional parts of a regular expression."""

SIGN = re.compile(r"\\.|\[\^?(?:\\.|[^\]])*\]|\(\?[a-z]*[:)]|\{\d+(?:,\d*)?\}|.", re.DOTALL)


def check_pattern(text: str, *, most: int) -> None:
    """Refuse a regular expression that may run without end: Neo4j cannot interrupt it.

    Args:
        text: The expression as it stands in the query, with its quotation marks.
        most: Most repetitions, such as ``*``.

    Raises:
        UnsafeQueryError: It is too long, has a backreference, or repeats what has repetitions or alternatives.
    """
    pattern = re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL)
    n_repetitions = n_choices = 0
    groups, was_closed = [False], False  # whether each open group, and the one that was just closed, has choices
    problem = f"has more than {LONGEST_PATTERN} characters" if len(pattern) > LONGEST_PATTERN else ""
    for sign in SIGN.findall(pattern[:LONGEST_PATTERN]):
        is_repetition, is_choice = sign in "*+" or sign[0] == "{", sign in "|?"
        if re.fullmatch(r"\\[1-9kQ]|\(\?[a-z]*x.*", sign):
            problem = problem or f"has {sign}"
        if is_repetition and was_closed:
            problem = problem or "repeats a group that has repetitions or alternatives"
        is_variable = is_choice or (is_repetition and (sign in "*+" or "," in sign))
        n_repetitions += is_variable and is_repetition
        n_choices += is_choice
        groups[-1] |= is_variable
        was_closed = False
        if sign[0] == "(" and sign[-1] != ")":
            groups.append(False)
        elif sign == ")":
            was_closed = groups.pop() or not groups
            groups = groups or [True]
            groups[-1] |= was_closed
    if n_repetitions > most:
        problem = problem or f"has more than {most} repetitions"
    if n_choices > MOST_CHOICES:
        problem = problem or f"has more than {MOST_CHOICES} alternatives or optional parts"
    if problem:
        raise UnsafeQueryError(f"A regular expression {problem}.", "Use CONTAINS or STARTS WITH, joined by AND or OR.")
