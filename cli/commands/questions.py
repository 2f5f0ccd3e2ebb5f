"""``papergraph questions``: list, show and review questions."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import asdict
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
    from papergraph.database import Database
    from papergraph.ingest.enrichments.enrichment import EnrichmentContext
    from papergraph.ingest.enrichments.questions.review import Decision, Redundancy, StoredQuestion

T = TypeVar("T")
QuestionId = Annotated[str, typer.Argument(metavar="ID", help="Id of a question.")]

app = new_app("List and review questions of papers.")


@app.command("list")
def list_them(
    collection: Collection = DEFAULT_COLLECTION,
    paper: Annotated[str | None, typer.Option(help="Only questions of the paper with this id.")] = None,
    generator: Annotated[str | None, typer.Option(help="Only by model, written, template or extractive.")] = None,
    reviewed: Annotated[
        str | None, typer.Option("--review", help="Only accepted or edited questions, or none.")
    ] = None,
    after: Annotated[str, typer.Option(help="Continue after this id.")] = "",
    limit: Annotated[int, typer.Option("--limit", "-n", help="Number of questions.", min=1, max=1000)] = 20,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """List questions."""
    from papergraph.ingest.enrichments.questions.review import list_questions

    def find(database: "Database") -> "Awaitable[list[StoredQuestion]]":
        return list_questions(
            database, collection, paper_id=paper, generator=generator, review=reviewed, after=after, limit=limit
        )

    found = with_database(find, quiet=quiet or as_json)
    if as_json:
        write_json([asdict(question) for question in found])
    else:
        for question in found:
            write(f"{question.id}  {question.text}  ({_origin(question)}; {question.paper})")
    if not found:
        say("There are no questions.")


@app.command("show")
def show_one(
    id: QuestionId, collection: Collection = DEFAULT_COLLECTION, as_json: Json = False, quiet: Quiet = False
) -> None:
    """Show a question and its answer."""
    from papergraph.ingest.enrichments.questions.review import find_question

    found = with_database(lambda database: find_question(database, collection, id), quiet=quiet or as_json)
    show(found, _write_question, as_json=as_json)


@app.command()
def accept(
    id: QuestionId, collection: Collection = DEFAULT_COLLECTION, as_json: Json = False, quiet: Quiet = False
) -> None:
    """Accept a question."""
    _decide(id, "accepted", None, collection=collection, as_json=as_json, quiet=quiet)


@app.command()
def edit(
    id: QuestionId,
    text: Annotated[str, typer.Argument(help="New text.")],
    collection: Collection = DEFAULT_COLLECTION,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Edit a question; it gets a new id."""
    _decide(id, "edited", text, collection=collection, as_json=as_json, quiet=quiet)


@app.command()
def reject(
    id: QuestionId, collection: Collection = DEFAULT_COLLECTION, as_json: Json = False, quiet: Quiet = False
) -> None:
    """Reject a question permanently."""
    _decide(id, "rejected", None, collection=collection, as_json=as_json, quiet=quiet)


@app.command()
def stats(collection: Collection = DEFAULT_COLLECTION, as_json: Json = False, quiet: Quiet = False) -> None:
    """Report duplicate questions."""
    from papergraph.ingest.enrichments.questions.review import redundancy

    async def find(database: "Database", resources: "EnrichmentContext") -> "Redundancy":
        return await redundancy(database, collection, model=resources.embedder.card.sha256)

    show(_with_means(find, quiet=quiet or as_json), _write_report, as_json=as_json)


def _decide(id: str, decision: str, text: str | None, *, collection: str, as_json: bool, quiet: bool) -> None:
    from papergraph.ingest.enrichments.questions import review

    chosen: Decision = review.Decision(decision)

    async def do(database: "Database", resources: "EnrichmentContext") -> review.ReviewedQuestion:
        return await review.review(database, resources, collection, id, chosen, text)

    done = _with_means(do, quiet=quiet or as_json)
    papers = "1 paper" if len(done.ids) == 1 else f"{len(done.ids)} papers"
    if as_json:
        write_json(asdict(done))
    else:
        write(f"{done.decision} in {papers}: {done.text or done.original}")
        for one in done.ids if done.text else ():
            write(one)


def _with_means(do: "Callable[[Database, EnrichmentContext], Awaitable[T]]", *, quiet: bool) -> T:
    """Open the prepared store with its embedding model, which is loaded only when something is embedded."""
    from papergraph.ingest.enrichments.enrichment import EnrichmentContext
    from papergraph.server.startup import open_service
    from papergraph.store import open_store

    chosen = settings()
    with progress(quiet=quiet) as told, open_store(chosen, progress=told) as address:

        async def work() -> T:
            async with open_service(chosen, address, progress=told) as service:
                return await do(service.database, EnrichmentContext(service.embedder))

        return asyncio.run(work())


def _origin(question: "StoredQuestion") -> str:
    return ", ".join(filter(None, (question.generator, question.model, question.review)))


def _write_question(question: "StoredQuestion") -> None:
    write(question.text)
    if question.answer:
        write(f"answer: {question.answer}")
    if question.original:
        write(f"made as: {question.original}")
    write(f"made by: {_origin(question)}")
    write(f"paper: {question.paper} ({question.paper_id}){', as a whole' if question.spans_paper else ''}")
    for chunk in question.chunk_ids:
        write(f"chunk: {chunk}")
    if question.metadata:
        write(f"made from: {'; '.join(question.metadata)}")
    if question.group_id:
        write(f"across papers: group {question.group_id}")
    if question.duplicate_of:
        write(f"asks the same as: {question.duplicate_of}")


def _write_report(found: "Redundancy") -> None:
    made = ", ".join(f"{n} by {generator}" for generator, n in found.n_by_generator.items())
    write(f"{found.n_questions} questions ({made or 'none'}), {found.n_reviewed} reviewed")
    write(f"{found.n_duplicates} repeat one of another paper: {found.share:.1%}")
    write(
        f"mean cosine {found.mean_cosine:g}; log-determinant {found.log_determinant:g} a question, of {found.n_sample}"
    )
    for pair in found.nearest:
        write(f"{pair.score:.3f}  {pair.question}  =  {pair.other}")


GROUP = Group("questions", Section.EXPLORE, 41, app)
