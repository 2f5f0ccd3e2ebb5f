"""What a GraphQL query costs, by its text and variables alone."""

import pytest
from graphql import get_introspection_query, parse, validate

from papergraph.server.graphql.cost import MOST
from papergraph.server.graphql.extensions import check_form
from papergraph.server.graphql.options import Rules
from papergraph.server.graphql.schema import cost_of, schema
from papergraph.server.retrieval.pipelines import shipped
from tests.support.operations import SEARCH

LIMIT = Rules().max_cost


def cost(query, /, operation_name=None, **variables):
    document = parse(query)
    assert not validate(schema._schema, document)
    return cost_of(document, variables, operation_name)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("{ __typename }", 1),
        ('{ paper(key: "x") { id title } }', 3),
        ("{ papers(first: 7) { nodes { id } } }", 1 + 1 + 7),
        ("{ papers(first: 7) { edges { cursor node { id title } } } }", 1 + 1 + 7 * (1 + 1 + 2)),
        ("{ papers { nodes { id } } }", 1 + 1 + 20),
        ("{ papers(first: 7) { totalCount pageInfo { endCursor hasNextPage } } }", 1 + 10 + 3),
        ("{ papers(first: 7) { nodes { authors { name } } } }", 1 + 1 + 7 * (1 + 5)),
        ("{ papers(first: 3) { nodes { sections(first: 4) { nodes { id } } } } }", 1 + 1 + 3 * (1 + 1 + 4)),
        ("{ papers(first: 0) { nodes { id } } }", 3),
        ("{ papers(first: 101) { nodes { id } } }", 102),
        ('{ search(input: {query: "x", k: 7}) { hits { rank paper { id } } } }', 2000 + 1 + 7 * 3),
        ('{ search(input: {query: "x"}) { hits { rank } } }', 2000 + 1 + shipped()["default"].k),
        ('{ search(input: {query: "x", pipeline: "nope"}) { hits { rank } } }', 2000 + 1 + 100),
        (
            '{ search(input: {query: "x", overrides: [{option: "fuse.k", value: 99}]}) { hits { rank } } }',
            2000 + 1 + 100,
        ),
        ('{ search(input: {query: "x", selection: {k: 6}}) { hits { rank } } }', 2000 + 1 + 6),
        ('{ search(input: {query: "x", selection: {}}) { hits { rank } } }', 2000 + 1 + 10),
        ('{ search(input: {query: "x", k: 4, selection: {}}) { hits { rank } } }', 2000 + 1 + 4),
        ('{ exportPapers(ids: ["a", "b", "c"], format: RIS) { files { name text } } }', 3 * 20 + 1 + 3 * 2),
        ('{ __type(name: "Paper") { fields { name } } }', 100),
    ],
)
def test_a_field_costs_one_and_a_list_its_entries(query, expected):
    assert cost(query) == expected


@pytest.mark.parametrize(
    ("variables", "n"),
    [
        ({"first": 7}, 7),
        ({}, 9),
        ({"first": 1000}, 100),
        ({"first": -1}, 1),
        ({"first": "many"}, 100),
        ({"first": True}, 100),
    ],
)
def test_a_page_may_be_a_variable(variables, n):
    query = "query ($first: Int! = 9) { papers(first: $first) { nodes { id } } }"

    assert cost(query, **variables) == 2 + n


@pytest.mark.parametrize(
    ("input", "k"), [({"k": 7}, 7), ({"k": None}, 10), ({}, 10), ({"selection": {"k": 3}}, 3), (5, 100)]
)
def test_a_page_may_be_within_a_variable(input, k):
    query = "query ($input: SearchInput!) { search(input: $input) { hits { rank } } }"

    assert cost(query, input=input) == 2001 + k


@pytest.mark.parametrize(
    ("input", "expected"),
    [
        ({"collections": ["a"]}, 2011),
        ({"collections": ["a", "b", "c"]}, 3011),
        ({"collections": None}, 2011),
        ({"collections": "a"}, 2011),
    ],
)
def test_each_further_collection_of_a_search_costs_more(input, expected):
    query = "query ($input: SearchInput!) { search(input: $input) { hits { rank } } }"

    assert cost(query, input=input) == expected


