"""``papergraph search``, ``replay`` and ``pipelines``: look for passages, repeat a search, see how one ranks."""

import asyncio
import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from papergraph.errors import InputError
from server.commands import (
    DEFAULT_COLLECTION,
    EXIT_FAILED,
    EXIT_NOTHING_FOUND,
    Collection,
    Json,
    Quiet,
    progress,
    say,
    settings,
    write,
)

if TYPE_CHECKING:
    from server.retrieval.pipelines import Pipeline

pipelines_app = typer.Typer(
    help="Pipelines: the ways to rank that a search can name.", no_args_is_help=True, rich_markup_mode=None
)


def search(
    query: Annotated[str, typer.Argument(help="What to look for.")],
    k: Annotated[
        int | None, typer.Option("--k", "-k", help="Number of hits, 1 to 100; else what the pipeline gives.")
    ] = None,
    collection: Collection = DEFAULT_COLLECTION,
    pipeline: Annotated[
        str, typer.Option("--pipeline", "-p", help="How to rank; papergraph pipelines list shows the names.")
    ] = "default",
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="Another option of a step, such as search.k=50; repeatable.")
    ] = None,
    diverse: Annotated[
        float | None,
        typer.Option(help="Select passages unlike each other: the weight of relevance, 0 to 1; .7 is usual."),
    ] = None,
    select: Annotated[
        list[str] | None,
        typer.Option(help="An option of the selection, such as max_per_paper=2 or token_budget=1500; repeatable."),
    ] = None,
    filter_: Annotated[
        str | None,
        typer.Option(
            "--filter", help='Which papers to look among, as JSON: {"years": {"from": 2020}}; docs/filters.md.'
        ),
    ] = None,
    backfill: Annotated[
        bool, typer.Option("--backfill", help="Fill up from the whole collection where the filter lets too few pass.")
    ] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Tell what each step did, and why each hit is there.")] = (
        False
    ),
    save: Annotated[Path | None, typer.Option(help="Write the run to this file, for papergraph replay.")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Search for passages; fast when a server runs, else the model and Neo4j are started for it."""
    from server.asking import SEARCH

    asked: dict[str, Any] = {"query": query, "collection": collection, "pipeline": pipeline}
    asked["overrides"] = [override_of(text) for text in set_ or ()]
    if filter_ is not None:
        asked |= {"filter": filter_of(filter_), "backfill": backfill}
    elif backfill:
        raise InputError("--backfill goes with --filter", field="backfill")
    if k is not None:
        asked["k"] = k
    if diverse is not None or select:
        asked["selection"] = selection_of(select or (), k=k, alpha=diverse)
    if save is not None and not save.parent.is_dir():
        raise InputError(f"there is no folder {save.parent}", field="save")
    variables = {"input": asked, "explain": explain, "save": save is not None}
    found = _ask(SEARCH, variables, quiet=quiet or as_json)["search"]
    if save is not None:
        save.write_text(json.dumps(found.pop("run"), ensure_ascii=False, indent=1) + "\n")
    hits = found["hits"]
    if as_json:
        write(json.dumps(found, ensure_ascii=False))
    else:
        from server.terminal import write_hits, write_trace

        if explain:
            write_trace(found)
        write_hits(hits)
    if not hits:
        say("nothing found")
        raise typer.Exit(EXIT_NOTHING_FOUND)


def replay(
    file: Annotated[Path, typer.Argument(help="A run that papergraph search --save wrote.")],
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run a saved search again, without a language model, and tell what is different; status 1 if anything is."""
    from papergraph.store import open_store
    from server import working
    from server.retrieval.saving import read_saved

    try:
        saved = read_saved(file.read_bytes())
    except OSError as error:
        raise InputError(f"cannot read {file}: {error}", field="file") from error
    chosen = settings()
    with progress(quiet=quiet or as_json) as told, open_store(chosen, progress=told) as address:
        differences = asyncio.run(working.replay(chosen, address, saved, progress=told))
    if as_json:
        write(json.dumps({"same": not differences, "differences": differences}))
    else:
        write("\n".join(differences) if differences else f"the same {len(saved.hits)} hits")
    if differences:
        raise typer.Exit(EXIT_FAILED)


@pipelines_app.command("list")
def list_pipelines(as_json: Json = False) -> None:
    """Show all pipelines: ours, and those of PAPERGRAPH_PIPELINES."""
    from server.retrieval.pipelines import needs
    from server.retrieval.resources import known_pipelines

    known = known_pipelines(settings())
    if as_json:
        write(json.dumps({name: one.as_dict() | {"needs": needs(one)} for name, one in known.items()}))
        return
    from server.terminal import write_table

    write_table(
        ("pipeline", "what it does", "needs"), [(one.name, one.about, ", ".join(needs(one))) for one in known.values()]
    )


@pipelines_app.command("show")
def show_pipeline(
    name: Annotated[str, typer.Argument(help="Its name.")],
    as_json: Json = False,
) -> None:
    """Show a pipeline with all of its options, as a file of pipelines has it."""
    from server.retrieval.pipelines import find
    from server.retrieval.resources import known_pipelines

    found = find(name, known_pipelines(settings()))
    write(json.dumps({found.name: found.as_dict()}) if as_json else as_toml(found))


def as_toml(pipeline: "Pipeline") -> str:
    """Return a pipeline as it stands in a file of pipelines, all options given."""
    written = pipeline.as_dict()
    bare = pipeline.name.replace("-", "").replace("_", "").isalnum()
    lines = [f"[{pipeline.name if bare else _toml(pipeline.name)}]"]
    lines += [f"{name} = {_toml(written[name])}" for name in ("about", "source", "reader")]
    lines += ["steps = [", *(f"  {_toml(step)}," for step in written["steps"]), "]"]
    return "\n".join(lines)


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        inside = ", ".join(f"{name} = {_toml(one)}" for name, one in value.items() if one is not None)
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False)


