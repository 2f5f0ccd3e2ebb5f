"""Changes by id for every interface: cancel and retry jobs, delete papers, review questions."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated

from papergraph.database import Database
from papergraph.errors import InputError, NotFoundError
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.questions import review
from papergraph.ingest.enrichments.questions.review import Decision, ReviewedQuestion
from papergraph.ingest.ingestor import delete
from papergraph.ingest.jobs import queue as jobs
from papergraph.ingest.jobs.model import Job
from papergraph.ingest.originals import Originals
from papergraph.records import Id, Record, described
from papergraph.schema.records import Paper, Question
from papergraph.server.graph.nodes import node_by_id
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.scope import AllowedCollections


@dataclass(frozen=True)
class DeletedPaper(Record):
    """A paper that was deleted."""

    paper_id: Annotated[Id, described("Id that the paper had.")]
    keys: Annotated[tuple[str, ...], described("Keys of the deleted paper.")]


Change = Callable[[Database, str], Awaitable[int]]
"""Such as :func:`papergraph.ingest.jobs.queue.cancel` and :func:`papergraph.ingest.jobs.queue.retry`."""


async def change_job(database: Database, name: str, change: Change, *, collections: AllowedCollections) -> Job:
    """Return a job, named by its whole id, as it is once something was done to it.

    A part of an id is good for reading only: over the network a cut-off one must change no other job.

    Raises:
        NotFoundError: No job that is reached has this id.
    """
    try:
        job = await jobs.find_job(database, name, collections=collections)
    except InputError:  # several begin like this
        raise _no_such_job(name) from None
    if job.id != name:
        raise _no_such_job(name)
    await change(database, job.id)
    return await jobs.find_job(database, job.id, collections=collections)


def _no_such_job(name: str) -> NotFoundError:
    message = f"No job has the id {name!r}. Give the whole id: a change accepts no prefix."
    return NotFoundError("job", name, field="id", message=message)


async def delete_paper(
    database: Database, id: str, *, collections: AllowedCollections, originals: Originals | None
) -> DeletedPaper:
    """Delete a paper with all that it has, and return its keys.

    Raises:
        NotFoundError: No paper that is reached has this id.
    """
    paper: Paper = await node_by_id(database, id, Paper, collections=collections)
    await delete(database, [paper.id], collection=paper.collection, originals=originals)
    return DeletedPaper(paper.id, paper.keys)


async def review_question(
    resources: Resources, id: str, decision: Decision, text: str | None, *, collections: AllowedCollections
) -> ReviewedQuestion:
    """Accept, edit or reject a question.

    Raises:
        NotFoundError: No question that is reached has this id.
        InputError: An edited question has no text, or another has one.
    """
    database = resources.database
    question: Question = await node_by_id(database, id, Question, collections=collections)
    of_enrichments = EnrichmentContext(resources.model.searched.embedder, resources.language_model)
    return await review.review(database, of_enrichments, question.collection, id, decision, text)
