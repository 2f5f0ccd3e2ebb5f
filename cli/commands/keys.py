"""``papergraph keys``: make, show and revoke the keys that requests to the server carry."""

import json
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from papergraph.errors import InputError
from server.commands import EXIT_NOTHING_FOUND, Json, Quiet, say, with_database, write

if TYPE_CHECKING:
    from server.access.grants import KeyScope
    from server.access.keys import Key

keys_app = typer.Typer(
    help="Keys that requests to the server carry: make, show, revoke; docs/keys.md.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@keys_app.command("create")
def create(
    name: Annotated[str, typer.Option(help="What it is for.")],
    scope: Annotated[
        list[str] | None, typer.Option(help="read, ask, ingest, cypher or admin; repeatable, read if not given.")
    ] = None,
    collection: Annotated[
        list[str] | None, typer.Option("--collection", "-c", help="A collection that it reaches; repeatable, else all.")
    ] = None,
    expires: Annotated[str | None, typer.Option(help="When it ends, such as 12h, 30d or 8w from now; else never.")] = (
        None
    ),
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make a key and write it, this once: nobody can find it out again."""
    from server.access.keys import create_key, parse_term

    scopes = [_scope(one) for one in scope or ["read"]]
    term = None if expires is None else parse_term(expires)
    key, text = with_database(
        lambda database: create_key(database, name=name, scopes=scopes, collections=collection or None, expires=term),
        quiet=quiet or as_json,
    )
    if as_json:
        write(json.dumps({"key": text} | _as_data(key), ensure_ascii=False))
        return
    say(f"{_described(key)}\nThe key, which is shown only now:")
    write(text)


@keys_app.command("list")
def list_them(as_json: Json = False, quiet: Quiet = False) -> None:
    """Show all keys but their secrets, the oldest first; status 3 when there is none."""
    from server.access.keys import list_keys

    found = with_database(list_keys, quiet=quiet or as_json)
    if as_json:
        write(json.dumps([_as_data(key) for key in found], ensure_ascii=False))
    elif found:
        from rich.markup import escape

        from server.terminal import write_table

        now = datetime.now(UTC)
        write_table(
            ("id", "name", "state", "scopes", "collections", "expires", "last used"),
            [
                (
                    key.id,
                    escape(key.name),
                    key.state(now),
                    ", ".join(key.scopes),
                    "all" if key.collections is None else ", ".join(key.collections),
                    _told(key.expires_at),
                    _told(key.last_used_at),
                )
                for key in found
            ],
        )
    if not found:
        say("there are no keys; papergraph keys create makes one")
        raise typer.Exit(EXIT_NOTHING_FOUND)


@keys_app.command("revoke")
def revoke(
    id: Annotated[str, typer.Argument(help="Its id, as keys list shows it.")],
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Revoke a key for good; servers that run refuse it within five seconds."""
    from server.access.keys import revoke_key

    key = with_database(lambda database: revoke_key(database, id), quiet=quiet or as_json)
    write(json.dumps(_as_data(key), ensure_ascii=False) if as_json else f"revoked: {_described(key)}")


def _scope(text: str) -> "KeyScope":
    """Return a scope by its name.

    Raises:
        InputError: There is no such scope.
    """
    from server.access.grants import KeyScope

    try:
        return KeyScope(text)
    except ValueError:
        raise InputError(f"{text!r} is not a scope: {', '.join(KeyScope)}", field="scope") from None


def _as_data(key: "Key") -> dict[str, Any]:
    times = {name: value.isoformat() for name, value in asdict(key).items() if isinstance(value, datetime)}
    return asdict(key) | times | {"state": key.state(datetime.now(UTC))}


def _described(key: "Key") -> str:
    reach = "all collections" if key.collections is None else ", ".join(key.collections)
    end = "never expires" if key.expires_at is None else f"expires {_told(key.expires_at)}"
    return f"{key.id}, {key.name}: {', '.join(key.scopes)}; reaches {reach}; {end}"


def _told(time: datetime | None) -> str:
    return "" if time is None else time.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
