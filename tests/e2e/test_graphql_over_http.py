"""GraphQL's transport: the specification, ids and errors, limits and cost, persisted queries. No Neo4j is asked."""

import asyncio
import json
import logging
import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from graphql import get_introspection_query, validate

from papergraph.database import Database
from papergraph.errors import PapergraphError
from papergraph.server.app import MAX_BODY_BYTES
from papergraph.server.graphql import extensions
from papergraph.server.graphql.options import MAX_QUERIES, PersistedQueries, Rules, hash_of
from papergraph.server.operations.service import Service
from papergraph.server.process.sockets import listen, url_of
from papergraph.server.process.uvicorn_server import serving
from tests.support.node import node_project, run
from tests.support.servers import app_client

SPEC_TYPE = "application/graphql-response+json"
PING = "{ __typename }"
BOMB = "{ papers(first: 30) { nodes { authors { papers(first: 30) { nodes { sections(first: 30) { nodes { id }}}}}}}}"
DOUBLING = "".join(f"fragment f{n} on Paper {{ ...f{n + 1} ...f{n + 1} }} " for n in range(180))
SECRETS = re.compile(r"\.py\b|/site-packages/|MATCH \(|RETURN |bolt://|Traceback|password", re.IGNORECASE)


@pytest.fixture
async def client(nothing_there):
    async with app_client(nothing_there) as client:
        yield client


async def post(client: httpx.AsyncClient, query: str | None = None, *, accept: str = "", **parameters: Any) -> Any:
    headers = {"accept": accept} if accept else {}
    return await client.post("/graphql", json={"query": query, **parameters}, headers=headers)


async def refusal(client: httpx.AsyncClient, query: str | None = None, **parameters: Any) -> dict[str, Any]:
    """Return the one error of a request that is refused as a whole."""
    answer = (await post(client, query, **parameters)).json()
    assert "data" not in answer, answer
    (error,) = answer["errors"]
    return dict(error)


@pytest.fixture(scope="session")
def audit(tmp_path_factory):
    """The folder with the audit of the npm package graphql-http, installed as locked."""
    return node_project(Path(__file__).parent / "audit", tmp_path_factory.mktemp("audit"))


class TestSpecification:
    @pytest.mark.clients
    async def test_every_audit_passes(self, audit, nothing_there):
        service = Service(nothing_there, None)  # type: ignore[arg-type]

        with listen("127.0.0.1", 0) as sock:
            async with serving(service, sock):
                lines = (await run("node", audit / "audit.mjs", f"{url_of(sock)}/graphql")).splitlines()

        results = {(result := json.loads(line))["id"]: result for line in lines}
        assert len(results) == 61
        assert {id: result for id, result in results.items() if result["status"] != "ok"} == {}

    @pytest.mark.parametrize(
        ("accept", "media_type", "status"),
        [
            ("", "application/json", 200),
            ("*/*", "application/json", 200),
            ("application/json", "application/json", 200),
            (f"{SPEC_TYPE};q=0, application/json", "application/json", 200),
            (SPEC_TYPE, f"{SPEC_TYPE}; charset=utf-8", 400),
            (f"application/json;q=0.9, {SPEC_TYPE.upper()};q=0.5", f"{SPEC_TYPE}; charset=utf-8", 400),
        ],
    )
    async def test_the_media_type_is_the_clients_choice_and_decides_about_the_status(
        self, client, accept, media_type, status
    ):
        good, bad = await post(client, PING, accept=accept), await post(client, "{ nonsense }", accept=accept)

        assert good.headers["content-type"] == bad.headers["content-type"] == media_type
        assert (good.status_code, bad.status_code) == (200, status)
        assert good.json()["data"] == {"__typename": "Query"} and "data" not in bad.json()

    async def test_a_query_may_come_by_get_and_is_sent_once_to_who_has_it_but_a_mutation_may_not(self, client):
        answered = await client.get("/graphql", params={"query": PING})
        again = await client.get(
            "/graphql", params={"query": PING}, headers={"If-None-Match": answered.headers["etag"]}
        )
        mutation = await client.get("/graphql", params={"query": "mutation { __typename }"})

        assert answered.json()["data"] == {"__typename": "Query"}
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == answered.headers["etag"]
        assert 400 <= mutation.status_code < 500

    @pytest.mark.parametrize(
        "accept",
        [
            # what urql 6 sends with each request
            "application/graphql-response+json, application/graphql+json, application/json, text/event-stream, "
            "multipart/mixed",
            "application/json, text/event-stream",
            "text/event-stream;q=0, application/json",
            "text/event-stream, */*;q=0.1",
            'multipart/mixed;boundary=graphql;subscriptionSpec="1.0", application/json',
        ],
    )
    async def test_a_query_is_answered_as_json_where_json_is_acceptable(self, client, accept):
        answers = [
            await post(client, PING, accept=accept),
            await client.get("/graphql", params={"query": PING}, headers={"accept": accept}),
        ]

        for answer in answers:
            assert "json" in answer.headers["content-type"]
            assert answer.json()["data"] == {"__typename": "Query"}

    async def test_an_event_stream_has_lines_that_end_with_lf(self, client):
        answer = await post(client, PING, accept="text/event-stream")

        assert answer.headers["content-type"].startswith("text/event-stream")
        assert "\r" not in answer.text
        assert answer.text.startswith("event: next\ndata: {") and answer.text.endswith("event: complete\ndata: \n\n")

    @pytest.mark.parametrize("operation_name", [5, {}, [], True])
    async def test_the_name_of_an_operation_is_text(self, client, operation_name):
        assert (await post(client, PING, operationName=operation_name)).status_code == 400


