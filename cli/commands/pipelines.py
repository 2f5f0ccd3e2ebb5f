"""``papergraph pipelines``: list and show retrieval pipelines, and replay a saved search."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from papergraph.cli.common import EXIT_FAILED, Json, Quiet, progress, settings, write, write_json
from papergraph.cli.groups import Group, Section, new_app
from papergraph.errors import InputError

if TYPE_CHECKING:
    from papergraph.server.retrieval.pipelines import Pipeline

app = new_app("List, show and replay retrieval pipelines.")


@app.command("list")
def list_pipelines(as_json: Json = False) -> None:
    """List retrieval pipelines."""
    from papergraph.server.retrieval.pipelines import known_pipelines, needs

    known = known_pipelines(settings())
    if as_json:
        write_json({name: one.as_dict() | {"needs": needs(one)} for name, one in known.items()})
        return
    from papergraph.cli.output import write_table

    rows = [(one.name, one.about, ", ".join(needs(one))) for one in known.values()]
    write_table(("pipeline", "description", "needs"), rows)


@app.command("show", epilog="Example: papergraph pipelines show fused > mine.toml")
def show_pipeline(
    name: Annotated[str, typer.Argument(help="Name of the pipeline.")],
    as_json: Json = False,
) -> None:
    """Print a pipeline as TOML."""
    from papergraph.server.retrieval.pipelines import find, known_pipelines

    found = find(name, known_pipelines(settings()))
    if as_json:
        write_json({found.name: found.as_dict()})
    else:
        write(as_toml(found))


@app.command("replay", epilog="Example: papergraph search qubits --save-run a.json; papergraph pipelines replay a.json")
def replay(
    file: Annotated[Path, typer.Argument(help="File of papergraph search --save-run.")],
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Repeat a saved search and compare.

    No language model is called. Exit 1 if the hits differ.
    """
    from papergraph.server.local import store_operations as working
    from papergraph.server.retrieval.saved_run import read_saved
    from papergraph.store import open_store

    try:
        saved = read_saved(file.read_bytes())
    except OSError as error:
        raise InputError(f"Cannot read {file}: {error}.", field="file") from error
    chosen = settings()
    with progress(quiet=quiet or as_json) as told, open_store(chosen, progress=told) as address:
        differences = asyncio.run(working.replay(chosen, address, saved, progress=told))
    if as_json:
        write_json({"same": not differences, "differences": differences})
    else:
        write("\n".join(differences) if differences else f"the same {len(saved.hits)} hits")
    if differences:
        raise typer.Exit(EXIT_FAILED)


def as_toml(pipeline: "Pipeline") -> str:
    """Return a pipeline with all of its options in the form of a file of pipelines."""
    written = pipeline.as_dict()
    bare = pipeline.name.replace("-", "").replace("_", "").isalnum()
    lines = [f"[{pipeline.name if bare else _toml(pipeline.name)}]"]
    lines += [
        f"{name} = {_toml(written[name])}" for name in ("about", "source", "reader", "chunker") if name in written
    ]
    lines += ["steps = [", *(f"  {_toml(step)}," for step in written["steps"]), "]"]
    return "\n".join(lines)


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        inside = ", ".join(f"{name} = {_toml(one)}" for name, one in value.items() if one is not None)
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False)


GROUP = Group("pipelines", Section.QUERY, 35, app)
