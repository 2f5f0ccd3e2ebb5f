"""From a question to an answer: sources, then text with citations as they pass, at the end an answer or a refusal.

    async with aclosing(answer_events(resources, Asking("What ...?"))) as events:
        async for event in events: ...

A sentence is given on when it has passed the verifier, so that nothing given on is taken back, and the pieces together
are the answer's text. Closing the generator ends the model's request and the database's query.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from secrets import token_hex
from typing import Any, Literal

from papergraph.errors import InputError, LanguageModelError
from papergraph.language_model import Budget, LanguageModel, Options
from papergraph.language_model.model import NOT_CONFIGURED
from papergraph.telemetry import metrics, tracing
from schema.ids import DEFAULT_COLLECTION
from server.answering import reading
from server.answering.claims import Claim, ClaimReader
from server.answering.extractive import Evidence, extracts, read_evidence
from server.answering.injection import visible, without_orders
from server.answering.records import (
    Answer,
    Citation,
    Cited,
    Delta,
    Dropped,
    Ended,
    Event,
    Mode,
    Read,
    Reason,
    Refusal,
    Source,
)
from server.answering.scopes import scope_of
from server.answering.sources import sources_of, url_of, within_budget
from server.answering.support import LEAST, Support, support_of
from server.answering.verify import Checked, Quote, Verifier
from server.retrieval.filters import Filter
from server.retrieval.pipelines import DEFAULT_PIPELINE, Pipeline, Reader
from server.retrieval.resources import Resources
from server.retrieval.scope import Reach, within
from server.retrieval.search import MAX_QUERY_CHARS, Found, check_query, prepared, search
from server.retrieval.steps import Select

DEFAULT_TOKENS = 6000
MOST_TOKENS = 200_000
DEFAULT_K = 10
N_EXTRACTS = 3
OFF_TOPIC = 0.5
"""Where no passage has as much of the question's weight on words, it is out of a collection's scope that says one."""
MOST_TURNS, MOST_HISTORY_CHARS = 50, 20_000
MOST_DROPPED = 50
"""Of what did not pass, so much is told."""


@dataclass(frozen=True)
class Turn:
    """Something said earlier in a conversation."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True)
class Asking:
    """A question and how it is to be answered.

    Attributes:
        question: 1 to 4000 characters.
        pipeline: How passages are found, by name or as it is.
        collection: Where.
        mode: Who writes.
        reader: What a model writes from; by default what the pipeline says.
        k: How many passages at most, 1 to 100.
        overrides, select, filter, backfill: As of a search.
        token_budget: Tokens of all passages together, at most; a selection of the pipeline keeps to it as well.
        least_support: Probability, in [0, 1], below which a question is refused; by default the calibrated one.
        history: What was said before; read only where ``rewrite`` is.
        rewrite: Whether a model makes the question one that stands by itself.
        temperature: Of the answer, 0 to 2.
    """

    question: str
    pipeline: str | Pipeline = DEFAULT_PIPELINE
    collection: str = DEFAULT_COLLECTION
    mode: Mode = Mode.AUTO
    reader: Reader | None = None
    k: int | None = None
    overrides: Mapping[str, Any] | None = None
    select: Select | None = None
    filter: Filter | None = None
    backfill: bool = False
    token_budget: int = DEFAULT_TOKENS
    least_support: float = LEAST
    history: tuple[Turn, ...] = ()
    rewrite: bool = False
    temperature: float = 0.0


async def answer(
    resources: Resources, asking: Asking, *, collections: Reach = None, budget: Budget | None = None
) -> Answer | Refusal:
    """Return the answer at once; arguments and errors are those of :func:`answer_events`."""
    async with aclosing(answer_events(resources, asking, collections=collections, budget=budget)) as events:
        async for event in events:
            if isinstance(event, Ended):
                return event.result
    raise AssertionError("unreachable: the last event is Ended")


