"""What shows in the words of a query: functions and procedures by name."""

from collections.abc import Sequence

from papergraph.cypher_guard.query_tokens import is_name, tokens_of
from papergraph.cypher_guard.size_rules import check_growth, check_size
from papergraph.cypher_guard.visibility import NO_FENCE, Fence, kept, words_of
from papergraph.errors import UnsafeQueryError

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
    """Return the name with its dots before the bracket at ``place``; "" where there is none, or an index's label."""
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
