"""Every setting with its names: as an environment variable, in papergraph.toml, and in code."""

import types
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

PREFIX = "PAPERGRAPH_"
FOREIGN_NAMES = frozenset({"PAPERGRAPH_DATA", "PAPERGRAPH_LISTEN"})
"""Names that other programs of the project read: evaluation data, and the port of docker/compose.yaml."""
FOREIGN_PREFIXES = ("PAPERGRAPH_TEST_", "PAPERGRAPH_BENCH_")


@dataclass(frozen=True)
class KnownSetting:
    """A setting.

    Attributes:
        path: Group and name, or the name alone.
        description: Purpose, in one line of Markdown.
        default: Value where nothing sets it.
        example: The default, or a value where there is none.
        types: Types that a value may have.
        toml_only: Whether papergraph.toml alone sets it.
    """

    path: tuple[str, ...]
    description: str
    default: Any
    example: Any
    types: tuple[Any, ...]
    toml_only: bool

    @property
    def variable(self) -> str:
        """Name of the environment variable; a file of the secrets folder has the same in small letters."""
        return PREFIX + "_".join(self.path).upper()

    @property
    def in_toml(self) -> str:
        """Name in papergraph.toml."""
        return self.path[0] if len(self.path) == 1 else f"[{self.path[0]}] {self.path[1]}"

    @property
    def where(self) -> str:
        """Name of the variable that sets it, or of the file's setting where there is none."""
        return self.in_toml if self.toml_only else self.variable

    @property
    def is_table(self) -> bool:
        """Whether it is a table of tables of papergraph.toml."""
        return dict in self.types

    @property
    def is_path(self) -> bool:
        """Whether a value is a path."""
        return Path in self.types

    @property
    def is_secret(self) -> bool:
        """Whether a value is not shown."""
        return SecretStr in self.types

    def value_in(self, settings: BaseModel) -> Any:
        """Return its value."""
        value: Any = settings
        for name in self.path:
            value = getattr(value, name)
        return value


def known_settings_of(model: type[BaseModel]) -> tuple[KnownSetting, ...]:
    """Return the settings of a model whose groups are models."""
    found = []
    for name, field in model.model_fields.items():
        group = field.annotation
        if isinstance(group, type) and issubclass(group, BaseModel):
            found += [_known((name, inner), its) for inner, its in group.model_fields.items()]
        else:
            found.append(_known((name,), field))
    return tuple(found)


def _known(path: tuple[str, ...], field: FieldInfo) -> KnownSetting:
    extra = field.json_schema_extra
    toml_only = isinstance(extra, dict) and bool(extra.get("toml_only"))
    default = field.get_default(call_default_factory=True)
    example = field.examples[0] if field.examples else default
    return KnownSetting(path, field.description or "", default, example, tuple(_types(field.annotation)), toml_only)


def _types(annotation: Any) -> list[Any]:
    """Return the classes of a type, and of the members of a union."""
    origin = get_origin(annotation)
    if origin in (Union, types.UnionType):
        return [one for member in get_args(annotation) for one in _types(member)]
    if hasattr(annotation, "__metadata__"):
        return _types(annotation.__origin__)
    return [origin or annotation]