@pytest.mark.parametrize(
    ("input", "expected"),
    [
        ({}, 4002),
        ({"pipelines": ["default", "fused"]}, 8002),
        ({"pipelines": ["default", "fused"], "readers": ["PASSAGES", "PAGES"], "collections": ["a", "b"]}, 18002),
    ],
)
def test_each_way_of_an_answer_costs_as_much_as_one_alone(input, expected):
    query = "query ($input: AskInput!) { ask(input: $input) { __typename ... on Answer { text } } }"

    assert cost(query, input=input) == expected


def test_the_collections_of_a_key_cost_nothing():
    query = """mutation ($collections: [String!]) {
      createApiKey(name: "n", scopes: [READ], collections: $collections) { __typename }
    }"""

    assert cost(query, collections=["a", "b"]) == cost(query, collections=None)


def test_what_is_left_out_costs_nothing():
    query = """query ($no: Boolean!, $yes: Boolean! = true) {
      papers(first: 50) @include(if: $no) { nodes { id } }
      pipelines @skip(if: $yes) { name }
      ... @include(if: false) { pipelines { name about } }
      ...rest @skip(if: true)
      __typename @include(if: $yes) @skip(if: $no)
    } fragment rest on Query { pipelines { needs } }"""

    assert cost(query, no=False) == 1
    assert cost(query, no=True, yes=False) == (2 + 50) + (1 + 5) + 0


def test_fragments_and_aliases_cost_what_they_stand_for():
    plain = "{ a: papers(first: 7) { nodes { id title } } b: papers(first: 8) { nodes { id title } } }"
    spread = """{ a: papers(first: 7) { ...page } b: papers(first: 8) { ... { ...page } } }
      fragment page on PaperConnection { nodes { ... on Node { id } ... on Paper { title } } }"""

    assert cost(plain) == cost(spread) == (2 + 14) + (2 + 16)


def test_one_of_several_operations_is_reckoned():
    query = "query one { papers(first: 1) { nodes { id } } } query other { papers(first: 9) { nodes { id } } }"

    assert (cost(query, "one"), cost(query, "other")) == (3, 11)


BOMB = (
    "papers(first: 30) { nodes { authors { papers(first: 30) { nodes { sections(first: 30) { nodes { id } } } } } } }"
)


@pytest.mark.parametrize(
    "query",
    [
        "{ " + BOMB + " }",
        "{ " + BOMB.replace("(first: 30)", "") + " }",
        "query ($n: Int!) { " + BOMB.replace("30", "$n") + " }",
        "query ($n: Int! = 30) { " + BOMB.replace("30", "$n") + " }",
        "{ ... on Query { " + BOMB.replace("{ id }", "{ ... { ... on Node { id } } }") + " } }",
        "{ ...a } fragment a on Query { papers(first: 30) { ...b } } fragment b on PaperConnection { nodes { ...c } } "
        "fragment c on Paper { authors { papers(first: 30) { nodes { sections(first: 30) { nodes { id } } } } } }",
        "{ "
        + "".join(
            f"a{n}: papers(first: 100) {{ nodes {{ sections(first: 12) {{ nodes {{ id }} }} }} }} " for n in range(15)
        )
        + "}",
    ],
)
def test_a_cost_bomb_costs_more_than_is_allowed_however_it_is_written(query):
    check_form(parse(query))  # which no other limit would stop

    assert cost(query, n=30) > LIMIT


def test_fragments_that_double_each_other_are_reckoned_at_once_and_told_as_a_number_that_clients_read():
    doubling = " ".join(f"fragment f{n} on Paper {{ ...f{n + 1} ...f{n + 1} }}" for n in range(50))

    assert cost("{ papers { nodes { ...f0 } } } " + doubling + " fragment f50 on Paper { id }") == MOST


@pytest.mark.parametrize(
    ("query", "variables"),
    [
        (SEARCH, {"input": {"query": "x", "k": 100}, "explain": True, "save": True}),
        (
            """query { papers(first: 100) { nodes { title authors { name } sections { nodes { title path } } } } }""",
            {},
        ),
        (get_introspection_query(), {}),
    ],
)
def test_what_papergraph_itself_and_the_tools_ask_is_within_the_limit(query, variables):
    assert cost(query, **variables) <= LIMIT


def test_an_operation_that_is_not_there_costs_nothing():
    assert cost("{ __typename }", "other") == 0
