"""``papergraph pbit-emulator``: an emulated p-bit device as a process of its own."""

import asyncio
import sys
from enum import StrEnum
from typing import Annotated, TypeVar

import typer

from papergraph.errors import InputError
from server.commands import say, settings, write

Choice = TypeVar("Choice", bound=StrEnum)
FAULTS = "lies, stalls, dies, exits, busy, other-problem, other-states, spins, shape or garbage"


def pbit_emulator(
    host: Annotated[
        str, typer.Option(help="Address to listen on; beyond this machine only with PAPERGRAPH_PBIT_TOKEN.")
    ] = ("127.0.0.1"),
    port: Annotated[int, typer.Option(help="Port; 0 takes a free one.", min=0, max=65535)] = 8765,
    max_spins: Annotated[int, typer.Option(help="Most spins of a problem.", min=1, max=4096)] = 512,
    coupling_bits: Annotated[
        int, typer.Option(help="Bits of a coupling, sign included; 0 for floating point.", min=0, max=32)
    ] = 8,
    field_bits: Annotated[int, typer.Option(help="Bits of a field; 0 for floating point.", min=0, max=48)] = 16,
    sign: Annotated[str, typer.Option(help="What it minimises: plus, h·s + Σ J s s, or minus, the negative.")] = "plus",
    pairs: Annotated[str, typer.Option(help="How often a pair counts: once or twice.")] = "once",
    declare: Annotated[
        str | None, typer.Option(help="What it says of the two, where that is not true, such as minus,once.")
    ] = None,
    fault: Annotated[str | None, typer.Option(help=f"How it fails: {FAULTS}.")] = None,
    fault_from: Annotated[int, typer.Option(help="From how many spins on it fails.", min=0)] = 4,
) -> None:
    """Serve an emulated p-bit device until Ctrl-C, by the protocol of docs/device.md."""
    from server.listening import listening, url_of
    from server.pbit.device import Fault, Pairs, PbitDevice, Sign
    from server.pbit.emulator import emulate

    token = settings().pbit_token.get_secret_value()
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
        sys.stdout.flush()  # whoever started it may wait for the address in a pipe
        say(f"an emulated p-bit device of {max_spins} spins; PAPERGRAPH_PBIT_URL={url} makes selections use it")

    with listening(host, port, chosen_by="--port") as sock:
        asyncio.run(emulate(device, sock, token=token, ready=ready))


def _one_of(kind: type[Choice], text: str, field: str) -> Choice:
    """Return one of a closed list by its name.

    Raises:
        InputError: There is no such one.
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
    """Refuse an address that others reach, unless they have to show a token.

    Raises:
        InputError: It must not be listened on.
    """
    if token or host == "127.0.0.1":
        return
    from server.access.policy import is_loopback

    if not is_loopback(host):
        raise InputError(
            f"without a token the device listens on this machine only: use 127.0.0.1, not {host!r}, or set "
            "PAPERGRAPH_PBIT_TOKEN",
            field="host",
        )
