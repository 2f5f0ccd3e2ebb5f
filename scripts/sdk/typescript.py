"""Write the types of the TypeScript client: interfaces with the names of JSON."""

from collections.abc import Iterator

from scripts.sdk.schema import Model, Type, models, node_lists, values

HEAD = "// Written by python -m scripts.sdk from schema/openapi.json.\n"
SIMPLE = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "datetime": "string",
    "date": "string",
    "any": "unknown",
}
BY_METHOD = ("stream", "parameters", "format")
"""Fields of bodies that methods of the client set."""


def files() -> dict[str, str]:
    """Return the generated files by their paths below ``src``."""
    lines = [HEAD]
    for name, (about, known) in sorted(values().items()):
        lines += [_doc(about, ""), f"export type {name} = {_open(known)};\n"]
    for model in models():
        lines += [*_interface(model), ""]
    lines += ["/** Lists that nodes have, by kind of the node and name of the list, with the type of their entries. */"]
    lines += ["export interface NodeLists {"]
    for one in node_lists():
        lines += [_doc(one.about, "  "), f'  "{one.name}": {one.model};']
    return {"types.ts": "\n".join([*lines, "}", ""])}


def _interface(model: Model) -> Iterator[str]:
    name = _name(model.name) + ("Options" if model.is_body else "")
    yield _doc(model.about, "")
    yield f"export interface {name} {{"
    for field in model.fields:
        if model.is_body and (field.required or field.name in BY_METHOD):
            continue
        if field.about:
            yield _doc(field.about, "  ")
        optional = "?" if not field.required else ""
        yield f"  {field.name}{optional}: {_type(field.type)};"
    yield "}"


def _name(name: str) -> str:
    return {"Node": "AnyNode"}.get(name, name.removesuffix("Body"))


def _type(kind: Type) -> str:
    text = _plain(kind)
    return f"{text} | null" if kind.nullable and text != "unknown" else text


def _plain(kind: Type) -> str:
    match kind.kind:
        case "list":
            return f"Array<{_type(kind.parts[0])}>"
        case "map":
            return f"Record<string, {_type(kind.parts[0])}>"
        case "model":
            return _name(kind.name)
        case "values":
            return kind.name or _open(kind.values)
        case "union":
            return " | ".join(map(_plain, kind.parts))
    return SIMPLE[kind.kind]


def _open(known: tuple[str, ...]) -> str:
    """Return the type of one of some values, or a new one."""
    return " | ".join([*(f'"{value}"' for value in known), "(string & {})"])


def _doc(text: str, indent: str) -> str:
    line = " ".join(text.split("\n\n")[0].split()).replace("*/", "* /")
    return f"{indent}/** {line}{'' if line.endswith(('.', '?')) else '.'} */"
