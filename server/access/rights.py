"""What each route and each field of GraphQL takes; a route that does not stand here is not reached."""

import re
from collections.abc import Mapping, Sequence
from enum import Enum

from starlette.routing import compile_path

from server.access.grants import Grant, KeyScope


class Anyone(Enum):
    """Who may ask for a route that takes no scope."""

    AT_ALL = "with a key or without"
    WITH_A_KEY = "with any valid key"


Need = KeyScope | Anyone

ROUTES: Mapping[tuple[str, str], Need] = {
    ("GET", "/"): Anyone.WITH_A_KEY,
    ("GET", "/healthz"): Anyone.AT_ALL,
    ("GET", "/readyz"): Anyone.AT_ALL,
    ("GET", "/metrics"): KeyScope.ADMIN,
    ("GET", "/graphql"): Anyone.WITH_A_KEY,
    ("POST", "/graphql"): Anyone.WITH_A_KEY,  # and each of its fields what stands below
    ("GET", "/openapi.json"): Anyone.WITH_A_KEY,
    **{
        ("GET", f"/v1/{path}"): KeyScope.READ
        for path in (
            "authors/{id}",
            "authors/{id}/papers",
            "chunks/{id}",
            "chunks/{id}/citations",
            "chunks/{id}/clusters",
            "chunks/{id}/entities",
            "chunks/{id}/questions",
            "chunks/{id}/similar",
            "citations/{id}",
            "citations/{id}/chunks",
            "clusters",
            "clusters/{id}",
            "clusters/{id}/children",
            "clusters/{id}/chunks",
            "clusters/{id}/papers",
            "collections",
            "entities",
            "entities/{id}",
            "entities/{id}/mentions",
            "entities/{id}/papers",
            "entities/{id}/relations",
            "entities/{id}/same",
            "nodes",
            "nodes/{id}",
            "papers",
            "papers/by-key",
            "papers/{id}",
            "papers/{id}/chunks",
            "papers/{id}/citations",
            "papers/{id}/cited-by",
            "papers/{id}/cites",
            "papers/{id}/clusters",
            "papers/{id}/entities",
            "papers/{id}/questions",
            "papers/{id}/related",
            "papers/{id}/sections",
            "path",
            "pipelines",
            "pipelines/{name}",
            "questions",
            "questions/{id}",
            "questions/{id}/chunks",
            "sections/{id}",
            "sections/{id}/chunks",
        )
    },
    ("POST", "/v1/search"): KeyScope.READ,  # a pipeline that asks a language model takes ``ask``
    ("POST", "/v1/ask"): KeyScope.ASK,
    ("POST", "/v1/cypher"): KeyScope.CYPHER,
    ("GET", "/v1/models"): KeyScope.READ,
    ("GET", "/v1/models/{id:path}"): KeyScope.READ,
    ("POST", "/v1/chat/completions"): KeyScope.ASK,
    ("POST", "/v1/responses"): KeyScope.ASK,
    ("POST", "/mcp"): Anyone.WITH_A_KEY,  # and each of its tools what the tool is for
    ("PUT", "/v1/collections/{name}/scope"): KeyScope.INGEST,
    ("DELETE", "/v1/papers/{id}"): KeyScope.INGEST,
    ("PUT", "/v1/questions/{id}/review"): KeyScope.INGEST,
    ("GET", "/v1/jobs"): KeyScope.INGEST,
    ("POST", "/v1/jobs"): KeyScope.INGEST,
    ("GET", "/v1/jobs/{id}"): KeyScope.INGEST,
    ("GET", "/v1/jobs/{id}/progress"): KeyScope.INGEST,
    ("GET", "/v1/jobs/{id}/tasks"): KeyScope.INGEST,
    ("POST", "/v1/jobs/{id}/cancel"): KeyScope.INGEST,
    ("POST", "/v1/jobs/{id}/retry"): KeyScope.INGEST,
    ("GET", "/v1/uploads"): KeyScope.INGEST,
    ("POST", "/v1/uploads"): KeyScope.INGEST,
    ("GET", "/v1/uploads/{id}"): KeyScope.INGEST,
    ("DELETE", "/v1/uploads/{id}"): KeyScope.INGEST,
}
"""Method and path, with ``{name}`` for what varies."""

FIELDS: Mapping[str, KeyScope] = {
    "clusters": KeyScope.READ,
    "collections": KeyScope.READ,
    "entities": KeyScope.READ,
    "node": KeyScope.READ,
    "nodes": KeyScope.READ,
    "paper": KeyScope.READ,
    "papers": KeyScope.READ,
    "path": KeyScope.READ,
    "pipeline": KeyScope.READ,
    "pipelines": KeyScope.READ,
    "queries": KeyScope.READ,
    "questions": KeyScope.READ,
    "search": KeyScope.READ,  # a pipeline that asks a language model takes ``ask``
    "ask": KeyScope.ASK,
    "answer": KeyScope.ASK,
    "cypher": KeyScope.CYPHER,
    "job": KeyScope.INGEST,
    "jobs": KeyScope.INGEST,
    "ingest": KeyScope.INGEST,
    "cancelJob": KeyScope.INGEST,
    "retryJob": KeyScope.INGEST,
    "deletePaper": KeyScope.INGEST,
    "reviewQuestion": KeyScope.INGEST,
    "setScope": KeyScope.INGEST,
    "jobProgress": KeyScope.INGEST,
}
"""Fields of ``Query``, ``Mutation`` and ``Subscription``. Introspection takes a valid key and no scope."""

_FIXED: Mapping[str, Mapping[str, Need]] = {
    path: {method: need for (method, other), need in ROUTES.items() if other == path}
    for _, path in ROUTES
    if "{" not in path
}
_VARYING: Sequence[tuple[re.Pattern[str], Mapping[str, Need]]] = [
    (compile_path(path)[0], {method: need for (method, other), need in ROUTES.items() if other == path})
    for path in dict.fromkeys(path for _, path in ROUTES if "{" in path)
]
_TEMPLATES = [(compile_path(path)[0], path) for path in dict.fromkeys(path for _, path in ROUTES if "{" in path)]


def needs_of(path: str) -> Mapping[str, Need]:
    """Return what each method of a path takes; nothing for a path that is not there."""
    if path in _FIXED:
        return _FIXED[path]
    return next((needs for pattern, needs in _VARYING if pattern.match(path)), {})


def template_of(path: str) -> str | None:
    """Return a path as :data:`ROUTES` has it, with ``{name}`` for what varies; None for one that is not there."""
    return path if path in _FIXED else next((template for form, template in _TEMPLATES if form.match(path)), None)


def require_fields(grant: Grant, fields: Sequence[str]) -> None:
    """Let an operation's fields be answered.

    Raises:
        ForbiddenError: One of them takes a scope that the grant lacks.
    """
    for field in fields:
        if not field.startswith("__"):
            grant.require(FIELDS.get(field, KeyScope.ADMIN), field)
