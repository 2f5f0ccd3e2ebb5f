"""What a caller changes by id, on every face: jobs stopped and taken up again, papers deleted, questions reviewed."""

from collections.abc import Awaitable, Callable

from ingest import jobs
from ingest.jobs import Job
from ingest.layers.layer import Means
from ingest.layers.questions import review
from ingest.layers.questions.review import Decision, Reviewed
from ingest.run import delete
from papergraph.database import Database
from schema.records import Paper, Question
from server.retrieval.reading import node_by_id
from server.retrieval.resources import Resources
from server.retrieval.scope import Reach

Change = Callable[[Database, str], Awaitable[int]]
"""Such as :func:`ingest.jobs.cancel` and :func:`ingest.jobs.retry`."""


async def change_job(database: Database, name: str, change: Change, *, collections: Reach) -> Job:
    """Return a job, named by its id or the beginning of it, as it is once something was done to it.

    Raises:
        NotFoundError: No job that is reached has this name.
        InputError: Several have.
    """
    job = await jobs.find_job(database, name, collections=collections)
    await change(database, job.id)
    return await jobs.find_job(database, job.id, collections=collections)


async def delete_paper(database: Database, id: str, *, collections: Reach) -> Paper:
    """Delete a paper with all that it has, and return what it was.

    Raises:
        NotFoundError: No paper that is reached has this id.
    """
    paper: Paper = await node_by_id(database, id, Paper, collections=collections)
    await delete(database, [paper.id], collection=paper.collection)
    return paper


async def review_question(
    resources: Resources, id: str, decision: Decision, text: str | None, *, collections: Reach
) -> Reviewed:
    """Accept, edit or reject a question.

    Raises:
        NotFoundError: No question that is reached has this id.
        InputError: An edited question has no text, or another has one.
    """
    database = resources.database
    question: Question = await node_by_id(database, id, Question, collections=collections)
    means = Means(resources.model.searched.embedder, resources.language_model)
    return await review.review(database, means, question.collection, id, decision, text)
