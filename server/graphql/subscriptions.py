"""Subscriptions: the progress of a job, and an answer as a stream."""

from collections.abc import AsyncIterator
from contextlib import aclosing

import strawberry

from ingest.jobs.model import Job, JobEvent
from server.auth import costs as prices
from server.auth.access import access
from server.auth.principal import KeyScope
from server.graphql.connections import Info
from server.graphql.derive import subscription
from server.graphql.mutations import JobPrefix
from server.graphql.types import answer as answering
from server.graphql.types.answer import AnswerEvent, AskArgument
from server.graphql.types.jobs import job_events, job_progress

ASK = access(KeyScope.ASK, cost=prices.ANSWER)
FOLLOW_JOB = access(KeyScope.INGEST)


@strawberry.type
class Subscription:
    """What can be followed."""

    @subscription("The job after each progress, until it is finished.", FOLLOW_JOB)
    async def job_progress(self, info: Info, id: JobPrefix) -> AsyncIterator[Job]:
        async for job in job_progress(info, id):
            yield job

    @subscription("The job and its documents after each of their changes, until it is finished.", FOLLOW_JOB)
    async def job_events(self, info: Info, id: JobPrefix) -> AsyncIterator[JobEvent]:
        async for event in job_events(info, id):
            yield event

    @subscription("Answer as a stream: sources, then text and citations, then the end.", ASK)
    async def answer(self, info: Info, input: AskArgument) -> AsyncIterator[AnswerEvent]:
        async with aclosing(answering.answer_events(info, input)) as events:
            async for event in events:
                yield event
