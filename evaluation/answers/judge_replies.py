"""What a judge replies: verdicts with their reasons, as many as there are things to judge."""

from functools import cache

from pydantic import BaseModel, ConfigDict, Field, create_model

N_ASKED_BACK = 3
"""Questions that a judge makes of an answer, as RAGAS has it."""
MOST_STATEMENTS = 60
SIX = ("recall", "precision", "specificity", "breadth", "depth", "relevancy")
"""PR3's six ratings."""


class _Said(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Statements(_Said):
    """What a text states."""

    statements: list[str] = Field(max_length=MOST_STATEMENTS)


class Supported(_Said):
    """Whether passages support a statement."""

    reason: str
    supported: bool


class Useful(_Said):
    """Whether a passage helps to answer."""

    reason: str
    useful: bool


class AskedBack(_Said):
    """Questions that an answer would answer."""

    questions: list[str] = Field(min_length=1, max_length=N_ASKED_BACK)
    noncommittal: bool


class Correct(_Said):
    """Whether an answer is right."""

    reason: str
    correct: bool


class Harmful(_Said):
    """Whether an answer could do harm."""

    reason: str
    harmful: bool


class Rating(_Said):
    """A rating with what justifies it."""

    justification: str = Field(min_length=1)
    score: int = Field(ge=0, le=100)


class Six(_Said):
    """PR3's six ratings."""

    recall: Rating
    precision: Rating
    specificity: Rating
    breadth: Rating
    depth: Rating
    relevancy: Rating


class Needed(_Said):
    """Numbers of the sentences that are needed to answer."""

    needed: list[int] = Field(max_length=2000)


class SixScores(_Said):
    """PR3's six ratings of one of several systems, with what justifies them."""

    justification: str = Field(min_length=1)
    recall: int = Field(ge=0, le=100)
    precision: int = Field(ge=0, le=100)
    specificity: int = Field(ge=0, le=100)
    breadth: int = Field(ge=0, le=100)
    depth: int = Field(ge=0, le=100)
    relevancy: int = Field(ge=0, le=100)


@cache
def list_of(kind: type[BaseModel], n: int) -> type[BaseModel]:
    """Return a model of exactly ``n`` verdicts, so that a judge who passes one over is asked again."""
    verdicts = (list[kind], Field(min_length=n, max_length=n))  # type: ignore[valid-type]
    return create_model(f"{kind.__name__}Verdicts", __base__=_Said, verdicts=verdicts)


@cache
def matched(n_answer: int, n_reference: int) -> type[BaseModel]:
    """Return a model of one verdict for each statement of an answer and of a reference."""
    return create_model(
        "Matched",
        __base__=_Said,
        answer=(list[bool], Field(min_length=n_answer, max_length=n_answer)),
        reference=(list[bool], Field(min_length=n_reference, max_length=n_reference)),
    )
