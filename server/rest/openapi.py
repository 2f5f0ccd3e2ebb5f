"""OpenAPI 3.1 description of REST, made of the routes, with the problems of each."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from papergraph import __version__
from papergraph.server.auth.operations import VIEWER
from papergraph.server.operations.error_responses import PROBLEM_TYPE
from papergraph.server.rest.requests import Problem, ProblemError

PROBLEMS = {
    400: "The request is not valid.",
    401: "The API key is missing or not valid.",
    403: "The API key lacks the required scope.",
    404: "Nothing has this path, id or name.",
    409: "The request conflicts with an earlier one, or with the current state.",
    413: "The request or the file is too large.",
    415: "The type of the file is not supported.",
    429: "The rate limit is exceeded. `Retry-After` has the seconds to wait.",
    500: "Internal error.",
    503: "The service is unavailable. Retry.",
    504: "There was no answer in time. Retry.",
}
WIDTH = 120
ABOUT = """REST API of papergraph, a knowledge-base server for research papers.

GraphQL offers the same functions under the same names, except uploads. docs/rest.md describes pages, ETags, keys and
costs."""


def add_openapi(app: FastAPI) -> None:
    """Serve the description of REST at ``/openapi.json``."""

    @VIEWER
    async def openapi(request: Request) -> Response:
        prefix = request.scope.get("papergraph.prefix")
        made = await asyncio.to_thread(describe, app)  # takes seconds of a busy machine
        return JSONResponse(made | ({"servers": [{"url": prefix}]} if prefix else {}))

    app.add_api_route("/openapi.json", openapi, include_in_schema=False)


def describe(app: FastAPI) -> dict[str, Any]:
    """Return the description of an application's REST."""
    if app.openapi_schema is None:
        made = get_openapi(
            title="papergraph", version=__version__, openapi_version="3.1.0", description=ABOUT, routes=app.routes
        )
        made["paths"] = {path: routes for path, routes in made["paths"].items() if path.startswith("/v1/")}
        for route in made["paths"].values():
            for method, operation in route.items():
                _complete(method, operation)
        made["components"]["securitySchemes"] = {
            "bearer": {"type": "http", "scheme": "bearer", "description": "A key: pg_…"},
            "header": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
        }
        made["components"]["responses"] = {f"Problem{status}": _problem(status) for status in PROBLEMS}
        made["security"] = [{}, {"bearer": []}, {"header": []}]
        made = _renamed(made)
        schemas = made["components"]["schemas"]
        for name in ("HTTPValidationError", "ValidationError"):
            schemas.pop(name, None)
        problem = Problem.model_json_schema(mode="serialization", ref_template="#/components/schemas/{model}")
        problem.pop("$defs")
        schemas.update(_named_parts(schemas))
        schemas["Problem"] = problem | {"examples": [EXAMPLE]}
        schemas["ProblemError"] = ProblemError.model_json_schema(mode="serialization")
        app.openapi_schema = made
    return app.openapi_schema


EXAMPLE = {
    "type": "urn:papergraph:problem:bad-user-input",
    "title": "Bad Request",
    "status": 400,
    "detail": "first: Input should be less than or equal to 100",
    "instance": "/v1/papers",
    "code": "BAD_USER_INPUT",
    "requestId": "2f6d0c1e5a3b4f7c8d9e0a1b2c3d4e5f",
    "errors": [{"field": "first", "message": "Input should be less than or equal to 100", "reason": None}],
}


