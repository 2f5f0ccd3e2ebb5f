"""Write the table of docs/settings.md.

Usage: python -m scripts.docs.settings
"""

import re
from collections.abc import Iterator
from pathlib import Path

from papergraph.settings import KnownSetting, Settings, known_settings
from papergraph.settings.origins import value_as_toml

PAGE = Path(__file__).parents[2] / "docs" / "settings.md"
BEGIN, END = "<!-- table, by python -m scripts.docs.settings -->", "<!-- end of table -->"
USERS_FOLDERS = {("home",): "`~/.local/share/papergraph`", ("cache",): "`~/.cache/papergraph`"}


def table() -> str:
    """Return a table of all settings, those of a group below its name."""
    return "\n".join(_lines()) + "\n"


def page_with_table(page: str) -> str:
    """Return the page with the table of settings."""
    return re.sub(
        f"{re.escape(BEGIN)}.*{re.escape(END)}", lambda _: f"{BEGIN}\n{table()}\n{END}", page, flags=re.DOTALL
    )


def _lines() -> Iterator[str]:
    yield "| Setting | Environment variable | Default | Purpose |"
    yield "|---|---|---|---|"
    group = ""
    for setting in known_settings():
        if setting.is_table:
            continue
        word = setting.path[0] if len(setting.path) == 2 else ""
        if word != group:
            group = word
            yield f"| **[{word}]** | | | {(Settings.model_fields[word].annotation.__doc__ or '').strip()} |"
        yield _row(setting)


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
    PAGE.write_text(page_with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
