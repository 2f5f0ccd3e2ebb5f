"""Requests: one declaration of each field, with the same default, limits and description on every interface."""

import inspect
import json
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import pytest
from graphql import GraphQLInputObjectType, build_schema, get_named_type, value_from_ast_untyped
from pydantic import TypeAdapter
from pydantic.fields import FieldInfo
from pydantic_core import to_jsonable_python
from strawberry import Some

import papergraph
from papergraph.cli.commands import ask as cli_ask
from papergraph.cli.commands import cypher as cli_cypher
from papergraph.cli.commands import search as cli_search
from papergraph.errors import InputError
from papergraph.records import described
from papergraph.requests import (
    NOT_IN_CLI,
    NOT_IN_MCP,
    PYTHON_ONLY,
    offered,
    parameters,
    read_request,
    request,
    request_fields,
)
from papergraph.server.answers.request import AskRequest, Turn
from papergraph.server.graphql.derive import input_data, read_input
from papergraph.server.graphql.types.search import (
    ClusterInput,
    FilterInput,
    MetadataInput,
    Override,
    SearchInput,
    YearsInput,
)
from papergraph.server.mcp.tools import AskArguments, CypherArguments, SearchArguments
from papergraph.server.operations.enrich import EnrichEstimateRequest, EnrichRequest
from papergraph.server.operations.ingest import Chunking, IngestRequest
from papergraph.server.operations.papers import PaperFields
from papergraph.server.rest.ask import AskBody
from papergraph.server.rest.cypher import CypherBody
from papergraph.server.rest.search import SearchBody
from papergraph.server.retrieval.filters import Dates, FieldValue, Filter, Years
from papergraph.server.retrieval.request import SearchRequest
from papergraph.server.retrieval.steps.select import Select
from papergraph.server.user_cypher.request import CypherRequest

GRAPHQL = build_schema(Path("schema/schema.graphql").read_text())
REST = json.loads(Path("schema/openapi.json").read_text())["components"]["schemas"]

INPUTS = {
    "SearchInput": SearchRequest,
    "AskInput": AskRequest,
    "CypherInput": CypherRequest,
    "SelectionInput": Select,
    "FilterInput": Filter,
    "YearsInput": Years,
    "DatesInput": Dates,
    "MetadataInput": FieldValue,
    "TurnInput": Turn,
    "ChunkingInput": Chunking,
    "PaperFieldsInput": PaperFields,
}
BODIES = {
    "SearchBody": (SearchBody, SearchRequest),
    "AskBody": (AskBody, AskRequest),
    "CypherBody": (CypherBody, CypherRequest),
    "EnrichBody": (EnrichRequest, EnrichRequest),
    "SelectionBody": (Select, Select),
    "Filter": (Filter, Filter),
    "TurnBody": (Turn, Turn),
    "IngestBody": (IngestRequest, IngestRequest),
    "ChunkingBody": (Chunking, Chunking),
    "PaperFields": (PaperFields, PaperFields),
}
TOOLS = {SearchArguments: SearchRequest, AskArguments: AskRequest, CypherArguments: CypherRequest}
METHODS = {"search": SearchRequest, "ask": AskRequest, "cypher": CypherRequest}
COMMANDS = [(cli_search.search, SearchRequest), (cli_ask.ask, AskRequest), (cli_cypher.cypher, CypherRequest)]
OPTIONS = {
    "param": {"parameters"},
    "set_": {"overrides"},
    "diverse": {"selection"},
    "select": {"selection"},
    "filter_": {"filter"},
    "collection": {"collection", "collections"},
    "reader": {"reader", "readers"},
}
"""Fields that options of commands give in a form of their own; all others have the name of the field."""


def outside(one: FieldInfo) -> str:
    return str(one.alias)


@pytest.mark.parametrize("name", INPUTS)
def test_graphql_has_the_fields_with_their_defaults_and_descriptions(name: str):
    found = GRAPHQL.type_map[name]
    assert isinstance(found, GraphQLInputObjectType)
    fields = {outside(one) if one.alias else key: one for key, one in offered(INPUTS[name], PYTHON_ONLY).items()}

    assert {key: one.description for key, one in found.fields.items()} == {
        key: one.description for key, one in fields.items()
    }
    for key, one in fields.items():
        default = None if one.is_required() else to_jsonable_python(one.get_default(call_default_factory=True))
        if default:
            node: Any = found.fields[key].ast_node
            told = value_from_ast_untyped(node.default_value)
            values = getattr(get_named_type(found.fields[key].type), "values", {})
            assert told == default or told in values, key


@pytest.mark.parametrize("name", BODIES)
def test_rest_has_the_fields_with_their_defaults_limits_and_descriptions(name: str):
    body, declared = BODIES[name]
    expected = TypeAdapter(declared).json_schema(ref_template="#/components/schemas/{model}")
    fields = expected["$defs"][declared.__name__] if "$ref" in expected else expected
    found = REST[name]
    own = offered(body).keys() - offered(declared).keys()

    assert found["additionalProperties"] is False
    assert found.get("required", []) == fields.get("required", [])
    assert found["properties"].keys() - {outside(one) for key, one in offered(body).items() if key in own} == (
        fields["properties"].keys()
    )
    for key, one in fields["properties"].items():
        assert found["properties"][key].get("description") == one.get("description")
        assert found["properties"][key].get("default") == one.get("default")
        assert limits(found["properties"][key]) == limits(one)