def _named_parts(schemas: Mapping[str, Any]) -> dict[str, Any]:
    """Return schemas of labelled nodes and of the events of streams, each a named alternative with a discriminator."""
    labels = schemas["Node"]["properties"]["label"]["enum"]
    parts = {f"{label}Node": ("label", label, "node", _ref(label)) for label in labels}
    events: dict[str, dict[str, Any]] = {
        "AnswerEvent": {
            "sources": _body(schemas["AskAnswer"]["properties"]["sources"], "sources"),
            "delta": _body({"type": "string"}, "text"),
            "citation": _ref("AnswerCitation"),
            "done": _ref("AskAnswer"),
            "problem": _ref("Problem"),
        },
        "JobEvent": {"job": _ref("Job"), "problem": _ref("Problem")},
        "TaskEvent": {"job": _ref("Job"), "task": _ref("Task"), "problem": _ref("Problem")},
    }
    made = {"Node": _one_of(schemas["Node"]["description"], "label", {label: f"{label}Node" for label in labels})}
    for name, data in events.items():
        mapping = {event: f"{event.title()}Of{name}" for event in data}
        made[name] = _one_of("Server-sent event: its name, and its data as JSON.", "event", mapping)
        parts |= {part: ("event", event, "data", _written(data[event])) for event, part in mapping.items()}
    return made | {
        name: {
            "type": "object",
            "title": name,
            "description": f"{value} with its {by}.",
            "properties": {by: {"type": "string", "const": value}, held: schema},
            "required": [by, held],
        }
        for name, (by, value, held, schema) in parts.items()
    }


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _written(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of JSON that is written as a text."""
    return {"type": "string", "contentMediaType": "application/json", "contentSchema": dict(schema)}


def _body(schema: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {"type": "object", "properties": {name: schema}, "required": [name]}


def _one_of(description: str, by: str, mapping: Mapping[str, str]) -> dict[str, Any]:
    return {
        "description": description,
        "oneOf": [_ref(name) for name in mapping.values()],
        "discriminator": {
            "propertyName": by,
            "mapping": {value: _ref(name)["$ref"] for value, name in mapping.items()},
        },
    }


def _renamed(made: dict[str, Any]) -> dict[str, Any]:
    """Return a description whose schemas are named by their titles, such as ``ChunkPage`` for ``Page_Chunk_``."""
    titles = {name: schema.get("title", name) for name, schema in made["components"]["schemas"].items()}
    if len(set(titles.values())) < len(titles):
        raise ValueError("two models of REST have the same name")
    made["components"]["schemas"] = {titles[name]: schema for name, schema in made["components"]["schemas"].items()}
    prefix = "#/components/schemas/"

    def follow(part: Any) -> Any:
        if isinstance(part, list):
            return [follow(one) for one in part]
        if not isinstance(part, dict):
            return part
        name = str(part.get("$ref", "")).removeprefix(prefix)
        return {key: follow(value) for key, value in part.items()} | (
            {"$ref": prefix + titles[name]} if name in titles else {}
        )

    renamed: dict[str, Any] = follow(made)
    return renamed


def _complete(method: str, operation: dict[str, Any]) -> None:
    """Put the problems of an operation into its description, and FastAPI's own out of it."""
    responses: dict[str, Any] = operation["responses"]
    responses.pop("422", None)
    wanted = set(PROBLEMS) - {409, 413, 415} | ({409, 413, 415} if "requestBody" in operation else set())
    for status in sorted(wanted):
        responses.setdefault(str(status), {"$ref": f"#/components/responses/Problem{status}"})


def _problem(status: int) -> Mapping[str, Any]:
    schema = {"$ref": "#/components/schemas/Problem"}
    return {"description": PROBLEMS[status], "content": {PROBLEM_TYPE: {"schema": schema}}}


def json_lines(value: object, depth: int = 0) -> str:
    """Return JSON sorted by name, with values that fit on a line on one line."""
    line = json.dumps(value, ensure_ascii=False, sort_keys=True)
    if depth + len(line) <= WIDTH or not isinstance(value, dict | list):
        return line
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    items = (
        [f"{json.dumps(name)}: {json_lines(value[name], depth + 1)}" for name in sorted(value)]
        if isinstance(value, dict)
        else [json_lines(item, depth + 1) for item in value]
    )
    indent = " " * depth
    return f"{opening}\n{indent} " + f",\n{indent} ".join(items) + f"\n{indent}{closing}"
