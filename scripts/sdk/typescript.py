"""Write the types of the TypeScript client with the names of JSON, and the reference of its comments."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from scripts.sdk.schema import ROOT, Model, Type, models, node_lists, values

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


SOURCES = ("client.ts", "lists.ts", "errors.ts", "http.ts")
EXPORT = re.compile(r"export (?:class|interface|function|const|type) (\w+)")
MEMBER = re.compile(r"  (?!private |constructor\()(?:async )?(?:get )?\*?(\w+|\[Symbol\.\w+\])(?:<.*?>)?\(")
INTERNAL = ("Transport", "EventReader", "Call", "Settings", "pauseAfter", "sleep", "apiError")
"""Exported for other files, and not from the package."""


@dataclass(frozen=True)
class Name:
    """A public name with its comment; ``owner`` is the class of a method."""

    name: str
    owner: str
    about: str


def names() -> Iterator[Name]:
    """Yield the public names of the sources."""
    for source in SOURCES:
        about, owner, in_class = "", "", False
        text = (ROOT / "sdk/typescript/src" / source).read_text(encoding="utf-8")
        for line in re.sub(r"/\*\*(.*?)\*/", _one_line, text, flags=re.DOTALL).splitlines():
            if comment := re.match(r"\s*/\*\* (.*) \*/$", line):
                about = comment[1]
                continue
            if export := EXPORT.match(line):
                owner, in_class = export[1], line.startswith("export class")
                yield Name(owner, "", about)
            elif in_class and (member := MEMBER.match(line)):
                yield Name(member[1], owner, about)
            elif line.startswith("}"):
                in_class = False
            about = ""


def reference() -> str:
    """Return the page."""
    lines = ["# API of @papergraph/client", "", "Written by `python -m scripts.sdk`.", ""]
    for one in names():
        if (one.owner or one.name) in INTERNAL:
            continue
        lines += [f"- `{one.name}`: {one.about}"] if one.owner else ["", f"## {one.name}", "", one.about, ""]
    return re.sub(r"\n{3,}", "\n\n", "\n".join([*lines, ""]))


def undocumented() -> list[str]:
    """Return the public names without a comment."""
    return [f"sdk/typescript: {one.owner}.{one.name} has no comment" for one in names() if not one.about]


def _one_line(comment: re.Match[str]) -> str:
    return f"/** {' '.join(re.sub(r'^ *[*] ?', '', comment[1], flags=re.MULTILINE).split())} */"
