"""Parts that all commands share: exit statuses, options, the store, and output."""

import asyncio
import json
import logging
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from papergraph.errors import Code, InputError, PapergraphError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from papergraph.cli.output import TerminalProgress
    from papergraph.database import Database
    from papergraph.records import Record
    from papergraph.settings import Settings
    from papergraph.store import Address

EXIT_FAILED, EXIT_USAGE, EXIT_NOTHING_FOUND, EXIT_PARTIAL, EXIT_UNAVAILABLE, EXIT_STOPPED = 1, 2, 3, 4, 5, 6
EXIT_INTERRUPTED = 130
STATUSES = {
    Code.BAD_USER_INPUT: (EXIT_USAGE, HTTPStatus.BAD_REQUEST),
    Code.QUERY_TOO_COMPLEX: (EXIT_USAGE, HTTPStatus.BAD_REQUEST),
    Code.UNAUTHENTICATED: (EXIT_FAILED, HTTPStatus.UNAUTHORIZED),
    Code.FORBIDDEN: (EXIT_FAILED, HTTPStatus.FORBIDDEN),
    Code.NOT_FOUND: (EXIT_NOTHING_FOUND, HTTPStatus.NOT_FOUND),
    Code.PERSISTED_QUERY_NOT_FOUND: (EXIT_NOTHING_FOUND, HTTPStatus.NOT_FOUND),
    Code.CONFLICT: (EXIT_FAILED, HTTPStatus.CONFLICT),
    Code.RATE_LIMITED: (EXIT_UNAVAILABLE, HTTPStatus.TOO_MANY_REQUESTS),
    Code.TIMEOUT: (EXIT_UNAVAILABLE, HTTPStatus.GATEWAY_TIMEOUT),
    Code.UNAVAILABLE: (EXIT_UNAVAILABLE, HTTPStatus.SERVICE_UNAVAILABLE),
    Code.INTERNAL: (EXIT_FAILED, HTTPStatus.INTERNAL_SERVER_ERROR),
}
"""The exit status of each code, and the HTTP status of its problem."""

DEFAULT_COLLECTION = "main"


class Output:
    """The form of the output of the running command; ``problems``: errors are written as JSON."""

    problems = False


def _note_json(wanted: bool) -> bool:
    Output.problems = Output.problems or wanted
    return wanted


Collection = Annotated[str, typer.Option("--collection", "-c", help="Collection.")]
Json = Annotated[bool, typer.Option("--json", callback=_note_json, help="Print JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do it without a question.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what it would delete and exit.")]
Estimate = Annotated[bool, typer.Option("--estimate", "--dry-run", help="Print an estimate and exit.")]
Queue = Annotated[bool, typer.Option("--queue", help="Queue the job and print its id.")]
Dask = Annotated[
    str | None, typer.Option(metavar="URL", help="Use the Dask cluster of this scheduler, tcp://HOST:PORT.")
]
Chunker = Annotated[
    str | None, typer.Option(help="default, sentence, markdown, hierarchical, topic, quim or tokens256.")
]
MaxTokens = Annotated[int | None, typer.Option(help="Maximum tokens per chunk [set by the chunker].")]
Overlap = Annotated[int | None, typer.Option(help="Overlap of chunks, in units of the chunker.")]

T = TypeVar("T")
Found = TypeVar("Found", bound="DataclassInstance")


def confirm(question: str, *, yes: bool, refusal: str) -> None:
    """Ask a question in the terminal, unless ``yes``; the command ends if the answer is no.

    Raises:
        InputError: Standard input is no terminal, or the output is JSON. ``refusal`` is the message: what was not done,
            and that ``--yes`` does it.
    """
    if yes:
        return
    if Output.problems or not sys.stdin.isatty():
        raise InputError(refusal, field="yes")
    typer.confirm(question, abort=True, err=True)


def settings() -> "Settings":
    """Read the settings, and warn of variables that name none.

    Raises:
        InputError: A setting has a value that it cannot have.
    """
    from papergraph.settings import read_settings, unknown_settings

    for line in unknown_settings():
        say(f"warning: {line}")
    return read_settings()


def with_database(do: "Callable[[Database], Awaitable[T]]", *, quiet: bool, chosen: "Settings | None" = None) -> T:
    """Open the store that the settings name, read here unless they are ``chosen`` already, and do something with it."""
    from papergraph.store import open_store

    async def open_and_do(address: "Address") -> T:
        async with await address.connect() as database:
            told.pause()  # it may ask a question
            return await do(database)

    with progress(quiet=quiet) as told, open_store(chosen or settings(), progress=told) as address:
        return asyncio.run(open_and_do(address))


def progress(*, quiet: bool = False) -> "TerminalProgress":
    """Return progress on standard error; silent when ``quiet``."""
    from papergraph.cli.output import TerminalProgress

    return TerminalProgress(quiet=quiet)


@contextmanager
def service(settings: "Settings", name: str, *, quiet: bool = False) -> "Iterator[TerminalProgress]":
    """Set up logging and tracing of a long-running command; yield its progress.

    Raises:
        InputError: Traces are configured, and the extra ``otel`` is missing.
    """
    from papergraph.cli.output import TerminalProgress
    from papergraph.telemetry.tracing import telling

    as_json = settings.log.format == "json" or (settings.log.format is None and not sys.stderr.isatty())
    say = logging.getLogger("papergraph.progress").info if as_json else None
    with telling(settings, service=f"papergraph-{name}"), TerminalProgress(quiet=quiet, say=say) as told:
        yield told


def report_error(error: PapergraphError) -> int:
    """Write an error to standard error, as a problem of RFC 9457 after ``--json``, and return the exit status."""
    status, http = STATUSES[error.code]
    notes = getattr(error, "__notes__", [])
    if not Output.problems:
        say("\n".join([f"error: {error}", *notes]))
    else:
        message, field = "\n".join([str(error), *notes]), getattr(error, "field", None)
        problem = {
            "type": f"urn:papergraph:problem:{error.code.value.lower().replace('_', '-')}",
            "title": http.phrase,
            "status": http.value,
            "detail": message,
            "code": error.code.value,
            "errors": [{"field": field, "message": str(error)}] if field else [],
        }
        say(json.dumps(problem, ensure_ascii=False))
    return status


def show(found: Found, write_it: Callable[[Found], None], *, as_json: bool) -> None:
    """Write what a command found, as JSON or by ``write_it``."""
    if as_json:
        write_json(asdict(found))
    else:
        write_it(found)


def write_json(value: Any) -> None:
    """Write a value to standard output as JSON."""
    write(json.dumps(value, ensure_ascii=False, default=str))


def write_records(found: "Sequence[Record]") -> None:
    """Write records to standard output as a JSON list, with the names that they have outside."""
    from papergraph.records import to_json

    write(f"[{', '.join(map(to_json, found))}]")


def write(line: str) -> None:
    """Write a line of the result to standard output."""
    print(line)  # noqa: T201


def say(line: str) -> None:
    """Write a line about the command to standard error."""
    print(line, file=sys.stderr)  # noqa: T201
