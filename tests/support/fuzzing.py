"""Requests of all sorts, drawn at random: noise, GraphQL of the right form with awkward values, and REST likewise."""

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLOutputType,
    GraphQLScalarType,
    GraphQLSchema,
    get_named_type,
    is_abstract_type,
    is_leaf_type,
    is_object_type,
)

AWKWARD_TEXTS = (
    "",
    " ",
    "\x00",
    "\u202e\u200b",
    "𝔮𝔲𝔟𝔦𝔱𝔰",
    "'",
    '"',
    "`",
    "\\",
    "\\u0060",
    "`}) DETACH DELETE x //",
    "') RETURN 1 UNION LOAD CSV FROM 'file:///etc/passwd' AS x RETURN x //",
    "*:*",
    '+ - && || ! ( ) { } [ ] ^ " ~ * ? : \\ /',
    "title:(a OR b",
    "/.*/",
    "a" * 5000,
    "../../etc/passwd",
    "${jndi:ldap://127.0.0.1/x}",
    "<script>alert(1)</script>",
    "default",
    "main",
    "fast",
    "surface code logical error rates",
    "NaN",
    "-1",
    "0" * 64,
    "eyJhIjoxfQ==",
    "arxiv:2601.05286",
    "http://127.0.0.1:1/x.pdf",
)
AWKWARD_NUMBERS = (0, 1, -1, 2, 10, 100, 101, 2**31 - 1, 2**31, 2**63, -(2**63), 10**30, 0.5, -0.1, 1e308, 1e-320)
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "BREW")
PATHS = (
    "/",
    "/graphql",
    "/graphql/",
    "/healthz",
    "/readyz",
    "/metrics",
    "/openapi.json",
    "/v1",
    "/v1/search",
    "/%2e%2e/",
)
TYPES = (
    "application/json",
    "application/graphql",
    "text/plain",
    "multipart/form-data; boundary=x",
    "application/json; charset=utf-16",
    "",
)
ACCEPTS = ("*/*", "application/json", "application/graphql-response+json", "text/html", "text/event-stream;q=0", "x")
MOST_DEPTH = 4


@dataclass(frozen=True)
class Asked:
    """A request."""

    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes = b""


