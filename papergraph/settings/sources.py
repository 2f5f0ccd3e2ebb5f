"""Places that set settings: the environment, files of a secrets folder, and papergraph.toml."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from platformdirs import user_config_path

from papergraph.errors import InputError
from papergraph.settings.known import FOREIGN_NAMES, FOREIGN_PREFIXES, PREFIX, KnownSetting

FILE_NAME = "papergraph.toml"
MAX_BYTES = 1_000_000


@dataclass(frozen=True)
class Source:
    """A place, with what it sets.

    Attributes:
        origin: The place, for people.
        values: Values by name, and by group and name.
        names: Names of variables or files there that begin as ours do, with their texts; none of papergraph.toml.
        is_untrusted: Whether it is a file that lay in the working folder, and that nobody named.
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
    """Return the texts of files whose names begin as settings do; of a folder that is not there, none."""
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
