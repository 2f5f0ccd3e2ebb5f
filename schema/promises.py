"""Promises of REST, MCP, the settings, the metrics and ``--json`` to their users, one line each.

A promise is a sentence about a name, such as ``Paper.title is never null``. A new version may add lines. A line that is
gone breaks a client, and so does a further requirement of what there was before. A request promises the values and
omissions that it accepts; an answer promises the fields and types that it has.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

REF = "#/components/schemas/"
REQUIRES = " requires "
METHODS = ("get", "post", "put", "patch", "delete")


def promises_of_openapi(description: Mapping[str, Any]) -> Iterator[str]:
    """Yield the promises of a description of REST."""
    schemas = description["components"]["schemas"]
    sent: set[str] = set()
    for path, route in description["paths"].items():
        for method in METHODS:
            if (operation := route.get(method)) is None:
                continue
            name = f"{method.upper()} {path}"
            yield f"{name} is {operation['operationId']}"
            for parameter in operation.get("parameters", ()):
                yield from _value(f"{name} takes {parameter['name']}", parameter["schema"], schemas)
                yield f"{name} {'requires' if parameter.get('required') else 'needs no'} {parameter['name']}"
            for kind, content in operation.get("requestBody", {}).get("content", {}).items():
                yield f"{name} takes {kind}"
                sent |= _names(content["schema"])
            for status, response in operation["responses"].items():
                for kind, content in response.get("content", {}).items():
                    yield f"{name} answers {status} with {kind}: {_type(content.get('schema', {}))}"
    reached = _reached(sent, schemas)
    for name, schema in schemas.items():
        yield from _object(name, schema, schemas, is_sent=name in reached)


def promises_of_tool(name: str, takes: Mapping[str, Any], gives: Mapping[str, Any] | None) -> Iterator[str]:
    """Yield the promises of a tool of MCP: its parameters, and the object that it returns."""
    yield f"MCP tool {name} is there"
    yield from _object(f"MCP tool {name} takes", takes, takes.get("$defs", {}), is_sent=True)
    for part, schema in (gives or {}).get("$defs", {}).items():
        yield from _object(f"MCP tool {name} gives {part}", schema, {}, is_sent=False)
    yield from _object(f"MCP tool {name} gives", gives or {}, {}, is_sent=False)


def broken_promises(frozen: str, current: str) -> list[str]:
    """Return the lines of ``frozen`` that ``current`` lacks, and new requirements of what ``frozen`` knows."""
    old, new = set(frozen.splitlines()), set(current.splitlines())
    gone = {line for line in old - new if REQUIRES not in line}
    known = {line.partition(":")[0] for line in old} | {line.partition(REQUIRES)[0] for line in old}
    known |= {line.partition(" is ")[0] for line in old}
    return sorted(gone | {line for line in new - old if REQUIRES in line and line.partition(REQUIRES)[0] in known})


def _object(name: str, schema: Mapping[str, Any], schemas: Mapping[str, Any], *, is_sent: bool) -> Iterator[str]:
    yield from _value(name, schema, schemas)
    required = schema.get("required", ())
    for field, one in schema.get("properties", {}).items():
        yield from _value(f"{name}.{field}", one, schemas)
        if is_sent:
            yield f"{name} {'requires' if field in required else 'needs no'} {field}"
        if not is_sent and field in required:
            yield f"{name}.{field} is always there"
        if _is_nullable(one) and is_sent:
            yield f"{name}.{field} may be null"
        if not _is_nullable(one) and not is_sent:
            yield f"{name}.{field} is never null"


def _value(name: str, schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> Iterator[str]:
    """Yield the type of a value, and each value of a closed list."""
    yield f"{name}: {_type(schema)}"
    for value in schema.get("enum", ()):
        yield f"{name} can be {value}"


def _type(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    for word in ("anyOf", "oneOf", "allOf"):
        if word in schema:
            return " or ".join(sorted({_type(one) for one in schema[word]} - {"null"}))
    if "const" in schema:
        return repr(schema["const"])
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return str(schema.get("format") or schema.get("type") or "anything")


def _is_nullable(schema: Mapping[str, Any]) -> bool:
    return schema.get("type") == "null" or any(_is_nullable(one) for one in schema.get("anyOf", ()))


def _names(schema: Any) -> set[str]:
    """Return the names of the schemas that a schema refers to."""
    if isinstance(schema, Mapping):
        ref = str(schema.get("$ref", ""))
        found = {ref.removeprefix(REF)} if ref.startswith(REF) else set[str]()
        return found.union(*(_names(one) for one in schema.values()))
    return set[str]().union(*(_names(one) for one in schema)) if isinstance(schema, list) else set()


def _reached(names: Iterable[str], schemas: Mapping[str, Any]) -> set[str]:
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        if (name := waiting.pop()) not in found:
            found.add(name)
            waiting.extend(_names(schemas[name]))
    return found
