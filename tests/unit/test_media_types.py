"""Content negotiation of GraphQL over HTTP."""

import pytest
from graphql import OperationType

from papergraph.server.graphql.router import SPEC_TYPE, accepted, json_type, operation_type, protocol_of

QUERY, SUBSCRIPTION = OperationType.QUERY, OperationType.SUBSCRIPTION
URQL = (
    "application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed"
)
APOLLO = 'multipart/mixed;boundary="graphql";subscriptionSpec=1.0,application/json'


@pytest.mark.parametrize(
    ("header", "of_query", "of_subscription"),
    [
        ("", "http", "http"),
        ("*/*", "http", "http"),
        ("application/json", "http", "http"),
        (URQL, "http", "sse"),
        (APOLLO, "http", "multipart-subscription"),
        ("text/event-stream", "sse", "sse"),
        ("text/event-stream;q=0", "http", "http"),
        ("text/event-stream, application/json;q=0", "sse", "sse"),
        ("text/event-stream;q=0.1, */*;q=0.5", "http", "sse"),
        ("text/event-stream, application/*", "http", "sse"),
        ("text/event-stream;q=0.2, multipart/mixed;subscriptionSpec=1.0;q=0.9", *["multipart-subscription"] * 2),
        ("multipart/mixed;boundary=other;subscriptionSpec=1.0", "http", "http"),
        ("TEXT/EVENT-STREAM ; Q=0.5", "sse", "sse"),
        (",;,q=1", "http", "http"),
    ],
)
def test_an_operation_is_answered_by_its_type_and_then_by_preference(header, of_query, of_subscription):
    assert protocol_of(accepted(header), lambda: QUERY) == of_query
    assert protocol_of(accepted(header), lambda: SUBSCRIPTION) == of_subscription


def test_the_type_of_an_operation_is_read_only_where_it_decides():
    def fail():
        raise AssertionError

    assert protocol_of(accepted("application/json"), fail) == "http"
    assert protocol_of(accepted("text/event-stream"), fail) == "sse"


def test_what_cannot_be_read_is_answered_as_json_where_json_is_acceptable():
    assert protocol_of(accepted(URQL), lambda: None) == "http"


@pytest.mark.parametrize(
    ("text", "name", "type"),
    [
        ("{ a }", None, QUERY),
        ("subscription { a }", None, SUBSCRIPTION),
        ("query A { a } subscription B { b }", "B", SUBSCRIPTION),
        ("query A { a } subscription B { b }", "A", QUERY),
        ("query A { a } subscription B { b }", None, None),
        ("query A { a }", "B", None),
        ("fragment F on Query { a }", None, None),
        ("{", None, None),
        ("{ a " * 3000, None, None),
        (None, None, None),
    ],
)
def test_the_type_of_an_operation(text, name, type):
    assert operation_type(text, name) == type


def test_the_type_of_a_json_answer_is_that_of_the_specification_where_it_is_named():
    assert json_type(accepted(URQL)) == SPEC_TYPE
    assert json_type(accepted(f"{SPEC_TYPE};q=0, */*")) == json_type(accepted("*/*")) == "application/json"