async def answer_events(
    resources: Resources, asking: Asking, *, collections: Reach = None, budget: Budget | None = None
) -> AsyncGenerator[Event, None]:
    """Answer a question, piece by piece.

    Args:
        resources: What pipelines run with.
        asking: The question.
        collections: The collections that the asker reaches; None for all.
        budget: What the asker may still spend on a language model.

    Yields:
        :class:`Read`, then pieces of text, each with its citations behind it, at last :class:`Ended`.

    Raises:
        InputError: Something of ``asking`` is not acceptable, or the pipeline needs what is not there.
        EmbeddingError: The question cannot be embedded.
        DatabaseError: Neo4j failed.
    """
    check(asking)
    answering = _Answering(resources, asking, collections, budget)
    with tracing.span("answer"):
        async with aclosing(answering.events()) as events:
            async for event in events:
                yield event


def check(asking: Asking) -> None:
    """Refuse what cannot be asked.

    Raises:
        InputError: ``field`` says which argument is wrong.
    """
    check_query(asking.question)
    if not 1 <= asking.token_budget <= MOST_TOKENS:
        raise InputError(f"the token budget must be 1 to {MOST_TOKENS}, got {asking.token_budget}", field="tokenBudget")
    if not 0.0 <= asking.least_support <= 1.0:
        raise InputError(f"the least support must be 0 to 1, got {asking.least_support}", field="leastSupport")
    if not 0.0 <= asking.temperature <= 2.0:
        raise InputError(f"the temperature must be 0 to 2, got {asking.temperature}", field="temperature")
    n_chars = sum(len(turn.text) for turn in asking.history)
    if len(asking.history) > MOST_TURNS or n_chars > MOST_HISTORY_CHARS:
        raise InputError(
            f"the history has {len(asking.history)} turns of {n_chars} characters, at most {MOST_TURNS} of "
            f"{MOST_HISTORY_CHARS} are allowed",
            field="history",
        )


@dataclass
class _Text:
    """The answer so far."""

    text: str = ""
    citations: list[Citation] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)

    def add(self, checked: Checked) -> list[Event]:
        """Take a checked claim and return what is to be given on."""
        self.dropped += checked.dropped[: MOST_DROPPED - len(self.dropped)]
        if not checked.passed:
            return []
        claim, quotes = checked.claim, checked.quotes
        lines = claim.gap.count("\n")
        gap = "" if not self.text else "\n\n" if lines > 1 else "\n" if lines else " "
        claim_start = len(self.text) + len(gap)
        claim_end = claim_start + len(claim.text)
        piece, places = f"{gap}{claim.text} ", {}
        for number in dict.fromkeys(quote.source.number for quote in quotes):
            start = len(self.text) + len(piece)
            piece += f"[{number}]"
            places[number] = (start, len(self.text) + len(piece))
        self.text += piece
        made = [_citation(quote, places[quote.source.number], (claim_start, claim_end)) for quote in quotes]
        self.citations += made
        return [Delta(piece), *map(Cited, made)]


