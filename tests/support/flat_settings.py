"""Settings by the names of their environment variables, in small letters."""

from collections.abc import Mapping
from typing import Any

from papergraph.settings import Settings, known_settings


def settings_of(chosen: Mapping[str, Any]) -> Settings:
    """Return settings with values by name, such as ``llm_url``, before those of the environment."""
    paths = {"_".join(one.path): one.path for one in known_settings()}
    values: dict[str, Any] = {}
    for name, value in chosen.items():
        inner = values
        for part in paths[name][:-1]:
            inner = inner.setdefault(part, {})
        inner[paths[name][-1]] = value
    return Settings(**values)
