"""Answers that the caller stored."""

from typing import Annotated

from papergraph.records import described
from papergraph.requests import request
from papergraph.server.answers.stored import AnswerState, own_answers
from papergraph.server.auth.operations import READ
from papergraph.server.endpoints import Endpoint, Read
from papergraph.server.operations.context import RequestContext
from papergraph.server.retrieval.request import InCollection
from papergraph.server.retrieval.scope import within


@request(kw_only=True)
class StoredAnswers(Read[AnswerState]):
    """Stored answers of the caller with their state after changes of papers, the newest first."""

    collection: InCollection = None
    first: Annotated[int, described("Number of answers, 1 to 100.", ge=1, le=100)] = 20
    after: Annotated[str, described("Id of the last answer of the page before.", max_length=64)] = ""

    async def read(self, context: RequestContext) -> list[AnswerState]:
        name = within(context.collection(self.collection), context.collections)
        account = context.principal.account
        return await own_answers(context.database, account, name, after=self.after, first=self.first)


ENDPOINT = Endpoint("stored-answers", StoredAnswers, READ, example="{ storedAnswers { asked nLost } }")
