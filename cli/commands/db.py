"""``papergraph db``: the local Neo4j, its replica and its checksum."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

import typer

from papergraph.cli.common import EXIT_FAILED, EXIT_NOTHING_FOUND, Json, Quiet, progress, settings, write, write_json
from papergraph.cli.groups import Group, Section, new_app
from papergraph.errors import InputError, NotFoundError

if TYPE_CHECKING:
    from papergraph.local_neo4j import RunningNeo4j
    from papergraph.settings import Settings

DEADLINE_S = 60.0
MOST_NAMED = 8
BROWSER = "https://browser.neo4j.io"

OfReplica = Annotated[bool, typer.Option("--replica", help="Use the read-only replica instead.")]

app = new_app("Manage the local Neo4j database.")


@app.command()
def start(of_replica: OfReplica = False, as_json: Json = False, quiet: Quiet = False) -> None:
    """Start the local Neo4j."""
    from papergraph import local_neo4j

    chosen = settings()
    with progress(quiet=quiet or as_json) as told:
        begin = local_neo4j.start_replica if of_replica else local_neo4j.start
        running = begin(chosen, progress=told)
        told.pause()
    password_file = local_neo4j.password_path(_home(chosen, of_replica=of_replica))
    if as_json:
        about = {"uri": running.uri, "http_url": running.http_url, "user": running.user, "version": running.version}
        write_json(about | {"started": running.started_here, "password_file": password_file})
        return
    what = "started" if running.started_here else "runs already"
    write(f"Neo4j {running.version} {what}: {running.uri} (HTTP {running.http_url}), user {running.user}")
    write(f"The password is in {password_file}")
    write(f"Neo4j Browser: {BROWSER}/?dbms=bolt://{running.user}@{urlsplit(running.uri).netloc}")


@app.command()
def stop(of_replica: OfReplica = False, as_json: Json = False) -> None:
    """Stop the local Neo4j."""
    from papergraph import local_neo4j

    stopped = local_neo4j.stop(_home(settings(), of_replica=of_replica))
    if as_json:
        write_json({"stopped": stopped})
    else:
        write("stopped" if stopped else "it was not running")


@app.command()
def status(of_replica: OfReplica = False, as_json: Json = False) -> None:
    """Show the local Neo4j (exit 3 if it is stopped)."""
    from papergraph import local_neo4j

    chosen = settings()
    found = asdict(local_neo4j.status(_home(chosen, of_replica=of_replica)))
    if of_replica:
        note = local_neo4j.replica_note(chosen)
        found["copied_at"] = note.copied_at.isoformat() if note else None
        found["age_s"] = round(note.age_s, 1) if note else None
        found["collections"] = note.collections if note else None
    if as_json:
        write_json(found)
    else:
        for name, value in found.items():
            shown = _named(value) if isinstance(value, tuple) else value
            write(f"{name.replace('_', ' ') + ':':14} {shown}")
    if not found["running"]:
        raise typer.Exit(EXIT_NOTHING_FOUND)


@app.command()
def logs(
    lines: Annotated[int, typer.Option("--lines", "-n", help="Number of lines.", min=1)] = 50,
    of_replica: OfReplica = False,
) -> None:
    """Show the log of the local Neo4j."""
    from papergraph import local_neo4j

    path = local_neo4j.log_path(_home(settings(), of_replica=of_replica))
    if not path.exists():
        raise NotFoundError("log yet; start Neo4j first:", str(path), field="home")
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:]:
        write(line)


@app.command("replica", epilog="Example: papergraph db replica --collection main")
def replica(
    collection: Annotated[str | None, typer.Option("--collection", "-c", help="Collection [all].")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Create a read-only replica.

    The replica runs in another Neo4j, without API keys and jobs.
    """
    from papergraph import local_neo4j
    from papergraph.schema.ids import check_collection

    chosen = settings()
    _check_store_is_local(chosen)
    if collection is not None:
        check_collection(collection)
    asyncio.run(_check_store(chosen, collection))
    with progress(quiet=quiet or as_json) as told:
        new = local_neo4j.create_replica(
            chosen,
            lambda running, copied_at: asyncio.run(_finish(running, collection, copied_at)),
            progress=told,
        )
        told.pause()
    running, note = new.running, new.note
    password_file = local_neo4j.password_path(local_neo4j.replica_home(chosen))
    if as_json:
        found = {
            "uri": running.uri,
            "http_url": running.http_url,
            "user": running.user,
            "password_file": password_file,
            "copied_at": note.copied_at.isoformat(),
            "collections": note.collections,
            "away_s": new.away_s,
        }
        write_json(found)
        return
    away = "was not running" if new.away_s is None else f"was stopped for {new.away_s:.0f} s"
    write(f"copied {_named(note.collections)}; the Neo4j of the store {away}")
    write(f"The replica runs at {running.uri} (HTTP {running.http_url}), user {running.user}; it is read-only.")
    write(f"Its password is in {password_file}")
    write("A server uses it for Cypher with")
    write(f"PAPERGRAPH_CYPHER_URI={running.uri}")


@app.command()
def browser(as_json: Json = False) -> None:
    """Show how to open Neo4j Browser."""
    chosen = settings()
    places = [place for place in (_replica_place(chosen), _store_place(chosen)) if place]
    if as_json:
        write_json({"browser": BROWSER, "places": places})
    else:
        _write_places(places)
    if not any(place["uri"] for place in places):
        raise typer.Exit(EXIT_NOTHING_FOUND)


