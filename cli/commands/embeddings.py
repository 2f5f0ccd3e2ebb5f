"""``papergraph embeddings``: change the embedding model while searches continue."""

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from papergraph.cli.common import Json, Quiet, progress, settings, show
from papergraph.cli.groups import Group, Section, new_app

if TYPE_CHECKING:
    from collections.abc import Callable

    from papergraph.cli.output import TerminalProgress
    from papergraph.settings import Settings
    from papergraph.store import Address

T = TypeVar("T")
Model = Annotated[str, typer.Argument(help="Name or folder of an embedding model.")]
Rate = Annotated[float | None, typer.Option(help="Maximum texts per second.", min=0.01)]
DutyCycle = Annotated[float, typer.Option(help="Share of time to work; the rest is idle.", min=0.01, max=1.0)]
Switch = Annotated[bool, typer.Option("--switch/--no-switch", help="Use the vectors once all are made.")]

app = new_app("Change the embedding model while searches continue.")


@app.command("status")
def status(as_json: Json = False, quiet: Quiet = False) -> None:
    """Show embedding models and vectors."""
    from papergraph.cli.output import write_models
    from papergraph.server.local import store_operations as working

    found = _with_store(lambda chosen, address, told: working.reembed_status(address), quiet=quiet or as_json)
    show(found, write_models, as_json=as_json)


@app.command("switch", epilog="Example: papergraph embeddings switch ~/models/larger --duty-cycle 0.3")
def switch_to(
    model: Model,
    rate: Rate = None,
    duty_cycle: DutyCycle = 0.5,
    switch: Switch = True,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Re-embed with another model and switch to it.

    Searches use the previous vectors until all new ones are made. Run an interrupted command again to resume it.
    """
    _reembed(model, _pace(rate, duty_cycle), switch=switch, as_json=as_json, quiet=quiet)


@app.command("rollback")
def rollback(rate: Rate = None, duty_cycle: DutyCycle = 0.5, as_json: Json = False, quiet: Quiet = False) -> None:
    """Return to the previous vectors."""
    _reembed(None, _pace(rate, duty_cycle), switch=True, as_json=as_json, quiet=quiet)


@app.command("prune")
def prune(rate: Rate = None, duty_cycle: DutyCycle = 0.5, as_json: Json = False, quiet: Quiet = False) -> None:
    """Delete unused vectors."""
    from papergraph.cli.output import write_reembedding
    from papergraph.server.local import store_operations as working

    pace = _pace(rate, duty_cycle)
    report = _with_store(
        lambda chosen, address, told: working.drop_old(address, pace=pace, progress=told), quiet=quiet or as_json
    )
    show(report, write_reembedding, as_json=as_json)


def _reembed(model: str | None, pace: Any, *, switch: bool, as_json: bool, quiet: bool) -> None:
    from papergraph.cli.output import write_reembedding
    from papergraph.server.local import store_operations as working

    report = _with_store(
        lambda chosen, address, told: working.reembed(
            chosen, address, model=model, pace=pace, switch=switch, progress=told
        ),
        quiet=quiet or as_json,
    )
    show(report, write_reembedding, as_json=as_json)


def _pace(rate: float | None, duty_cycle: float) -> Any:
    from papergraph.ingest.reembed import Pace

    return Pace(rate, duty_cycle)


def _with_store(do: "Callable[[Settings, Address, TerminalProgress], Coroutine[Any, Any, T]]", *, quiet: bool) -> T:
    from papergraph.store import open_store

    chosen = settings()
    with progress(quiet=quiet) as told, open_store(chosen, progress=told) as address:
        found = asyncio.run(do(chosen, address, told))
        told.pause()
        return found


GROUP = Group("embeddings", Section.OPERATE, 54, app)
