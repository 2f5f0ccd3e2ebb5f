"""``papergraph dev``: schemas, and an emulated p-bit device."""

import asyncio
import sys
from enum import StrEnum
from typing import Annotated, TypeVar

import typer

from papergraph.cli.common import say, settings, write
from papergraph.cli.groups import Group, Section, new_app
from papergraph.errors import InputError

Choice = TypeVar("Choice", bound=StrEnum)
FAULTS = "lies, stalls, dies, exits, busy, spins, shape, other-..."

app = new_app("Commands for development.")


@app.command("schema", epilog="Example: papergraph dev schema --openapi > openapi.json")
def show_schema(
    openapi: Annotated[bool, typer.Option("--openapi", help="Print the OpenAPI schema instead.")] = False,
) -> None:
    """Print the GraphQL or OpenAPI schema."""
    if openapi:
        from papergraph.server.rest.openapi import json_lines
        from papergraph.server.rest.router import description

        sys.stdout.write(json_lines(description()) + "\n")
    else:
        from papergraph.server.graphql.schema import sdl

        sys.stdout.write(sdl())


@app.command("pbit-emulator", epilog="Example: papergraph dev pbit-emulator --max-spins 128")
def pbit_emulator(
    host: Annotated[str, typer.Option(help="Address to listen on; others than loopback need a token.")] = ("127.0.0.1"),
    port: Annotated[int, typer.Option(help="Port to listen on; 0 = any free port.", min=0, max=65535)] = 8765,
    max_spins: Annotated[int, typer.Option(help="Maximum spins per problem.", min=1, max=4096)] = 512,
    coupling_bits: Annotated[
        int, typer.Option(help="Bits per coupling, with sign; 0 = floating point.", min=0, max=32)
    ] = 8,
    field_bits: Annotated[int, typer.Option(help="Bits per field; 0 = floating point.", min=0, max=48)] = 16,
    sign: Annotated[str, typer.Option(help="Minimised energy: plus, h·s + Σ J s s, or minus.")] = "plus",
    pairs: Annotated[str, typer.Option(help="Count of each pair: once or twice.")] = "once",
    declare: Annotated[
        str | None, typer.Option(help="False declaration of sign and pairs, such as minus,once.")
    ] = None,
    fault: Annotated[str | None, typer.Option(help=f"Fault: {FAULTS}")] = None,
    fault_from: Annotated[int, typer.Option(help="Smallest number of spins with the fault.", min=0)] = 4,
) -> None:
    """Start an emulated p-bit device.

    Serve it until Ctrl-C.
    """
    from papergraph.server.process.pbit_emulator import Fault, Pairs, PbitDevice, Sign, emulate
    from papergraph.server.process.sockets import listening, url_of

    token = settings().device.token.get_secret_value()
    _refuse_open(host, token)
    declared = declare.split(",") if declare else None
    device = PbitDevice(
        max_spins=max_spins,
        coupling_bits=_bits(coupling_bits, "coupling_bits"),
        field_bits=_bits(field_bits, "field_bits"),
        sign=_one_of(Sign, sign, "sign"),
        pairs=_one_of(Pairs, pairs, "pairs"),
        declared_sign=_one_of(Sign, declared[0], "declare") if declared else None,
        declared_pairs=_one_of(Pairs, declared[-1], "declare") if declared else None,
        fault=_one_of(Fault, fault, "fault") if fault else None,
        fault_from=fault_from,
    )

    def ready() -> None:
        url = url_of(sock)
        write(url)
        sys.stdout.flush()  # the parent may wait for the address in a pipe
        say(f"an emulated p-bit device of {max_spins} spins; PAPERGRAPH_DEVICE_URL={url} makes selections use it")

    with listening(host, port, chosen_by="--port") as sock:
        asyncio.run(emulate(device, sock, token=token, ready=ready))


def _one_of(kind: type[Choice], text: str, field: str) -> Choice:
    """Return one of a closed list by its name.

    Raises:
        InputError: The text is no member of the list.
    """
    try:
        return kind(text.strip())
    except ValueError:
        raise InputError(f"{text!r} is none of {', '.join(kind)}", field=field) from None


def _bits(number: int, field: str) -> int | None:
    """Return a number of bits, None for floating point.

    Raises:
        InputError: So few bits hold nothing of use.
    """
    if 0 < number < 3:
        raise InputError(f"{field} must be 0, or at least 3, got {number}", field=field)
    return number or None


def _refuse_open(host: str, token: str) -> None:
    """Refuse a host other than this machine unless a token is required.

    Raises:
        InputError: The host is not a loopback address, and no token is set.
    """
    if token or host == "127.0.0.1":
        return
    from papergraph.server.auth.server_limits import is_loopback

    if not is_loopback(host):
        raise InputError(
            f"without a token the device listens on this machine only: use 127.0.0.1, not {host!r}, or set "
            "PAPERGRAPH_DEVICE_TOKEN",
            field="host",
        )


GROUP = Group("dev", Section.DEVELOP, 71, app)
