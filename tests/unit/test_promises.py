"""The promises of REST, MCP, settings and metrics: what breaks them, and that the committed lists hold."""

from copy import deepcopy
from typing import Any

import pytest

from schema import compatibility
from schema.promises import broken_promises, promises_of_openapi, promises_of_tool
from scripts.docs import promises

API: dict[str, Any] = {
    "paths": {
        "/papers": {
            "post": {
                "operationId": "addPaper",
                "parameters": [{"name": "dry", "schema": {"type": "boolean"}}],
                "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Body"}}}},
                "responses": {
                    "200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Paper"}}}}
                },
            }
        }
    },
    "components": {
        "schemas": {
            "Body": {
                "type": "object",
                "properties": {
                    "title": {"type": "string"},
                    "kind": {"enum": ["book", "article"], "type": "string"},
                    "year": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
                },
                "required": ["title"],
            },
            "Paper": {
                "type": "object",
                "properties": {"id": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}}},
                "required": ["id", "tags"],
            },
        }
    },
}
BODY, PAPER = ("components", "schemas", "Body"), ("components", "schemas", "Paper")
POST = ("paths", "/papers", "post")


def text_of(description: dict[str, Any]) -> str:
    return "\n".join(promises_of_openapi(description))


def changed(path: tuple[str, ...], value: Any) -> list[str]:
    new = deepcopy(API)
    place: Any = new
    for part in path[:-1]:
        place = place[part]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return broken_promises(text_of(API), text_of(new))


@pytest.mark.parametrize(
    ("path", "value", "broken"),
    [
        (("paths", "/papers"), None, "POST /papers is addPaper"),
        ((*POST, "operationId"), "makePaper", "POST /papers is addPaper"),
        ((*POST, "parameters"), [], "POST /papers takes dry: boolean"),
        ((*BODY, "properties", "year"), None, "Body.year: integer"),
        ((*BODY, "properties", "year"), {"type": "integer"}, "Body.year may be null"),
        ((*BODY, "properties", "kind", "enum"), ["book"], "Body.kind can be article"),
        ((*BODY, "required"), ["title", "year"], "Body requires year"),
        ((*PAPER, "properties", "tags"), {"type": "string"}, "Paper.tags: list of string"),
        ((*PAPER, "required"), ["id"], "Paper.tags is always there"),
        ((*PAPER, "properties", "id"), {"anyOf": [{"type": "string"}, {"type": "null"}]}, "Paper.id is never null"),
    ],
)
def test_what_clients_rely_on_stays(path, value, broken):
    assert broken in changed(path, value)


def test_a_new_parameter_that_is_required_is_a_broken_promise():
    required = [*API["paths"]["/papers"]["post"]["parameters"], {"name": "key", "required": True, "schema": {}}]

    assert changed((*POST, "parameters"), required) == ["POST /papers requires key"]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("paths", "/authors"), {"get": {"operationId": "listAuthors", "responses": {}}}),
        ((*BODY, "properties", "pages"), {"type": "integer"}),
        ((*BODY, "properties", "kind", "enum"), ["book", "article", "note"]),
        ((*BODY, "required"), []),
        ((*PAPER, "properties", "score"), {"type": "number"}),
        (("components", "schemas", "Other"), {"type": "object", "properties": {"a": {}}, "required": ["a"]}),
    ],
)
def test_additions_pass(path, value):
    assert changed(path, value) == []


def test_a_tool_keeps_its_parameters_and_its_object():
    takes = {"type": "object", "properties": {"query": {"type": "string"}, "k": {"type": "integer"}}}
    gives = {"type": "object", "properties": {"hits": {"type": "integer"}}, "required": ["hits"]}
    old = "\n".join(promises_of_tool("search", takes, gives))
    new = "\n".join(promises_of_tool("search", takes | {"required": ["k"]}, gives | {"properties": {}}))

    assert broken_promises(old, old) == []
    assert broken_promises(old, new) == [
        "MCP tool search gives.hits is always there",
        "MCP tool search gives.hits is never null",
        "MCP tool search gives.hits: integer",
        "MCP tool search takes needs no k",
        "MCP tool search takes requires k",
    ]


def test_the_committed_list_is_that_of_the_code_and_keeps_what_is_frozen():
    assert compatibility.CURRENT_PROMISES.read_text() == promises.text(), "run make docs"
    assert broken_promises(compatibility.FROZEN_PROMISES.read_text(), promises.text()) == []


@pytest.mark.parametrize(
    "line", ["setting neo4j.uri is there", "MCP tool search is there", "GET /v1/papers is listPapers"]
)
def test_the_list_names_every_interface(line):
    assert line in compatibility.FROZEN_PROMISES.read_text().splitlines()


def test_the_list_names_metrics_with_their_labels():
    lines = [line for line in promises.text().splitlines() if line.startswith("metric ")]

    assert "metric papergraph_errors has the labels code" in lines and len(lines) > 20


def test_the_command_fails_and_says_which_promise_is_broken(tmp_path, monkeypatch, capsys):
    current = tmp_path / "promises.txt"
    lines = compatibility.FROZEN_PROMISES.read_text().splitlines(keepends=True)
    current.write_text("".join(line for line in lines if line != "MCP tool search is there\n"))
    monkeypatch.setattr(compatibility, "CURRENT_PROMISES", current)

    assert compatibility.main() == 1
    assert "breaks what is frozen: MCP tool search is there" in capsys.readouterr().err
