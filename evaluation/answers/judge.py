"""Measures of an answer that a language model judges: any configured one, by prompts that a user can replace.

A judge is asked for verdicts, each with its reason, and never for a score where counting verdicts makes one; what
counts them stands in ``verdicts``. What a judge fails to say of one question is missing there, with the reason: it is
no 0.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, create_model

from evaluation.answers.examples import Example, SystemAnswer
from evaluation.answers.semantic_similarity import cosines
from evaluation.answers.verdicts import (
    answer_correctness,
    answer_relevancy,
    context_precision,
    factual_f1,
    share,
)
from papergraph.embedding import Embedder
from papergraph.errors import BudgetSpentError, LanguageModelError, ModelAnswerError, ModelUnavailableError
from papergraph.language_model import Budget, LanguageModel, Prompt, Usage
from papergraph.language_model.model import OUTCOMES
from papergraph.language_model.prompts import fenced, numbered_passages

PROMPTS = Path(__file__).with_name("prompts")
N_ASKED_BACK = 3
"""Questions that a judge makes of an answer, as RAGAS has it."""
MOST_STATEMENTS = 60
LONGEST_ANSWER, LONGEST_PASSAGE, MOST_PASSAGES = 20_000, 6_000, 20
MOST_UNAVAILABLE = 3
"""After so many requests in a row that did not reach the model, it is not asked again."""
SIX = ("recall", "precision", "specificity", "breadth", "depth", "relevancy")
RAGAS = ("faithfulness", "answer relevancy", "context precision", "context recall", "answer correctness")
JUDGED = (*RAGAS, "accuracy", "harmfulness", *(f"PR3 {name}" for name in SIX))

PLACEHOLDERS: Mapping[str, frozenset[str]] = {
    "judge_statements": frozenset({"question", "answer"}),
    "judge_supported": frozenset({"passages", "statements"}),
    "judge_asked_back": frozenset({"n", "answer"}),
    "judge_useful": frozenset({"question", "reference", "passages"}),
    "judge_matched": frozenset({"question", "statements", "reference"}),
    "judge_correct": frozenset({"question", "references", "answer"}),
    "judge_harmful": frozenset({"question", "answer"}),
    "judge_six": frozenset({"question", "passages", "answer"}),
}

M = TypeVar("M", bound=BaseModel)


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


@dataclass
class Judgement:
    """What a judge says of an answer.

    Attributes:
        figures: By measure; shares and yes or no in [0, 1], ``PR3 …`` in [0, 100], by cosine down to -1.
        missing: By measure, why it is missing.
        reasons: By measure, what the judge says for it.
    """

    figures: dict[str, float] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)


class Judge:
    """A language model that judges answers, with the local encoder for what compares meanings."""

    def __init__(self, model: LanguageModel, embedder: Embedder, *, budget: Budget | None = None) -> None:
        """Load the prompts.

        Args:
            model: Who judges; better another one than wrote the answers.
            embedder: Whose vectors answer relevancy and correctness take.
            budget: What may be spent on it; when it is spent, what is left is missing.

        Raises:
            PromptError: A prompt of the user's cannot be used.
        """
        self.name = model.name
        self._model, self._embedder, self._budget = model, embedder, budget
        self._prompts = {
            name: model.prompt(name, placeholders, folder=PROMPTS) for name, placeholders in PLACEHOLDERS.items()
        }
        self._n_unavailable = 0
        self._stopped: LanguageModelError | None = None
        self.usage = Usage()
        """What all answers took that could be used."""

    @property
    def prompt_versions(self) -> dict[str, str]:
        """Versions of all prompts: figures by others are not comparable."""
        return {name: prompt.version[:12] for name, prompt in self._prompts.items()}

    async def judge(self, case: Example, given: SystemAnswer) -> Judgement:
        """Return what the judge says of an answer; what needs a reference is left out where there is none.

        Of several references the longest is taken, and all of them for ``accuracy``.

        Raises:
            EmbeddingError: A text cannot be embedded.
        """
        found = Judgement()
        reference = max(case.answers, key=len, default="")
        answer = given.plain[:LONGEST_ANSWER]
        of_answer, of_reference = await asyncio.gather(
            self._tried(self._statements(case.question, answer)),
            self._tried(self._statements(case.question, reference)) if reference else _nothing(),
        )
        asked: dict[str, Callable[[], Awaitable[Any]]] = {
            "faithfulness": lambda: self._supported(found, "faithfulness", of_answer, given),
            "answer relevancy": lambda: self._relevancy(case, answer),
            "harmfulness": lambda: self._harmfulness(found, case, answer),
            "PR3": lambda: self._six(found, case, given, answer),
        }
        if reference:
            asked |= {
                "context precision": lambda: self._context_precision(found, case, reference, given),
                "context recall": lambda: self._supported(found, "context recall", of_reference, given),
                "answer correctness": lambda: self._correctness(case, answer, reference, of_answer, of_reference),
                "accuracy": lambda: self._accuracy(found, case, answer),
            }
        results = await asyncio.gather(*(self._tried(ask()) for ask in asked.values()))
        for name, result in zip(asked, results, strict=True):
            names = [f"PR3 {one}" for one in SIX] if name == "PR3" else [name]
            if isinstance(result, LanguageModelError):
                found.missing |= dict.fromkeys(names, _why(result))
            elif name != "PR3" and result is None:
                found.missing[name] = "not defined: there is nothing to judge"
            elif name != "PR3":
                found.figures[name] = result
        return found

    async def _supported(self, found: Judgement, name: str, statements: Any, given: SystemAnswer) -> float | None:
        """Statements that the passages support / all: faithfulness of the answer's, context recall of the reference's.

        The reasons told are those of statements that are not supported.
        """
        texts = _usable(statements)
        if not texts:
            return None
        values = {"passages": _passages(given), "statements": _numbered(texts)}
        said = await self._ask("judge_supported", values, _list_of(Supported, len(texts)))
        verdicts: list[Supported] = said.verdicts  # type: ignore[attr-defined]
        found.reasons[name] = _told(verdict.reason for verdict in verdicts if not verdict.supported)
        return share([verdict.supported for verdict in verdicts])

    async def _relevancy(self, case: Example, answer: str) -> float | None:
        """Mean cosine of the question with questions that the answer would answer; 0 for one that avoids it."""
        values = {"n": str(N_ASKED_BACK), "answer": fenced(answer)}
        said = await self._ask("judge_asked_back", values, AskedBack)
        near = await asyncio.to_thread(cosines, self._embedder, case.question, said.questions)
        return answer_relevancy(near, is_noncommittal=said.noncommittal)

    async def _context_precision(
        self, found: Judgement, case: Example, reference: str, given: SystemAnswer
    ) -> float | None:
        """How far useful passages stand before the others."""
        if not given.passages:
            return None
        values = {
            "question": fenced(case.question),
            "reference": fenced(reference),
            "passages": _passages(given),
        }
        n = min(len(given.passages), MOST_PASSAGES)
        said = await self._ask("judge_useful", values, _list_of(Useful, n))
        verdicts: list[Useful] = said.verdicts  # type: ignore[attr-defined]
        found.reasons["context precision"] = _told(verdict.reason for verdict in verdicts)
        return context_precision([verdict.useful for verdict in verdicts])

    async def _correctness(
        self, case: Example, answer: str, reference: str, of_answer: Any, of_reference: Any
    ) -> float | None:
        """.75 · F1 of the statements + .25 · cosine of the texts."""
        ours, theirs = _usable(of_answer), _usable(of_reference)
        if not ours or not theirs:
            facts = factual_f1(true_positives=0, false_positives=len(ours), false_negatives=len(theirs))
        else:
            values = {
                "question": fenced(case.question),
                "statements": _numbered(ours),
                "reference": _numbered(theirs),
            }
            said = await self._ask("judge_matched", values, _matched(len(ours), len(theirs)))
            n_right = sum(said.answer)  # type: ignore[attr-defined]
            n_left_out = len(theirs) - sum(said.reference)  # type: ignore[attr-defined]
            facts = factual_f1(true_positives=n_right, false_positives=len(ours) - n_right, false_negatives=n_left_out)
        if facts is None:
            return None
        (near,) = await asyncio.to_thread(cosines, self._embedder, answer, [reference])
        return answer_correctness(facts, near)

    async def _accuracy(self, found: Judgement, case: Example, answer: str) -> float:
        """Whether the answer is right by any of the references: 1 or 0."""
        references = "\n".join(f"- {fenced(' '.join(one.split()))}" for one in case.answers)
        values = {"question": fenced(case.question), "references": references, "answer": fenced(answer)}
        said = await self._ask("judge_correct", values, Correct)
        found.reasons["accuracy"] = said.reason
        return float(said.correct)

    async def _harmfulness(self, found: Judgement, case: Example, answer: str) -> float:
        """Whether the answer could do harm: 1 or 0, and 0 is good.

        Source: the critique of that name in RAGAS's package, which QuIM-RAG reports, doi:10.1109/ACCESS.2024.3513155.
        """
        values = {"question": fenced(case.question), "answer": fenced(answer)}
        said = await self._ask("judge_harmful", values, Harmful)
        found.reasons["harmfulness"] = said.reason
        return float(said.harmful)

    async def _six(self, found: Judgement, case: Example, given: SystemAnswer, answer: str) -> None:
        """Recall and precision of the passages; specificity, breadth, depth and relevancy of the answer; 0 to 100 each.

        Source: Meta Knowledge for Retrieval Augmented Large Language Models, 2024, arXiv:2408.09017.
        """
        values = {"question": fenced(case.question), "passages": _passages(given), "answer": fenced(answer)}
        said = await self._ask("judge_six", values, Six)
        for name in SIX:
            rating: Rating = getattr(said, name)
            found.figures[f"PR3 {name}"] = float(rating.score)
            found.reasons[f"PR3 {name}"] = rating.justification

    async def _statements(self, question: str, text: str) -> list[str]:
        values = {"question": fenced(question), "answer": fenced(text)}
        said = await self._ask("judge_statements", values, Statements)
        return [" ".join(statement.split()) for statement in said.statements if statement.strip()]

    async def _ask(self, name: str, values: Mapping[str, str], answer: type[M]) -> M:
        """Ask the model, unless it could not be reached several times or nothing may be spent any more."""
        if self._stopped is not None:
            raise self._stopped
        prompt: Prompt = self._prompts[name]
        try:
            reply = await self._model.answer_json(prompt, values, answer=answer, budget=self._budget)
        except BudgetSpentError as error:
            self._stopped = error
            raise
        except ModelUnavailableError as error:
            self._n_unavailable += 1
            if self._n_unavailable >= MOST_UNAVAILABLE:
                self._stopped = error
            raise
        self._n_unavailable = 0
        self.usage += reply.usage
        return reply.value

    async def _tried(self, work: Awaitable[Any]) -> Any:
        try:
            return await work
        except LanguageModelError as error:
            return error


async def _nothing() -> list[str]:
    return []


def _usable(statements: Any) -> list[str]:
    """Return statements, or raise what kept the model from finding them."""
    if isinstance(statements, LanguageModelError):
        raise statements
    found: list[str] = statements
    return found


def _why(error: LanguageModelError) -> str:
    """Return why a measure is missing, as one of few words, so that it can be counted."""
    if isinstance(error, ModelAnswerError):
        return f"the judge's answer cannot be used: {error.fault.value}"
    return f"the judge did not answer: {OUTCOMES.get(type(error), 'failed')}"


def _told(reasons: Any) -> str:
    return " · ".join(" ".join(str(reason).split()) for reason in reasons)


def _passages(given: SystemAnswer) -> str:
    return numbered_passages((one.text for one in given.passages[:MOST_PASSAGES]), most_chars=LONGEST_PASSAGE)


def _numbered(statements: Sequence[str]) -> str:
    return "\n".join(f"{number}. {fenced(text)}" for number, text in enumerate(statements, start=1))


@cache
def _list_of(kind: type[BaseModel], n: int) -> type[BaseModel]:
    """Return a model of exactly ``n`` verdicts, so that a judge who passes one over is asked again."""
    verdicts = (list[kind], Field(min_length=n, max_length=n))  # type: ignore[valid-type]
    return create_model(f"{kind.__name__}Verdicts", __base__=_Said, verdicts=verdicts)


@cache
def _matched(n_answer: int, n_reference: int) -> type[BaseModel]:
    return create_model(
        "Matched",
        __base__=_Said,
        answer=(list[bool], Field(min_length=n_answer, max_length=n_answer)),
        reference=(list[bool], Field(min_length=n_reference, max_length=n_reference)),
    )
