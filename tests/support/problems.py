"""What REST says of a request that it refuses."""

from typing import Any

import httpx

from papergraph.errors import Code
from papergraph.server.operations.error_responses import PROBLEM_TYPE


def assert_problem(response: httpx.Response, status: int, code: Code, field: str | None = None) -> dict[str, Any]:
    """Assert that an answer is a problem of RFC 9457 with a code, about a field, and return it."""
    assert response.headers["content-type"] == PROBLEM_TYPE, response.text
    problem: dict[str, Any] = response.json()
    assert set(problem) == {"type", "title", "status", "detail", "instance", "code", "requestId", "errors"}
    assert (problem["status"], response.status_code, problem["code"]) == (status, status, code.value), problem
    assert problem["requestId"] == response.headers["x-request-id"]
    if field is not None:
        assert field in [error["field"] for error in problem["errors"]], problem
    return problem
