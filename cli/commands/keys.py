"""``papergraph keys``: create, list and revoke API keys."""

import json
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.common import Json, Quiet, say, with_database, write, write_json
from cli.groups import Group, Section, new_app
from papergraph.errors import InputError

if TYPE_CHECKING:
    from server.auth.keys import Key
    from server.auth.principal import KeyScope

CYPHER_RISK = (
    "Scope cypher: the key reads the whole graph of the snapshot (papergraph db snapshot), "
    "and one query can end its Neo4j.\n"
    "With PAPERGRAPH_CYPHER_LIVE=true it queries the store, and can end the Neo4j that serves everybody."
)

app = new_app("Create, list and revoke API keys.")


@app.command("create", epilog="Example: papergraph keys create --name reader --scope read --expires 30d")
def create(
    name: Annotated[str, typer.Option(help="Name of the key.")],
    scope: Annotated[
        list[str] | None, typer.Option(help="read, ask, ingest, cypher or admin; repeatable [read].")
    ] = None,
    collection: Annotated[
        list[str] | None, typer.Option("--collection", "-c", help="Collection that the key reaches; repeatable [all].")
    ] = None,
    expires: Annotated[str | None, typer.Option(help="Time to live, such as 12h, 30d or 8w [unlimited].")] = (None),
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Create an API key; it is shown once."""
    from server.auth.keys import create_key, parse_term

    scopes = [_scope(one) for one in scope or ["read"]]
    term = None if expires is None else parse_term(expires)
    key, text = with_database(
        lambda database: create_key(database, name=name, scopes=scopes, collections=collection or None, expires=term),
        quiet=quiet or as_json,
    )
    if as_json:
        write_json({"key": text} | _as_data(key))
        return
    if "cypher" in (scope or []):
        say(CYPHER_RISK)
    say(f"{_described(key)}\nThe key, shown only once:")
    write(text)


@app.command("list")
def list_them(as_json: Json = False, quiet: Quiet = False) -> None:
    """List API keys, oldest first."""
    from server.auth.keys import list_keys

    found = with_database(list_keys, quiet=quiet or as_json)
    if as_json:
        write_json([_as_data(key) for key in found])
    elif found:
        from rich.markup import escape

        from cli.output import write_table

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
        say("There are no keys. Create one with papergraph keys create.")


@app.command("revoke")
def revoke(
    id: Annotated[str, typer.Argument(help="Id of the key.")],
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Revoke an API key permanently.

    Running servers refuse the key within 5 seconds.
    """
    from server.auth.keys import revoke_key

    key = with_database(lambda database: revoke_key(database, id), quiet=quiet or as_json)
    write(json.dumps(_as_data(key), ensure_ascii=False) if as_json else f"revoked: {_described(key)}")


def _scope(text: str) -> "KeyScope":
    """Return a scope by its name.

    Raises:
        InputError: There is no such scope.
    """
    from server.auth.principal import KeyScope

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


GROUP = Group("keys", Section.OPERATE, 55, app)
