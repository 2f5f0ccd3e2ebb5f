"""Limits on the form of a GraphQL query."""

import pytest
from graphql import GraphQLError, get_introspection_query, parse

from papergraph.server.graphql.extensions import check_form


def chain(n, spreads="...f{next} ...f{next}"):
    """Return a query over n fragments, each of which spreads the next one twice."""
    parts = (f"fragment f{number} on Paper {{ {spreads.format(next=number + 1)} }}" for number in range(n))
    return "{ papers { nodes { ...f0 } } } " + " ".join(parts) + f" fragment f{n} on Paper {{ id }}"


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("{ a { " + "b { " * 11 + "c" + " }" * 12 + " }", None),
        ("{ a { " + "b { " * 12 + "c" + " }" * 13 + " }", "13 levels of depth"),
        (
            "{ ...x } fragment x on A { a { ...y } } fragment y on B { " + "b { " * 12 + "c" + " }" * 13,
            "levels of depth",
        ),
        ("{ a { ...x } } fragment x on A { b { ...x } }", "levels of depth"),
        ("{ __schema { ...x } } fragment x on A { b { ...x } }", "61 levels of nesting"),
        (get_introspection_query(), None),
        ("{ " + "... { " * 58 + "a" + " }" * 59, None),
        ("{ " + "... { " * 60 + "a" + " }" * 61, "61 levels of nesting"),
        (chain(50), None),
        (chain(180), "61 levels of nesting"),
        ("{ a { ...x } } fragment x on A { b ...y } fragment y on A { ...x }", None),  # validation tells what is wrong
        ("{ ...missing }", None),
        ("{ " + " ".join(f"a{n}: b" for n in range(15)) + " }", None),
        ("{ " + " ".join(f"a{n}: b" for n in range(16)) + " }", "16 aliases"),
        ("{ a { ...x } b { ...x } } fragment x on A { " + " ".join(f"a{n}: b" for n in range(8)) + " }", "16 aliases"),
        ("query a { " + "x: b " * 8 + "} query b { " + "x: b " * 8 + "}", "16 aliases"),
        ("{ " + " ".join(f"a{n}" for n in range(20)) + " }", None),
        (
            "{ "
            + " ".join(f"a{n}" for n in range(11))
            + " ...x } fragment x on Q { ... { "
            + "b c d e f g h i j k } }",
            "21 root fields",
        ),
        ("{ a { " + "b " * 20 + "} }", None),
        ("{ a { " + "b " * 21 + "} }", "21 fields 'b' in one place"),
        (
            "{ a { ...x " + "b " * 10 + "} a { ... { " + "b " * 10 + "} } } fragment x on A { b }",
            "21 fields 'b' in one place",
        ),
        ("{ a { " + "b { " + "c { id } " * 15 + "} b { " + "c { id } " * 15 + "} } }", "30 fields 'c' in one place"),
        ("{ a { " + " ".join(f"a{n} @skip(if: true)" for n in range(20)) + " } }", None),
        ("{ a { " + " ".join(f"a{n} @skip(if: true)" for n in range(21)) + " } }", "21 directives"),
        ("query ($a: Int @x @x @x @x) { a(b: $a) }", "4 directives in one place"),
        ("{ a @x @x @x @x }", "4 directives in one place"),
        ("{ a @x @x @x }", None),
    ],
)
def test_a_limit_holds_exactly(query, told):
    if told is None:
        check_form(parse(query))
    else:
        with pytest.raises(GraphQLError, match=told):
            check_form(parse(query))


def test_fragments_that_fan_out_are_given_up():
    fan = "a {{ ...f{next} }} b {{ ...f{next} }} c {{ ...f{next} }}"

    with pytest.raises(GraphQLError, match="2001 fields"):
        check_form(parse(chain(9, fan)))
