"""A question as it is asked: with its search, its reader, and the turns before it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, Self

from papergraph.errors import InputError
from server.answers.answerability import LEAST
from server.answers.records import Mode
from server.retrieval.pipelines import DEFAULT_PIPELINE, Pipeline, Reader, find
from server.retrieval.request import SearchRequest, check_query

DEFAULT_TOKENS = 6000
MOST_TOKENS = 200_000
MOST_WAYS = 4
"""Ways in which one question is answered."""
MOST_TURNS, MOST_HISTORY_CHARS = 50, 20_000


@dataclass(frozen=True)
class Turn:
    """Something said earlier in a conversation."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True)
class AskRequest:
    """A question and how it is to be answered.

    Attributes:
        question: 1 to 4000 characters.
        search: How passages are found, and where; its query is the question.
        mode: Who writes.
        reader: What a model writes from; by default what the pipeline says.
        pipelines: Instead of the search's pipeline, several by which it is answered; the best answer counts.
        readers: Instead of one reader, several for each pipeline; the best answer counts. At most 4 ways in all.
        token_budget: Tokens of all passages together, at most; a selection of the pipeline keeps to it as well.
        min_answerability: Probability, in [0, 1], below which a question is refused; by default the calibrated one.
        history: What was said before.
        rewrite: Whether the question is made one that stands by itself, by a model, or by rules where there is none.
        instructions: On language, length and tone of the answer; others are reported as ignored.
        temperature: Of the answer, 0 to 2.
        store: Whether the answer is stored, to be read again by its id.
    """

    question: str
    search: SearchRequest = field(default_factory=SearchRequest)
    mode: Mode = Mode.AUTO
    reader: Reader | None = None
    pipelines: tuple[str | Pipeline, ...] = ()
    readers: tuple[Reader, ...] = ()
    token_budget: int = DEFAULT_TOKENS
    min_answerability: float = LEAST
    history: tuple[Turn, ...] = ()
    rewrite: bool = True
    instructions: str = ""
    temperature: float = 0.0
    store: bool = False

    @property
    def ways(self) -> tuple["AskRequest", ...]:
        """The ways in which it is answered: each pipeline with each reader, in the order in which they are named."""
        named = self.pipelines or (self.search.pipeline,)
        pipelines = {one if isinstance(one, str) else one.name: one for one in named}.values()
        readers = dict.fromkeys(self.readers or (self.reader,))
        return tuple(
            replace(self, search=replace(self.search, pipeline=pipeline), reader=reader, pipelines=(), readers=())
            for pipeline in pipelines
            for reader in readers
        )

    def resolved(self, known: Mapping[str, Pipeline]) -> Self:
        """Return the question with its pipelines as objects.

        Raises:
            PipelineError: ``known`` has none of a name.
        """
        named = tuple(find(one, known) if isinstance(one, str) else one for one in self.pipelines)
        return replace(self, search=self.search.resolved(known), pipelines=named)


def check(asking: AskRequest) -> None:
    """Refuse what cannot be asked.

    Raises:
        InputError: ``field`` says which argument is wrong.
    """
    check_query(asking.question)
    if asking.pipelines and asking.search.pipeline_name != DEFAULT_PIPELINE:
        raise InputError("Pass either pipeline or pipelines.", field="pipelines")
    if asking.readers and asking.reader is not None:
        raise InputError("Pass either reader or readers.", field="readers")
    if len(asking.ways) > MOST_WAYS:
        raise InputError(
            f"There are {len(asking.ways)} ways to answer, each pipeline with each reader; at most {MOST_WAYS} are "
            "allowed.",
            field="pipelines" if asking.pipelines else "readers",
        )
    if asking.store and len(asking.search.searched) > 1:
        raise InputError("An answer from several collections cannot be stored: it belongs to none.", field="store")
    if not 1 <= asking.token_budget <= MOST_TOKENS:
        raise InputError(f"tokenBudget is {asking.token_budget}; it must be 1 to {MOST_TOKENS}.", field="tokenBudget")
    if not 0.0 <= asking.min_answerability <= 1.0:
        raise InputError(
            f"minAnswerability is {asking.min_answerability}; it must be 0 to 1.", field="minAnswerability"
        )
    if not 0.0 <= asking.temperature <= 2.0:
        raise InputError(f"temperature is {asking.temperature}; it must be 0 to 2.", field="temperature")
    n_chars = sum(len(turn.text) for turn in asking.history)
    if len(asking.history) > MOST_TURNS or n_chars > MOST_HISTORY_CHARS:
        raise InputError(
            f"the history has {len(asking.history)} turns of {n_chars} characters, at most {MOST_TURNS} of "
            f"{MOST_HISTORY_CHARS} are allowed",
            field="history",
        )