def limits(schema: Any) -> list[Any]:
    """Return all limits in a schema."""
    if isinstance(schema, list):
        return [one for part in schema for one in limits(part)]
    if not isinstance(schema, dict):
        return []
    named = ("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "maxProperties", "pattern")
    return [(key, schema[key]) for key in named if key in schema] + limits([*schema.values()])


@pytest.mark.parametrize("kind", TOOLS, ids=lambda kind: kind.__name__)
def test_mcp_has_the_fields_that_it_does_not_hide(kind: type[Any]):
    declared, found = offered(TOOLS[kind], NOT_IN_MCP, PYTHON_ONLY), parameters(kind, NOT_IN_MCP, PYTHON_ONLY)

    assert {one.name for one in found} == declared.keys()
    changed = {name for name in declared if repr(declared[name]) != repr(request_fields(kind)[name])}
    assert changed <= {"k", "rows"}, "less fits into the context of a language model"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("library", [papergraph.Library, papergraph.AsyncLibrary])
def test_methods_of_the_library_have_the_fields_as_arguments(library: type[Any], method: str):
    _, *found = inspect.signature(getattr(library, method)).parameters.values()

    assert [(one.name, one.default) for one in found] == [
        (name, inspect.Parameter.empty if one.is_required() else one.get_default(call_default_factory=True))
        for name, one in request_fields(METHODS[method]).items()
    ]


@pytest.mark.parametrize(("command", "kind"), COMMANDS, ids=[kind.__name__ for _, kind in COMMANDS])
def test_commands_have_the_fields_with_their_defaults_and_descriptions(command: Any, kind: type[Any]):
    fields, hints = offered(kind, NOT_IN_CLI, PYTHON_ONLY), get_type_hints(command, include_extras=True)
    found: set[str] = set()
    for name, option in inspect.signature(command).parameters.items():
        one = fields.get(name)
        found |= OPTIONS.get(name, {name})
        found |= {"pipelines"} if name == "pipeline" and "list" in str(option.annotation) else set()
        if one is not None and name not in OPTIONS and option.default is not inspect.Parameter.empty:
            told = hints[name].__metadata__[0].help.partition(" [")[0]
            assert option.default in (None, one.default), name
            assert name == "query" or told.strip(".") == str(one.description).partition(";")[0].strip("."), name

    assert fields.keys() - found == set()


@pytest.mark.parametrize("kind", [*INPUTS.values(), EnrichRequest, EnrichEstimateRequest])
def test_fields_have_descriptions(kind: type[Any]):
    assert all(one.description for one in offered(kind, PYTHON_ONLY).values())


def test_a_field_without_a_description_is_refused():
    @request()
    class Undescribed:
        known: Annotated[int, described("A number.")]
        unknown: int

    with pytest.raises(LookupError, match=r"Undescribed\.unknown has no description"):
        request_fields(Undescribed)


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"query": " "}, "query"),
        ({"query": "x" * 4001}, "query"),
        ({"query": "x", "k": 101}, "k"),
        ({"query": "x", "overrides": {f"search.k{n}": n for n in range(51)}}, "overrides"),
        ({"query": "x", "selection": {"alpha": 2}}, "selection.alpha"),
        ({"query": "x", "filter": {"years": {}}}, "filter.years"),
        ({"query": "x", "fitler": {}}, "fitler"),
        ({"query": "x", "self": 1}, "self"),
    ],
)
def test_values_out_of_limits_are_refused_with_the_field(values: dict[str, Any], field: str):
    with pytest.raises(InputError) as caught:
        read_request(SearchRequest, values)

    assert caught.value.field == field


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"pipeline": "fast", "pipelines": ("m1",)}, "pipelines"),
        ({"reader": "pages", "readers": ("pages",)}, "readers"),
        ({"pipelines": ("default", "m1", "m2"), "readers": ("pages", "passages")}, "pipelines"),
        ({"pipelines": ()}, "pipelines"),
        ({"store": True, "collections": ("a", "b")}, "store"),
        ({"min_answerability": 1.1}, "min_answerability"),
        ({"token_budget": 0}, "token_budget"),
        ({"history": [{"role": "user", "text": "x" * 15_000}] * 2}, "history"),
        ({"history": [{"role": "user", "text": "x"}] * 51}, "history"),
    ],
)
def test_options_of_an_answer_that_contradict_are_refused(values: dict[str, Any], field: str):
    with pytest.raises(InputError) as caught:
        AskRequest("What?", **values)

    assert caught.value.field == field


def test_the_first_argument_is_named_in_its_error():
    with pytest.raises(InputError, match=r"^query: "):
        SearchRequest("")


def test_names_are_those_of_python_or_of_rest():
    assert read_request(AskRequest, {"question": "a", "tokenBudget": 7}) == AskRequest("a", token_budget=7)
    assert read_request(AskRequest, {"question": "a", "token_budget": 7}) == AskRequest("a", token_budget=7)


def test_an_input_of_graphql_becomes_the_request():
    filter = FilterInput(
        not_=FilterInput(papers=["a"]),
        years=YearsInput(first=2019),
        clusters=[ClusterInput(metadata=Some(MetadataInput(field="task", value="ranking")))],
    )
    given = SearchInput(query="q", k=3, overrides=[Override(option="search.k", value=50)], filter=filter)

    assert input_data(filter) == {
        "not": {"papers": ["a"]},
        "years": {"from": 2019},
        "clusters": [{"field": "task", "value": "ranking"}],
    }
    assert read_input(SearchRequest, given) == read_request(
        SearchRequest, {"query": "q", "k": 3, "overrides": {"search.k": 50}, "filter": input_data(filter)}
    )
