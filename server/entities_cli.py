"""Entities at the command line: load, list, show, decide what is the same, link a query's names, train a pipeline."""

import asyncio
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from server.commands import Collection, Json, Quiet, progress, say, settings, show, with_database, write

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ingest.layers.entities.given import Loaded
    from ingest.layers.entities.reading import Shown
    from ingest.layers.entities.training import Score, Training
    from papergraph.database import Database
    from papergraph.store import Address
    from server.service import Service
    from server.terminal import TerminalProgress

T = TypeVar("T")

entities_app = typer.Typer(
    help="What papers name: list it, show it, say what is the same, load what is given.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def register(app: typer.Typer) -> None:
    """Add the commands about entities to the command line."""
    app.add_typer(entities_app, name="entities")
    app.command("train-ner")(train_ner)


@entities_app.command("list")
def list_(
    words: Annotated[str, typer.Argument(help="What the name holds.")] = "",
    type: Annotated[str, typer.Option(help="Only of this type, such as Dataset.")] = "",
    limit: Annotated[int, typer.Option(help="Most entities.")] = 50,
    collection: Collection = "main",
    as_json: Json = False,
) -> None:
    """List entities, those that most chunks mention first."""
    from ingest.layers.entities.reading import list_entities

    found = with_database(
        lambda database: list_entities(database, collection, words=words, type=type, limit=limit), quiet=True
    )
    if as_json:
        write(json.dumps([asdict(one) for one in found], ensure_ascii=False))
        return
    for one in found:
        others = f"  also {', '.join(one.aliases)}" if one.aliases else ""
        write(f"{one.n_chunks:6}  {one.type:10}  {one.name}{others}")


@entities_app.command("show")
def show_(
    name: Annotated[str, typer.Argument(help="A name, in any case, or an id.")],
    collection: Collection = "main",
    as_json: Json = False,
) -> None:
    """Show an entity: its papers, relations, and what is held to be the same."""
    from ingest.layers.entities.reading import show_entity

    found = with_database(lambda database: show_entity(database, collection, name), quiet=True)
    show(found, _write_entity, as_json=as_json)


@entities_app.command("same")
def same(one: str, other: str, collection: Collection = "main") -> None:
    """Say that two entities are the same thing, by their names or ids; that holds ever after."""
    _decide(one, other, "same", collection)


@entities_app.command("different")
def different(one: str, other: str, collection: Collection = "main") -> None:
    """Say that two entities are not the same thing, by their names or ids; that holds ever after."""
    _decide(one, other, "different", collection)


@entities_app.command("link")
def link_(query: str, collection: Collection = "main", as_json: Json = False) -> None:
    """Find the entities that a query names; those of another spelling by their vectors."""
    from server.retrieval.linking import Link, link

    async def find(service: "Service") -> list[Link]:
        return await link(service.database, collection, query, embedder=service.embedder)

    found = _with_service(find, quiet=True)
    if as_json:
        write(json.dumps([asdict(one) for one in found], ensure_ascii=False))
        return
    for one in found:
        write(f"{query[one.start : one.end]}  ->  {one.name} ({one.type}, by {one.how}, {one.score:.2f})")


@entities_app.command("load")
def load(
    file: Annotated[Path, typer.Argument(help="JSONL: paper, chunk, entities, triples (docs/layers.md).")],
    collection: Collection = "main",
    prefix: Annotated[str, typer.Option(help="What the keys of papers begin with, before what the file says.")] = "",
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Write entities and relations that were found elsewhere to the papers that a file names."""
    from ingest.layers.entities.given import Loaded, load_given
    from ingest.layers.layer import Means

    async def do(service: "Service") -> Loaded:
        return await load_given(service.database, file, Means(service.embedder), collection=collection, prefix=prefix)

    show(_with_service(do, quiet=quiet), _write_loaded, as_json=as_json)


def train_ner(
    data: Annotated[Path, typer.Argument(help="What is learned from: spaCy's JSONL, CoNLL, or DyGIE++'s JSONL.")],
    dev: Annotated[Path, typer.Argument(help="What the best step is chosen by.")],
    folder: Annotated[Path, typer.Argument(help="Where the pipeline goes; must not be there yet.")],
    test: Annotated[Path | None, typer.Option(help="Measured at the end.")] = None,
    steps: Annotated[int, typer.Option(help="Batches that are learned from.")] = 3000,
    seed: Annotated[int, typer.Option(help="Of the random numbers.")] = 0,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Train a spaCy pipeline that finds entities on data of your own; takes a processor for minutes."""
    from ingest.layers.entities.training import train

    log = (lambda line: None) if quiet else say
    show(train(data, dev, folder, test=test, steps=steps, seed=seed, log=log), _write_training, as_json=as_json)


def _decide(one: str, other: str, decision: str, collection: str) -> None:
    from ingest.layers.entities.reading import show_entity
    from ingest.layers.entities.same import SameOptions, resolve, review
    from papergraph.progress import silent

    async def do(database: "Database") -> tuple[str, str]:
        found = [await show_entity(database, collection, name, limit=1) for name in (one, other)]
        await review(database, collection, found[0].id, found[1].id, decision)
        await resolve(database, collection, SameOptions(), progress=silent)
        return found[0].name, found[1].name

    names = with_database(do, quiet=True)
    write(f"{names[0]} and {names[1]} are {decision}")


def _with_service(do: "Callable[[Service], Awaitable[T]]", *, quiet: bool) -> "T":
    """Open the store with its embedding model, which is loaded when it is first used, and do something with both."""
    from papergraph.store import open_store
    from server.opening import open_service

    chosen = settings()

    async def go(address: "Address", told: "TerminalProgress") -> "T":
        async with open_service(chosen, address, progress=told, deferred=True) as service:
            return await do(service)

    with progress(quiet=quiet) as told, open_store(chosen, progress=told) as address:
        return asyncio.run(go(address, told))


def _write_entity(found: "Shown") -> None:
    write(f"{found.name} ({found.type})")
    if found.aliases:
        write(f"also {', '.join(found.aliases)}")
    for paper in found.papers:
        write(f"  in {paper['title']} ({paper['n_chunks']} chunks, {paper['key']})")
    for one in found.related:
        write(f"  {one['start']} - {one['type']} - {one['end']} (by {one['by']}, {one['paper']})")
    for one in found.same:
        write(f"  same as {one['name']} ({one['score']:.2f}, by {one['evidence']})")


def _write_loaded(found: "Loaded") -> None:
    write(f"{found.n_mentions} mentions and {found.n_relations} relations of {found.n_papers} papers")
    if found.n_left_out:
        write(f"{found.n_left_out} triples do not have three parts and were left out")
    if found.n_missing:
        write(f"{found.n_missing} papers are not in the collection, such as {found.missing[0]}")


def _write_training(found: "Training") -> None:
    def line(name: str, score: "Score") -> str:
        return f"{name}: precision {score.precision:.3f}, recall {score.recall:.3f}, F1 {score.f1:.3f}"

    write(f"{found.folder}: {', '.join(found.labels)}, of {found.n_texts} texts in {found.elapsed_s:.0f} s")
    write(line("dev, which it was chosen by", found.dev))
    if found.test is not None:
        write(line("test", found.test))
