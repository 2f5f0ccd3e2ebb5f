"""Promises of ``--json``: the keys that commands print, read from the code of the commands.

``write_json`` prints a value, ``show`` a record. Keys of dictionaries in the code of a command are promised, and the
fields of records whose types are annotated. Keys of values that come from elsewhere are not read: OpenAPI promises
the answers of REST that ``search`` and ``ask`` print.
"""

import ast
import importlib
import types
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from datetime import datetime
from pathlib import Path

from cli.groups import Group

FOLDER = Path(__file__).parents[2] / "cli" / "commands"
JSON_TYPES = (
    ((bool,), "boolean"),
    ((int,), "integer"),
    ((float,), "number"),
    ((str, datetime, Path), "string"),
    ((types.NoneType,), "null"),
    ((Mapping,), "object"),
    ((Sequence, Set), "list"),
)
"""Python's types by their name in JSON; the first that fits counts."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def promises_of_commands() -> Iterator[str]:
    """Yield a line for each key that a command prints after ``--json``, with the type of a field in JSON."""
    for file in sorted(FOLDER.glob("[!_]*.py")):
        module = Module(file)
        for words, function in module.commands():
            for key in sorted(set(module.printed_by(function))):
                yield f"--json of {words} has {key}"


class Module:
    """A file of commands: its functions, and where its names come from."""

    def __init__(self, file: Path) -> None:
        self._tree = ast.parse(file.read_text(encoding="utf-8"))
        self._group: Group = importlib.import_module(f"cli.commands.{file.stem}").GROUP
        self._functions = {one.name: one for one in self._tree.body if isinstance(one, Function)}
        imports = [one for one in ast.walk(self._tree) if isinstance(one, ast.ImportFrom)]
        self._imported = {part.asname or part.name: (one.module, part.name) for one in imports for part in one.names}

    def commands(self) -> Iterator[tuple[str, Function]]:
        """Yield the words of each command after ``papergraph``, and its function."""
        before = "" if self._group.top else f"{self._group.name} "
        for one in self._group.app.registered_commands:
            name = getattr(one.callback, "__name__", "")
            if name in self._functions:
                yield f"{before}{one.name or name}", self._functions[name]

    def printed_by(self, function: Function, above: tuple[str, ...] = ()) -> Iterator[str]:
        """Yield the keys that a function prints as JSON, by itself or by others of its file."""
        for node in ast.walk(function):
            match node:
                case ast.Call(func=ast.Name(id="write_json"), args=[value, *_]):
                    yield from self._keys(value, function)
                case ast.Call(func=ast.Name(id="show"), args=[_, ast.Name(id=writer), *_]) if writer in self._functions:
                    yield from _keys_of(self._named(self._functions[writer].args.args[0].annotation))
                case ast.Name(id=name) if name in self._functions and name not in (*above, function.name):
                    yield from self.printed_by(self._functions[name], (*above, function.name))

    def _keys(self, value: ast.expr, function: Function) -> Iterator[str]:
        """Yield the keys of the dictionary, or of those of a list, that an expression makes."""
        match value:
            case ast.Dict(keys=keys, values=values):
                for key, one in zip(keys, values, strict=True):
                    if isinstance(key, ast.Constant):
                        yield str(key.value)
                    elif key is None:
                        yield from self._keys(one, function)
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                yield from self._keys(left, function)
                yield from self._keys(right, function)
            case ast.ListComp(elt=one):
                yield from self._keys(one, function)
            case ast.Call(func=ast.Name(id="asdict" | "vars"), args=[ast.Name(id=name)]):
                yield from _keys_of(self._types_of(name, function))
            case ast.Call(func=ast.Name(id="asdict"), args=[ast.Attribute(value=ast.Name(id=name), attr=part)]):
                for one in self._types_of(name, function):
                    yield from _keys_of(_types(_hints(one).get(part)) if isinstance(one, type) else ())
            case ast.Call(func=ast.Name(id=name)) if name in self._functions:
                called = self._functions[name]
                for node in ast.walk(called):
                    if isinstance(node, ast.Return) and node.value is not None:
                        yield from self._keys(node.value, called)
            case ast.Name(id=name):
                for one in _assigned(name, function):
                    yield from self._keys(one, function)

    def _types_of(self, name: str, function: Function) -> Iterator[object]:
        """Yield the types that a name of a function may have, or the entries of a list that it may be."""
        for argument in function.args.args:
            if argument.arg == name:
                yield from self._named(argument.annotation)
        for node in ast.walk(function):
            if isinstance(node, ast.comprehension) and isinstance(node.iter, ast.Name) and _is(node.target, name):
                yield from self._types_of(node.iter.id, function)
        for value in _assigned(name, function):
            for part in ast.walk(value):  # what is called, or given to what opens the store and calls it
                if isinstance(part, ast.Name):
                    yield from self._returned(part.id, function)
                elif isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
                    yield from _returned_by(getattr(self._import(part.value.id), part.attr, None))

    def _returned(self, name: str, function: Function) -> Iterator[object]:
        """Yield the types that a function returns, of the file or of elsewhere."""
        for node in (*ast.walk(function), *self._functions.values()):
            if isinstance(node, Function) and node.name == name and node is not function:
                yield from self._named(node.returns)
        yield from _returned_by(self._import(name))

    def _named(self, annotation: ast.expr | None) -> Iterator[object]:
        """Yield the imported types that an annotation names."""
        if isinstance(annotation, ast.Constant):
            annotation = ast.parse(str(annotation.value), mode="eval").body
        for node in ast.walk(annotation) if annotation else ():
            if isinstance(node, ast.Name):
                yield self._import(node.id)

    def _import(self, name: str) -> object:
        module, original = self._imported.get(name, (None, name))
        if module is None:
            return None
        found = getattr(importlib.import_module(module), original, None)
        return importlib.import_module(f"{module}.{original}") if found is None else found


def _returned_by(found: object) -> Iterator[object]:
    if callable(found) and not isinstance(found, type):
        yield from _types(_hints(found).get("return"))


def _assigned(name: str, function: Function) -> Iterator[ast.expr]:
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and any(_is(target, name) for target in node.targets):
            yield node.value


def _is(target: ast.expr, name: str) -> bool:
    return isinstance(target, ast.Name) and target.id == name


def _keys_of(found: Iterable[object]) -> Iterator[str]:
    for one in found:
        yield from _fields_of(one, "", ())


def _fields_of(record: object, before: str, above: tuple[object, ...]) -> Iterator[str]:
    if not isinstance(record, type) or not is_dataclass(record) or record in above:
        return
    hints = _hints(record)
    for field in fields(record):
        yield f"{before}{field.name}{_json_type(hints.get(field.name))}"
        for part in _types(hints.get(field.name)):
            yield from _fields_of(part, f"{before}{field.name}.", (*above, record))


def _json_type(hint: object) -> str:
    """Return ``: `` and what JSON has a type as, such as ``integer or null``; nothing for one that is not known."""
    parts = typing.get_args(hint) if typing.get_origin(hint) in (types.UnionType, typing.Union) else (hint,)
    names = {next((name for kinds, name in JSON_TYPES if _is_kind(part, kinds)), "") for part in parts}
    return "" if "" in names else f": {' or '.join(sorted(names))}"


def _is_kind(hint: object, kinds: tuple[type, ...]) -> bool:
    kind = typing.get_origin(hint) or hint
    return isinstance(kind, type) and (issubclass(kind, kinds) or (kinds == (Mapping,) and is_dataclass(kind)))


def _hints(of: object) -> dict[str, object]:
    try:
        return typing.get_type_hints(of)
    except NameError:
        return {}  # a type that only type checkers import


def _types(hint: object) -> Iterator[object]:
    """Yield a type, and those that it is made of."""
    yield hint
    for one in typing.get_args(hint):
        yield from _types(one)
