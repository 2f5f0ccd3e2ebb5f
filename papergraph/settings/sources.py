"""Settings by name, and their sources: the environment, a secrets folder, and papergraph.toml.

A papergraph.toml in the working folder is untrusted. It configures the work on papers, but must not choose an address
to which a secret from elsewhere is sent, or a program to run. The user trusts it completely by naming it:
``PAPERGRAPH_CONFIG=papergraph.toml``.
"""

import tomllib
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Union, get_args, get_origin

from platformdirs import user_config_path
from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from papergraph.errors import InputError

PREFIX = "PAPERGRAPH_"
FOREIGN_NAMES = frozenset({"PAPERGRAPH_DATA", "PAPERGRAPH_LISTEN"})
"""Names that other programs of the project read: evaluation data, and the port of docker/compose.yaml."""
FOREIGN_PREFIXES = ("PAPERGRAPH_TEST_", "PAPERGRAPH_BENCH_")


@dataclass(frozen=True)
class KnownSetting:
    """A setting.

    Attributes:
        path: Group and name, or only the name.
        description: Purpose, in one line of Markdown.
        default: Default value.
        example: The default, or an example value.
        types: Types of its values.
        toml_only: True if only papergraph.toml can set it.
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
        """Name of its environment variable, or else of its setting in the file."""
        return self.in_toml if self.toml_only else self.variable

    @property
    def is_table(self) -> bool:
        """True for a table of tables in papergraph.toml."""
        return dict in self.types

    @property
    def is_path(self) -> bool:
        """True if its values are paths."""
        return Path in self.types

    @property
    def is_secret(self) -> bool:
        """True if its value is hidden."""
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
    for name, info in model.model_fields.items():
        group = info.annotation
        if isinstance(group, type) and issubclass(group, BaseModel):
            found += [_known((name, inner), its) for inner, its in group.model_fields.items()]
        else:
            found.append(_known((name,), info))
    return tuple(found)


def _known(path: tuple[str, ...], info: FieldInfo) -> KnownSetting:
    extra = info.json_schema_extra
    toml_only = isinstance(extra, dict) and bool(extra.get("toml_only"))
    default = info.get_default(call_default_factory=True)
    example = info.examples[0] if info.examples else default
    return KnownSetting(path, info.description or "", default, example, tuple(_types(info.annotation)), toml_only)


def _types(annotation: Any) -> list[Any]:
    """Return the classes of a type, and of the members of a union."""
    origin = get_origin(annotation)
    if origin in (Union, types.UnionType):
        return [one for member in get_args(annotation) for one in _types(member)]
    if hasattr(annotation, "__metadata__"):
        return _types(annotation.__origin__)
    return [origin or annotation]


FILE_NAME = "papergraph.toml"
MAX_BYTES = 1_000_000


@dataclass(frozen=True)
class Source:
    """Source of settings with its values.

    Attributes:
        origin: Name of the source, for people.
        values: Values by name, and by group and name.
        names: Texts of variables or files with our prefix, by name; empty for papergraph.toml.
        is_untrusted: True for a file in the working folder that the user did not name.
    """

    origin: str
    values: dict[str, Any]
    names: Mapping[str, str] = field(default_factory=dict)
    is_untrusted: bool = False

    def has(self, setting: KnownSetting) -> bool:
        """Say whether this place sets a setting."""
        inner = self.values
        for name in setting.path[:-1]:
            inner = inner.get(name, {})
        return isinstance(inner, dict) and setting.path[-1] in inner

    def name_of(self, setting: KnownSetting) -> str:
        """Return what a setting is called here."""
        return setting.variable if self.names else f"{self.origin}, {setting.in_toml}"


def variables_of(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that begin as settings do and no other program reads, in capital letters."""
    ours = {name.upper(): value for name, value in environment.items() if name.upper().startswith(PREFIX)}
    return {
        name: value
        for name, value in ours.items()
        if name not in FOREIGN_NAMES and not name.startswith(FOREIGN_PREFIXES)
    }


