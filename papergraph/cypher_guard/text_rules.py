"""Rules on the text of a query.

They check functions and procedures by name, the size of the query for the planner, and texts or lists that grow without
a limit.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from papergraph.errors import UnsafeQueryError


@dataclass(frozen=True)
class Fence:
    """Parts of the graph that a query must not access.

    Attributes:
        labels: Labels of forbidden nodes.
        types: Types of relationships to them.
    """

    labels: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()

    @property
    def names(self) -> frozenset[str]:
        """Labels and types together."""
        return self.labels | self.types


NO_FENCE = Fence()


def kept(name: str) -> UnsafeQueryError:
    """Return the error for a query that accesses a forbidden label or type."""
    return UnsafeQueryError(
        f"{name} belongs to the service, not to the papers.", "Use papergraph doctor and papergraph keys instead."
    )


def words_of(text: str) -> frozenset[str]:
    """Return the words of a list that is written as a text."""
    return frozenset(text.split())


OPENING, CLOSING = frozenset("([{"), frozenset(")]}")

DEEPEST = 100
"""Brackets within brackets; far deeper than anybody writes."""

LONG_TEXT = "'……'"
TEXTS = ("''", "'…'", LONG_TEXT)
"""Placeholders for texts of at most one character, of at most 30, and longer ones."""

TOKEN = re.compile(
    r"""
      (?P<space> \s+ | //[^\n\r]* | /\*.*?\*/ )
    | (?P<string> '(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*" )
    | (?P<quoted> `(?:[^`]|``)*` )
    | (?P<unclosed> ['"`] | /\* )
    | (?P<word> [^\W\d]\w* )
    | (?P<number> \d[\w.]* )
    | (?P<sign> . )
    """,
    re.VERBOSE | re.DOTALL,
)

UNSEEN = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)
"""Invisible characters, some of which Neo4j reads as spaces or parts of names."""


def tokens_of(text: str) -> Iterator[str]:
    """Yield a query's tokens; regular names in backticks without them, and texts as placeholders of TEXTS.

    Raises:
        UnsafeQueryError: An invisible character or an escape is outside texts, or a text, name or comment is
            unterminated.
    """
    if re.search(r"\\u", text, re.IGNORECASE):
        raise UnsafeQueryError(
            "\\u… escapes are not allowed.", "Write the character itself, or pass it as a parameter."
        )
    for found in TOKEN.finditer(text):
        kind, token = found.lastgroup, found[0]
        if kind != "string" and (unseen := UNSEEN.search(token)):
            raise UnsafeQueryError(
                f"The query has the invisible character U+{ord(unseen[0]):04X}.", "Remove it, or put it into a string."
            )
        if kind == "unclosed":
            raise UnsafeQueryError(
                f"A string, name or comment that begins with {token} has no end.", f"Close it with {token}"
            )
        if kind == "string":
            yield TEXTS[(len(token) > 3) + (len(token) > 32)]
        elif kind == "quoted":  # one that is a bracket, or another sign, must not be taken for it
            yield token[1:-1].replace("``", "`") if is_name(token[1:]) else token
        elif kind != "space":
            yield token


def is_name(token: str) -> bool:
    return token[:1].isidentifier()


def arguments_of(within: Sequence[str]) -> list[list[str]]:
    """Return what stands between the commas that are in no further brackets."""
    found: list[list[str]] = [[]]
    depth = 0
    for word in within:
        depth += (word in OPENING) - (word in CLOSING)
        if word == "," and depth == 0:
            found.append([])
        else:
            found[-1].append(word)
    return found


def pairs_of(tokens: Sequence[str]) -> dict[int, int]:
    """Return where each bracket that is opened is closed.

    Raises:
        UnsafeQueryError: They stand within each other more than :data:`DEEPEST` times.
    """
    found: dict[int, int] = {}
    waiting: list[int] = []
    for place, word in enumerate(tokens):
        if word in OPENING:
            waiting.append(place)
            if len(waiting) > DEEPEST:
                raise UnsafeQueryError(f"Brackets are nested more than {DEEPEST} deep.", "Flatten the query.")
        elif word in CLOSING and waiting:
            found[waiting.pop()] = place
    return found


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
    """Refuse sums and replacements of unbounded size: names added to themselves, long replacements, long separators.

    Raises:
        UnsafeQueryError: The query has such a sum or replacement.
    """
    n_growing = 0
    pairs = pairs_of(words)
    for start, end in pairs.items():
        called = words[start - 1] if start and words[start] == "(" else ""
        if called == "join" and not _is_text(arguments_of(words[start + 1 : end])[1:2]):
            raise UnsafeQueryError(
                "string.join(…) needs a short literal string as its separator.", "Write the separator, such as ', '."
            )
        if called not in ("replace", "regexreplace"):
            continue
        given = arguments_of(words[start + 1 : end])[2:3]
        if not (_is_text(given) or (given and _is_property(given[0]))):
            raise UnsafeQueryError(
                f"{called}(…) inserts a value that is neither a short string nor a property.",
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
    """Return the possible values of a CASE; other operands unchanged."""
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


LONGEST_RANGE = 10_000

GROWING = frozenset({"range", "reduce", "allreduce", "split"})
"""Functions that give a list, or make one longer, of a value that is short."""


def check_growth(tokens: Sequence[str]) -> None:
    """Refuse expressions that build lists or texts of unbounded size; Neo4j does not limit their memory.

    ``range`` must be short or unwound row by row. A list or text must not be built from itself or from a list under
    construction. One query with such a list ended the whole server (docs/design/security.md#cypher-of-users).
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
    """Split at the first single bar outside nested brackets."""
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
    """Check that ``range`` with these arguments is bounded: by a size, a length, or :data:`LONGEST_RANGE`."""
    start, end = arguments_of(within)[:2] if "," in within else ([], [])
    if end[:2] in (["size", "("], ["length", "("]) and start in (["0"], ["1"]) and "range" not in end:
        return end[pairs_of(end).get(1, len(end)) + 1 :] in ([], ["-", "1"])
    return all(len(side) == 1 and side[0].isdigit() for side in (start, end)) and int(end[0]) <= LONGEST_RANGE


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


MAX_QUERY_CHARS = 20_000

SAFE_PROCEDURES = frozenset(
    {
        "db.index.fulltext.queryNodes",
        "db.index.fulltext.queryRelationships",
        "db.index.vector.queryNodes",
        "db.index.vector.queryRelationships",
        "db.labels",
        "db.propertyKeys",
        "db.relationshipTypes",
        "db.schema.nodeTypeProperties",
        "db.schema.relTypeProperties",
        "db.schema.visualization",
    }
)

SAFE_FUNCTIONS = words_of(
    """
    abs acos all allreduce allshortestpaths any asin atan atan2 avg btrim cardinality ceil ceiling char_length
    character_length coalesce collect collect_list cos cosh cot coth count date datetime degrees duration
    duration_between e elementid endnode exists exp floor format haversin head id isempty isnan keys labels last
    left length ln local_datetime local_time localdatetime localtime log log10 lower ltrim max min nodes none
    normalize nullif path_length percentile_cont percentile_disc percentilecont percentiledisc pi point properties
    property_exists radians rand randomuuid range reduce relationships replace reverse right round rtrim
    shortestpath sign sin single sinh size split sqrt startnode stdev stdev_pop stdev_samp stdevp substring sum tail
    tan tanh time timestamp toboolean tobooleanlist tobooleanornull tofloat tofloatlist tofloatornull tointeger
    tointegerlist tointegerornull tolower tostring tostringlist tostringornull toupper trim type upper uuid
    valuetype vector vector_dimension_count vector_distance vector_norm zoned_datetime zoned_time coll.distinct
    coll.flatten coll.indexof coll.insert coll.max coll.min coll.remove coll.sort date.realtime date.statement
    date.transaction date.truncate datetime.fromepoch datetime.fromepochmillis datetime.realtime datetime.statement
    datetime.transaction datetime.truncate duration.between duration.indays duration.inmonths duration.inseconds
    localdatetime.realtime localdatetime.statement localdatetime.transaction localdatetime.truncate
    localtime.realtime localtime.statement localtime.transaction localtime.truncate point.distance point.withinbbox
    string.indexof string.join string.regexreplace time.realtime time.statement time.transaction time.truncate
    uuid.leastsignificantbits uuid.mostsignificantbits vector.similarity.cosine vector.similarity.euclidean
    """
)
"""Functions that make a value of values, in lower case; those of plugins, ``file`` and ``graph.byName`` do more."""

BEFORE_BRACKETS = words_of(
    """
    acyclic and as by call case contains distinct else ends exists filter for group groups if in is let limit match
    next not offset on optional or order path paths repeatable elements different relationships relationship element
    return rows score search shortest skip some then trail union unwind walk when where with xor yield
    """
)
"""Words that brackets may stand behind although they are no functions."""

WRITING = words_of(
    """
    CREATE DELETE FOREACH INSERT MERGE REMOVE SET
    """
)
"""Words that brackets stand behind where something is written."""


def check_text(text: str, fence: Fence = NO_FENCE) -> None:
    """Refuse what shows in the words of a query.

    Raises:
        UnsafeQueryError: It is too long, or has a function, a name or a character that is not for it.
    """
    if len(text) > MAX_QUERY_CHARS:
        raise UnsafeQueryError(f"The query has {len(text)} characters.", f"At most {MAX_QUERY_CHARS} are allowed.")
    tokens = list(tokens_of(text))
    if not tokens:
        raise UnsafeQueryError("The query is empty.", "Start it with MATCH.")
    words = [token.upper() for token in tokens]
    if words[0] == "CYPHER" and words[1:2] in (["5"], ["25"]):
        words = words[2:]
        if words[1:2] == ["="]:
            raise UnsafeQueryError(
                f"The query begins with option {words[0].lower()}=….",
                "Remove the option: only CYPHER 5 or CYPHER 25 may stand before a query.",
            )
    if words[:1] in (["EXPLAIN"], ["PROFILE"], ["CYPHER"], ["USE"]):
        raise UnsafeQueryError(
            f"The query begins with {words[0]}.", "Only CYPHER 5 and CYPHER 25 are allowed before it, and no USE."
        )
    for place, word in enumerate(tokens):
        if word in fence.names:
            raise kept(word)
        if word == "(" and (called := _called(tokens, place)):
            check_called(called, is_procedure=_is_procedure(tokens, place))
    check_size(tokens)
    check_growth(tokens)


def check_called(called: str, *, is_procedure: bool) -> None:
    """Refuse what is called and is not on the lists.

    Raises:
        UnsafeQueryError: It is a procedure or a function that may do more than make values.
    """
    if is_procedure and called not in SAFE_PROCEDURES:
        raise UnsafeQueryError(f"Procedure {called} is not allowed.", f"Allowed: {', '.join(sorted(SAFE_PROCEDURES))}.")
    if called.upper() in WRITING:
        raise UnsafeQueryError(f"{called.upper()} writes.", "Only read queries are allowed.")
    if not is_procedure and called.lower() not in SAFE_FUNCTIONS | BEFORE_BRACKETS:
        raise UnsafeQueryError(f"Function {called}(…) is not allowed.", "Use the built-in functions of Cypher.")


def _called(tokens: Sequence[str], place: int) -> str:
    """Return the dotted name before the bracket at ``place``; "" without a name or for an index's label."""
    start = place
    while start > 0 and is_name(tokens[start - 1]):
        start -= 1
        if start == 0 or tokens[start - 1] != ".":
            break
        start -= 1
    hint = [token.upper() for token in tokens[max(0, start - 4) : start]]
    if start == place - 1 and hint[-1:] == [":"] and ("INDEX" in hint[-3:-2] or hint[:2] == ["INDEX", "SEEK"]):
        return ""  # USING INDEX n:Label(property)
    return "".join(tokens[start:place])


def _is_procedure(tokens: Sequence[str], place: int) -> bool:
    """Say whether what stands before the bracket at ``place`` is called as a procedure."""
    called = _called(tokens, place)
    before = place - 2 * len(called.split("."))
    return "." in called and before >= 0 and tokens[before].upper() == "CALL"
