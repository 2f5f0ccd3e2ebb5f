"""Write the tables of docs/settings.md.

Usage: python -m scripts.docs.settings
"""

import re
from collections.abc import Iterator
from pathlib import Path

from papergraph.settings import KnownSetting, Settings, known_settings
from papergraph.settings.origins import value_as_toml

PAGE = Path(__file__).parents[2] / "docs" / "settings.md"
BEGIN, END = "<!-- tables, by python -m scripts.docs.settings -->", "<!-- end of tables -->"
USERS_FOLDERS = {("home",): "`~/.local/share/papergraph`", ("cache",): "`~/.cache/papergraph`"}


def tables() -> str:
    """Return a table for each group of settings."""
    return "\n".join(_lines()) + "\n"


def page_with_tables(page: str) -> str:
    """Return the page with the tables of these settings."""
    return re.sub(
        f"{re.escape(BEGIN)}.*{re.escape(END)}", lambda _: f"{BEGIN}\n{tables()}\n{END}", page, flags=re.DOTALL
    )


def _lines() -> Iterator[str]:
    group = None
    for setting in known_settings():
        if setting.is_table:
            continue
        word = setting.path[0] if len(setting.path) == 2 else ""
        if word != group:
            group = word
            yield from _head(word)
        yield _row(setting)


def _head(word: str) -> Iterator[str]:
    yield f"\n### {word or 'General'}\n"
    if word:
        yield f"{(Settings.model_fields[word].annotation.__doc__ or '').strip()}\n"
    yield "| Setting | Environment variable | Default | Purpose |"
    yield "|---|---|---|---|"


def _row(setting: KnownSetting) -> str:
    variable = "file only" if setting.toml_only else f"`{setting.variable}`"
    return f"| `{setting.path[-1]}` | {variable} | {_default(setting)} | {setting.description} |"


def _default(setting: KnownSetting) -> str:
    if setting.path in USERS_FOLDERS:
        return USERS_FOLDERS[setting.path]
    if setting.default is None or setting.is_secret or setting.default == ():
        return ""
    if isinstance(setting.default, tuple):
        return f"`{','.join(setting.default)}`"
    return f"`{setting.default if isinstance(setting.default, str) else value_as_toml(setting.default)}`"


if __name__ == "__main__":
    PAGE.write_text(page_with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
