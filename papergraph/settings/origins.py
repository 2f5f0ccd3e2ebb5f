"""Output of settings: values with their origins for ``papergraph config show``, and a commented papergraph.toml."""

import json
import os
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from papergraph.settings import KnownSetting, Settings, known_settings, sources_of

HIDDEN = "********"


@dataclass(frozen=True)
class SettingValue:
    """Value of a setting.

    Attributes:
        setting: The setting.
        value: Its value for JSON; of a secret, stars where there is one.
        origin: ``default``, ``environment``, the secrets folder, or the path of papergraph.toml.
    """

    setting: KnownSetting
    value: Any
    origin: str


def values_with_origins(settings: Settings, environment: Mapping[str, str] = os.environ) -> list[SettingValue]:
    """Return all settings in order, with the place that sets each.

    Args:
        settings: Settings, read of this environment.
        environment: Variables.

    Raises:
        InputError: papergraph.toml cannot be read.
    """
    sources = sources_of(environment, config=settings.config)
    return [
        SettingValue(
            setting,
            shown(setting, settings),
            next((source.origin for source in sources if source.has(setting)), "default"),
        )
        for setting in known_settings()
    ]


def shown(setting: KnownSetting, settings: Settings) -> Any:
    """Return the value of a setting as JSON has it, secrets as stars."""
    value = setting.value_in(settings)
    if setting.is_secret:
        return HIDDEN if value.get_secret_value() else ""
    if isinstance(value, Path):
        return str(value)
    return list(value) if isinstance(value, tuple) else value


HEAD = """\
# Settings of papergraph. Remove the first `#` of a line to set its value; the values here are the defaults.
# The environment goes before this file: `url` of [llm] is PAPERGRAPH_LLM_URL there, except for settings marked "file".
# Relative paths begin at the folder of this file. Keep passwords and keys in a folder of secrets (secrets_dir).
"""
TABLES = """\

# Pipelines of your own: a table for each. The name of a built-in pipeline replaces it.
# [pipelines.careful]
# about = "Vectors and words, the best 10."
# steps = [
#   { step = "search", retrievers = ["vector", "fulltext"], k = 100 },
#   { step = "fuse", by = "rrf", k = 10 },
# ]

# Options of enrichments: a table for each.
# [enrichments.questions]
# per_chunk = 10
"""
WIDTH = 110


def template() -> str:
    """Return a papergraph.toml where each setting is a comment with its default."""
    lines, group = [HEAD], ""
    for setting in known_settings():
        if setting.is_table or setting.path == ("config",):
            continue
        if len(setting.path) == 2 and setting.path[0] != group:
            group = setting.path[0]
            lines.append(f"\n# {Settings.model_fields[group].annotation.__doc__}\n[{group}]")
        lines.append(_entry(setting))
    return "\n".join(lines) + "\n" + TABLES


def _entry(setting: KnownSetting) -> str:
    mark = " (file)" if setting.toml_only and len(setting.path) == 2 else ""
    about = textwrap.wrap(f"{setting.description}{mark}", WIDTH, initial_indent="## ", subsequent_indent="## ")
    return "\n".join([*about, f"# {setting.path[-1]} = {_toml(setting)}"])


def _toml(setting: KnownSetting) -> str:
    """Return the default, or else an example, as TOML."""
    if setting.path in {("home",), ("cache",)}:
        return f'"/path/to/{setting.path[0]}"'  # the default is another one for each user
    return value_as_toml(setting.example)


def value_as_toml(value: Any) -> str:
    """Return a value as TOML has it; of a secret, an empty text."""
    if isinstance(value, SecretStr):
        return '""'
    return json.dumps(str(value) if isinstance(value, Path) else value)