class TestRequestIds:
    @pytest.mark.parametrize("id", ["a", "A-1_b.c", "x" * 64])
    async def test_a_clients_id_is_kept(self, client, id):
        response = await client.post("/graphql", json={"query": "{ nonsense }"}, headers={"X-Request-ID": id})

        assert response.headers["X-Request-ID"] == id
        assert response.json()["errors"][0]["extensions"]["requestId"] == id

    @pytest.mark.parametrize("id", ["", "x" * 65, "a b", "<script>", "ä".encode(), "a\tb"])
    async def test_another_one_is_replaced(self, client, id):
        response = await client.post("/graphql", json={"query": "{ nonsense }"}, headers={"X-Request-ID": id})

        given = response.headers["X-Request-ID"]
        assert re.fullmatch("[0-9a-f]{32}", given)
        assert response.json()["errors"][0]["extensions"]["requestId"] == given

    @pytest.mark.parametrize(
        ("method", "path", "more", "status", "code"),
        [
            ("GET", "/healthz", {}, 200, None),
            ("GET", "/nothing", {}, 404, "NOT_FOUND"),
            ("PUT", "/graphql", {}, 405, "BAD_USER_INPUT"),
            ("GET", "/graphql", {}, 400, "BAD_USER_INPUT"),
            ("POST", "/graphql", {"content": b"nonsense"}, 400, "BAD_USER_INPUT"),
            (
                "POST",
                "/graphql",
                {"json": {"query": PING}, "headers": {"content-type": "text/plain"}},
                400,
                "BAD_USER_INPUT",
            ),
            ("POST", "/graphql", {"json": [{"query": PING}] * 10}, 400, "BAD_USER_INPUT"),
            ("POST", "/graphql", {"content": b" " * (MAX_BODY_BYTES + 1)}, 413, "BAD_USER_INPUT"),
            ("GET", "/healthz", {"headers": {"host": "example.org"}}, 400, None),
        ],
    )
    async def test_every_answer_has_one_and_every_error_says_it(self, client, method, path, more, status, code):
        response = await client.request(method, path, **{"headers": {"content-type": "application/json"}, **more})

        assert response.status_code == status
        assert len(response.headers["X-Request-ID"]) == 32
        if code:
            (error,) = response.json()["errors"]
            assert error["message"]
            assert error["extensions"] == {"code": code, "requestId": response.headers["X-Request-ID"]}

    async def test_an_answer_that_takes_too_long_says_it_too(self, black_hole_database, caplog):
        async with app_client(black_hole_database) as client:
            response = await post(client, "{ papers { totalCount } }")

        (error,) = response.json()["errors"]
        assert (response.status_code, error["extensions"]["code"]) == (504, "TIMEOUT")
        assert error["extensions"]["requestId"] == response.headers["X-Request-ID"]

    @pytest.fixture
    async def black_hole_database(self, nothing_there, monkeypatch):
        async def never(*_: Any, **__: Any) -> None:
            await asyncio.sleep(60)

        monkeypatch.setattr("papergraph.server.graph.nodes.count_papers", never)
        monkeypatch.setattr("papergraph.server.papers.find.passing_papers", never)
        return Database(nothing_there.driver, deadline_s=0.01)

    async def test_what_nobody_caught_is_an_error_with_an_id_that_the_log_has_too(self, client, monkeypatch, caplog):
        async def broken(*_: Any) -> None:
            raise RuntimeError("secret /path")

        monkeypatch.setattr("papergraph.server.rest.monitoring.database_trouble", broken)
        response = await client.get("/readyz")

        (error,) = response.json()["errors"]
        assert (response.status_code, error["extensions"]["code"]) == (500, "INTERNAL")
        assert "secret" not in response.text
        assert error["extensions"]["requestId"] in caplog.text and "secret /path" in caplog.text


