"""``papergraph entities``: list, show, merge, split, link, import and train."""

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from papergraph.cli.common import (
    DEFAULT_COLLECTION,
    Collection,
    Json,
    Quiet,
    progress,
    say,
    settings,
    show,
    with_database,
    write,
    write_json,
)
from papergraph.cli.groups import Group, Section, new_app

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from papergraph.cli.output import TerminalProgress
    from papergraph.database import Database
    from papergraph.ingest.enrichments.entities.stored_entities import Shown
    from papergraph.ingest.enrichments.entities.training import Loaded, Score, Training
    from papergraph.server.operations.service import Service
    from papergraph.store import Address

T = TypeVar("T")

Limit = Annotated[int, typer.Option("--limit", "-n", help="Number of entities.")]
Name = Annotated[str, typer.Argument(help="Name, in any case, or id of an entity.")]
Other = Annotated[str, typer.Argument(help="Name or id of the other entity.")]

app = new_app("List, review, import and train entities.")


@app.command("list")
def list_(
    words: Annotated[str, typer.Argument(help="Words of the name.")] = "",
    type: Annotated[str, typer.Option(help="Only entities of this type, such as Dataset.")] = "",
    limit: Limit = 50,
    collection: Collection = DEFAULT_COLLECTION,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """List entities, most mentioned first."""
    from papergraph.ingest.enrichments.entities.stored_entities import list_entities

    found = with_database(
        lambda database: list_entities(database, collection, words=words, type=type, limit=limit),
        quiet=quiet or as_json,
    )
    if as_json:
        write_json([asdict(one) for one in found])
        return
    for one in found:
        others = f"  also {', '.join(one.aliases)}" if one.aliases else ""
        write(f"{one.n_chunks:6}  {one.type:10}  {one.name}{others}")


@app.command("show")
def show_(name: Name, collection: Collection = DEFAULT_COLLECTION, as_json: Json = False, quiet: Quiet = False) -> None:
    """Show an entity, its papers and relations."""
    from papergraph.ingest.enrichments.entities.stored_entities import show_entity

    found = with_database(lambda database: show_entity(database, collection, name), quiet=quiet or as_json)
    show(found, _write_entity, as_json=as_json)


@app.command("merge", epilog="Example: papergraph entities merge MRR 'mean reciprocal rank'")
def merge(
    one: Name, other: Other, collection: Collection = DEFAULT_COLLECTION, as_json: Json = False, quiet: Quiet = False
) -> None:
    """Mark two entities as the same."""
    _decide(one, other, "same", collection, as_json=as_json, quiet=quiet)


@app.command("split")
def split(
    one: Name, other: Other, collection: Collection = DEFAULT_COLLECTION, as_json: Json = False, quiet: Quiet = False
) -> None:
    """Mark two entities as different."""
    _decide(one, other, "different", collection, as_json=as_json, quiet=quiet)


@app.command("link")
def link_(
    query: Annotated[str, typer.Argument(help="Query.")],
    collection: Collection = DEFAULT_COLLECTION,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Link the names in a query to entities."""
    from papergraph.server.retrieval.entity_linking import Link, link

    async def find(service: "Service") -> list[Link]:
        return await link(service.database, collection, query, embedder=service.embedder)

    found = _with_service(find, quiet=quiet or as_json)
    if as_json:
        write_json([asdict(one) for one in found])
        return
    for one in found:
        write(f"{query[one.start : one.end]}  ->  {one.name} ({one.type}, by {one.how}, {one.score:.2f})")


@app.command("import", epilog="Example: papergraph entities import entities.jsonl --prefix file:/data/")
def import_(
    file: Annotated[Path, typer.Argument(help="JSON lines with paper, chunk, entities and triples.")],
    collection: Collection = DEFAULT_COLLECTION,
    prefix: Annotated[str, typer.Option(help="Prefix of the keys of papers in the file.")] = "",
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Import entities and relations."""
    from papergraph.ingest.enrichments.enrichment import EnrichmentContext
    from papergraph.ingest.enrichments.entities.training import Loaded, load_given

    async def do(service: "Service") -> Loaded:
        return await load_given(
            service.database, file, EnrichmentContext(service.embedder), collection=collection, prefix=prefix
        )

    show(_with_service(do, quiet=quiet or as_json), _write_loaded, as_json=as_json)


@app.command("train", epilog="Example: papergraph entities train train.txt dev.txt ~/models/ner --test test.txt")
def train_(
    data: Annotated[Path, typer.Argument(help="Training data: spaCy's JSONL, CoNLL, or DyGIE++'s JSONL.")],
    dev: Annotated[Path, typer.Argument(help="Data to choose the best step by.")],
    folder: Annotated[Path, typer.Argument(help="New folder of the recogniser.")],
    test: Annotated[Path | None, typer.Option(help="Data to measure at the end.")] = None,
    steps: Annotated[int, typer.Option(help="Number of batches.")] = 3000,
    seed: Annotated[int, typer.Option(help="Seed of the random numbers.")] = 0,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Train an entity recogniser.

    Training runs for minutes on one processor.
    """
    from papergraph.ingest.enrichments.entities.training import train

    log = (lambda line: None) if quiet or as_json else say
    show(train(data, dev, folder, test=test, steps=steps, seed=seed, log=log), _write_training, as_json=as_json)


def _decide(one: str, other: str, decision: str, collection: str, *, as_json: bool, quiet: bool) -> None:
    from papergraph.ingest.enrichments.entities.resolution import SameOptions, resolve, review
    from papergraph.ingest.enrichments.entities.stored_entities import show_entity
    from papergraph.progress import silent

    async def do(database: "Database") -> tuple[str, str]:
        found = [await show_entity(database, collection, name, limit=1) for name in (one, other)]
        await review(database, collection, found[0].id, found[1].id, decision)
        await resolve(database, collection, SameOptions(), progress=silent)
        return found[0].name, found[1].name

    names = with_database(do, quiet=quiet or as_json)
    if as_json:
        write_json({"names": names, "decision": decision})
    else:
        write(f"{names[0]} and {names[1]} are {decision}")


def _with_service(do: "Callable[[Service], Awaitable[T]]", *, quiet: bool) -> "T":
    """Open the store with its embedding model, which is loaded when it is first used, and do something with both."""
    from papergraph.server.startup import open_service
    from papergraph.store import open_store

    chosen = settings()

    async def go(address: "Address", told: "TerminalProgress") -> "T":
        async with open_service(chosen, address, progress=told) as service:
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


GROUP = Group("entities", Section.EXPLORE, 42, app)
