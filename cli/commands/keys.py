"""``papergraph keys``: create, list and revoke API keys and invitations to sign up for them."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from papergraph.cli.common import Json, Quiet, say, with_database, write, write_json
from papergraph.cli.groups import Group, Section, new_app
from papergraph.errors import InputError

if TYPE_CHECKING:
    from papergraph.database import Database
    from papergraph.server.auth.access import KeyScope
    from papergraph.server.auth.invitations import InvitationInfo
    from papergraph.server.auth.keys import ApiKey
    from papergraph.server.operations.keys import Member

CYPHER_RISK = (
    "Scope cypher: the key reads the whole graph of the replica (papergraph db replica), "
    "and one query can end its Neo4j."
)

app = new_app("Manage API keys and invitations.")


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
    from papergraph.server.auth.keys import create_key, parse_term

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
    from papergraph.server.auth.keys import list_keys

    found = with_database(list_keys, quiet=quiet or as_json)
    if as_json:
        write_json([_as_data(key) for key in found])
    elif found:
        from rich.markup import escape

        from papergraph.cli.output import write_table

        write_table(
            ("id", "name", "state", "scopes", "collections", "expires", "last used"),
            [
                (
                    key.id,
                    escape(key.name),
                    key.state,
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
    from papergraph.server.auth.keys import revoke_key

    key = with_database(lambda database: revoke_key(database, id), quiet=quiet or as_json)
    if as_json:
        write_json(_as_data(key))
    else:
        write(f"revoked: {_described(key)}")


@app.command("roles", epilog="Example: papergraph keys roles reading --set KEY_ID --role edit")
def roles(
    collection: Annotated[str, typer.Argument(help="Name of the collection.")],
    set_: Annotated[str | None, typer.Option("--set", help="Id of the key whose role is set.")] = None,
    role: Annotated[str | None, typer.Option(help="read, annotate, edit or administer [removes the role].")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """List or set the roles of keys in a collection."""
    from papergraph.server.auth.access import Role
    from papergraph.server.operations.keys import members_of, set_member

    if role is not None and (set_ is None or role not in set(Role)):
        told = "Name the key with --set." if set_ is None else f"{role!r} is not a role: {', '.join(Role)}"
        raise InputError(told, field="role")

    async def work(database: "Database") -> "list[Member]":
        if set_ is not None:
            await set_member(database, collection, set_, None if role is None else Role(role), collections=None)
        return await members_of(database, collection, collections=None)

    found = with_database(work, quiet=quiet or as_json)
    if as_json:
        write_json([asdict(one) for one in found])
    elif found:
        from rich.markup import escape

        from papergraph.cli.output import write_table

        write_table(
            ("key", "name", "role", "scopes"),
            [(one.key, escape(one.name), one.role or "", ", ".join(one.scopes)) for one in found],
        )
    else:
        say("No key is for this collection. Create one with papergraph keys create --collection.")


@app.command("invite", epilog="Example: papergraph keys invite --name reading-group --scope read --uses 10")
def invite(
    name: Annotated[str, typer.Option(help="Recipient of the invitation.")],
    scope: Annotated[
        list[str] | None, typer.Option(help="read, ask, ingest or cypher; repeatable [read and ask].")
    ] = None,
    collection: Annotated[
        list[str] | None, typer.Option("--collection", "-c", help="Collection of its keys; repeatable [all].")
    ] = None,
    uses: Annotated[int, typer.Option(help="Number of keys, at most 10000.")] = 1,
    expires: Annotated[str, typer.Option(help="Time to live of the invitation, such as 12h or 8w.")] = "7d",
    key_expires: Annotated[str | None, typer.Option(help="Time to live of its keys [unlimited].")] = None,
    requests_per_minute: Annotated[int | None, typer.Option(help="Limit of each key [that of the server].")] = None,
    cost_per_minute: Annotated[int | None, typer.Option(help="Limit of each key [that of the server].")] = None,
    common_tokens_per_day: Annotated[
        int | None, typer.Option(help="Tokens of a language model for all keys together [no such limit].")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Create an invitation to sign up; it is shown once.

    It requires a server with PAPERGRAPH_SIGN_UP=invite. Its page is /signup.
    """
    from papergraph.server.auth.invitations import WantedInvitation, create_invitation

    wanted = WantedInvitation.asked(
        name=name,
        scopes=[_scope(one) for one in scope or ["read", "ask"]],
        collections=collection or None,
        uses=uses,
        expires=expires,
        key_expires=key_expires,
        requests_per_minute=requests_per_minute,
        cost_per_minute=cost_per_minute,
        common_tokens_per_day=common_tokens_per_day,
    )
    invitation, text = with_database(lambda database: create_invitation(database, wanted), quiet=quiet or as_json)
    if as_json:
        write_json({"invitation": text} | _invitation_as_data(invitation))
        return
    say(f"{_invited(invitation)}\nThe invitation, shown only once; people open https://YOUR-SERVER/signup#INVITATION:")
    write(text)


@app.command("invitations")
def list_invited(as_json: Json = False, quiet: Quiet = False) -> None:
    """List invitations, oldest first."""
    from papergraph.server.auth.invitations import list_invitations

    found = with_database(list_invitations, quiet=quiet or as_json)
    if as_json:
        write_json([_invitation_as_data(one) for one in found])
        return
    for one in found:
        write(f"{one.state.replace('_', ' ')}: {_invited(one)}")
    if not found:
        say("There are no invitations. Create one with papergraph keys invite.")


@app.command("revoke-invitation")
def revoke_invited(
    id: Annotated[str, typer.Argument(help="Id of the invitation.")], as_json: Json = False, quiet: Quiet = False
) -> None:
    """Revoke an invitation permanently; its keys stay valid."""
    from papergraph.server.auth.invitations import revoke_invitation

    found = with_database(lambda database: revoke_invitation(database, id), quiet=quiet or as_json)
    if as_json:
        write_json(_invitation_as_data(found))
    else:
        write(f"revoked: {_invited(found)}")


def _scope(text: str) -> "KeyScope":
    """Return a scope by its name.

    Raises:
        InputError: There is no such scope.
    """
    from papergraph.server.auth.access import KeyScope

    try:
        return KeyScope(text)
    except ValueError:
        raise InputError(f"{text!r} is not a scope: {', '.join(KeyScope)}", field="scope") from None


def _as_data(key: "ApiKey") -> dict[str, Any]:
    return asdict(key) | _times(key) | {"state": key.state}


def _invitation_as_data(one: "InvitationInfo") -> dict[str, Any]:
    return asdict(one) | _times(one) | {"state": one.state}


def _times(of: object) -> dict[str, str]:
    return {name: value.isoformat() for name, value in vars(of).items() if isinstance(value, datetime)}


def _invited(one: "InvitationInfo") -> str:
    reach = "all collections" if one.collections is None else ", ".join(one.collections)
    used = f"used {one.n_uses} of {one.max_uses} times"
    return f"{one.id}, {one.name}: {', '.join(one.scopes)}; reaches {reach}; {used}; expires {_told(one.expires_at)}"


def _described(key: "ApiKey") -> str:
    reach = "all collections" if key.collections is None else ", ".join(key.collections)
    end = "never expires" if key.expires_at is None else f"expires {_told(key.expires_at)}"
    return f"{key.id}, {key.name}: {', '.join(key.scopes)}; reaches {reach}; {end}"


def _told(time: datetime | None) -> str:
    return "" if time is None else time.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


GROUP = Group("keys", Section.OPERATE, 55, app)
