"""Output of commands for programs: data on standard output, problems of RFC 9457 on standard error, exit statuses."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from papergraph.cli.common import STATUSES
from papergraph.errors import Code
from tests.support.command import Papergraph
from tests.support.local_server import LocalServer, QuietHandler

NO_HITS: dict[str, Any] = {"hits": [], "filter": None, "selection": None}


class Canned(LocalServer):
    """A server that answers every search without a hit, and keeps what it was sent."""

    def __init__(self) -> None:
        requests: list[tuple[str, str | None, Any]] = []

        class Handler(QuietHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                requests.append((self.path, self.headers["X-API-Key"], json.loads(body)))
                answer = json.dumps(NO_HITS).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

        super().__init__(Handler)
        self.requests = requests
        self.url = self.address


@pytest.fixture
def canned() -> Iterator[Canned]:
    with Canned() as server:
        yield server


@pytest.fixture
def papergraph(tmp_path: Path) -> Papergraph:
    """The command line without a store."""
    return Papergraph(tmp_path)


def test_each_code_of_an_error_has_an_exit_status():
    assert STATUSES.keys() == set(Code)


def test_an_error_after_json_is_a_problem_on_standard_error(papergraph: Papergraph):
    result = papergraph("pipelines", "show", "magic", "--json")

    problem = json.loads(result.stderr)
    assert (result.returncode, result.stdout) == (2, "")
    assert (problem["status"], problem["title"], problem["code"]) == (400, "Bad Request", "BAD_USER_INPUT")
    assert problem["type"] == "urn:papergraph:problem:bad-user-input"
    assert problem["detail"].startswith("There is no pipeline 'magic'")
    assert [one["field"] for one in problem["errors"]] == ["pipeline"]


def test_an_error_without_json_is_a_line(papergraph: Papergraph):
    papergraph("pipelines", "list", "--json")
    result = papergraph("pipelines", "show", "magic")

    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("error: There is no pipeline 'magic'")


class TestServer:
    def test_a_named_server_is_asked_and_no_store_is_opened(self, papergraph: Papergraph, canned: Canned):
        result = papergraph("search", "qubits", "--server", f"{canned.url}/", "--json", PAPERGRAPH_API_KEY="pg_x")

        ((path, key, body),) = canned.requests
        assert (path, key, body["query"]) == ("/v1/search", "pg_x", "qubits")
        assert (result.returncode, json.loads(result.stdout)) == (3, NO_HITS)
        assert not (papergraph.home / "neo4j").exists()

    def test_what_is_no_server_is_wrong_use(self, papergraph: Papergraph):
        result = papergraph("ask", "Which qubits?", "--server", "file:///etc")

        assert (result.returncode, result.stdout) == (2, "")
        assert "'file:///etc' is not the URL of a server" in result.stderr


class TestConfig:
    def test_settings_are_shown_with_their_origin_and_without_secrets(self, papergraph: Papergraph):
        given = {"PAPERGRAPH_NEO4J_USER": "ada", "PAPERGRAPH_NEO4J_PASSWORD": "hunter2"}

        result = papergraph("config", "show", "--json", **given)
        table = papergraph("config", "show", **given)

        found = {one["name"]: (one["value"], one["origin"]) for one in json.loads(result.stdout)}
        assert found["neo4j.user"] == ("ada", "environment")
        assert found["neo4j.database"] == ("neo4j", "default")
        assert found["neo4j.password"][1] == "environment"
        assert "hunter2" not in result.stdout + table.stdout
        assert "neo4j.user" in table.stdout

    def test_invalid_settings_are_wrong_use(self, papergraph: Papergraph):
        good, bad = papergraph("config", "check"), papergraph("config", "check", PAPERGRAPH_SERVER_PORT="many")

        assert (good.returncode, good.stdout) == (0, "The settings are valid.\n")
        assert (bad.returncode, bad.stdout) == (2, "")
        assert "PAPERGRAPH_SERVER_PORT" in bad.stderr


class TestSchema:
    def test_openapi_is_the_committed_file(self, papergraph: Papergraph):
        committed = (Path(__file__).parents[2] / "schema" / "openapi.json").read_text(encoding="utf-8")

        assert papergraph("dev", "schema", "--openapi").stdout == committed