class TestCost:
    async def test_an_answer_says_what_it_cost(self, client):
        answer = (await post(client, "{ a: __typename b: __typename }")).json()

        limit = Rules().max_cost
        assert answer["extensions"] == {"cost": {"requested": 2, "limit": limit, "remaining": limit - 2}}

    @pytest.mark.parametrize(("accept", "status"), [("application/json", 200), (SPEC_TYPE, 400)])
    async def test_what_costs_too_much_is_refused_before_anything_is_asked(self, client, nothing_there, accept, status):
        response = await post(client, BOMB, accept=accept)

        answer = response.json()
        (error,) = answer["errors"]
        assert (response.status_code, error["extensions"]["code"]) == (status, "QUERY_TOO_COMPLEX")
        assert "data" not in answer
        assert answer["extensions"]["cost"]["requested"] > answer["extensions"]["cost"]["limit"]
        assert answer["extensions"]["cost"]["remaining"] == 0
        assert nothing_there.n_queries == 0

    async def test_the_limit_is_a_setting(self, nothing_there):
        async with app_client(nothing_there, rules=Rules(max_cost=1)) as client:
            two, one = await post(client, "{ a: __typename b: __typename }"), await post(client, PING)

        assert two.json()["errors"][0]["extensions"]["code"] == "QUERY_TOO_COMPLEX"
        assert one.json()["data"] == {"__typename": "Query"}

    async def test_an_invalid_query_has_no_cost(self, client):
        assert "extensions" not in (await post(client, "{ nonsense }")).json()


class TestPersistedQueries:
    async def test_a_query_is_not_found_registered_and_found(self, client):
        extensions = {"persistedQuery": {"version": 1, "sha256Hash": hash_of(PING)}}

        first = await post(client, extensions=extensions)
        assert first.status_code == 200
        (error,) = first.json()["errors"]
        assert (error["message"], error["extensions"]["code"]) == (
            "PersistedQueryNotFound",
            "PERSISTED_QUERY_NOT_FOUND",
        )
        for query in (PING, None, None):
            assert (await post(client, query, extensions=extensions)).json()["data"] == {"__typename": "Query"}

    @pytest.mark.parametrize("method", ["POST", "GET"])
    async def test_a_named_query_is_not_found_registered_and_found(self, client, method):
        query = "query Named($yes: Boolean = true) { __typename @include(if: $yes) } query Other { pipelines { name } }"
        extensions = {"persistedQuery": {"version": 1, "sha256Hash": hash_of(query)}}

        async def send(**parameters: Any) -> Any:
            body = {"operationName": "Named", "variables": {"yes": True}, "extensions": extensions, **parameters}
            if method == "POST":
                return (await client.post("/graphql", json=body)).json()
            texts = {key: value if isinstance(value, str) else json.dumps(value) for key, value in body.items()}
            return (await client.get("/graphql", params=texts)).json()

        first = await send()
        assert first["errors"][0]["extensions"]["code"] == "PERSISTED_QUERY_NOT_FOUND"
        for parameters in ({"query": query}, {}, {}):
            assert (await send(**parameters))["data"] == {"__typename": "Query"}

    async def test_the_hash_of_another_text_is_400(self, client):
        extensions = {"persistedQuery": {"version": 1, "sha256Hash": hash_of("other")}}

        response = await post(client, PING, extensions=extensions)

        assert response.status_code == 400
        assert response.json()["errors"][0]["extensions"]["code"] == "BAD_USER_INPUT"
        assert (await refusal(client, extensions=extensions))["message"] == "PersistedQueryNotFound"

    @pytest.mark.parametrize("query", ["{ nonsense }", "{ papers(first: ", BOMB])
    async def test_what_is_not_run_is_not_registered(self, client, query):
        extensions = {"persistedQuery": {"version": 1, "sha256Hash": hash_of(query)}}
        await refusal(client, query, extensions=extensions)

        assert (await refusal(client, extensions=extensions))["message"] == "PersistedQueryNotFound"

    async def test_a_server_with_a_list_answers_only_what_is_in_it(self, nothing_there):
        rules = Rules(persisted=PersistedQueries({hash_of(PING): PING}))
        extensions = {"persistedQuery": {"version": 1, "sha256Hash": hash_of(PING)}}

        async with app_client(nothing_there, rules=rules) as client:
            by_text, by_hash = await post(client, PING), await post(client, extensions=extensions)
            other = await refusal(client, "{ pipelines { name } }")

        assert by_text.json()["data"] == by_hash.json()["data"] == {"__typename": "Query"}
        assert other["extensions"]["code"] == "PERSISTED_QUERY_NOT_FOUND"
        assert "only queries on its allow-list" in other["message"]