def read_sources(
    known: Sequence[KnownSetting], environment: Mapping[str, str], *, config: Path | str | None = None
) -> list[Source]:
    """Return the places that set something, the first to win first.

    Args:
        known: All settings.
        environment: Variables.
        config: TOML file; by default the one that the environment names, or one that is found.

    Raises:
        InputError: The TOML file cannot be read.
    """
    variables = variables_of(environment)
    named = config or variables.get(f"{PREFIX}CONFIG") or None
    file = find_config(named)
    tables = _read_tables(known, file) if file else {}
    folder = variables.get(f"{PREFIX}SECRETS_DIR") or tables.get("secrets_dir")
    secrets = _read_secrets(Path(folder).expanduser()) if folder else {}
    places = [
        Source("environment", _nested(known, variables), variables),
        Source(f"secrets folder {folder}", _nested(known, secrets), secrets),
        Source(
            str(file),
            {**tables, "config": file} if file else {},
            is_untrusted=file is not None and named is None and file.parent == Path.cwd(),
        ),
    ]
    return [place for place in places if place.values or place.names]


def find_config(named: Path | str | None = None) -> Path | None:
    """Return the TOML file: the one that is named, else that of the working folder, else that of the user's folder.

    Raises:
        InputError: The file that is named is not there.
    """
    if named is not None:
        path = Path(named).expanduser()
        if not path.is_file():
            raise InputError(f"{PREFIX}CONFIG={named} is not a file.", field="settings")
        return path
    places = (Path.cwd(), user_config_path("papergraph"))
    return next((place / FILE_NAME for place in places if (place / FILE_NAME).is_file()), None)


def _read_tables(known: Sequence[KnownSetting], file: Path) -> dict[str, Any]:
    """Return the content of a TOML file, where relative paths are those from its folder."""
    try:
        with file.open("rb") as opened:
            content = opened.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise InputError(f"{file} is longer than {MAX_BYTES:,} bytes.", field="settings")
        tables = tomllib.loads(content.decode())
    except (OSError, ValueError) as error:
        raise InputError(f"Cannot read {file}: {error}.", field="settings") from error
    for setting in known:
        inner: Any = tables
        for name in setting.path[:-1]:
            inner = inner.get(name, {})
        value = inner.get(setting.path[-1]) if isinstance(inner, dict) else None
        if setting.is_path and isinstance(value, str):
            inner[setting.path[-1]] = str(file.resolve().parent / Path(value).expanduser())
    return tables


def _read_secrets(folder: Path) -> dict[str, str]:
    """Return the texts of files whose names begin as settings do; empty for a missing folder."""
    if not folder.is_dir():
        return {}
    files = [file for file in folder.iterdir() if file.name.upper().startswith(PREFIX) and file.is_file()]
    return {file.name.upper(): file.read_text().strip() for file in files}


def _nested(known: Sequence[KnownSetting], variables: Mapping[str, str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for setting in known:
        if setting.variable in variables and not setting.toml_only:
            inner = values
            for name in setting.path[:-1]:
                inner = inner.setdefault(name, {})
            inner[setting.path[-1]] = variables[setting.variable]
    return values


SENT_TO = (
    ("url", "api_key"),
    ("home", "api_key"),  # whose serve.json names a running server
    ("embedding.url", "embedding.api_key"),
    ("reranker.url", "reranker.api_key"),
    ("llm.url", "llm.api_key"),
    ("proxy.url", "proxy.api_key"),
    ("device.url", "device.token"),
    ("neo4j.uri", "neo4j.password"),
    ("cypher.uri", "cypher.password"),
    ("mirrors.openalex", "fetch.openalex_key"),
    ("zotero.url", "zotero.key"),
    ("zotero.write_to", "zotero.key"),
)
"""Addresses, and the secret that is sent there."""

PROGRAMS = ("neo4j.java", "embedding.trust_remote_code")
REMEDY = "Set PAPERGRAPH_CONFIG=papergraph.toml if you trust this file"


def refuse_untrusted(known: Sequence[KnownSetting], sources: Sequence[Source]) -> None:
    """Refuse a file of the working folder that would have a secret of another place sent somewhere, or run a program.

    Args:
        known: All settings.
        sources: Places that set something, the first to win first.

    Raises:
        InputError: The file does so.
    """
    by_name = {".".join(one.path): one for one in known}

    def place_of(name: str) -> Source | None:
        return next((source for source in sources if source.has(by_name[name])), None)

    for name in PROGRAMS:
        if (place := place_of(name)) is not None and place.is_untrusted:
            raise InputError(f"{place.name_of(by_name[name])} names a program. {REMEDY}.", field="settings")
    for address, secret in SENT_TO:
        place, owner = place_of(address), place_of(secret)
        if place is not None and owner is not None and place.is_untrusted and not owner.is_untrusted:
            raise InputError(
                f"{owner.name_of(by_name[secret])} is not sent to an address of the working folder "
                f"({place.name_of(by_name[address])}). {REMEDY}, or set {by_name[address].where} as well.",
                field="settings",
            )
