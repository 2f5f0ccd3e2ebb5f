"""What describes REST: OpenAPI 3.1, made of the routes, with the problems that each may answer."""

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.responses import JSONResponse, Response

from papergraph import __version__
from server.error_bodies import PROBLEM_TYPE
from server.rest.models import Problem, ProblemError

PROBLEMS = {
    400: "What was asked is not acceptable.",
    401: "No valid key.",
    403: "The key is not for this.",
    404: "Not there.",
    409: "It does not go with what was asked before.",
    413: "It is larger than allowed.",
    415: "It is of a type that is not taken.",
    429: "More than the key may ask; Retry-After tells when there is room.",
    500: "A fault of the server.",
    503: "Not possible at the moment.",
    504: "It took too long.",
}
ABOUT = """Research papers as a graph: read it, search it, bring papers in.

Everything but uploads is in GraphQL too, under the same words. docs/rest.md tells of pages, ETags, keys and costs."""


def add_openapi(app: FastAPI) -> None:
    """Serve the description of REST at ``/openapi.json``."""

    async def openapi() -> Response:
        return JSONResponse(describe(app))

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
        schemas = made["components"]["schemas"]
        for name in ("HTTPValidationError", "ValidationError"):
            schemas.pop(name, None)
        problem = Problem.model_json_schema(mode="serialization", ref_template="#/components/schemas/{model}")
        problem.pop("$defs")
        schemas["Problem"] = problem | {"examples": [EXAMPLE]}
        schemas["ProblemError"] = ProblemError.model_json_schema(mode="serialization")
        app.openapi_schema = made
    return app.openapi_schema


EXAMPLE = {
    "type": "urn:papergraph:problem:bad-user-input",
    "title": "What was asked is not acceptable",
    "status": 400,
    "detail": "first: Input should be less than or equal to 100",
    "instance": "/v1/papers",
    "code": "BAD_USER_INPUT",
    "requestId": "2f6d0c1e5a3b4f7c8d9e0a1b2c3d4e5f",
    "errors": [{"field": "first", "message": "Input should be less than or equal to 100", "reason": None}],
}


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
