"""Second check of claims: an entailment model or a language model, which may deny what the rules accept.

It is independent of the rules, off by default, and never accepts what the rules drop. If it fails or is late, the rules
decide alone, and a warning says so.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter

from pydantic import BaseModel, ConfigDict, Field

from papergraph.cross_encoder import Reranker, ServedReranker
from papergraph.errors import EmbeddingError, InputError, LanguageModelError, ModelUnavailableError
from papergraph.language_model import LanguageModel, Options
from papergraph.language_model.model import NOT_CONFIGURED
from papergraph.language_model.prompts import fenced
from papergraph.server.answers.quotes import Quote, is_quoted
from papergraph.server.answers.reader_prompts import PROMPTS
from papergraph.server.answers.records import CheckUsage, DroppedText, Fault
from papergraph.server.answers.verify import Checked
from papergraph.server.retrieval.resources import Resources
from papergraph.text.alignment import visible

LEAST_ENTAILMENT = 0.5
"""Probability of entailment below which a claim is denied."""
MOST_REASON = 300
PLACEHOLDERS = frozenset({"passage", "statement"})


_Verdict = tuple[str, str | None, int]
"""Name of the check, its reason to deny a claim or None, and the tokens that it took."""


class Support(BaseModel):
    """Verdict of a language model on a statement."""

    model_config = ConfigDict(extra="forbid")

    reason: str = Field(max_length=2000)
    supported: bool


class SecondCheck:
    """Second check of the claims of one answer or draft."""

    def __init__(self, resources: Resources, model: LanguageModel | None) -> None:
        """Choose the check of the settings.

        Args:
            resources: Resources of the pipelines, with the settings of answers.
            model: Language model within the budget of the request.
        """
        self._settings, self._rerankers, self._model = resources.answers, resources.rerankers, model
        self.usage: CheckUsage | None = None
        self.warning: str | None = None

    @property
    def is_on(self) -> bool:
        """True if claims are checked: a check is set, and it has not failed."""
        return self._settings.second_check != "none" and self.warning is None

    async def apply(self, checked: Checked) -> Checked:
        """Return a claim that passed the rules, dropped if the check denies it; one of a picture as it is."""
        if (
            not checked.passed
            or checked.of_picture
            or (denial := await self.denial(checked.claim.text, checked.quotes)) is None
        ):
            return checked
        dropped = DroppedText(checked.claim.text, Fault.DENIED, denial)
        return replace(checked, quotes=(), dropped=(*checked.dropped, dropped))

    async def denial(self, claim: str, quotes: Sequence[Quote]) -> str | None:
        """Return why the check denies a claim; None if it does not, or if the claim is a quote word for word."""
        if not self.is_on or any(is_quoted(claim, quote) for quote in quotes):
            return None
        start = perf_counter()
        try:
            model = None if self._settings.second_check == "judge" else await self._entailment_model()
            async with asyncio.timeout(self._settings.check_timeout_s):
                asked = self._judged if model is None else partial(self._entailed, model)
                name, reason, tokens = await asked(claim, _passage(quotes))
        except (TimeoutError, LanguageModelError, EmbeddingError, InputError) as error:
            late = f"no result within {self._settings.check_timeout_s:g} s"
            told = late if isinstance(error, TimeoutError) else str(error)
            self.warning = f"The second check failed, so the rules alone verified the rest: {told}"
            return None
        used = self.usage or CheckUsage(name)
        self.usage = replace(
            used,
            ms=(*used.ms, 1000 * (perf_counter() - start)),
            denied=used.denied + (reason is not None),
            tokens=used.tokens + tokens,
        )
        return None if reason is None else f"the second check ({name}) denies it: {reason}"

    async def _entailment_model(self) -> Reranker | ServedReranker:
        name = self._settings.entailment_model or self._rerankers.default
        if name is None:
            setting = "PAPERGRAPH_ANSWERS_ENTAILMENT_MODEL"
            raise InputError(f"set {setting} to the name or path of an entailment model", field=setting)
        return await self._rerankers.get(name)

    async def _entailed(self, model: Reranker | ServedReranker, claim: str, passage: str) -> _Verdict:
        (score,) = await asyncio.to_thread(model.scores, passage, [claim])
        reason = None if score >= LEAST_ENTAILMENT else f"probability of entailment {score:.2f}"
        return f"entailment by {model.name}", reason, 0

    async def _judged(self, claim: str, passage: str) -> _Verdict:
        if self._model is None:
            raise ModelUnavailableError(NOT_CONFIGURED)
        prompt = self._model.prompt("second_check", PLACEHOLDERS, folder=PROMPTS)
        values = {"passage": fenced(passage), "statement": fenced(claim)}
        said = await self._model.answer_json(prompt, values, answer=Support, options=Options(max_tokens=200))
        reason = None if said.value.supported else " ".join(visible(said.value.reason).split())[:MOST_REASON]
        return f"judge {self._model.name}", reason, said.usage.tokens


def _passage(quotes: Sequence[Quote]) -> str:
    """Return the cited sentences, each with the one before it."""
    return "\n".join(dict.fromkeys(" ".join(visible(one.before + one.sentence).split()) for one in quotes))
