"""Write the Python client: models and options, its synchronous form, and the reference of its docstrings.

The synchronous client is the asynchronous one with words replaced, as httpcore does.
"""

import dataclasses
import inspect
import keyword
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from scripts.sdk.schema import ROOT, Field, Model, Type, models, node_lists, snake, values

HEAD = '"""{about}; written by ``python -m scripts.sdk`` from schema/openapi.json."""\n'
SIMPLE = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "datetime": "datetime",
    "date": "date",
    "any": "Any",
}
BY_METHOD = ("stream", "parameters", "format")
"""Fields of bodies that methods of the client set."""

MIXINS = {"SearchAnswer": "Hits", "Hit": "HitView", "CypherRows": "Table"}
"""Hand-written base classes of models, from ``papergraph_client._views``."""


def files() -> dict[str, str]:
    """Return the generated files by their paths below the package."""
    return {"models.py": _models(), "options.py": _options(), "lists.py": _lists()}


def _models() -> str:
    lines = [
        HEAD.format(about="Models of answers"),
        "from __future__ import annotations\n",
        "from dataclasses import dataclass",
        "from datetime import datetime",
        "from typing import Any, Literal\n",
        "from papergraph_client._model import Model",
        f"from papergraph_client._views import {', '.join(sorted(MIXINS.values()))}\n",
    ]
    for name, (about, known) in sorted(values().items()):
        lines += [
            f"{name} = Literal[{', '.join(map(_quoted, known))}] | str",
            f'"""{_line(about)} Open: new values may come."""\n',
        ]
    for model in models():
        if not model.of_request:
            lines += ["", *_dataclass(model), ""]
    return "\n".join(lines)


def _dataclass(model: Model) -> Iterator[str]:
    base = f"{MIXINS[model.name]}, Model" if model.name in MIXINS else "Model"
    yield "@dataclass(frozen=True, kw_only=True)"
    yield f"class {model.name}({base}):"
    yield f'    """{_line(model.about)}"""\n'
    for field in model.fields:
        nullable = field.type.nullable or not field.required
        default = " = None" if not field.required else ""
        yield f"    {_name(field)}: {_annotation(field.type, sent=False, nullable=nullable)}{default}"
        if field.about:
            yield f'    """{_line(field.about)}"""\n'


def _options() -> str:
    lines = [
        HEAD.format(about="Options of requests, as typed dictionaries"),
        "from collections.abc import Mapping, Sequence",
        "from datetime import date",
        "from typing import Any, Literal, TypedDict\n",
        f"from papergraph_client.models import {', '.join(sorted(_values_sent()))}\n",
    ]
    sent = [model for model in models() if model.of_request]
    for model in sorted(sent, key=lambda one: (one.is_body, one.name)):
        lines += ["", *_typed_dict(model), ""]
    return "\n".join(lines)


def _values_sent() -> set[str]:
    found: set[str] = set()
    waiting = [field.type for model in models() if model.of_request for field in model.fields]
    while waiting:
        one = waiting.pop()
        waiting.extend(one.parts)
        if one.kind == "values" and one.name:
            found.add(one.name)
    return found


def _typed_dict(model: Model) -> Iterator[str]:
    """Yield a dictionary with every key optional; what is required is a parameter of the method."""
    name = model.name.removesuffix("Body") + ("Options" if model.is_body else "")
    fields = [field for field in model.fields if not (model.is_body and (field.required or field.name in BY_METHOD))]
    if any(keyword.iskeyword(snake(field.name)) for field in fields):
        pairs = ", ".join(f'"{field.name}": {_annotation(field.type, sent=True)!r}' for field in fields)
        yield f'{name} = TypedDict("{name}", {{{pairs}}}, total=False)'
        yield f'"""{_line(model.about)}"""'
        return
    yield f"class {name}(TypedDict, total=False):"
    yield f'    """{_line(model.about)}"""\n'
    for field in fields:
        yield f"    {snake(field.name)}: {_annotation(field.type, sent=True)}"
        if field.about:
            yield f'    """{_line(field.about)}"""\n'


def _lists() -> str:
    wanted = sorted({one.model for one in node_lists()})
    lines = [
        HEAD.format(about="Lists that nodes have, for ``neighbours``"),
        "from collections.abc import Mapping",
        "from typing import Any\n",
        "from papergraph_client._model import ListOf",
        f"from papergraph_client.models import {', '.join(wanted)}\n",
    ]
    for one in node_lists():
        lines += [f'{_constant(one.name)} = ListOf("{one.name}", {one.model})', f'"""{_line(one.about)}"""\n']
    lines.append("NODE_LISTS: Mapping[str, ListOf[Any]] = {")
    lines += [f'    "{one.name}": {_constant(one.name)},' for one in node_lists()]
    lines += ["}", '"""All lists by their names."""', ""]
    return "\n".join(lines)


def _constant(name: str) -> str:
    return name.replace("/", "_").replace("-", "_").upper()


def _annotation(kind: Type, *, sent: bool, nullable: bool | None = None) -> str:
    nullable = kind.nullable if nullable is None else nullable
    text = _plain(kind, sent=sent)
    return text if not nullable or text == "Any" else f"{text} | None"


