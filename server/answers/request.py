"""A question as it is asked: with its search, its reader, and the turns before it."""

from dataclasses import dataclass, field
from typing import Literal

from papergraph.errors import InputError
from server.answers.answerability import LEAST
from server.answers.records import (
    Mode,
)
from server.retrieval.pipelines import Reader
from server.retrieval.request import SearchRequest, check_query

DEFAULT_TOKENS = 6000
MOST_TOKENS = 200_000
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
    token_budget: int = DEFAULT_TOKENS
    min_answerability: float = LEAST
    history: tuple[Turn, ...] = ()
    rewrite: bool = True
    instructions: str = ""
    temperature: float = 0.0
    store: bool = False


def check(asking: AskRequest) -> None:
    """Refuse what cannot be asked.

    Raises:
        InputError: ``field`` says which argument is wrong.
    """
    check_query(asking.question)
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
