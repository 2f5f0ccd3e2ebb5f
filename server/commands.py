"""What all commands of the command line share: exit statuses, options, the store they work with, and how they write."""

import asyncio
import json
import logging
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from papergraph.errors import Code, InputError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from papergraph.database import Database
    from papergraph.settings import Settings
    from papergraph.store import Address
    from server.terminal import TerminalProgress

EXIT_FAILED, EXIT_USAGE, EXIT_NOTHING_FOUND, EXIT_PARTIAL, EXIT_UNAVAILABLE, EXIT_STOPPED = 1, 2, 3, 4, 5, 6
EXIT_INTERRUPTED = 130
EXIT_BY_CODE = {
    Code.BAD_USER_INPUT: EXIT_USAGE,
    Code.UNAUTHENTICATED: EXIT_FAILED,
    Code.FORBIDDEN: EXIT_FAILED,
    Code.NOT_FOUND: EXIT_NOTHING_FOUND,
    Code.RATE_LIMITED: EXIT_UNAVAILABLE,
    Code.TIMEOUT: EXIT_UNAVAILABLE,
    Code.UNAVAILABLE: EXIT_UNAVAILABLE,
    Code.INTERNAL: EXIT_FAILED,
}
DEFAULT_COLLECTION = "main"

Collection = Annotated[str, typer.Option("--collection", "-c", help="The collection to work in.")]
Json = Annotated[bool, typer.Option("--json", help="Write JSON, for programs.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]

T = TypeVar("T")
Found = TypeVar("Found", bound="DataclassInstance")


def settings() -> "Settings":
    """Read the settings, and warn of variables that are none.

    Raises:
        InputError: A setting has a value that it cannot have.
    """
    from pydantic import ValidationError

    from papergraph.settings import PREFIX, Settings, unknown_settings

    for line in unknown_settings():
        say(f"warning: {line}")
    try:
        return Settings()
    except ValidationError as error:
        lines = [f"{PREFIX}{str(problem['loc'][0]).upper()}: {problem['msg']}" for problem in error.errors()]
        raise InputError("; ".join(lines), field="settings") from error


def with_database(do: "Callable[[Database], Awaitable[T]]", *, quiet: bool, chosen: "Settings | None" = None) -> T:
    """Open the store that the settings name, read here unless they are ``chosen`` already, and do something with it."""
    from papergraph.store import open_store

    async def open_and_do(address: "Address") -> T:
        async with await address.connect() as database:
            return await do(database)

    with progress(quiet=quiet) as told, open_store(chosen or settings(), progress=told) as address:
        return asyncio.run(open_and_do(address))


def progress(*, quiet: bool = False) -> "TerminalProgress":
    """Return progress on standard error; silent when ``quiet``."""
    from server.terminal import TerminalProgress

    return TerminalProgress(quiet=quiet)


@contextmanager
def service(settings: "Settings", name: str, *, quiet: bool = False) -> "Iterator[TerminalProgress]":
    """Begin the log and the traces of a command that goes on for long, and give what tells of its steps.

    Raises:
        InputError: Traces are asked for, and what sends them is not installed.
    """
    from papergraph.telemetry.setup import telling
    from server.terminal import TerminalProgress

    as_json = settings.log == "json" or (settings.log is None and not sys.stderr.isatty())
    say = logging.getLogger("server.progress").info if as_json else None
    with telling(settings, service=f"papergraph-{name}"), TerminalProgress(quiet=quiet, say=say) as told:
        yield told


def show(found: Found, write_it: Callable[[Found], None], *, as_json: bool) -> None:
    """Write what a command found, as JSON or by ``write_it``."""
    if as_json:
        write(json.dumps(asdict(found), ensure_ascii=False, default=str))
    else:
        write_it(found)


def write(line: str) -> None:
    """Write a line of the result to standard output."""
    print(line)  # noqa: T201


def say(line: str) -> None:
    """Write a line about the command to standard error."""
    print(line, file=sys.stderr)  # noqa: T201
