"""Rules on the text of a query: functions and procedures by name, and the size of the query for the planner."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import islice

from papergraph.cypher_guard.growth_rules import check_growth
from papergraph.cypher_guard.tokens import CLOSING, DEEPEST, OPENING, is_name, tokens_of, words_of
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


MOST = {
    "XOR": (8, "Write it with AND, OR and NOT."),
    "clauses": (200, "Send several queries."),
    "names with AS": (500, "Return maps, such as properties(p), or send several queries."),
    "relationships": (32, "Send several queries."),
    "relationships without WITH": (16, "Put WITH … LIMIT between MATCH, or use a path such as -[:CITES]-{1,5}."),
    "labels without UNION": (24, "Use a list, such as any(label IN labels(n) WHERE label IN ['Paper', 'Chunk'])."),
}
"""Most of each in a query, and what to write instead. The planner cannot be interrupted: it writes XOR, and labels that
are joined by OR, out as normal forms that double with each further one, and it compares the orders of relationships."""

RELATIONSHIP_BEGINS = (["-", "["], ["-", "-"], ["-", ">"], ["<", "-"])

GRAPH_SIGNS = OPENING | CLOSING | frozenset(":|&")

APART = frozenset({"union", "next", "{"})

MAX_IN_ROW = 200
"""Largest number of AND, OR and XOR together in one expression, those around its brackets included."""

MAX_NESTED = 100
"""Most other operators that an expression nests, those of the brackets around it included."""

CONNECTIVES = frozenset({"and", "or", "xor"})

OPERATORS = frozenset("+-*/%^=<>~|&!.:") | words_of("not in is contains starts ends")

CLAUSES = words_of("match with return unwind call union next let filter for")

ENDS_EXPRESSION = CLAUSES | words_of("where order skip offset limit yield optional when then else finish search as")

CASE_WORDS = frozenset({"case", "when", "then", "else"})

HAS_OPERAND_BEFORE = ENDS_EXPRESSION | OPENING | {"end"}
"""Words whose meaning depends on whether an operator stands before them."""

STAR_FOLLOWS = words_of("return with distinct yield")


def check_size(tokens: Sequence[str]) -> None:
    """Refuse what would keep the planner busy without end, before it is asked.

    Operators are counted for each pair of brackets, and of CASE and END, from the last comma or word of a clause on.

    Raises:
        UnsafeQueryError: It has too many XOR, clauses or operators, or nests too deeply.
    """
    words = [token.lower() for token in tokens]
    depths, graphs = _Depths(), _Graphs()
    numbers = dict.fromkeys(MOST, 0)
    for place, word in enumerate(words):
        before = words[place - 1] if place else ""
        is_operand = word in HAS_OPERAND_BEFORE and _takes_operand(words, place - 1)
        if word in ENDS_EXPRESSION and not is_operand:
            numbers["clauses"] += word in CLAUSES
            if word in CLAUSES and word != "match":
                graphs.restart(word)
            depths.restart()
        else:
            depths.count(word, before, is_operand=is_operand)
        numbers["XOR"] += word == "xor" and before != "."
        numbers["names with AS"] += word == "as"
        if word in GRAPH_SIGNS:
            graphs.count(words, place)
    numbers |= graphs.numbers
    for name, (most, advice) in MOST.items():
        if numbers[name] > most:
            raise UnsafeQueryError(f"The query has {numbers[name]} {name}, more than {most}.", advice)


class _Graphs:
    """Relationships and labels of patterns that are planned together, each subquery by itself."""

    def __init__(self) -> None:
        self.numbers = {"relationships": 0, "relationships without WITH": 0, "labels without UNION": 0}
        self._open: list[tuple[bool, tuple[int, int] | None]] = []
        self._n_relationships = self._n_labels = 0

    def restart(self, word: str) -> None:
        """Begin a pattern that is planned apart; labels before and after WITH are planned together."""
        self._n_relationships = 0
        self._n_labels = 0 if word in APART else self._n_labels

    def count(self, words: Sequence[str], place: int) -> None:
        """Take the next word."""
        word = words[place]
        if word in OPENING:
            are_no_labels = word != "(" and ":" in words[place + 1 : place + 3]  # values of a map, or types
            is_block = word == "{" and not are_no_labels
            self._open.append((are_no_labels, (self._n_relationships, self._n_labels) if is_block else None))
            if is_block:
                self.restart(word)
        elif word in CLOSING:
            _, around = self._open.pop() if self._open else (False, None)
            if around:
                self._n_relationships, self._n_labels = around
            if word == ")" and words[place + 1 : place + 3] in RELATIONSHIP_BEGINS:
                self._n_relationships += 1
                self.numbers["relationships"] += 1
                self._note("relationships without WITH", self._n_relationships)
        elif not (self._open and self._open[-1][0]) and _joins_labels(words, place):
            self._n_labels += 1
            self._note("labels without UNION", self._n_labels)

    def _note(self, name: str, number: int) -> None:
        self.numbers[name] = max(self.numbers[name], number)


def _joins_labels(words: Sequence[str], place: int) -> bool:
    """Say whether the sign at ``place`` joins labels, or begins one that is not alone in the pattern of a node."""
    word = words[place]
    if word == "|":
        return place > 1 and words[place - 2] in (":", "|", "&", "!", "(") and words[place - 1][:1] not in CLOSING
    if word != ":":
        return word == "&"
    before, after = words[max(0, place - 2) : place], [*words[place + 2 : place + 5], "", "", ""]
    if "(" not in before or (after[0] == ")" and not _follows_node(after[1:3])):
        return True
    return after[0] not in (")", "{", "where")


def _follows_node(words: Sequence[str]) -> bool:
    return words[0] in ("-", ",", "}", "") or words[0] in ENDS_EXPRESSION or list(words) == ["<", "-"]


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
    """Say whether the word at ``place`` is an operator, so that a value or a name follows and not a clause."""
    word = words[place] if place >= 0 else ""
    if word in ("starts", "ends"):  # WITH belongs to it
        return True
    if word == "*":
        return place < 1 or words[place - 1] not in STAR_FOLLOWS
    return word in OPERATORS or word in CONNECTIVES


MAX_QUERY_CHARS = 20_000

MAX_TOKENS = 4_100
"""Most words and signs of a query, so that the guard itself is quick."""

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


def check_text(text: str, fence: Fence = NO_FENCE, numeric: Collection[str] = ()) -> None:
    """Refuse what shows in the words of a query.

    Args:
        text: The query.
        fence: What it must not read.
        numeric: Its parameters that are numbers or lists of numbers.

    Raises:
        UnsafeQueryError: It is too long, or has a function, a name or a character that is not for it.
    """
    if len(text) > MAX_QUERY_CHARS:
        raise UnsafeQueryError(f"The query has {len(text)} characters.", f"At most {MAX_QUERY_CHARS} are allowed.")
    tokens = list(islice(tokens_of(text), MAX_TOKENS + 1))
    if len(tokens) > MAX_TOKENS:
        raise UnsafeQueryError(
            f"The query has more than {MAX_TOKENS:,} words and signs.", "Pass long lists as parameters."
        )
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
    kept_names = fence.names
    for place, word in enumerate(tokens):
        if word in kept_names:
            raise kept(word)
        if word == "(" and (called := _called(tokens, place)):
            check_called(called, is_procedure=_is_procedure(tokens, place))
    check_size(tokens)
    check_growth(tokens, numeric)


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
