"""Write the models of the Java client, and the reference of its comments."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from scripts.sdk.schema import ROOT, Field, Model, Type, models, node_lists, values

HEAD = "// Written by python -m scripts.sdk from schema/openapi.json.\npackage org.papergraph.client.model;\n"
SIMPLE = {
    "string": "String",
    "integer": "Integer",
    "number": "Double",
    "boolean": "Boolean",
    "datetime": "OffsetDateTime",
    "date": "String",
    "any": "JsonNode",
    "union": "JsonNode",
    "values": "String",
}
NODES = ("Paper", "Section", "Chunk", "Author", "Reference", "Question", "Entity", "Cluster")
IMPORTS = {
    "List<": "java.util.List",
    "Map<": "java.util.Map",
    "JsonNode": "com.fasterxml.jackson.databind.JsonNode",
    "OffsetDateTime": "java.time.OffsetDateTime",
    "@JsonProperty": "com.fasterxml.jackson.annotation.JsonProperty",
}
KEYWORDS = (
    "abstract",
    "class",
    "default",
    "enum",
    "final",
    "import",
    "interface",
    "native",
    "new",
    "package",
    "switch",
)
BY_METHOD = ("stream", "parameters", "format")
"""Fields of bodies that methods of the client set."""


def files() -> dict[str, str]:
    """Return the generated files by their paths below ``org/papergraph/client/model``."""
    found = {f"{name}.java": text for name, text in map(_record, (one for one in models() if not one.of_request))}
    for model in models():
        if (
            model.of_request
            and (model.is_body or model.name.endswith("Body"))
            and model.name not in ("IngestBody", "ReviewBody", "SubjectBody")
            and _optional(model)
        ):
            name, text = _options(model)
            found[f"{name}.java"] = text
    found["Node.java"] = _node()
    found["NodeLists.java"] = _lists()
    return found


def _record(model: Model) -> tuple[str, str]:
    name = "LabelledNode" if model.name == "Node" else model.name
    parts = [f"    {_mark(field.name)}{_type(field, model)} {_identifier(field.name)}" for field in model.fields]
    body = "public record " + name + "(\n" + ",\n".join(parts) + ")"
    base = " implements Node" if name in NODES else ""
    params = [f" * @param {_identifier(field.name)} {_about(field)}" for field in model.fields]
    doc = "\n".join(["/**", f" * {_line(model.about)}", " *", *params, " */"])
    if name == "LabelledNode":
        doc += "\n@JsonDeserialize(using = NodeReader.class)"
    imports = sorted({path for word, path in IMPORTS.items() if word in body})
    if name == "LabelledNode":
        imports.append("com.fasterxml.jackson.databind.annotation.JsonDeserialize")
    lines = [HEAD, *(f"import {path};" for path in imports), "", doc, f"{body}{base} {{}}", ""]
    return name, "\n".join(lines)


def _optional(model: Model) -> list[Field]:
    """Return what callers may leave out; what a body requires is a parameter of the method."""
    return [field for field in model.fields if not (model.is_body and (field.required or field.name in BY_METHOD))]


def _options(model: Model) -> tuple[str, str]:
    """Return a class of options with a method for each, which are sent as they are named."""
    name = model.name.removesuffix("Body") + "Options"
    lines = [HEAD, "/**", f" * {_line(model.about)} Options that are not set have the defaults of the server.", " */"]
    lines += [f"public final class {name} extends Options<{name}> {{"]
    for field in _optional(model):
        kind = "Object" if field.type.kind in ("model", "map", "list", "union") else _type(field, model)
        lines += [
            "    /**",
            f"     * {_about(field)}",
            "     *",
            "     * @param value the value",
            "     * @return these options",
            "     */",
            f"    public {name} {_identifier(field.name)}({kind} value) {{",
            f'        return set("{field.name}", value);',
            "    }",
            "",
        ]
    return name, "\n".join([*lines[:-1], "}", ""])


def _node() -> str:
    permitted = ", ".join([*NODES, "UnknownNode"])
    return "\n".join(
        [
            HEAD,
            "/** A node of the graph; one of a label that this version does not know is an {@link UnknownNode}. */",
            f"public sealed interface Node permits {permitted} {{",
            "    /** Id of the node, a sha-256 as hex. @return the id */",
            "    String id();",
            "}",
            "",
        ]
    )


def _lists() -> str:
    lines = [HEAD, "/** Lists that nodes have. */", "public final class NodeLists {", "    private NodeLists() {}", ""]
    for one in node_lists():
        constant = re.sub(r"[/-]", "_", one.name).upper()
        lines += [f"    /** {_line(one.about)} */"]
        lines += [
            f"    public static final ListOf<{one.model}> {constant} =",
            f'        new ListOf<>("{one.name}", {one.model}.class);',
            "",
        ]
    return "\n".join([*lines[:-1], "}", ""])


def _type(field: Field, model: Model) -> str:
    if model.name == "Node" and field.name == "node":
        return "Node"
    return _plain(field.type)


def _plain(kind: Type) -> str:
    match kind.kind:
        case "list":
            return f"List<{_plain(kind.parts[0])}>"
        case "map":
            return f"Map<String, {_plain(kind.parts[0])}>"
        case "model":
            return "LabelledNode" if kind.name == "Node" else kind.name
    return SIMPLE[kind.kind]


def _identifier(name: str) -> str:
    return f"{name}_" if name in KEYWORDS else name


def _mark(name: str) -> str:
    """Return the annotation of a name that Java does not allow."""
    return f'@JsonProperty("{name}") ' if name in KEYWORDS else ""


def _about(field: Field) -> str:
    known = field.type.values or (values().get(field.type.name, ("", ()))[1] if field.type.kind == "values" else ())
    text = _line(field.about or re.sub(r"(?<=[a-z0-9])([A-Z])", r" \1", field.name).lower())
    text = text[0].upper() + text[1:]
    return text + (f" Known values: {', '.join(known)}." if known else "")


def _line(text: str) -> str:
    line = re.sub(r"`([^`]*)`", r"{@code \1}", " ".join(text.split("\n\n")[0].split()))
    line = re.sub(r"(?<![{@])&|<|>", lambda found: {"&": "&amp;", "<": "&lt;", ">": "&gt;"}[found[0]], line)
    return line if line.endswith((".", "?")) else f"{line}."


SOURCES = ROOT / "sdk/java/src/main/java/org/papergraph/client"
TYPE = re.compile(r"public (?:abstract |final |sealed )*(?:class|interface|record) (\w+)")
METHOD = re.compile(r"    public (?:static |final |<\w> )*[\w<>\[\], ?.]+ (\w+)\(|    public (\w+)\(")


@dataclass(frozen=True)
class Name:
    """A public name with its comment; ``owner`` is the class of a method."""

    name: str
    owner: str
    about: str


def names() -> Iterator[Name]:
    """Yield the public names of the sources by hand, and of generated types."""
    for source in [*sorted(SOURCES.glob("*.java")), *sorted(SOURCES.glob("model/*.java"))]:
        text = source.read_text(encoding="utf-8")
        about, owner, overridden = "", "", False
        for line in re.sub(r"/\*\*(.*?)\*/", _one_line, text, flags=re.DOTALL).splitlines():
            if comment := re.match(r"\s*/\*\* (.*) \*/$", line):
                about = comment[1]
            elif found := TYPE.match(line):
                owner = found[1]
                yield Name(owner, "", about)
                about = ""
            elif line.lstrip().startswith("@"):
                overridden = "@Override" in line
            elif (found := METHOD.match(line)) and owner:
                if not overridden:
                    yield Name(found[1] or found[2], owner, about)
                about, overridden = "", False
            elif line.strip():
                about, overridden = "", False


def reference() -> str:
    """Return the page, without generated options and models."""
    lines = ["# API of org.papergraph:client", "", "Written by `python -m scripts.sdk`.", ""]
    models = {path.stem for path in SOURCES.glob("model/*.java")}
    seen: set[str] = set()
    for one in names():
        if (one.owner or one.name) in models:
            continue
        line = f"- `{one.name}`: {one.about}" if one.owner else f"\n## {one.name}\n\n{one.about}\n"
        if line not in seen:
            lines.append(line)
        seen.add(line)
    lines.append("\n## Models\n")
    lines += [f"- `{one.name}`: {one.about}" for one in names() if not one.owner and one.name in models]
    return "\n".join([*lines, ""])


def undocumented() -> list[str]:
    """Return the public names without a comment."""
    return [f"sdk/java: {one.owner}.{one.name} has no comment" for one in names() if not one.about]


def _one_line(comment: re.Match[str]) -> str:
    """Return a comment in one line, without its tags for parameters and results."""
    text = " ".join(re.sub(r"^\s*[*] ?", "", comment[1], flags=re.MULTILINE).split())
    return f"/** {re.sub(r' ?@(?:param|return|throws).*', '', text)} */"
