"""What the descriptions of REST and GraphQL allow and forbid, drawn by schemathesis and sent over a real socket.

Its own way with pytest gives all tests one id, of which pytest-xdist would run a single one: so strategies are used.
Of each, 5 examples are drawn; PAPERGRAPH_TEST_EXAMPLES=200 draws more.
"""

import io
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import schemathesis
from hypothesis import HealthCheck, assume, given, settings, strategies
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.graphql import nodes

from papergraph.database import Database
from papergraph.server.answers.follow_up import set_subject
from papergraph.server.graph.related import list_collections
from papergraph.server.operations.collections import delete_collection
from tests.support.library import Library
from tests.support.servers import RunningServer

MOST_OF_BODY = 300_000
"""Characters of a body; larger requests are refused before they are read."""
N_EXAMPLES = 5

rest = schemathesis.openapi.from_dict(json.loads(Path("schema/openapi.json").read_text()))
rest.config.checks.update(excluded_check_names=["positive_data_acceptance", "ignored_auth"])
"""That a collection or a cursor has the form of one does not make it one; keys have a table of their own."""

schemathesis.graphql.scalar("JSON", strategies.integers(0, 100).map(nodes.Int))
graphql = schemathesis.graphql.from_file(io.StringIO(Path("schema/schema.graphql").read_text()))

ROUTES = {found.ok().label: found.ok() for found in rest.get_all_operations()}
ROUTES.pop("GET /v1/jobs/{id}/progress")  # a stream
FIELDS = {found.ok().label: found.ok() for found in graphql.get_all_operations()}

TAKE_ANYTHING = {
    "DELETE /v1/session",
    "GET /v1/collections",
    "GET /v1/enrichments",
    "GET /v1/invitations",
    "GET /v1/keys",
    "GET /v1/server",
    "GET /v1/sign-up",
    "GET /v1/uploads",
    "GET /v1/viewer",
    "POST /v1/session",
}
"""Routes of whose arguments none can be wrong in form, or that have none."""

WORDS = "types"
"""A list of any words: in a query ``types=false`` is one of these, whatever it was drawn as."""

pytestmark = [pytest.mark.usefixtures("library"), pytest.mark.slow, pytest.mark.clients]


@pytest_asyncio.fixture(scope="module", autouse=True, loop_scope="session")
async def as_it_was(library: Database) -> AsyncIterator[None]:
    """Take back what drawn requests may have done: collections that they made, and a subject, outside of which
    questions are refused."""
    before = {collection.name for collection in await list_collections(library)}
    yield
    for name in Library.COLLECTIONS:
        await set_subject(library, name, None)
    for collection in await list_collections(library):
        if collection.name not in before:
            await delete_collection(library, collection.name)


@pytest.fixture(scope="module")
def examples() -> settings:
    """How many examples are drawn of each operation, always the same ones."""
    return settings(
        max_examples=int(os.environ.get("PAPERGRAPH_TEST_EXAMPLES", N_EXAMPLES)),
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


def drawn(operation: Any, mode: GenerationMode, url: str, examples: settings) -> None:
    """Send what is drawn for an operation, and check what is answered."""

    @examples
    @given(case=operation.as_strategy(generation_mode=mode))
    def check(case: Case) -> None:
        words = (case.query or {}).get(WORDS, [])
        assume(isinstance(words, list) and all(isinstance(word, str) for word in words))
        assume(len(str(case.body)) < MOST_OF_BODY)
        excluded = [not_a_server_error] if "/zotero/" in case.path else []  # 503: Zotero does not run here
        case.call_and_validate(base_url=url, excluded_checks=excluded)

    check()


@pytest.mark.parametrize("route", ROUTES)
def test_what_rest_describes_is_answered_as_it_says(server: RunningServer, examples: settings, route: str) -> None:
    drawn(ROUTES[route], GenerationMode.POSITIVE, server.url, examples)


@pytest.mark.parametrize("route", sorted(ROUTES.keys() - TAKE_ANYTHING))
def test_what_rest_does_not_describe_is_refused(server: RunningServer, examples: settings, route: str) -> None:
    drawn(ROUTES[route], GenerationMode.NEGATIVE, server.url, examples)


@pytest.mark.parametrize("field", FIELDS)
def test_graphql_answers_what_is_valid_or_says_what_is_wrong_with_it(
    server: RunningServer, examples: settings, field: str
) -> None:
    @examples
    @given(case=FIELDS[field].as_strategy(generation_mode=GenerationMode.POSITIVE))
    def check(case: Case) -> None:
        response = case.call(base_url=f"{server.url}/graphql")
        codes = {error["extensions"]["code"] for error in response.json().get("errors", ())}

        assert response.status_code == 200, response.text
        known = {
            "BAD_USER_INPUT",
            "NOT_FOUND",
            "QUERY_TOO_COMPLEX",
            *(["UNAVAILABLE"] if "zotero" in field.lower() else []),
        }
        assert codes <= known, response.text

    check()
