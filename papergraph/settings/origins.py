"""Values of settings with their origins, as ``papergraph config show`` prints them."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
