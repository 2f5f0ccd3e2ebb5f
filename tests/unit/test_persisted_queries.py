"""Queries by their hash: Apollo's protocol, and lists of allowed queries."""

import json

import pytest

from papergraph.errors import InputError, PapergraphError
from papergraph.server.graphql.options import MAX_QUERIES, MAX_QUERY_BYTES, PersistedQueries, hash_of

QUERY = "{ papers { totalCount } }"
OTHER = "{ papers { nodes { id } } }"


def by_hash(text):
    return {"version": 1, "sha256Hash": hash_of(text)}


def test_a_registered_query_is_found_by_its_hash():
    queries = PersistedQueries()
    with pytest.raises(PapergraphError, match=r"^PersistedQueryNotFound$"):
        queries.text_of(None, by_hash(QUERY))

    assert queries.text_of(QUERY, by_hash(QUERY)) == QUERY
    queries.register(QUERY)

    assert queries.text_of(None, by_hash(QUERY)) == queries.text_of("", by_hash(QUERY)) == QUERY


def test_a_request_without_the_protocol_is_left_as_it_is():
    assert PersistedQueries().text_of(QUERY, None) == QUERY
    assert PersistedQueries().text_of(None, None) is None


@pytest.mark.parametrize(
    "asked",
    [
        5,
        {},
        [],
        {"version": 1},
        {"version": 2, "sha256Hash": hash_of(QUERY)},
        {"version": 1, "sha256Hash": 5},
        {"version": 1, "sha256Hash": "a" * 63},
        {"version": 1, "sha256Hash": "A" * 64},
        {"version": 1, "sha256Hash": hash_of(QUERY) + "\n"},
        {"version": 1, "sha256Hash": hash_of(OTHER)},
    ],
)
def test_what_is_not_the_protocol_or_another_texts_hash_is_refused(asked):
    with pytest.raises(InputError):
        PersistedQueries().text_of(QUERY, asked)


def test_the_store_is_bounded_and_keeps_what_is_used():
    queries = PersistedQueries()
    for number in range(MAX_QUERIES):
        queries.register(f"query q{number} {QUERY}")
    queries.text_of(None, by_hash(f"query q0 {QUERY}"))

    queries.register(QUERY)

    assert queries.text_of(None, by_hash(f"query q0 {QUERY}"))
    with pytest.raises(PapergraphError, match="PersistedQueryNotFound"):
        queries.text_of(None, by_hash(f"query q1 {QUERY}"))


@pytest.mark.parametrize(("length", "kept"), [(MAX_QUERY_BYTES, True), (MAX_QUERY_BYTES + 1, False)])
def test_a_long_query_is_run_but_not_kept(length, kept):
    queries, text = PersistedQueries(), QUERY.ljust(length)

    assert queries.text_of(text, by_hash(text)) == text
    queries.register(text)

    if kept:
        assert queries.text_of(None, by_hash(text)) == text
    else:
        with pytest.raises(PapergraphError, match="PersistedQueryNotFound"):
            queries.text_of(None, by_hash(text))


class TestList:
    @pytest.fixture
    def queries(self, tmp_path):
        path = tmp_path / "allowed.json"
        path.write_text(json.dumps({hash_of(QUERY): QUERY}))
        return PersistedQueries.listed_in(path)

    def test_a_query_of_the_list_is_answered_by_text_and_by_hash(self, queries):
        assert queries.text_of(QUERY, None) == queries.text_of(None, by_hash(QUERY)) == QUERY

    def test_another_one_is_refused_and_never_registered(self, queries):
        for asked in (None, by_hash(OTHER)):
            with pytest.raises(PapergraphError, match="only queries on its allow-list"):
                queries.text_of(OTHER, asked)
        queries.register(OTHER)

        with pytest.raises(PapergraphError, match="PersistedQueryNotFound"):
            queries.text_of(None, by_hash(OTHER))

    def test_the_list_is_all_that_is_answered(self, queries):
        with pytest.raises(PapergraphError, match="only queries on its allow-list"):
            queries.text_of("{ papers { nodes { id } } }", None)

    def test_none_is_allowed_by_an_empty_list(self):
        with pytest.raises(PapergraphError, match="only queries on its allow-list"):
            PersistedQueries({}).text_of(QUERY, None)

    @pytest.mark.parametrize(
        ("content", "told"),
        [
            ("nonsense", "cannot be read"),
            ("[]", "a JSON object"),
            (json.dumps({hash_of(QUERY): OTHER}), "is not the sha-256 of its text"),
            (json.dumps({hash_of(QUERY): 5}), "is not the sha-256 of its text"),
        ],
    )
    def test_a_file_that_is_no_list_is_refused_at_the_start(self, tmp_path, content, told):
        path = tmp_path / "allowed.json"
        path.write_text(content)

        with pytest.raises(InputError, match=told) as caught:
            PersistedQueries.listed_in(path)

        assert caught.value.field == "graphql_allowed"

    def test_a_file_that_is_missing_is_refused(self, tmp_path):
        with pytest.raises(InputError, match="cannot be read"):
            PersistedQueries.listed_in(tmp_path / "missing.json")


def test_without_a_file_everything_is_answered():
    assert PersistedQueries.listed_in(None).text_of(OTHER, None) == OTHER