def _plain(kind: Type, *, sent: bool) -> str:
    match kind.kind:
        case "list":
            entry = _annotation(kind.parts[0], sent=sent)
            return f"Sequence[{entry}]" if sent else f"tuple[{entry}, ...]"
        case "map":
            entry = _annotation(kind.parts[0], sent=sent)
            return f"Mapping[str, {entry}]" if sent else f"dict[str, {entry}]"
        case "model":
            return kind.name.removesuffix("Body")
        case "values":
            return kind.name or f"Literal[{', '.join(map(_quoted, kind.values))}]" + ("" if sent else " | str")
        case "union":
            return " | ".join(_plain(one, sent=sent) for one in kind.parts)
        case "datetime" | "date" if sent:
            return "date | str"
    return SIMPLE[kind.kind]


def _name(field: Field) -> str:
    name = snake(field.name)
    return f"{name}_" if keyword.iskeyword(name) else name


def _quoted(text: str) -> str:
    return f'"{text}"'


def _line(text: str) -> str:
    line = " ".join(text.split("\n\n")[0].split())
    return line if line.endswith((".", "?")) else f"{line}."


WORDS = [
    (r"\bfrom anyio import sleep\b", "from time import sleep"),
    (r"\basync (def|with|for)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\bAsyncIterator\b", "Iterator"),
    (r"\bAsyncGenerator\[(.+), None\]", r"Generator[\1, None, None]"),
    (r"\bAsyncGenerator\b", "Generator"),
    (r"\baclosing\b", "closing"),
    (r"\bAsyncClient\b", "Client"),
    (r"\bAsync([A-Z]\w*)", r"\1"),
    (r"\b__a(enter|exit|iter|next)__\b", r"__\1__"),
    (r"\bStopAsyncIteration\b", "StopIteration"),
    (r"\baclose\b", "close"),
    (r"\baiter_bytes\b", "iter_bytes"),
    (r"papergraph_client\._async\b", "papergraph_client._sync"),
    (r"\banext\(", "next("),
    (r"\baiter\(", "iter("),
    (r"\basynchronous\b", "synchronous"),
    (r"Coroutine\[Any, Any, ([^\]]+)\]", r"\1"),
]


def sync(path: Path) -> str:
    """Return the synchronous form of an asynchronous source file."""
    text = path.read_text(encoding="utf-8")
    for word, other in WORDS:
        text = re.sub(word, other, text)
    return f"# Written by python -m scripts.sdk from _async/{path.name}.\n{text}"


PACKAGE = ROOT / "sdk/python/src"


def reference() -> str:
    """Return the page.

    Raises:
        LookupError: A public name has no docstring.
    """
    sys.path.insert(0, str(PACKAGE))
    import papergraph_client

    names = [name for name in papergraph_client.__all__ if not name.startswith(("_", "Async"))]
    lines = [
        "# API of papergraph-client",
        "",
        "Written by `python -m scripts.sdk`. `AsyncPapergraph` has the methods of",
    ]
    lines += ["`Papergraph` with `await`.", ""]
    missing: list[str] = []
    for name in names:
        one = getattr(papergraph_client, name)
        if isinstance(one, ModuleType):
            continue
        lines += [f"## {name}", "", *_class(name, one, missing)]
    lines += ["## Models", "", *_model_lines(papergraph_client.models, missing)]
    if missing:
        raise LookupError(f"public names without documentation: {', '.join(missing)}")
    return "\n".join(lines)


def undocumented() -> list[str]:
    """Return the public names without a docstring."""
    try:
        reference()
    except LookupError as error:
        return [str(error)]
    return []


def _class(name: str, one: Any, missing: list[str]) -> Iterator[str]:
    yield from (_doc(one, name, missing), "")
    for method, function in inspect.getmembers(one):
        if method.startswith("_") or not (inspect.isroutine(function) or isinstance(function, property)):
            continue
        if method in vars(Exception) or getattr(function, "__objclass__", None) is not None:
            continue
        told = _doc(function, f"{name}.{method}", missing)
        sign = "" if isinstance(function, property) else _signature(function)
        yield from (f"- `{method}{sign}`: {told}",)
    yield ""


def _model_lines(models: ModuleType, missing: list[str]) -> Iterator[str]:
    for name, one in sorted(vars(models).items()):
        if inspect.isclass(one) and dataclasses.is_dataclass(one) and one.__module__ == models.__name__:
            fields = ", ".join(f"`{field.name}`" for field in dataclasses.fields(one))
            yield f"- `{name}`: {_doc(one, name, missing)} Fields: {fields}."
    yield ""


def _signature(function: Any) -> str:
    parameters = [
        str(one.replace(annotation=inspect.Parameter.empty))
        for name, one in inspect.signature(function).parameters.items()
        if name not in ("self", "cls")
    ]
    return f"({', '.join(parameters)})"


def _doc(one: Any, name: str, missing: list[str]) -> str:
    own = one.fget.__doc__ if isinstance(one, property) else one.__doc__
    if not own:
        missing.append(name)
        return ""
    return " ".join(inspect.cleandoc(own).split("\n\n")[0].split())