@app.command()
def plugins(
    folder: Annotated[Path, typer.Argument(help="Folder of the plugins of a Neo4j.")],
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Install graph algorithms into a folder."""
    from papergraph import local_neo4j

    with progress(quiet=quiet or as_json) as told:
        found = local_neo4j.put_plugins(settings(), folder, progress=told)
        told.pause()
    if as_json:
        write_json({"jars": found.n_jars, "version": found.version, "folder": folder})
    else:
        write(f"{found.n_jars} jars for Neo4j {found.version} are in {folder}")


@app.command()
def shell(
    write_too: Annotated[bool, typer.Option("--write", help="Allow statements that change the graph.")] = False,
    statement: Annotated[str | None, typer.Option("--execute", "-e", help="Run this statement and exit.")] = None,
) -> None:
    """Open a Cypher prompt.

    Statements end with a semicolon.
    """
    from papergraph.cli.cypher_shell import run_shell
    from papergraph.store import open_store

    chosen = settings()
    with progress(quiet=statement is not None) as told, open_store(chosen, progress=told) as address:
        told.pause()
        if not run_shell(address, write=write_too, statement=statement):
            raise typer.Exit(EXIT_FAILED)


@app.command()
def checksum(as_json: Json = False, quiet: Quiet = False) -> None:
    """Print a checksum of the graph.

    Two graphs with the same papers have the same checksum.
    """
    from papergraph.server.local import store_operations as working
    from papergraph.store import open_store

    chosen = settings()
    with progress(quiet=quiet or as_json) as told, open_store(chosen, progress=told) as address:
        found = asyncio.run(working.checksum(address))
        told.pause()
    if as_json:
        counts = {"nodes": found.n_nodes, "relationships": found.n_relationships, "vectors": found.n_vectors}
        write_json({"sha256": found.sha256, **counts})
    else:
        write(found.sha256)


def _named(collections: Sequence[str]) -> str:
    if not collections:
        return "a store without papers"
    more = f" and {len(collections) - MOST_NAMED} more" if len(collections) > MOST_NAMED else ""
    return ", ".join(collections[:MOST_NAMED]) + more


def _home(chosen: "Settings", *, of_replica: bool) -> Path:
    from papergraph import local_neo4j

    return local_neo4j.replica_home(chosen) if of_replica else chosen.home


def _check_store_is_local(chosen: "Settings") -> None:
    from papergraph import local_neo4j
    from papergraph.store import is_local

    uri = chosen.neo4j.uri
    if uri and not is_local(uri, local_neo4j.status(chosen.home).bolt_port):
        raise InputError(
            f"PAPERGRAPH_NEO4J_URI={uri} is not the local Neo4j of {chosen.home}, and only that can be copied here. "
            "Copy another one with Neo4j's tools (docs/scaling.md), and set PAPERGRAPH_CYPHER_URI to the copy",
            field="settings",
        )


async def _check_store(chosen: "Settings", collection: str | None) -> None:
    """Check a running store before it is stopped: it must have papers of the collection."""
    from papergraph import local_neo4j
    from papergraph.database import Database
    from papergraph.schema.replica import check

    port = local_neo4j.status(chosen.home).bolt_port
    if port is None:
        return
    password = local_neo4j.password_path(chosen.home).read_text().strip()
    async with await Database.connect(f"bolt://127.0.0.1:{port}", user="neo4j", password=password) as database:
        await check(database, collection)


async def _finish(running: "RunningNeo4j", collection: str | None, copied_at: datetime) -> list[str]:
    from papergraph.database import Database
    from papergraph.schema.replica import finish

    opening = Database.connect(running.uri, user=running.user, password=running.password, deadline_s=DEADLINE_S)
    async with await opening as database:
        return await finish(database, collection=collection, copied_at=copied_at)


def _replica_place(chosen: "Settings") -> dict[str, Any] | None:
    from papergraph import local_neo4j

    note, home = local_neo4j.replica_note(chosen), local_neo4j.replica_home(chosen)
    if note is None:
        return None
    port = local_neo4j.status(home).bolt_port
    return {
        "what": "replica",
        "uri": f"bolt://127.0.0.1:{port}" if port else None,
        "user": "neo4j",
        "password_file": local_neo4j.password_path(home),
        "age_s": round(note.age_s, 1),
    }


def _store_place(chosen: "Settings") -> dict[str, Any]:
    from papergraph import local_neo4j

    if chosen.neo4j.uri:
        return {"what": "store", "uri": chosen.neo4j.uri, "user": chosen.neo4j.user, "password_file": None}
    port = local_neo4j.status(chosen.home).bolt_port
    return {
        "what": "store",
        "uri": f"bolt://127.0.0.1:{port}" if port else None,
        "user": "neo4j",
        "password_file": local_neo4j.password_path(chosen.home),
    }


def _write_places(places: list[dict[str, Any]]) -> None:
    for place in places:
        is_replica = place["what"] == "replica"
        if is_replica:
            old = timedelta(seconds=round(place["age_s"]))
            write(f"The read-only replica, {old} old:")
        else:
            write("The store; its password permits every change:")
        if place["uri"] is None:
            write(f"  stopped; papergraph db start{' --replica' if is_replica else ''} starts it")
            continue
        write(f"  Bolt URI  {place['uri']}")
        write(f"  user      {place['user']}")
        write(f"  password  {'in ' + str(place['password_file']) if place['password_file'] else 'as it is set'}")
    if all(place["what"] != "replica" for place in places):
        write("papergraph db replica creates a read-only replica of the store.")
    write("")
    write(f"The local server has no Neo4j Browser. Open {BROWSER} in a browser on this machine, or")
    write("Neo4j Desktop with a remote connection, and give it the Bolt URI, the user and the password.")
    write("From another machine, forward the port of the URI first: ssh -L PORT:127.0.0.1:PORT THIS_MACHINE")


GROUP = Group("db", Section.OPERATE, 53, app)
