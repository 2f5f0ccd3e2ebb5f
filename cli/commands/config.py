"""``papergraph config``: the settings and their origin."""

from pathlib import Path
from typing import Annotated

import typer

from papergraph.cli.common import Json, settings, write, write_json
from papergraph.cli.groups import Group, Section, new_app
from papergraph.errors import InputError

app = new_app("Show and check settings.")


@app.command("show")
def show(as_json: Json = False) -> None:
    """Show settings and their origin.

    Secrets are shown as stars.
    """
    from papergraph.settings.origins import values_with_origins

    found = values_with_origins(settings())
    if as_json:
        write_json([{"name": ".".join(one.setting.path), "value": one.value, "origin": one.origin} for one in found])
        return
    from papergraph.cli.output import write_table

    rows = [(".".join(one.setting.path), "" if one.value is None else str(one.value), one.origin) for one in found]
    write_table(("setting", "value", "origin"), rows)


@app.command("check", epilog="Example: PAPERGRAPH_SERVER_PORT=many papergraph config check")
def check(as_json: Json = False) -> None:
    """Validate settings (exit 2 if one is invalid)."""
    settings()
    if as_json:
        write_json({"valid": True})
    else:
        write("The settings are valid.")


@app.command("init")
def init(
    file: Annotated[Path, typer.Argument(help="File to write.")] = Path("papergraph.toml"),
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
) -> None:
    """Write a commented papergraph.toml."""
    from papergraph.settings.origins import template

    if file.exists() and not force:
        raise InputError(f"{file} exists. Use --force to replace it.", field="file")
    file.write_text(template(), encoding="utf-8")
    write(str(file))


GROUP = Group("config", Section.OPERATE, 52, app)
