"""The GraphQL schema as clients read it: descriptions, examples, closed lists, and what may be null."""

from typing import get_args

import pytest
from graphql import GraphQLEnumType, GraphQLNonNull, is_interface_type, is_object_type, parse, validate

from papergraph.server.auth.access import KeyScope, Principal
from papergraph.server.graph import lists as listings
from papergraph.server.graphql.connections import MOST_NAME_CHARS, shortened
from papergraph.server.graphql.schema import EXAMPLES, schema
from papergraph.server.rest.search import SearchBody
from papergraph.server.selection.backends import NAMES
from papergraph.server.user_cypher.runner import Cut

SCHEMA = schema._schema
TYPES = {name: kind for name, kind in SCHEMA.type_map.items() if not name.startswith("__")}


def test_everything_has_a_description():
    bare = [name for name, kind in TYPES.items() if not kind.description and not name.endswith(("Connection", "Edge"))]
    for name, kind in TYPES.items():
        for field, definition in getattr(kind, "fields", {}).items():
            bare += [f"{name}.{field}"] if not definition.description else []
            arguments = getattr(definition, "args", {})
            bare += [f"{name}.{field}({one})" for one, argument in arguments.items() if not argument.description]

    assert set(bare) == {"Query", "Mutation", "Subscription", "Float", "Int", "Boolean", "String", "ID"} & set(bare)


def test_every_field_of_a_query_or_a_subscription_has_an_example_that_is_valid():
    fields = {*SCHEMA.query_type.fields, *SCHEMA.subscription_type.fields}

    assert fields - EXAMPLES.keys() == set()
    for name, operation in EXAMPLES.items():
        assert not validate(SCHEMA, parse(operation)), name
        assert name in operation


def test_an_error_in_one_field_of_a_query_empties_no_other():
    assert [name for name, field in SCHEMA.query_type.fields.items() if isinstance(field.type, GraphQLNonNull)] == []


@pytest.mark.parametrize(
    ("enum", "words"),
    [
        ("ClusterKind", listings.CLUSTER_KINDS),
        ("QuestionGenerator", listings.GENERATORS),
        ("ReviewFilter", listings.REVIEWS),
        ("RowLimit", get_args(Cut)),
        ("SelectionBackend", NAMES),
    ],
)
def test_an_enum_has_the_words_of_other_interfaces_in_capitals(enum, words):
    assert isinstance(TYPES[enum], GraphQLEnumType)
    assert {name: value.value for name, value in TYPES[enum].values.items()} == {word.upper(): word for word in words}


def test_enums_in_rest_are_the_small_letters_of_those_of_graphql():
    for name in ("JobState", "TaskState", "JobKind", "KeyScope", "WaitsFor", "Decision", "Retriever"):
        for capital, value in TYPES[name].values.items():
            assert value.value == capital.lower(), name


def test_what_has_an_id_and_may_be_had_by_it_has_a_name():
    nodes = [kind for kind in TYPES.values() if is_object_type(kind) and SCHEMA.is_sub_type(TYPES["Node"], kind)]

    assert is_interface_type(TYPES["Node"]) and len(nodes) == 8
    assert all("displayName" in kind.fields for kind in nodes)


def test_a_name_is_one_line_of_bounded_length():
    assert shortened("  two\n lines ") == "two lines"
    assert shortened("x" * MOST_NAME_CHARS) == "x" * MOST_NAME_CHARS
    assert len(shortened("word " * 100)) <= MOST_NAME_CHARS and shortened("word " * 100).endswith("word…")


@pytest.mark.parametrize(
    ("reached", "default"), [(None, "main"), (("a", "main"), "main"), (("b", "c"), "b"), (("only",), "only")]
)
def test_a_request_that_names_no_collection_reads_one_that_its_key_reaches(reached, default):
    assert Principal("k", frozenset({KeyScope.READ}), reached).default_collection == default
    assert SearchBody("x").collection is None