def filter_of(text: str) -> dict[str, Any]:
    """Return a filter as GraphQL takes it.

    Raises:
        InputError: It is none.
    """
    from server.retrieval.filters import parse_filter

    try:
        read = json.loads(text)
    except ValueError as error:
        raise InputError(f"--filter takes JSON: {error}", field="filter") from error
    return _with_inputs(parse_filter(read).data())


def _with_inputs(data: dict[str, Any]) -> dict[str, Any]:
    """Return a filter's data with clusters in the form of an input that is one of two."""
    found: dict[str, Any] = {}
    for name, value in data.items():
        if name in ("all", "any"):
            found[name] = [_with_inputs(one) for one in value]
        elif name == "not":
            found[name] = _with_inputs(value)
        elif name == "clusters":
            found[name] = [{"id": one} if isinstance(one, str) else {"metadata": one} for one in value]
        else:
            found[name] = value
    return found


def override_of(text: str) -> dict[str, Any]:
    """Return an override of ``step.option=value``.

    Raises:
        InputError: It has no = in it.
    """
    option, value = _pair(text, "--set takes step.option=value")
    return {"option": option, "value": value}


def selection_of(texts: Iterable[str], *, k: int | None, alpha: float | None) -> dict[str, Any]:
    """Return a selection as GraphQL takes it, of ``option=value`` texts and what stands for itself.

    Raises:
        InputError: There is no such option, or no = in a text.
    """
    from pydantic.alias_generators import to_camel

    from server.retrieval.steps import Select

    found: dict[str, Any] = {name: value for name, value in (("k", k), ("alpha", alpha)) if value is not None}
    options = [name for name in Select.model_fields if name != "step"]
    for text in texts:
        option, value = _pair(text, "--select takes option=value")
        if option not in options:
            raise InputError(f"a selection has no option {option!r}; it has {', '.join(options)}", field="select")
        found[to_camel(option)] = value.upper() if option == "form" else value
    return found


def _pair(text: str, takes: str) -> tuple[str, Any]:
    """Return name and value of ``name=value``, the value as TOML has it, or a bare word."""
    name, equals, value = text.partition("=")
    if not equals:
        raise InputError(f"{takes}, not {text!r}", field=takes.split()[0].removeprefix("--"))
    try:
        return name.strip(), tomllib.loads(f"value = {value}")["value"]
    except ValueError:
        return name.strip(), value


def _ask(operation: str, variables: Mapping[str, Any], *, quiet: bool) -> dict[str, Any]:
    """Run an operation on the running server, or here if there is none."""
    from server.announcement import find_server
    from server.asking import ask_server

    chosen = settings()
    if url := find_server(chosen.home, neo4j_uri=chosen.neo4j_uri):
        return ask_server(url, operation, variables, key=chosen.key.get_secret_value())
    from papergraph.store import open_store
    from server import executing

    with progress(quiet=quiet) as told, open_store(chosen, progress=told) as address:
        return asyncio.run(executing.execute(chosen, address, operation, variables, progress=told))
