"""Simple reads: each is offered by all interfaces, with the fields of its request."""

import inspect
import json
from pathlib import Path

import pytest
from graphql import build_schema
from pydantic.alias_generators import to_camel
from typer.testing import CliRunner

import papergraph
from papergraph.cli.main import app
from papergraph.records import NOT_IN_GRAPHQL
from papergraph.requests import PYTHON_ONLY, offered
from papergraph.server.endpoints import Endpoint, endpoints
from papergraph.server.mcp.tools import TOOLS

GRAPHQL = build_schema(Path("schema/schema.graphql").read_text())
PATHS = json.loads(Path("schema/openapi.json").read_text())["paths"]


@pytest.fixture(params=endpoints().values(), ids=lambda one: one.name)
def endpoint(request: pytest.FixtureRequest) -> Endpoint:
    found: Endpoint = request.param
    return found


def test_graphql_has_it_as_a_field(endpoint: Endpoint):
    assert GRAPHQL.query_type is not None
    field = GRAPHQL.query_type.fields[to_camel(endpoint.function)]

    assert str(field.description).startswith(endpoint.about) and endpoint.example in str(field.description)
    assert {name: one.description for name, one in field.args.items()} == {
        to_camel(name): one.description for name, one in offered(endpoint.request, NOT_IN_GRAPHQL, PYTHON_ONLY).items()
    }


def test_rest_has_it_as_a_route(endpoint: Endpoint):
    described = PATHS[f"/v1{endpoint.route}"]["get"]

    assert described["summary"] == endpoint.about
    assert {one["name"]: one["description"] for one in described["parameters"]} == {
        to_camel(name): one.description for name, one in offered(endpoint.request, PYTHON_ONLY).items()
    }


def test_mcp_has_it_as_a_tool_if_it_has_a_title(endpoint: Endpoint):
    found = [one for one in TOOLS if one.takes is endpoint.request]

    assert [one.title for one in found] == ([] if endpoint.tool is None else [endpoint.tool])


def test_the_command_line_and_the_library_read_it(endpoint: Endpoint):
    told = CliRunner().invoke(app, ["read"]).output

    assert f"{endpoint.name}: {endpoint.about}" in told
    assert all(f"  {name}  {one.description}" in told for name, one in offered(endpoint.request, PYTHON_ONLY).items())
    assert inspect.iscoroutinefunction(endpoint.request.read)
    assert list(inspect.signature(papergraph.Library.read).parameters) == ["self", "request"]
