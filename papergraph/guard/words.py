"""What shows in the words of a query: functions and procedures by name, and lists that grow without bounds."""

import re
from collections.abc import Iterator, Sequence

from papergraph.errors import UnsafeQueryError
from papergraph.guard.fence import NO_FENCE, Fence, kept, words_of

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

OPENING, CLOSING = frozenset("([{"), frozenset(")]}")

DEEPEST = 100
"""Brackets within brackets; far deeper than anybody writes."""

LONGEST_RANGE = 10_000

GROWING = frozenset({"range", "reduce", "allreduce", "split"})
"""Functions that give a list, or make one longer, of a value that is short."""

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
"""Characters that nobody sees, some of which Neo4j takes for spaces or for parts of names."""


def check_text(text: str, fence: Fence = NO_FENCE) -> None:
    """Refuse what shows in the words of a query.

    Raises:
        UnsafeQueryError: It is too long, or has a function, a name or a character that is not for it.
    """
    if len(text) > MAX_QUERY_CHARS:
        raise UnsafeQueryError(f"it has {len(text)} characters", f"at most {MAX_QUERY_CHARS} are allowed")
    tokens = list(_tokens(text))
    if not tokens:
        raise UnsafeQueryError("there is nothing in it", "a query begins with MATCH, as a rule")
    words = [token.upper() for token in tokens]
    if words[0] == "CYPHER" and words[1:2] in (["5"], ["25"]):
        words = words[2:]
    if words[:1] in (["EXPLAIN"], ["PROFILE"], ["CYPHER"], ["USE"]):
        raise UnsafeQueryError(
            f"it begins with {words[0]}", "only CYPHER 5 and CYPHER 25 may stand before it, and one database is read"
        )
    for place, word in enumerate(tokens):
        if word in fence.names:
            raise kept(word)
        if word == "(" and (called := _called(tokens, place)):
            check_called(called, is_procedure=_is_procedure(tokens, place))
    _check_growth(tokens)


def _check_growth(tokens: Sequence[str]) -> None:
    """Refuse lists that a few words make as long as they like: Neo4j does not count the memory of expressions.

    ``range`` may only be gone through row by row, or be short; and no list, and no text, is made of itself or of lists
    that are being made. One query with such a list ended the whole server (docs/decisions/0041-cypher.md).
    """
    lower = [token.lower() for token in tokens]
    for start, end in _pairs(lower).items():
        called = lower[start - 1] if start and lower[start] == "(" else ""
        if called == "range" and not (_is_gone_through(lower, start) or _is_short(lower[start + 1 : end])):
            raise UnsafeQueryError(
                "it makes a list by range(…) that may be of any length",
                f"write UNWIND range(…) AS i, or end it at size(…), length(…) or a number up to {LONGEST_RANGE:,}",
            )
        is_comprehension = lower[start] == "[" and lower[start + 2 : start + 3] == ["in"]
        if not is_comprehension and called not in ("reduce", "allreduce"):
            continue
        words = lower[start + 1 : end]
        body = words[words.index("|") + 1 :] if "|" in words else []
        if called and words[1:2] == ["="] and body.count(words[0]) > 1:
            raise UnsafeQueryError(
                f"its reduce(…) adds {tokens[start + 1]} to itself",
                "use it once in what is computed, or use sum() and collect()",
            )
        if any(word in GROWING and body[place + 1 : place + 2] == ["("] for place, word in enumerate(body)) or any(
            word == "[" and body[place + 2 : place + 3] == ["in"] for place, word in enumerate(body)
        ):
            raise UnsafeQueryError(
                "it makes lists within a list that is being made", "use UNWIND and collect() instead"
            )


def check_called(called: str, *, is_procedure: bool) -> None:
    """Refuse what is called and is not on the lists.

    Raises:
        UnsafeQueryError: It is a procedure or a function that may do more than make values.
    """
    if is_procedure and called not in SAFE_PROCEDURES:
        raise UnsafeQueryError(
            f"it calls the procedure {called}", f"these can be called: {', '.join(sorted(SAFE_PROCEDURES))}"
        )
    if called.upper() in WRITING:
        raise UnsafeQueryError(f"it has {called.upper()}, which writes", "only what reads can be asked for here")
    if not is_procedure and called.lower() not in SAFE_FUNCTIONS | BEFORE_BRACKETS:
        raise UnsafeQueryError(f"it calls {called}(…)", "only the functions of Cypher itself can be called")


def _is_gone_through(tokens: Sequence[str], start: int) -> bool:
    """Say whether the list of the brackets at ``start`` is taken row by row."""
    before = tokens[max(0, start - 4) : start - 1]
    return before[-1:] == ["unwind"] or (before[:1] == ["for"] and before[-1:] == ["in"])


def _is_short(within: Sequence[str]) -> bool:
    """Say whether ``range`` with these arguments is not longer than what there is, or than :data:`LONGEST_RANGE`."""
    start, end = _arguments(within)[:2] if "," in within else ([], [])
    if end[:2] in (["size", "("], ["length", "("]) and start in (["0"], ["1"]) and "range" not in end:
        return end[_pairs(end).get(1, len(end)) + 1 :] in ([], ["-", "1"])
    return all(len(side) == 1 and side[0].isdigit() for side in (start, end)) and int(end[0]) <= LONGEST_RANGE


def _arguments(within: Sequence[str]) -> list[list[str]]:
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


def _pairs(tokens: Sequence[str]) -> dict[int, int]:
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
                raise UnsafeQueryError(f"its brackets stand within each other, more than {DEEPEST}", "write it flatter")
        elif word in CLOSING and waiting:
            found[waiting.pop()] = place
    return found


def _tokens(text: str) -> Iterator[str]:
    """Yield a query's words and signs; names in backticks come bare where they begin like one, texts as one empty one.

    Raises:
        UnsafeQueryError: A character that nobody sees stands outside of texts, one is written as an escape, or a text,
            name or comment has no end.
    """
    if re.search(r"\\u", text, re.IGNORECASE):
        raise UnsafeQueryError("it writes a character as \\u…", "write the character itself, or give it as a parameter")
    for found in TOKEN.finditer(text):
        kind, token = found.lastgroup, found[0]
        if kind != "string" and (unseen := UNSEEN.search(token)):
            raise UnsafeQueryError(
                f"it has the character U+{ord(unseen[0]):04X}, which nobody sees", "take it out, or put it into a text"
            )
        if kind == "unclosed":
            raise UnsafeQueryError(f"a text, name or comment that begins with {token} has no end", f"close it: {token}")
        if kind == "string":
            yield "''"
        elif kind == "quoted":  # one that is a bracket, or another sign, must not be taken for it
            yield token[1:-1].replace("``", "`") if _is_name(token[1:]) else token
        elif kind != "space":
            yield token


def _called(tokens: Sequence[str], place: int) -> str:
    """Return the name with its dots before the bracket at ``place``; "" where there is none, or an index's label."""
    start = place
    while start > 0 and _is_name(tokens[start - 1]):
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


def _is_name(token: str) -> bool:
    return token[:1].isidentifier()