class _Answering:
    def __init__(self, resources: Resources, asking: Asking, collections: Reach, budget: Budget | None) -> None:
        self.id = f"answer-{token_hex(8)}"
        self.asking, self.collections = asking, collections
        self.spent = Budget()
        model = resources.language_model
        self.model: LanguageModel | None = None
        if model is not None and asking.mode is not Mode.EXTRACTIVE:
            self.model = model.within(self.spent, *([] if budget is None else [budget]))
        in_search = None if model is None else model.within(self.spent, *([] if budget is None else [budget]))
        self.resources = replace(resources, language_model=in_search)
        self.degraded: list[str] = []
        self.support: Support | None = None
        self.sources: tuple[Source, ...] = ()
        self.texts: list[str] = []
        self.evidence: Evidence
        self.so_far = _Text()
        self.found: Found

    async def events(self) -> AsyncGenerator[Event, None]:
        question = await self._question()
        self.found = await self._search(question)
        self.degraded += self.found.outcome.degraded
        self.sources = sources_of(self.found.hits, token_budget=self.asking.token_budget)
        yield Read(self.sources)
        scope = await scope_of(self.resources.database, within(self.asking.collection, self.collections))
        if (refusal := await self._unsupported(question, scope)) is not None:
            yield self._ended(refusal)
            return
        if self.asking.mode is Mode.MODEL and self.model is None:
            yield self._ended(self._refuse(Reason.MODEL_UNAVAILABLE, NOT_CONFIGURED))
            return
        if self.model is not None:
            async with aclosing(self._by_model(self.model, question, scope)) as events:
                async for event in events:
                    yield event
                    if isinstance(event, Ended):
                        return
        for event in self._extractive():
            yield event

    async def _question(self) -> str:
        """Return the question, made one that stands by itself where that is asked for."""
        question = check_query(self.asking.question)
        if not (self.asking.rewrite and self.asking.history):
            return question
        if self.resources.language_model is None:
            self.degraded.append("the question was taken as it is: no language model is at hand")
            return question
        model = self.resources.language_model
        prompt = model.prompt("standalone", frozenset({"history", "question"}), folder=reading.PROMPTS)
        history = "\n".join(f"{turn.role}: {' '.join(turn.text.split())}" for turn in self.asking.history)
        try:
            reply = await model.answer_text(prompt, {"history": history, "question": question})
        except LanguageModelError as error:
            self.degraded.append(f"the question was taken as it is: {error.briefly}")
            return question
        return " ".join(reply.value.split())[:MAX_QUERY_CHARS] or question

    async def _search(self, question: str) -> Found:
        asking = self.asking
        pipeline = prepared(self.resources, asking.pipeline, overrides=asking.overrides, select=asking.select)
        own = next((step for step in pipeline.steps if isinstance(step, Select)), None)
        if (select := within_budget(own, asking.token_budget)) is not None:
            pipeline = pipeline.selecting(select)
        return await search(
            self.resources,
            question,
            pipeline=pipeline,
            collection=asking.collection,
            collections=self.collections,
            k=asking.k or min(pipeline.k, DEFAULT_K),
            filter=asking.filter,
            backfill=asking.backfill,
            tolerant=True,
        )

    async def _unsupported(self, question: str, scope: str | None) -> Refusal | None:
        """Return a refusal where the passages do not look as if they answered the question."""
        if not self.sources:
            return self._refuse(Reason.NO_EVIDENCE, "no passage was found")
        self.texts = [without_orders(source.hit.chunk.text) for source in self.sources]
        collection = self.found.outcome.scope.collection
        self.evidence = await read_evidence(self.resources, question, self.texts, collection=collection)
        self.support = support_of(self.evidence)
        if self.support.probability >= self.asking.least_support:
            return None
        if scope and self.support.coverage < OFF_TOPIC:
            return self._refuse(Reason.OUT_OF_SCOPE, f"these papers are about: {scope}")
        return self._refuse(Reason.NO_EVIDENCE, "no passage answers the question, as far as its words tell")

    async def _by_model(self, model: LanguageModel, question: str, scope: str | None) -> AsyncGenerator[Event, None]:
        """Yield what a model writes, as far as it passes; ends without :class:`Ended` where nobody could write."""
        reader = self.asking.reader or self.found.outcome.pipeline.reader
        prompt = reading.prompt_of(model, reader)
        values = reading.values_of(reader, question, self.sources, scope)
        searched = self.resources.model.searched
        verifier = Verifier(question, self.sources, searched.embedder)
        options = Options(temperature=self.asking.temperature)
        claims = ClaimReader()
        said: list[Claim] = []

        async def checked(claim: Claim) -> list[Event]:
            said.append(claim)
            if _refusal_of(claim) is not None:
                return []
            return self.so_far.add(await asyncio.to_thread(verifier.check, claim))

        try:
            async with aclosing(model.stream_text(prompt, values, options=options)) as pieces:
                async for piece in pieces:
                    for claim in claims.feed(piece):
                        for event in await checked(claim):
                            yield event
            for claim in claims.end():
                for event in await checked(claim):
                    yield event
        except LanguageModelError as error:
            if self.so_far.text:
                self.degraded.append(f"the answer breaks off: {error.briefly}")
                yield self._ended(self._answer(model.name))
                return
            if self.asking.mode is Mode.MODEL:
                yield self._ended(self._refuse(Reason.MODEL_UNAVAILABLE, error.briefly))
                return
            self.degraded.append(f"sentences of the papers instead of an answer in words: {error.briefly}")
            return
        reasons = [reason for claim in said if (reason := _refusal_of(claim)) is not None]
        if self.so_far.text:
            yield self._ended(self._answer(model.name))
        elif reasons:
            yield self._ended(self._refuse(reasons[0], "the language model finds no answer in the passages"))
        else:
            told = "nothing that the language model wrote could be checked against the passages"
            yield self._ended(self._refuse(Reason.NO_EVIDENCE, told))

    def _extractive(self) -> Sequence[Event]:
        """Return the events of an answer of the papers' own sentences."""
        events: list[Event] = []
        for one in extracts(self.evidence, self.texts, n=N_EXTRACTS):
            sentence = one.sentence
            source = self.sources[sentence.passage]
            quote = Quote(source, source.hit.chunk, sentence.start, sentence.end)
            claim = Claim(" ".join(visible(quote.text).split()), ())
            events += self.so_far.add(Checked(claim, (quote,), ()))
        if not events:
            refusal = self._refuse(Reason.NO_EVIDENCE, "no sentence of the passages answers the question")
            return [self._ended(refusal)]
        return [*events, self._ended(self._answer(None))]

    def _answer(self, model: str | None) -> Answer:
        return Answer(
            id=self.id,
            text=self.so_far.text,
            citations=tuple(self.so_far.citations),
            dropped=tuple(self.so_far.dropped),
            llm_generated=model is not None,
            model=model,
            usage=self.spent.spent,
            degraded=tuple(self.degraded),
            support=self.support,
            sources=self.sources,
            found=self.found,
        )

    def _refuse(self, reason: Reason, message: str) -> Refusal:
        return Refusal(
            id=self.id,
            reason=reason,
            message=message,
            nearest=self.sources,
            dropped=tuple(self.so_far.dropped),
            usage=self.spent.spent,
            degraded=tuple(self.degraded),
            support=self.support,
            found=self.found,
        )

    def _ended(self, result: Answer | Refusal) -> Ended:
        if isinstance(result, Answer):
            outcome = "degraded" if result.degraded else "model" if result.llm_generated else "extractive"
        else:
            outcome = result.reason.value
        metrics.ANSWERS.labels(outcome).inc()
        for one in self.so_far.dropped:
            metrics.DROPPED.labels(one.fault.value).inc()
        return Ended(result)


def _refusal_of(claim: Claim) -> Reason | None:
    """Return why a model does not answer, where a claim is one of the words for it."""
    word = claim.text.strip(" .*_`\"'").upper()
    return {reading.NO_EVIDENCE: Reason.NO_EVIDENCE, reading.OUT_OF_SCOPE: Reason.OUT_OF_SCOPE}.get(word)


def _citation(quote: Quote, marker: tuple[int, int], claim: tuple[int, int]) -> Citation:
    hit = quote.source.hit
    return Citation(
        number=quote.source.number,
        chunk_id=quote.chunk.id,
        paper_id=quote.chunk.paper_id,
        paper_title=hit.paper.title,
        section_path=hit.section.path,
        url=url_of(quote.source),
        page=quote.chunk.start_page,
        quote=quote.text,
        start=quote.start,
        end=quote.end,
        answer_start=marker[0],
        answer_end=marker[1],
        claim_start=claim[0],
        claim_end=claim[1],
    )
