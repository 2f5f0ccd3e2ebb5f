"""What graphql-cop (github.com/dolevf/graphql-cop) looks for in a server on the open network, and does not find."""

import pytest
from graphql import get_introspection_query

from papergraph.server.graphql.options import Rules
from tests.support.servers import app_client


@pytest.fixture
async def client(nothing_there):
    """A client of a server as an operator opens it to others."""
    async with app_client(nothing_there, rules=Rules(introspection=False)) as client:
        yield client


async def ask(client, query):
    return (await client.post("/graphql", json={"query": query})).json()


async def test_alias_overloading(client):
    answer = await ask(client, "{ " + " ".join(f"alias{n}: __typename" for n in range(101)) + " }")

    assert "data" not in answer


async def test_array_based_query_batching(client):
    response = await client.post("/graphql", json=[{"query": "{ __typename }"}] * 10)

    assert response.status_code == 400
    assert "data" not in response.text


async def test_directive_overloading(client):
    answer = await ask(client, "{ __typename " + "@aa" * 10 + " }")

    assert len(answer["errors"]) == 1


async def test_circular_query_by_introspection(client):
    answer = await ask(client, "{ __schema { types " + "{ fields { type " * 4 + "{ name }" + " } }" * 4 + " } }")

    assert "data" not in answer


async def test_circular_fragments(client):
    answer = await ask(
        client, "{ __schema { ...A } } fragment A on __Schema { __typename ...B } fragment B on __Schema { ...A }"
    )

    assert "data" not in answer


async def test_field_duplication(client):
    answer = await ask(client, "{ " + "__typename " * 500 + " }")

    assert "data" not in answer


async def test_introspection(client):
    assert "data" not in await ask(client, get_introspection_query())
    assert "data" not in await ask(client, "{ __schema { types { name } } }")


@pytest.mark.parametrize("query", ["{ __schema { directive } }", "{ papper { id } }", "{ papers { totalCont } }"])
async def test_field_suggestions(client, query):
    assert "did you mean" not in str(await ask(client, query)).lower()


async def test_mutations_by_get(client):
    response = await client.get("/graphql", params={"query": "mutation { __typename }"})

    assert (response.status_code, response.headers["allow"]) == (405, "POST")
    assert "data" not in response.text


async def test_queries_by_get_are_answered(client):
    response = await client.get("/graphql", params={"query": "{ __typename }"})

    assert (response.status_code, response.json()["data"]) == (200, {"__typename": "Query"})


async def test_queries_by_a_form(client):
    for posted in ({"params": {"query": "{ __typename }"}}, {"data": {"query": "{ __typename }"}}):
        response = await client.post("/graphql", **posted)

        assert response.status_code == 400
        assert "data" not in response.json()


@pytest.mark.parametrize("path", ["/graphiql", "/playground", "/console"])
async def test_a_page_to_ask_from(client, path):
    response = await client.get(path, headers={"accept": "text/html"})

    assert response.status_code == 404
    text = response.text.lower()
    assert "graphi" not in text and "playground" not in text


@pytest.mark.parametrize("query", ["{ __typename }", "{ nonsense }", "qwerty cop { abc }"])
async def test_traces_and_exceptions_in_answers(client, query):
    answer = await ask(client, query)

    for error in answer.get("errors", []):
        assert set(error["extensions"]) == {"code", "requestId"}
    assert set(answer.get("extensions", {})) <= {"cost"}