class TestKnownDocuments:
    async def test_a_valid_query_is_parsed_and_validated_once_and_reckoned_each_time(self, nothing_there, monkeypatch):
        validated = []
        monkeypatch.setattr(extensions, "validate", lambda *a, **k: validated.append(a[1]) or validate(*a, **k))
        query = "query ($n: Int!) { papers(first: $n) { nodes { id } } }"

        async with app_client(nothing_there, rules=Rules(max_cost=50)) as client:
            answers = [await post(client, query, variables={"n": n}) for n in (60, 90, 60)]

        assert [answer.json()["extensions"]["cost"]["requested"] for answer in answers] == [62, 92, 62]
        assert {answer.json()["errors"][0]["extensions"]["code"] for answer in answers} == {"QUERY_TOO_COMPLEX"}
        assert len(validated) == 1

    @pytest.mark.parametrize(
        "query", ["{ nonsense }", "{ " + "__typename " * 21 + "}", "# " + "x" * 4000 + "\n{ __typename }"]
    )
    async def test_what_is_not_valid_or_very_long_is_not_kept(self, nothing_there, query):
        rules = Rules()
        async with app_client(nothing_there, rules=rules) as client:
            first, second = await post(client, query), await post(client, query)

        assert rules.valid.get(query) is None
        assert ("errors" in first.json()) == ("errors" in second.json()) == (not query.startswith("#"))

    def test_the_one_that_was_not_used_for_longest_is_forgotten(self):
        kept = PersistedQueries()
        texts = [f"{{ __typename }} # {number}" for number in range(MAX_QUERIES + 1)]
        for text in texts[:MAX_QUERIES]:
            kept.register(text)
        kept.text_of(None, {"version": 1, "sha256Hash": hash_of(texts[0])})
        kept.register(texts[MAX_QUERIES])

        with pytest.raises(PapergraphError, match="PersistedQueryNotFound"):
            kept.text_of(None, {"version": 1, "sha256Hash": hash_of(texts[1])})
        for text in (texts[0], texts[2], texts[MAX_QUERIES]):
            assert kept.text_of(None, {"version": 1, "sha256Hash": hash_of(text)}) == text


class TestIntrospection:
    async def test_it_can_be_turned_off(self, nothing_there):
        async with app_client(nothing_there, rules=Rules(introspection=False)) as client:
            answer = (await post(client, get_introspection_query())).json()
            ping = (await post(client, PING)).json()

        assert "data" not in answer
        assert {error["extensions"]["code"] for error in answer["errors"]} == {"BAD_USER_INPUT"}
        assert ping["data"] == {"__typename": "Query"}

    @pytest.mark.parametrize(
        "query",
        [
            "{ paper }",
            "{ paperss { totalCount } }",
            "{ papers(frist: 1) { totalCount } }",
            "{ ... on Queri { __typename } }",
            '{ search(input: {query: "x", pipelin: "y"}) { hits { rank } } }',
            '{ search(input: {query: "x", selection: {form: MEEN}}) { hits { rank } } }',
        ],
    )
    async def test_without_it_errors_suggest_no_names(self, client, nothing_there, query):
        async with app_client(nothing_there, rules=Rules(introspection=False)) as other:
            told, silent = (await post(client, query)).text, (await post(other, query)).text

        assert "Did you mean" in told or query == "{ paper }"
        assert "Did you mean" not in silent