class Fuzz:
    """Draws requests; the same seed gives the same ones.

    Args:
        seed: Of the generator.
        schema: GraphQL's.
        document: The OpenAPI document; None where there is none.
        ids: Ids of nodes that there are.
        fields: Root fields that may be asked for, by operation.
    """

    def __init__(
        self,
        seed: int,
        schema: GraphQLSchema,
        *,
        document: Mapping[str, Any] | None = None,
        ids: Sequence[str] = (),
        fields: Mapping[str, Sequence[str]],
    ) -> None:
        self._random = random.Random(seed)  # noqa: S311 the same requests each time
        self._schema, self._document, self._ids, self._fields = schema, document, ids, fields
        self._routes = [
            (method, path, operation)
            for path, operations in (document or {}).get("paths", {}).items()
            for method, operation in operations.items()
            if method in ("get", "post", "put", "delete", "patch")
        ]

    def request(self) -> Asked:
        """Return the next request."""
        kind = self._random.random()
        if kind < 0.1:
            return self._noise()
        if kind < 0.25:
            return self._json_noise()
        if kind < 0.65 or not self._routes:
            return self._graphql()
        return self._rest()

    def _noise(self) -> Asked:
        path = self._random.choice(PATHS) + self._random.choice(
            ("", "?query={papers{totalCount}}", "?%ff=%00", "?" + "a" * 900)
        )
        return Asked(
            self._random.choice(METHODS), path, self._headers(), self._random.randbytes(self._random.randrange(400))
        )

    def _json_noise(self) -> Asked:
        body: Any = {
            "query": self._random.choice(
                (self._json(), self._text(), self._operation()[0][: self._random.randrange(1, 300)])
            ),
            "variables": self._json(),
            "operationName": self._json(),
            "extensions": self._json(),
        }
        if self._random.random() < 0.2:
            body = self._json()
        text = json.dumps(body)
        if self._random.random() < 0.1:
            text = "[" * self._random.randrange(1, 3000) + text
        return Asked("POST", "/graphql", self._headers(), text.encode())

    def _cut_operation(self) -> str:
        return self._operation()[0][: self._random.randrange(1, 300)]

    def _graphql(self) -> Asked:
        text, variables = self._operation()
        body = {"query": text, "variables": variables}
        return Asked("POST", "/graphql", {"content-type": "application/json"}, json.dumps(body).encode())

    def _rest(self) -> Asked:
        method, path, operation = self._random.choice(self._routes)
        query, headers = [], self._headers()
        for parameter in operation.get("parameters", ()):
            value = self._value_of(parameter.get("schema", {}))
            text = value if isinstance(value, str) else json.dumps(value)
            if parameter["in"] == "path":
                path = path.replace(f"{{{parameter['name']}}}", quote(text.encode("utf-8", "replace"), safe="") or "x")
            elif parameter["in"] == "query" and self._random.random() < 0.5:
                query.append(f"{parameter['name']}={quote(text.encode('utf-8', 'replace'))}")
        content = b""
        for media, body in operation.get("requestBody", {}).get("content", {}).items():
            headers["content-type"] = media
            content = json.dumps(self._value_of(body.get("schema", {}))).encode("utf-8", "replace")
        return Asked(method.upper(), path + ("?" + "&".join(query) if query else ""), headers, content)

    def _value_of(self, described: Mapping[str, Any], depth: int = 0) -> Any:
        """Return a value that a JSON schema describes, or, now and then, any other."""
        if self._random.random() < 0.1 or depth > MOST_DEPTH:
            return self._json()
        if "$ref" in described:
            found: Any = self._document
            for part in described["$ref"].lstrip("#/").split("/"):
                found = found[part]
            return self._value_of(found, depth + 1)
        for way in ("anyOf", "oneOf", "allOf"):
            if way in described:
                return self._value_of(self._random.choice(described[way]), depth)
        if "enum" in described:
            return self._random.choice(described["enum"])
        match described.get("type"):
            case "object":
                properties = described.get("properties", {})
                wanted = described.get("required", ())
                return {
                    name: self._value_of(one, depth + 1)
                    for name, one in properties.items()
                    if name in wanted or self._random.random() < 0.3
                }
            case "array":
                return [self._value_of(described.get("items", {}), depth + 1) for _ in range(self._random.randrange(4))]
            case "integer" | "number":
                return self._random.choice(AWKWARD_NUMBERS)
            case "boolean":
                return self._random.random() < 0.5
            case "null":
                return None
            case _:
                return self._text()

    def _operation(self) -> tuple[str, dict[str, Any]]:
        """Return an operation whose form is right, with awkward values in variables."""
        kind = self._random.choice([*self._fields])
        root = {"query": self._schema.query_type, "mutation": self._schema.mutation_type}[kind]
        assert root is not None
        self._variables: dict[str, tuple[str, Any]] = {}
        name = self._random.choice(self._fields[kind])
        chosen = self._field(root, name, depth=0)
        declared = ", ".join(f"${name}: {type}" for name, (type, _) in self._variables.items())
        text = f"{kind}{f' ({declared})' if declared else ''} {{ {chosen} }}"
        return text, {name: value for name, (_, value) in self._variables.items()}

    def _field(self, parent: GraphQLObjectType, name: str, *, depth: int) -> str:
        described = parent.fields[name]
        arguments = []
        for argument, about in described.args.items():
            if isinstance(about.type, GraphQLNonNull) or self._random.random() < 0.4:
                variable = f"v{len(self._variables)}"
                self._variables[variable] = (str(about.type), self._input(about.type))
                arguments.append(f"{argument}: ${variable}")
        called = f"({', '.join(arguments)})" if arguments else ""
        return f"{name}{called}{self._selection(described.type, depth=depth + 1)}"

    def _selection(self, type: GraphQLOutputType, *, depth: int) -> str:
        named = get_named_type(type)
        if is_leaf_type(named):
            return ""
        parts = ["__typename"]
        if is_abstract_type(named):
            possible = self._schema.get_possible_types(named)  # type: ignore[arg-type]
            one = self._random.choice(list(possible))
            parts.append(f"... on {one.name}{self._selection(one, depth=depth)}")
        elif is_object_type(named):
            names = list(named.fields)  # type: ignore[union-attr]
            for name in self._random.sample(names, min(len(names), self._random.randrange(1, 5))):
                inside = get_named_type(named.fields[name].type)  # type: ignore[union-attr]
                if is_leaf_type(inside) or depth < MOST_DEPTH:
                    parts.append(self._field(named, name, depth=depth))  # type: ignore[arg-type]
        return f" {{ {' '.join(parts)} }}"

    def _input(self, type: GraphQLInputType, depth: int = 0) -> Any:
        if self._random.random() < 0.05:
            return self._json()
        if isinstance(type, GraphQLNonNull):
            return self._input(type.of_type, depth)
        if self._random.random() < 0.15:
            return None
        match type:
            case GraphQLList():
                return [self._input(type.of_type, depth) for _ in range(self._random.randrange(3))]
            case GraphQLEnumType():
                return self._random.choice(list(type.values))
            case GraphQLInputObjectType():
                names = list(type.fields)
                if type.is_one_of:
                    names = [self._random.choice(names)]
                return {
                    name: self._input(type.fields[name].type, depth + 1)
                    for name in names
                    if isinstance(type.fields[name].type, GraphQLNonNull)
                    or (depth < MOST_DEPTH and self._random.random() < 0.4)
                    or type.is_one_of
                }
            case GraphQLScalarType(name="Int" | "Float"):
                return self._random.choice(AWKWARD_NUMBERS[: 6 if self._random.random() < 0.7 else None])
            case GraphQLScalarType(name="Boolean"):
                return self._random.random() < 0.5
            case GraphQLScalarType(name="JSON"):
                return self._json()
            case _:
                return self._text()

    def _text(self) -> str:
        kind = self._random.random()
        if kind < 0.3 and self._ids:
            return self._random.choice(self._ids)
        if kind < 0.8:
            return self._random.choice(AWKWARD_TEXTS)
        return "".join(
            chr(self._random.choice((self._random.randrange(1, 127), self._random.randrange(0xD7FF))))
            for _ in range(12)
        )

    def _json(self, depth: int = 0) -> Any:
        kind = self._random.randrange(7 if depth < 3 else 5)
        if kind == 5:
            return [self._json(depth + 1) for _ in range(self._random.randrange(4))]
        if kind == 6:
            return {self._text()[:50]: self._json(depth + 1) for _ in range(self._random.randrange(4))}
        return self._random.choice((None, True, self._random.choice(AWKWARD_NUMBERS), self._text(), "\ud800"))

    def _headers(self) -> dict[str, str]:
        return {"content-type": self._random.choice(TYPES), "accept": self._random.choice(ACCEPTS)}
