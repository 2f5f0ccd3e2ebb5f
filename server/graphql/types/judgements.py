"""GraphQL fields of judgements: papers that readers find relevant to a question, and pipelines with the best hits."""

from typing import Annotated

import strawberry

from server.auth import costs as prices
from server.auth.access import access
from server.auth.principal import KeyScope
from server.graphql.connections import Info
from server.graphql.derive import field, mutation, type_
from server.graphql.types.places import Collection
from server.graphql.types.user_errors import Conflict, InvalidInput, NotFound, outcome
from server.papers.judgements import JudgedQuestion, judge_paper, judged_questions
from server.papers.pipeline_votes import Ballot, PipelineVotes, pipeline_votes, vote_for_pipelines

LIST = access(KeyScope.READ, cost=prices.JUDGEMENTS, queued=True)
ASK = access(KeyScope.ASK, queued=True)
OnlyQuestion = Annotated[str | None, strawberry.argument(description="Only this question; default: all.")]
Question = Annotated[str, strawberry.argument(description="The question, 1 to 4000 characters.")]
JudgePaperResult = Annotated[
    JudgedQuestion | InvalidInput | NotFound | Conflict,
    strawberry.union("JudgePaperResult", description="The judged question, or the reason why nothing was judged."),
]
VoteForPipelinesResult = Annotated[
    PipelineVotes | InvalidInput | NotFound | Conflict,
    strawberry.union("VoteForPipelinesResult", description="All votes on the pipelines, or why the vote is refused."),
]


@type_()
class JudgementQueries:
    """What can be read of judgements."""

    @field("Questions with the papers that readers judged for them: the 1,000 newest of a collection.", LIST)
    async def judgements(
        self,
        info: Info,
        collection: Collection = None,
        question: OnlyQuestion = None,
    ) -> list[JudgedQuestion] | None:
        context = info.context
        return await judged_questions(
            context.database,
            context.collection(collection),
            question=question,
            rater=context.principal.id,
            collections=context.collections,
        )

    @field("Votes for pipelines that readers compared for questions: the 1,000 newest of a collection.", LIST)
    async def pipeline_votes(
        self, info: Info, collection: Collection = None, question: OnlyQuestion = None
    ) -> list[PipelineVotes] | None:
        context = info.context
        return await pipeline_votes(
            context.database,
            context.collection(collection),
            question=question,
            rater=context.principal.id,
            collections=context.collections,
        )


@type_()
class JudgementMutations:
    """What can be done with judgements."""

    @mutation("Judge whether a paper is relevant to a question; the last judgement of a reader counts.", ASK)
    async def judge_paper(
        self,
        info: Info,
        id: Annotated[strawberry.ID, strawberry.argument(description="Id of the paper.")],
        question: Question,
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

    @mutation("Vote for the best of the pipelines compared for a question; the last vote of a reader counts.", ASK)
    async def vote_for_pipelines(
        self,
        info: Info,
        question: Question,
        pipelines: Annotated[list[str], strawberry.argument(description="The compared pipelines, 2 to 8 names.")],
        best: Annotated[
            list[str],
            strawberry.argument(description="Those with the best hits: all for a draw; none removes your vote."),
        ],
        collection: Collection = None,
    ) -> VoteForPipelinesResult:
        context = info.context
        return await outcome(
            vote_for_pipelines(
                context.database,
                Ballot(context.collection(collection), question, pipelines, best),
                known=context.service.pipelines,
                rater=context.principal.id,
                collections=context.collections,
            )
        )
