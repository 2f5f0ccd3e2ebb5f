"""Language model as judge: its verdicts with reasons, one per judged item."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, create_model

from papergraph.embedding import Embedder
from papergraph.errors import BudgetSpentError, LanguageModelError, ModelAnswerError, ModelUnavailableError
from papergraph.evaluation.answers.answer_scores import (
    answer_correctness,
    answer_relevancy,
    context_precision,
    cosines,
    factual_f1,
    share,
    wins,
)
from papergraph.evaluation.answers.question_sets import Example, SystemAnswer
from papergraph.language_model import Budget, LanguageModel, ModelUsage, Prompt
from papergraph.language_model.model import OUTCOMES
from papergraph.language_model.prompts import fenced, numbered_passages
from papergraph.text.sentences import sentences

N_ASKED_BACK = 3
"""Questions that a judge makes of an answer, as RAGAS has it."""
MOST_STATEMENTS = 60
SIX = ("recall", "precision", "specificity", "breadth", "depth", "relevancy")
"""PR3's six ratings."""


class _Said(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Statements(_Said):
    """Statements of a text."""

    statements: list[str] = Field(max_length=MOST_STATEMENTS)


class Supported(_Said):
    """Verdict: passages support a statement."""

    reason: str
    supported: bool


class Useful(_Said):
    """Verdict: a passage helps to answer."""

    reason: str
    useful: bool


class AskedBack(_Said):
    """Questions that an answer would answer."""

    questions: list[str] = Field(min_length=1, max_length=N_ASKED_BACK)
    noncommittal: bool


class Correct(_Said):
    """Verdict: an answer is right."""

    reason: str
    correct: bool


class Harmful(_Said):
    """Verdict: an answer could do harm."""

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


PROMPTS = Path(__file__).with_name("prompts")
LONGEST_ANSWER, LONGEST_PASSAGE, MOST_PASSAGES = 20_000, 6_000, 20
MOST_SIDE_BY_SIDE = 60_000
"""Letters of all systems that are judged side by side."""
TOGETHER, PREFERRED = "side by side", "side by side preferred"
SIDE_BY_SIDE = (PREFERRED, *(f"{TOGETHER} {name}" for name in SIX))
MOST_UNAVAILABLE = 3
"""Consecutive failed requests after which the judge gives up."""
MOST_SENTENCES = 400
RAGAS = (
    "faithfulness",
    "answer relevancy",
    "context precision",
    "context recall",
    "context relevance",
    "answer correctness",
)
OF_HUNDRED = frozenset(f"{of} {name}" for of in ("PR3", TOGETHER) for name in SIX)
"""Measures from 0 to 100."""
JUDGED = (*RAGAS, "accuracy", "harmfulness", *(f"PR3 {name}" for name in SIX))

PLACEHOLDERS: Mapping[str, frozenset[str]] = {
    "judge_statements": frozenset({"question", "answer"}),
    "judge_supported": frozenset({"passages", "statements"}),
    "judge_asked_back": frozenset({"n", "answer"}),
    "judge_useful": frozenset({"question", "reference", "passages"}),
    "judge_needed": frozenset({"question", "sentences"}),
    "judge_matched": frozenset({"question", "statements", "reference"}),
    "judge_correct": frozenset({"question", "references", "answer"}),
    "judge_harmful": frozenset({"question", "answer"}),
    "judge_six": frozenset({"question", "passages", "answer"}),
    "judge_side_by_side": frozenset({"question", "systems"}),
}

M = TypeVar("M", bound=BaseModel)


@dataclass
class Judgement:
    """Judgement of an answer.

    Attributes:
        figures: Figures by measure; shares and verdicts in [0, 1], ``PR3 …`` in [0, 100], cosines in [-1, 1].
        missing: Reasons for missing measures.
        reasons: The judge's reasons by measure.
    """

    figures: dict[str, float] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)


