"""``papergraph ask`` and ``collections``: an answer with its sources, and what a collection's papers are about."""

import asyncio
import json
import sys
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import typer

from server.commands import (
    DEFAULT_COLLECTION,
    EXIT_NOTHING_FOUND,
    Collection,
    Json,
    Quiet,
    progress,
    say,
    settings,
    with_database,
    write,
)
from server.search_cli import filter_of, override_of, selection_of

collections_app = typer.Typer(
    help="Collections: what each holds, and what its papers are about.", no_args_is_help=True, rich_markup_mode=None
)


def ask(
    question: Annotated[str, typer.Argument(help="What to ask.")],
    k: Annotated[int | None, typer.Option("--k", "-k", help="Passages to answer from, 1 to 100.")] = None,
    collection: Collection = DEFAULT_COLLECTION,
    pipeline: Annotated[
        str,
        typer.Option("--pipeline", "-p", help="How passages are found; papergraph pipelines list shows the names."),
    ] = "default",
    mode: Annotated[
        str, typer.Option(help="Who writes: auto, model, or extractive, which gives sentences of the papers.")
    ] = "auto",
    reader: Annotated[
        str | None, typer.Option(help="What a model writes from: passages, questions or pages; else as the pipeline.")
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="Another option of a step, such as search.k=50; repeatable.")
    ] = None,
    diverse: Annotated[
        float | None,
        typer.Option(help="Select passages unlike each other: the weight of relevance, 0 to 1; .7 is usual."),
    ] = None,
    filter_: Annotated[
        str | None,
        typer.Option("--filter", help='Which papers to look among, as JSON: {"years": {"from": 2020}}.'),
    ] = None,
    token_budget: Annotated[int | None, typer.Option(help="Tokens of all passages together, at most.")] = None,
    least_support: Annotated[
        float | None, typer.Option(help="Probability of an answer in the passages below which to refuse, 0 to 1.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Ask a question; the answer comes as it is written, then its citations. Status 3 where there is no answer."""
    given = {
        "k": k,
        "reader": None if reader is None else reader.upper(),
        "tokenBudget": token_budget,
        "leastSupport": least_support,
        "filter": None if filter_ is None else filter_of(filter_),
        "selection": None if diverse is None else selection_of((), k=k, alpha=diverse),
    }
    asked: dict[str, Any] = {
        "question": question,
        "collection": collection,
        "pipeline": pipeline,
        "mode": mode.upper(),
        "overrides": [override_of(text) for text in set_ or ()],
    } | {name: value for name, value in given.items() if value is not None}
    result = _follow({"input": asked}, take=None if as_json else _shown, quiet=quiet or as_json)
    if as_json:
        write(json.dumps(result, ensure_ascii=False))
    else:
        _write_end(result)
    if result["__typename"] == "Refusal":
        raise typer.Exit(EXIT_NOTHING_FOUND)


@collections_app.command("list")
def list_collections(as_json: Json = False, quiet: Quiet = False) -> None:
    """Show the collections, with what they hold and what their papers are about."""
    from server.retrieval import exploring

    found = with_database(exploring.list_collections, quiet=quiet or as_json)
    if as_json:
        write(json.dumps([vars(one) | {"ingested_at": one.ingested_at.isoformat()} for one in found]))
        return
    from rich.markup import escape

    from server.terminal import write_table

    write_table(
        ("collection", "papers", "chunks", "about"),
        [(one.name, f"{one.n_papers}", f"{one.n_chunks}", escape(one.scope or "")) for one in found],
    )


@collections_app.command("scope")
def scope(
    collection: Annotated[str, typer.Argument(help="Its name.")],
    text: Annotated[
        str | None, typer.Argument(help="What its papers are about; '' takes it back, nothing shows it.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Say what a collection's papers are about: a question about something else is refused as out of scope."""
    from server.answering.scopes import scope_of, set_scope

    if text is None:
        write(with_database(lambda database: scope_of(database, collection), quiet=quiet) or "")
        return
    now = with_database(lambda database: set_scope(database, collection, text), quiet=quiet)
    say(f"{collection}: {now}" if now else f"{collection} has no scope now")


def _follow(
    variables: Mapping[str, Any], *, take: Callable[[dict[str, Any]], None] | None, quiet: bool
) -> dict[str, Any]:
    """Follow an answer on the running server, or here if there is none, and return how it ends."""
    from server.announcement import find_server
    from server.asking import ANSWER, ServerUnavailableError, follow_server

    last: dict[str, Any] = {}

    def hear(data: dict[str, Any]) -> None:
        event = data.get("answer") or {}
        if event.get("__typename") == "AnswerEnded":
            last.update(event["result"])
        elif take is not None and event:
            take(event)

    chosen = settings()
    if url := find_server(chosen.home, neo4j_uri=chosen.neo4j_uri):
        for data in follow_server(url, ANSWER, variables, key=chosen.key.get_secret_value()):
            hear(data)
    else:
        from papergraph.store import open_store
        from server import executing

        with progress(quiet=quiet) as told, open_store(chosen, progress=told) as address:

            def heard(data: dict[str, Any]) -> None:
                told.pause()
                hear(data)

            asyncio.run(executing.follow(chosen, address, ANSWER, variables, take=heard, progress=told))
    if not last:
        raise ServerUnavailableError("the answer broke off before its end")
    return last


def _shown(event: Mapping[str, Any]) -> None:
    """Write a piece of the answer as it comes."""
    if event["__typename"] == "AnswerDelta":
        sys.stdout.write(event["text"])
        sys.stdout.flush()


def _write_end(result: Mapping[str, Any]) -> None:
    """Write what stands below an answer, or why there is none."""
    if result["__typename"] == "Refusal":
        write(f"The papers do not say: {result['message']}.")
        for source in result["nearestEvidence"][:3]:
            write(f"  nearest: {_place(source['hit']['paper']['title'], source['hit']['sectionPath'])}")
    else:
        write("\n")
        for citation in result["citations"]:
            page = f", p. {citation['page']}" if citation["page"] else ""
            write(f"[{citation['number']}] {_place(citation['paperTitle'], citation['sectionPath'])}{page}")
            write(f"    “{' '.join(citation['quote'].split())}”")
            write(f"    {citation['url'] or 'chunk ' + citation['chunkId']}")
        if not result["llmGenerated"]:
            say("sentences of the papers; no language model wrote this")
    for line in result["degraded"]:
        say(f"note: {line}")
    for one in result["dropped"]:
        say(f"dropped: {one['text']} ({one['detail']})")


def _place(title: str, path: list[str]) -> str:
    return " > ".join([title, *(part for part in path if part)])