class TestAbuse:
    @pytest.mark.parametrize(
        ("query", "told"),
        [
            ("{ " + " ".join(f"a{n}" for n in range(10_000)) + " }", "tokens"),
            ("{ papers { nodes { " + "id " * 1900 + "} } }", "1900 fields 'id' in one place"),
            ("{ papers { nodes { " + "id @skip(if: true) " * 200 + "} } }", "21 directives"),
            ("{ papers { nodes { " + "id @a " * 300 + "} } }", "21 directives"),
            ("{ papers { totalCount " + "@a " * 300 + "} }", "300 directives in one place"),
            ("{ " + " ".join(f"a{n}: __typename" for n in range(100)) + " }", "aliases"),
            ("{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }", "within itself"),
            ("{ ...a } fragment a on Query { __typename ...a }", "within itself"),
            ("{ papers { nodes { ...a } } } fragment a on Paper { authors { papers { nodes { ...a } } } }", "depth"),
            ("{ __schema { types { ...a } } } fragment a on __Type { fields { type { ...a } } }", "nesting"),
            ("{" * 1000, "Syntax Error"),
            ("{ papers(after: " + "[" * 900 + "]" * 900 + ") { totalCount } }", "nesting|Syntax Error|String"),
            ("{ papers { nodes { ...f0 } } } " + DOUBLING + "fragment f180 on Paper { id }", "levels of nesting"),
            ("query (" + " ".join(f"$v{n}: Int" for n in range(450)) + ") { __typename }", "never used"),
        ],
    )
    async def test_a_query_that_is_meant_to_hurt_is_the_askers_fault(self, client, nothing_there, caplog, query, told):
        response = await post(client, query)

        errors = response.json()["errors"]
        assert response.status_code == 200
        assert {error["extensions"]["code"] for error in errors} == {"BAD_USER_INPUT"}
        assert re.search(told, errors[0]["message"]), errors[0]
        assert not SECRETS.search(response.text)
        assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
        assert nothing_there.n_queries == 0

    @pytest.mark.parametrize(
        ("body", "status"),
        [
            (b" " * 50_000_000, 413),
            (b'{"query": "{ __typename }", "variables": {"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}}", 400),
            (b'{"query": "{ __typename }", "variables": ' + b'{"a":' * 100_000 + b"1" + b"}" * 100_001, 400),
            (b'{"query": "{ __typename }", "variables": ' + b'{"a":' * 63 + b"1" + b"}" * 64, 200),
            (b'{"query": "{ __typename }", "variables": ' + b'{"a":' * 64 + b"1" + b"}" * 65, 400),
            (b'{"query": "{ __typename }", "variables": {"a": NaN}}', 400),
            (b'{"query": "{ __typename }", "variables": {"a": ' + b"9" * 5000 + b"}}", 400),
            (b'{"query": "{ papers(first: 1e999) { totalCount } }"}', 200),
            (b'{"query": "query ($n: Int) { papers(first: $n) { totalCount } }", "variables": {"n": 1e999}}', 200),
        ],
    )
    async def test_a_body_that_is_meant_to_hurt_is_the_askers_fault(self, client, caplog, body, status):
        response = await client.post("/graphql", content=body, headers={"content-type": "application/json"})

        assert response.status_code == status
        assert not SECRETS.search(response.text)
        assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
        for error in response.json().get("errors", []):
            assert error["extensions"]["code"] == "BAD_USER_INPUT"


@pytest.mark.parametrize("accept", ["", "text/event-stream", "multipart/mixed;subscriptionSpec=1.0"])
@pytest.mark.parametrize("body", [{}, {"query": None}, {"query": ""}, {"extensions": {"other": 1}}])
async def test_a_request_without_a_query_is_refused_before_a_stream_begins(client, caplog, accept, body):
    response = await client.post("/graphql", json=body, headers={"accept": accept} if accept else {})

    assert response.status_code == 400
    assert response.json()["errors"][0]["extensions"]["code"] == "BAD_USER_INPUT"
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]
