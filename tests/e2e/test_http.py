"""The plain HTTP face: probes, and what is refused before any of our code reads a request."""

import time
from collections.abc import Iterator

import httpx
import pytest
from neo4j import AsyncGraphDatabase

from papergraph.database import Database
from papergraph.errors import InputError
from papergraph.server.app import MAX_BODY_BYTES, create_app
from papergraph.server.auth.server_limits import ServerLimits, refuse_open_address
from papergraph.server.operations.service import Service
from papergraph.server.process.sockets import listen, url_of
from tests.support.servers import app_client

JSON = {"content-type": "application/json"}
COUNT = '{"query": "{ papers { totalCount } }"}'


def test_a_server_that_runs_is_alive_and_ready(server):
    alive, ready = server.client.get("/healthz"), server.client.get("/readyz")

    assert (alive.status_code, alive.json()) == (200, {"status": "ok"})
    assert (ready.status_code, ready.json()) == (200, {"status": "ready", "faults": []})


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["black_hole", "dead_end"])
async def test_without_its_database_it_is_alive_but_not_ready(request, fault):
    uri = request.getfixturevalue(fault)
    async with (
        Database(AsyncGraphDatabase.driver(uri, auth=("neo4j", "x"))) as database,
        app_client(database) as client,
    ):
        start = time.monotonic()
        ready = await client.get("/readyz")
        elapsed_s = time.monotonic() - start
        alive = await client.get("/healthz")

    assert (ready.status_code, ready.json()) == (503, {"status": "unavailable", "faults": ["database"]})
    assert elapsed_s < 15  # not the minute that the driver would go on for
    assert alive.status_code == 200


async def test_a_database_that_the_server_does_not_have_is_a_fault(library, embedder):
    other = Database(library.driver, name="elsewhere")  # shares the driver, which library closes

    async with app_client(other, embedder) as client:
        ready = await client.get("/readyz")

    assert (ready.status_code, ready.json()["faults"]) == (503, ["database"])


def test_the_front_page_lists_the_addresses(server):
    index = server.client.get("/").json()

    assert index["name"] == "papergraph"
    for name in ("alive", "ready"):
        assert server.client.get(index[name]).status_code == 200
    assert server.client.post(index["graphql"], content=COUNT, headers=JSON).json()["data"]["papers"]


@pytest.mark.parametrize("host", ["localhost:{port}", "127.0.0.1:{port}", "[::1]:{port}", "localhost", "[::1]"])
def test_the_names_of_this_machine_are_taken(server, host):
    response = server.client.get("/healthz", headers={"host": host.format(port=server.port)})

    assert response.status_code == 200, response.text


@pytest.mark.parametrize(
    "host",
    [
        "example.org",
        "example.org:{port}",
        "localhost.example.org",
        "127.0.0.1.example.org:{port}",
        "192.168.1.5:{port}",
        "[::1].example.org",
        "[::2]:{port}",
        "",
    ],
)
@pytest.mark.parametrize("path", ["/healthz", "/graphql"])
def test_a_foreign_name_that_leads_here_is_refused(server, host, path):
    headers = {"host": host.format(port=server.port), **JSON}

    response = server.client.request("POST" if path == "/graphql" else "GET", path, content=COUNT, headers=headers)

    assert response.status_code == 400
    assert "totalCount" not in response.text


class TestBodies:
    def test_one_just_within_the_limit_is_read(self, server):
        response = server.client.post("/graphql", content=COUNT.ljust(MAX_BODY_BYTES), headers=JSON)

        assert response.status_code == 200
        assert response.json()["data"]["papers"]

    def test_one_that_says_that_it_is_too_large_is_refused(self, server):
        response = server.client.post("/graphql", content=COUNT.ljust(MAX_BODY_BYTES + 1), headers=JSON)

        self._refused(response)

    def test_one_that_only_turns_out_to_be_too_large_is_refused(self, server):
        def parts() -> Iterator[bytes]:
            yield COUNT.encode()
            for _ in range(11):
                yield b" " * 100_000

        response = server.client.post("/graphql", content=parts(), headers=JSON)

        assert "content-length" not in response.request.headers
        self._refused(response)

    def test_a_small_one_in_parts_is_read(self, server):
        response = server.client.post("/graphql", content=iter([COUNT[:9].encode(), COUNT[9:].encode()]), headers=JSON)

        assert response.json()["data"]["papers"]

    def test_the_server_goes_on_after_a_refusal(self, server):
        for _ in range(3):
            self._refused(server.client.post("/graphql", content=b" " * 3 * MAX_BODY_BYTES, headers=JSON))

        assert server.client.get("/healthz").status_code == 200

    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"nonsense",
            b"[]",
            b"null",
            b'"text"',
            b"42",
            b"\xff",
            b"[" * 100_000,
            b'{"query": 5}',
            b'{"variables": {}}',
            b'{"query": "{ papers { totalCount } }", "variables": 5}',
            b'{"query": "query ($q: String!) { search(input: {query: $q}) { hits { rank } } }", '
            b'"variables": {"q": "\\ud800"}}',
        ],
    )
    def test_one_that_is_no_operation_is_the_askers_fault(self, server, body):
        response = server.client.post("/graphql", content=body, headers=JSON)

        assert response.status_code == 400, response.text
        assert "Traceback" not in response.text

    def _refused(self, response: httpx.Response) -> None:
        assert response.status_code == 413
        (error,) = response.json()["errors"]
        assert error["extensions"]["code"] == "BAD_USER_INPUT"
        assert "1000000 bytes" in error["message"]


@pytest.mark.parametrize("path", ["/nothing", "/graphql/nothing", "/docs", "/redoc", "/../etc/passwd"])
def test_what_is_not_there_is_not_found(server, path):
    assert server.client.get(path).status_code == 404


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.0.0.5", "::1"])
def test_an_address_of_this_machine_alone_is_taken(host):
    refuse_open_address(host, ServerLimits())


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org", "", "::ffff:192.168.1.5", "0"])  # noqa: S104
def test_an_address_that_others_reach_is_refused_without_keys_or_names(host):
    with pytest.raises(InputError, match="is not allowed without API keys") as without_keys:
        refuse_open_address(host, ServerLimits(hosts=("papers.example.org",)))
    with pytest.raises(InputError, match="PAPERGRAPH_SERVER_TRUSTED_HOSTS") as without_names:
        refuse_open_address(host, ServerLimits(keys_required=True))
    refuse_open_address(host, ServerLimits(keys_required=True, hosts=("papers.example.org",)))

    assert (without_keys.value.field, without_names.value.field) == ("host", "hosts")


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_a_taken_port_is_told_or_passed_over(host):
    with listen(host, 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"Port {port} on .* is in use") as caught:
            listen(host, port)
        with listen(host, port, next_free=True) as other:
            assert other.getsockname()[1] > port
        assert httpx.URL(url_of(taken)).port == port

    assert caught.value.field == "port"


def test_the_app_is_made_without_a_neo4j():
    nothing_there = Database(AsyncGraphDatabase.driver("bolt://localhost:1", auth=("neo4j", "x")))

    assert create_app(Service(nothing_there, None)).title == "papergraph"  # type: ignore[arg-type]