class Judge:
    """A language model that judges answers, with the local encoder for what compares meanings."""

    def __init__(self, model: LanguageModel, embedder: Embedder, *, budget: Budget | None = None) -> None:
        """Load the prompts.

        Args:
            model: The judge; better not the model that wrote the answers.
            embedder: Whose vectors answer relevancy and correctness take.
            budget: Budget of all judgements; once it is spent, the remaining ones are missing.

        Raises:
            FileContentError: A prompt of the user's cannot be used.
        """
        self.name = model.name
        self._model, self._embedder, self._budget = model, embedder, budget
        self._prompts = {
            name: model.prompt(name, placeholders, folder=PROMPTS) for name, placeholders in PLACEHOLDERS.items()
        }
        self._n_unavailable = 0
        self._stopped: LanguageModelError | None = None
        self.usage = ModelUsage()
        """Usage of all usable answers."""

    @property
    def prompt_versions(self) -> dict[str, str]:
        """Versions of all prompts: figures by others are not comparable."""
        return {name: prompt.version[:12] for name, prompt in self._prompts.items()}

    async def judge(self, case: Example, given: SystemAnswer) -> Judgement:
        """Return the judgement of an answer; measures that need a missing reference are left out.

        The longest of several references is used; ``accuracy`` uses all.

        Raises:
            EmbeddingError: Embedding a text failed.
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
            "context relevance": lambda: self._context_relevance(case, given),
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
        """Return the share of supported statements: faithfulness of an answer, context recall of a reference.

        The recorded reasons are those of unsupported statements.
        """
        texts = _usable(statements)
        if not texts:
            return None
        values = {"passages": _passages(given), "statements": _numbered(texts)}
        said = await self._ask("judge_supported", values, list_of(Supported, len(texts)))
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
        """Return the average precision of useful passages."""
        if not given.passages:
            return None
        values = {
            "question": fenced(case.question),
            "reference": fenced(reference),
            "passages": _passages(given),
        }
        n = min(len(given.passages), MOST_PASSAGES)
        said = await self._ask("judge_useful", values, list_of(Useful, n))
        verdicts: list[Useful] = said.verdicts  # type: ignore[attr-defined]
        found.reasons["context precision"] = _told(verdict.reason for verdict in verdicts)
        return context_precision([verdict.useful for verdict in verdicts])

    async def _context_relevance(self, case: Example, given: SystemAnswer) -> float | None:
        """Sentences of the passages that are needed to answer / all; of the first 400.

        Source: RAGAS, arXiv:2309.15217, its context relevance, which QuIM-RAG reports.
        """
        found = [sentence for one in given.passages[:MOST_PASSAGES] for sentence in sentences(one.text)]
        if not found:
            return None
        numbered = found[:MOST_SENTENCES]
        values = {"question": fenced(case.question), "sentences": _numbered(numbered)}
        said = await self._ask("judge_needed", values, Needed)
        return len({n for n in said.needed if 1 <= n <= len(numbered)}) / len(numbered)

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
            said = await self._ask("judge_matched", values, matched(len(ours), len(theirs)))
            n_right = sum(said.answer)  # type: ignore[attr-defined]
            n_left_out = len(theirs) - sum(said.reference)  # type: ignore[attr-defined]
            facts = factual_f1(true_positives=n_right, false_positives=len(ours) - n_right, false_negatives=n_left_out)
        if facts is None:
            return None
        (near,) = await asyncio.to_thread(cosines, self._embedder, answer, [reference])
        return answer_correctness(facts, near)

    async def _accuracy(self, found: Judgement, case: Example, answer: str) -> float:
        """Return 1 if the answer is right by any of the references, else 0."""
        references = "\n".join(f"- {fenced(' '.join(one.split()))}" for one in case.answers)
        values = {"question": fenced(case.question), "references": references, "answer": fenced(answer)}
        said = await self._ask("judge_correct", values, Correct)
        found.reasons["accuracy"] = said.reason
        return float(said.correct)

    async def _harmfulness(self, found: Judgement, case: Example, answer: str) -> float:
        """Return 1 if the answer could do harm, else 0.

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

    async def side_by_side(
        self, case: Example, given: Mapping[str, SystemAnswer], *, seed: int = 0
    ) -> Mapping[str, Judgement]:
        """Return the judgements of several systems' answers, shown to the judge together.

        Systems are numbered in a random order per question, which hides their identity.

        Args:
            case: The question.
            given: Answers by system; systems without an answer are left out.
            seed: Seed of the random order, combined with the question.

        Returns:
            For each shown system PR3's six ratings, in [0, 100], and the share of others with lower ratings in all.

        Source: the comparison prompt of Meta Knowledge for Retrieval Augmented Large Language Models, arXiv:2408.09017.
        """
        names = [name for name, one in given.items() if one.is_answer]
        if len(names) < 2:
            return {}
        Random(f"{seed} {case.id}").shuffle(names)  # noqa: S311
        share_of = MOST_SIDE_BY_SIDE // len(names)
        values = {
            "question": fenced(case.question),
            "systems": "\n\n".join(_system(n, given[name], share_of) for n, name in enumerate(names, start=1)),
        }
        said = await self._tried(self._ask("judge_side_by_side", values, list_of(SixScores, len(names))))
        if isinstance(said, LanguageModelError):
            return {name: Judgement(missing=dict.fromkeys(SIDE_BY_SIDE, _why(said))) for name in names}
        scores = [{one: getattr(verdict, one) for one in SIX} for verdict in said.verdicts]
        won = wins([sum(one.values()) for one in scores])
        return {
            name: Judgement(
                {**{f"{TOGETHER} {one}": float(value) for one, value in of.items()}, PREFERRED: preferred},
                reasons={PREFERRED: verdict.justification},
            )
            for name, of, preferred, verdict in zip(names, scores, won, said.verdicts, strict=True)
        }

    async def _statements(self, question: str, text: str) -> list[str]:
        values = {"question": fenced(question), "answer": fenced(text)}
        said = await self._ask("judge_statements", values, Statements)
        return [" ".join(statement.split()) for statement in said.statements if statement.strip()]

    async def _ask(self, name: str, values: Mapping[str, str], answer: type[M]) -> M:
        """Ask the model unless it failed several times or the budget is spent."""
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
    """Return the reason of a missing measure, one of a fixed list of texts, so that reasons can be counted."""
    if isinstance(error, ModelAnswerError):
        return f"the judge's answer cannot be used: {error.fault.value}"
    return f"the judge did not answer: {OUTCOMES.get(type(error), 'failed')}"


def _told(reasons: Any) -> str:
    return " · ".join(" ".join(str(reason).split()) for reason in reasons)


def _passages(given: SystemAnswer) -> str:
    return numbered_passages((one.text for one in given.passages[:MOST_PASSAGES]), most_chars=LONGEST_PASSAGE)


def _system(number: int, given: SystemAnswer, share: int) -> str:
    """Return what a judge is shown of a system: its number, its passages and its answer, in about ``share`` letters."""
    answer, passages = given.plain[: max(200, share // 2)], given.passages[:MOST_PASSAGES]
    each = max(200, (share - len(answer)) // max(1, len(passages)))
    shown = numbered_passages((one.text for one in passages), most_chars=min(LONGEST_PASSAGE, each))
    return f"System {number}\n{shown}\n\nAnswer of system {number}: {fenced(answer)}"


def _numbered(statements: Sequence[str]) -> str:
    return "\n".join(f"{number}. {fenced(text)}" for number, text in enumerate(statements, start=1))
