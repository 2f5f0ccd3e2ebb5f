"""GraphQL fields of judgements: which papers readers find relevant to a question."""

from typing import Annotated

import strawberry

from server.auth import costs as prices
from server.auth.access import access
from server.auth.principal import KeyScope
from server.graphql.connections import Info
from server.graphql.types.places import Collection
from server.graphql.types.user_errors import Conflict, InvalidInput, NotFound, outcome
from server.papers.judgements import JudgedQuestion, judge_paper, judged_questions

LIST = access(KeyScope.READ, cost=prices.JUDGEMENTS, queued=True)
ASK = access(KeyScope.ASK, queued=True)
JudgePaperResult = Annotated[
    JudgedQuestion | InvalidInput | NotFound | Conflict,
    strawberry.union("JudgePaperResult", description="The judged question, or the reason why nothing was judged."),
]


@strawberry.type
class JudgementQueries:
    """What can be read of judgements."""

    @strawberry.field(
        metadata=LIST.metadata,
        description="Questions with the papers that readers judged for them: the 1,000 newest of a collection.",
    )
    async def judgements(
        self,
        info: Info,
        collection: Collection = None,
        question: Annotated[str | None, strawberry.argument(description="Only this question; default: all.")] = None,
    ) -> list[JudgedQuestion] | None:
        context = info.context
        return await judged_questions(
            context.database,
            context.collection(collection),
            question=question,
            rater=context.principal.id,
            collections=context.collections,
        )


@strawberry.type
class JudgementMutations:
    """What can be done with judgements."""

    @strawberry.mutation(
        metadata=ASK.metadata,
        description="Judge whether a paper is relevant to a question; the last judgement of a reader counts.",
    )
    async def judge_paper(
        self,
        info: Info,
        id: Annotated[strawberry.ID, strawberry.argument(description="Id of the paper.")],
        question: Annotated[str, strawberry.argument(description="The question, 1 to 4000 characters.")],
        relevant: Annotated[
            bool | None, strawberry.argument(description="Whether it is relevant; null removes your judgement.")
        ] = None,
    ) -> JudgePaperResult:
        context = info.context
        return await outcome(
            judge_paper(
                context.database,
                id,
                question,
                relevant,
                rater=context.principal.id,
                collections=context.collections,
            )
        )
