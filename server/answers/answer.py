"""An answer with its citations: by a language model or from sentences, and the best of several pipelines."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import aclosing, nullcontext
from dataclasses import replace
from itertools import combinations
from secrets import token_hex

from papergraph.concurrency import gather_or_cancel
from papergraph.errors import LanguageModelError
from papergraph.language_model import Budget, Image, LanguageModel, Options
from papergraph.language_model.model import NOT_CONFIGURED
from papergraph.server.answers import reader_prompts as reading
from papergraph.server.answers.answer_text import AnswerText, read_style
from papergraph.server.answers.answerability import (
    LEAST,
    SURE,
    Answerability,
    answerability_of,
    least_score,
    probability,
)
from papergraph.server.answers.claims import Claim, ClaimReader
from papergraph.server.answers.comparison import contrast, only_repeats
from papergraph.server.answers.extractive import (
    Evidence,
    Extract,
    asked_kind,
    asks_papers,
    extracts,
    of_papers,
    read_evidence,
)
from papergraph.server.answers.follow_up import Standalone, paper_of, standalone, subject_of
from papergraph.server.answers.graph_answer import paper_sources, run
from papergraph.server.answers.graph_recognition import choose, route
from papergraph.server.answers.model_text import ModelText, plain_claim, without_orders
from papergraph.server.answers.quotes import Quote, sentences_of_source
from papergraph.server.answers.records import (
    Answer,
    AnswerAttempt,
    AnswerCitation,
    Event,
    Fault,
    Mode,
    NamedAnswer,
    Reason,
    Refusal,
    Source,
    SourcesEvent,
)
from papergraph.server.answers.request import AskRequest
from papergraph.server.answers.second_check import SecondCheck
from papergraph.server.answers.side_by_side import (
    Comparison,
    Side,
    comparison_of,
    filter_of,
    merged,
    of_all,
    side_of,
)
from papergraph.server.answers.sources import (
    caption_of,
    figures_of,
    file_of,
    readable,
    sources_of,
    url_of,
    within_budget,
)
from papergraph.server.answers.term_weights import asked_words
from papergraph.server.answers.verify import Checked, Verifier
from papergraph.server.retrieval.filters import Filter
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.scope import AllowedCollections, reached
from papergraph.server.retrieval.search import SearchResult, run_search
from papergraph.server.retrieval.steps.select import Select
from papergraph.telemetry import metrics, tracing
from papergraph.text.alignment import visible

# From a question to an answer: sources, then text with citations as they pass, at the end an answer or a refusal.
#
#     result = await answer(resources, AskRequest("What ...?"), emit=print)
#
# A sentence is emitted when it has passed the verifier, so that nothing emitted is taken back, and the pieces together
# are the answer's text. Cancellation ends the model's request and the database's query.


DEFAULT_K = 10
N_EXTRACTS = 3
AS_MUCH = 0.8
"""Least score of a sentence that a model cites, as a share of the best extract's."""
PAPERS_SHARE = 0.75
"""Least score of a paper's sentence, as a share of the best one's, in an answer about several papers."""
OFF_TOPIC = 0.5
"""Minimum word coverage; a question below it is off-topic for a collection with a subject."""


Emit = Callable[[Event], None]


def _silent(event: Event) -> None:
    """Ignore an event."""


async def answer(
    resources: Resources,
    asking: AskRequest,
    *,
    collections: AllowedCollections = None,
    budget: Budget | None = None,
    emit: Emit = _silent,
) -> Answer | Refusal:
    """Answer a question; of several pipelines or readers, the best answer counts.

    Args:
        resources: Resources of the pipelines.
        asking: The question.
        collections: Allowed collections; None for all.
        budget: What the caller may still spend on a language model.
        emit: Receives :class:`SourcesEvent`, then pieces of text, each with its citations behind it.

    Raises:
        InputError: The pipeline cannot run so, or needs what is missing.
        EmbeddingError: The question cannot be embedded.
        DatabaseError: Neo4j failed.
    """
    if asking.pipelines or asking.readers:
        return await _best(resources, asking, collections, budget, emit)
    return await _Answering(resources, asking, collections, budget, emit=emit).run()


class _Answering:
    def __init__(
        self,
        resources: Resources,
        asking: AskRequest,
        collections: AllowedCollections,
        budget: Budget | None,
        completed: Standalone | None = None,
        emit: Emit = _silent,
    ) -> None:
        self.completed, self.emit = completed, emit
        self.id = f"answer-{token_hex(8)}"
        self.asking, self.collections = asking, collections
        self.planned = asking.planned()
        self.searched = reached(self.planned.collections, collections)
        self.spent = Budget()
        model = resources.language_model
        self.model: LanguageModel | None = None
        if model is not None and asking.mode is not Mode.EXTRACTIVE:
            self.model = model.within(self.spent, *([] if budget is None else [budget]))
        in_search = None if model is None else model.within(self.spent, *([] if budget is None else [budget]))
        self.resources = replace(resources, language_model=in_search)
        self.warnings: list[str] = []
        self.answerability: Answerability | None = None
        self.question = asking.question
        self.earlier: str | None = None
        self.named: NamedAnswer | None = None
        self.style = read_style(asking.instructions)
        self.sources: tuple[Source, ...] = ()
        self.texts: list[str] = []
        self.evidence: Evidence
        self.second = SecondCheck(resources, self.model)
        self.sides: list[Side] = []
        self.both: Extract | None = None
        self.figures: dict[str, Image] = {}
        self.so_far = AnswerText()
        self.held: list[Event] | None = None
        self.found: SearchResult

    async def run(self) -> Answer | Refusal:
        with tracing.span("answer"):
            result = await self._result()
        metrics.ANSWERS.labels(result.outcome).inc()
        for one in self.so_far.dropped:
            metrics.DROPPED.labels(one.fault.value).inc()
        return result

    async def _result(self) -> Answer | Refusal:
        question = await self._question()
        self.question = question
        async with self.resources.turn():
            self.found = await self._search(question)
            self.warnings += self.found.outcome.warnings
            if (told := await self._graph(question)) is not None:
                return told
            scope = await self._subject()
            refusal = await self._read(question, scope)
        self.emit(SourcesEvent(self.sources))
        if refusal is not None:
            return refusal
        if self.asking.mode is Mode.GENERATIVE and self.model is None:
            return self._refuse(Reason.MODEL_UNAVAILABLE, NOT_CONFIGURED)
        if self.asking.mode is not Mode.GENERATIVE and (refusal := self._without_nouns()) is not None:
            return refusal
        written = None if self.model is None else await self._by_model(self.model, question, scope)
        if written is not None:
            return written
        async with self.resources.turn():
            return self._extractive()

    async def _question(self) -> str:
        """Return the question, made one that stands by itself where that is asked for."""
        found = self.completed or await self.complete()
        self.warnings += [] if found.warning is None else [found.warning]
        self.earlier = found.earlier
        return found.question

    async def complete(self) -> Standalone:
        """Return the question as one that stands by itself, where that is asked for."""
        question = self.asking.question
        if not (self.asking.rewrite and self.asking.history):
            return Standalone(question)
        database, model = self.resources.database, None
        if self.asking.mode is not Mode.EXTRACTIVE:
            model = self.resources.language_model
        return await standalone(database, model, question, self.asking.history, collections=self.searched)

    async def _subject(self) -> str | None:
        """Return what the papers are about; None unless each of the collections says so."""
        database = self.resources.database
        subjects = await asyncio.gather(*(subject_of(database, collection) for collection in self.searched))
        said = [subject for subject in subjects if subject]
        return "; ".join(said) if len(said) == len(subjects) else None

    async def _read(self, question: str, scope: str | None) -> Refusal | None:
        """Take the passages for a question, and return a refusal where they do not look as if they answered it.

        A question that was completed by rules is put to the paper that answers the earlier one first.
        """
        every = self.found
        if self.earlier is not None:
            paper_id = paper_of((await self._search(self.earlier)).hits)
            if paper_id is not None:
                self.found = await self._search(question, Filter(papers=(paper_id,)))
                self.sources = sources_of(self.found.hits, token_budget=self.asking.token_budget)
                if await self._unsupported(question, scope) is None and not self._is_doubtful():
                    return None
        self.found = every
        self.sources = sources_of(every.hits, token_budget=self.asking.token_budget)
        refusal = await self._unsupported(question, scope)
        compared = comparison_of(question) if self.earlier is None and self.sources else None
        if compared is not None and await self._has_sides(compared):
            return None
        return refusal

    async def _has_sides(self, compared: Comparison) -> bool:
        """Search for each thing that a question compares; True if each has a sentence, so that these are the answer."""
        only = [await filter_of(self.resources.database, name, self.searched) for name in compared.names]
        asked = [compared.question_of(*one) for one in zip(compared.names, only, strict=True)]
        found = await gather_or_cancel(self._search(*one) for one in zip(asked, only, strict=True))
        hits = merged([self.found.hits, *(one.hits for one in found)], k=self.asking.k or DEFAULT_K)
        sources = sources_of(hits, token_budget=self.asking.token_budget)
        texts = [readable(source) for source in sources]
        evidence = [await self._evidence(one, sources, texts) for one in asked]
        of_papers = [
            None if one is None else frozenset(hit.paper.id for hit in of_one.hits)
            for one, of_one in zip(only, found, strict=True)
        ]
        sides = [
            side_of(compared, *one, [source.hit for source in sources])
            for one in zip(compared.names, evidence, of_papers, strict=True)
        ]
        weakest = min((one.best.score if one else 0.0 for one in sides), default=0.0)
        if probability(weakest) < max(LEAST, self.asking.min_answerability):
            return False
        self.sides = [one for one in sides if one is not None]
        self.found, self.sources, self.texts = replace(self.found, hits=hits), sources, texts
        self.evidence = await self._evidence(self.evidence.question, sources, texts)
        told = answerability_of(self.evidence)
        self.answerability = replace(told, probability=probability(weakest), score=weakest, absent=())
        self.both = of_all(compared.names, self.evidence)
        return True

    async def _search(self, question: str, only: Filter | None = None) -> SearchResult:
        asking, pipeline = self.asking, self.planned.pipeline
        own = next((step for step in pipeline.steps if isinstance(step, Select)), None)
        if (select := within_budget(own, asking.token_budget)) is not None:
            pipeline = pipeline.selecting(select)
        k = asking.k or min(pipeline.k, DEFAULT_K)
        planned = replace(self.planned, query=question, pipeline=pipeline).giving(k)
        if only is not None:
            both = only if planned.filter is None else Filter(all=(planned.filter, only))
            planned = replace(planned, filter=both, backfill=False)
        return await run_search(self.resources, planned, collections=self.collections, tolerant=True)

    async def _unsupported(self, question: str, scope: str | None) -> Refusal | None:
        """Return a refusal where the passages do not look as if they answered the question."""
        if not self.sources:
            return self._refuse(Reason.NO_EVIDENCE, "No passage was found.")
        self.texts = [readable(source) for source in self.sources]
        self.evidence = await self._evidence(question, self.sources, self.texts)
        self.answerability = answerability_of(self.evidence)
        if question != (own := self.asking.question):  # the answer need not repeat it
            evidence = await self._evidence(own, self.sources, self.texts)
            if (alone := answerability_of(evidence)).probability > self.answerability.probability:
                self.evidence, self.answerability = evidence, alone
            asked = set(asked_words(own))
            kept = tuple(noun for noun in self.answerability.absent if noun in asked)
            self.answerability = replace(self.answerability, absent=kept)
        if self.answerability.probability >= self.asking.min_answerability:
            return None
        if scope and self.answerability.coverage < OFF_TOPIC:
            return self._refuse(Reason.OUT_OF_SCOPE, f"The question is outside the subject of these papers: {scope}")
        message = unlikely(self.answerability, self.asking.min_answerability, self.evidence, self.sources)
        return self._refuse(Reason.NO_EVIDENCE, message)

    async def _evidence(self, question: str, sources: Sequence[Source], texts: Sequence[str]) -> Evidence:
        return await read_evidence(
            self.resources,
            question,
            texts,
            collections=self.searched,
            headings=[source.hit.headings for source in sources],
            captions=[caption_of(source.hit) for source in sources],
        )

    async def _by_model(self, model: LanguageModel, question: str, scope: str | None) -> Answer | Refusal | None:
        """Emit the verified text of a model and return the result; None if all sentences failed."""
        reader = self.asking.reader or self.found.outcome.pipeline.reader
        prompt = reading.prompt_of(model, reader)
        queries = [one.text for one in self.found.outcome.queries[1:]]
        values = reading.values_of(
            reader, question, self.sources, scope, style=self.style.for_prompt(), queries=queries
        )
        searched = self.resources.model.searched
        self.figures = await figures_of(self.sources, self.resources.figure) if model.reads_images else {}
        verifier = Verifier(question, self.sources, searched.embedder, self.figures)
        options = Options(temperature=self.asking.temperature)
        images = tuple(self.figures.values())
        claims, written = ClaimReader(), ModelText()
        said: list[Claim] = []
        told: set[str] = set()
        checked: list[Checked] = []
        self.held = [] if self.asking.mode is Mode.AUTO else None

        async def check_claims(piece: str, *, is_last: bool = False) -> None:
            for claim in map(plain_claim, (*claims.feed(piece), *(claims.end() if is_last else ()))):
                is_new = claim.text not in told  # small models repeat themselves
                said.append(claim)
                told.add(claim.text)
                if is_new and claim.text and reading.refusal_of(claim) is None and not self._is_complete():
                    checked.append(await self.second.apply(await asyncio.to_thread(verifier.check, claim)))
                    self._emit_all(self.so_far.add(checked[-1]))

        broken: str | None = None
        try:
            async with aclosing(model.stream_text(prompt, values, options=options, images=images)) as pieces:
                async for piece in pieces:
                    await check_claims(written.feed(piece))
            await check_claims(written.end(), is_last=True)
        except LanguageModelError as error:
            if not self.so_far.text:
                if self.asking.mode is Mode.GENERATIVE:
                    return self._refuse(Reason.MODEL_UNAVAILABLE, error.briefly)
                self._without_model(error.briefly)
                return None
            broken = f"the answer breaks off: {error.briefly}"
        reasons = [reason for claim in said if (reason := reading.refusal_of(claim)) is not None]
        if self.so_far.text:
            if (weakness := self._weakness(checked)) is not None:
                self._without_model(weakness)
                return None
            self.warnings += [] if broken is None else [broken]
            held, self.held = self.held or [], None
            self._emit_all(held)
            return self._answer(model.name)
        if reasons:
            return self._refuse(reasons[0], "The language model found no answer in the passages.")
        if self.asking.mode is Mode.GENERATIVE:
            return self._refuse(Reason.UNCHECKED, self._unverified())
        self._without_model(self._unverified())
        return None

    def _without_model(self, why: str) -> None:
        """Leave the answer to sentences of the papers."""
        self.warnings.append(f"sentences of the papers instead of an answer in words: {why}")
        self.so_far, self.held = AnswerText(dropped=self.so_far.dropped), None

    def _weakness(self, checked: Sequence[Checked]) -> str | None:
        """Return the reason why the best extract answers better than the model's text; None in mode ``generative``."""
        if self.held is None:
            return None
        n_passed = sum(one.passed for one in checked)
        if n_passed * 2 <= len(checked):
            return f"Only {n_passed} of {len(checked)} sentences of the language model could be verified."
        best = next(iter(extracts(self.evidence, self.texts, n=1)), None)
        if best is None:
            return None
        scores = [self._score_of(one) for one in self.so_far.citations]
        if any(one.chunk_id in self.figures for one in self.so_far.citations):
            return None
        if max(scores, default=0.0) < AS_MUCH * best.score:
            return "The language model cites no sentence that answers as well as the best one of the papers."
        question = self.evidence.question
        if only_repeats(question, " ".join(one.claim.text for one in checked if one.passed)):
            return "The language model only repeats the question."
        if asked_kind(question, best.sentence.words) and not asked_kind(question, self.so_far.text):
            return "The language model does not name the number, year or place that is asked for."
        return None

    def _score_of(self, citation: AnswerCitation) -> float:
        """Return the highest score of a sentence in a quote."""
        return max(
            (
                one.score
                for one in self.evidence.weighed
                if self.sources[one.sentence.passage].hit.chunk.id == citation.chunk_id
                and one.sentence.start < citation.end
                and citation.start < one.sentence.end
            ),
            default=0.0,
        )

    def _emit_all(self, events: Iterable[Event]) -> None:
        """Emit events, or hold them until the model's text has been compared with the best extract."""
        for event in events:
            (self.emit if self.held is None else self.held.append)(event)

    def _is_complete(self) -> bool:
        """Say whether the answer has as many sentences as were asked for."""
        most = self.style.sentences
        n = len({one.claim_start for one in self.so_far.citations})
        if most is None or n < most:
            return False
        warning = f"the answer ends after {most} sentence{'' if most == 1 else 's'}, as the instructions ask for"
        self.warnings += [] if warning in self.warnings else [warning]
        return True

    def _unverified(self) -> str:
        why = next((one.detail for one in self.so_far.dropped if one.fault is not Fault.NOT_IN_SOURCE), "it was empty")
        return f"No sentence of the language model could be verified against the passages ({why})."

    def _add_extracts(self) -> None:
        if self.sides:
            return self._add_sides()
        if asks_papers(self.asking.question) and self._add_papers():
            return
        stated = [[path.quote for path in source.hit.relations if path.quote] for source in self.sources]
        n = min(N_EXTRACTS, self.style.sentences or N_EXTRACTS)
        for one in extracts(self.evidence, self.texts, n=n, relations=stated):
            lines = (" ".join(line.split()) for line in visible(one.sentence.words).splitlines())
            self._add_line("\n".join(filter(None, lines)), [one], gap="")

    def _add_papers(self) -> bool:
        """Add the best sentence of each paper, and the words in which they differ; False if fewer than two have one."""
        papers = [source.hit.paper for source in self.sources]
        best = self.evidence.best
        least = max(least_score(LEAST), PAPERS_SHARE * best.score if best else 0.0)
        lines = of_papers(self.evidence, [paper.id for paper in papers], least=least)[: self.style.sentences]
        if len(lines) < 2:
            return False
        self._add_each([(papers[one.sentence.passage].title, one) for one in lines])
        return True

    def _add_sides(self) -> None:
        """Add the best sentence with all names, then one about each."""
        if self.both is not None:
            self._add_line(" ".join(visible(self.both.sentence.words).split()), [self.both], gap="")
        said = None if self.both is None else self.both.sentence.words
        lines = [(side.name, side.best) for side in self.sides if side.best.sentence.words != said]
        self._add_each(lines[: self.style.sentences])

    def _add_each(self, lines: Sequence[tuple[str, Extract]]) -> None:
        """Add sentences behind the names of what they are about, and the words in which they differ."""
        for name, one in lines:
            title = " ".join(visible(without_orders(name)).split())
            self._add_line(f"{title}: {' '.join(visible(one.sentence.words).split())}", [one], gap="\n")
        for (_, one), (_, other) in combinations(lines, 2):
            if (words := contrast(one.sentence.words, other.sentence.words)) is not None:
                self._add_line(f"They differ: “{words[0]}” and “{words[1]}”.", [one, other], gap="\n")

    def _add_line(self, text: str, extracts: Sequence[Extract], *, gap: str) -> None:
        quotes = []
        for one in extracts:
            source = self.sources[one.sentence.passage]
            quotes.append(Quote(source, source.hit.chunk, one.sentence.start, one.sentence.end))
        self._emit_all(self.so_far.add(Checked(Claim(text, (), gap), tuple(quotes), ())))

    def _extractive(self) -> Answer | Refusal:
        """Return an answer of the papers' own sentences."""
        reason = Reason.UNCHECKED if self.so_far.dropped else Reason.NO_EVIDENCE
        self._add_extracts()
        if self.so_far.text:
            return self._answer(None)
        return self._refuse(reason, "No sentence of the passages answers the question.")

    def _without_nouns(self) -> Refusal | None:
        """Return a refusal if rare nouns of the question are not near its answer."""
        if self.answerability is None or not self._is_doubtful():
            return None
        return self._refuse(Reason.NO_EVIDENCE, without_nouns(self.answerability, self.evidence, self.sources))

    def _is_doubtful(self) -> bool:
        """Say whether rare nouns of the question are not near its answer; those of a history make nothing sure."""
        told = self.answerability
        if told is None or not told.absent or self.asking.min_answerability < LEAST:
            return False
        return told.probability < SURE or self.earlier is not None

    async def _graph(self, question: str) -> Answer | None:
        """Return the answer of a named query; None if the question is about passages."""
        database, (collection, *others) = self.resources.database, self.searched
        without_writer = self.asking.mode is Mode.GENERATIVE and self.model is None
        if self.planned.filter is not None or without_writer or others:
            return None
        asked = await route(database, question, collection)
        if asked is None and self.model is not None:
            asked = await choose(self.model, database, question, collection)
        rows = None if asked is None else await run(database, asked, collection)
        if rows is None:
            return None
        by_paper = await paper_sources(database, rows.paper_ids)
        self.sources = tuple(by_paper.values())
        self.named = rows.named()
        self.emit(SourcesEvent(self.sources))
        for line in rows.lines:
            cited = [by_paper[id] for id in line.paper_ids if id in by_paper]
            self._emit_all(
                self.so_far.tell(line.text, [quote for one in cited for quote in sentences_of_source(one)[:1]])
            )
        return self._answer(None)

    def _warned(self) -> list[str]:
        return [*self.warnings, *([] if self.second.warning is None else [self.second.warning])]

    def _answer(self, model: str | None) -> Answer:
        return Answer(
            id=self.id,
            text=self.so_far.text,
            citations=tuple(self.so_far.citations),
            dropped=tuple(self.so_far.dropped),
            llm_generated=model is not None,
            model=model,
            usage=self.spent.spent,
            warnings=(*self._warned(), *self.so_far.skipped, *self.style.warnings(by_model=model is not None)),
            second_check=self.second.usage,
            answerability=None if self.answerability is None else self.answerability.probability,
            evidence=self.answerability,
            sources=self.sources,
            found=self.found,
            question=self.question,
            named_query=self.named,
        )

    def _refuse(self, reason: Reason, message: str) -> Refusal:
        return Refusal(
            id=self.id,
            reason=reason,
            message=message,
            nearest=self.sources or sources_of(self.found.nearest, token_budget=self.asking.token_budget),
            dropped=tuple(self.so_far.dropped),
            usage=self.spent.spent,
            warnings=(*self._warned(), *self.style.warnings(by_model=self.model is not None)),
            second_check=self.second.usage,
            answerability=None if self.answerability is None else self.answerability.probability,
            evidence=self.answerability,
            found=self.found,
            question=self.question,
        )


# One question answered in several ways, by pipelines and readers, of which the best answer counts.
#
# The verifier's results decide, in this order: an answer precedes a refusal; text of a language model before sentences
# of the papers in its place; more sentences with an accepted citation; a higher share of accepted ones; a higher
# answerability; at last the order in which the ways were named.


OF_SENTENCES = frozenset({Fault.NO_CITATION, Fault.NOT_SUPPORTED, Fault.DENIED, Fault.ADDRESS, Fault.INSTRUCTION})
"""Faults for which a sentence is dropped; for others one of its citations is."""


async def _best(
    resources: Resources, asking: AskRequest, collections: AllowedCollections, budget: Budget | None, emit: Emit
) -> Answer | Refusal:
    """Answer a question in each of its ways, side by side; emit the events of the best answer when all have answered.

    The question is completed from its history once, for all. All ways spend one budget, and an error of one ends the
    others. The result has all attempts, and the usage of all.
    """
    spent = Budget()
    if (model := resources.language_model) is not None:
        resources = replace(resources, language_model=model.within(spent))
    completed = await _Answering(resources, asking, collections, budget).complete()
    ways = asking.alone()
    events: list[list[Event]] = [[] for _ in ways]
    turn, resources = resources.turn, replace(resources, turn=nullcontext)
    async with turn() if model is None else nullcontext():  # all ways in one; a model would keep it for long
        results = await gather_or_cancel(
            _Answering(resources, way, collections, budget, completed, said.append).run()
            for way, said in zip(ways, events, strict=True)
        )
    attempts = [_attempt(way, result) for way, result in zip(ways, results, strict=True)]
    order = sorted(range(len(attempts)), key=lambda at: _key(attempts[at]), reverse=True)
    best = order[0]
    for event in events[best]:
        emit(event)
    return replace(results[best], attempts=tuple(attempts[at] for at in order), usage=spent.spent)


def _attempt(way: AskRequest, result: Answer | Refusal) -> AnswerAttempt:
    answer = result if isinstance(result, Answer) else None
    refusal = result if isinstance(result, Refusal) else None
    pipeline = result.found.outcome.pipeline
    n_grounded = len({citation.claim_start for citation in answer.citations}) if answer else 0
    n_dropped = sum(one.fault in OF_SENTENCES for one in result.dropped)
    n_written = n_grounded + n_dropped
    return AnswerAttempt(
        pipeline=pipeline.name,
        reader=way.reader or pipeline.reader,
        text=answer.text if answer else None,
        reason=refusal.reason if refusal else None,
        message=refusal.message if refusal else None,
        citations=answer.citations if answer else (),
        grounded_sentences=n_grounded,
        dropped_sentences=n_dropped,
        accepted=n_grounded / n_written if n_written else 0.0,
        answerability=result.answerability,
        llm_generated=answer is not None and answer.llm_generated,
        usage=result.usage,
    )


def _key(one: AnswerAttempt) -> tuple[float, ...]:
    """Return what an attempt is compared by; the higher, the better. Sorting keeps the order of equal ones."""
    return (one.text is not None, one.llm_generated, one.grounded_sentences, one.accepted, one.answerability or 0.0)


NEAREST = 0.1
"""Probability from which on a refusal shows the sentence that comes nearest to an answer."""
MOST_SHOWN = 400
"""Characters of that sentence."""


def unlikely(answerability: Answerability, least: float, evidence: Evidence, sources: Sequence[Source]) -> str:
    """Return that no passage is likely to answer, with the nearest one from :data:`NEAREST` on."""
    said = f"No passage is likely to answer this question (answerability {_two(answerability)}, minimum {least:.2f})."
    return said + nearest(answerability, evidence, sources)


def without_nouns(answerability: Answerability, evidence: Evidence, sources: Sequence[Source]) -> str:
    """Return that the nearest passage lacks rare nouns of the question, with that passage."""
    names = ", ".join(f"“{noun}”" for noun in answerability.absent)
    said = f"The nearest passage does not mention {names} (answerability {_two(answerability)})."
    return said + nearest(answerability, evidence, sources)


def nearest(answerability: Answerability, evidence: Evidence, sources: Sequence[Source]) -> str:
    """Return the sentence that comes nearest to an answer with its place; nothing below :data:`NEAREST`."""
    if evidence.best is None or answerability.probability < NEAREST:
        return ""
    source = sources[evidence.best.sentence.passage]
    sentence = " ".join(visible(evidence.best.sentence.text).split())[:MOST_SHOWN]
    page = None if source.hit.chunk.start_page is None else f"p. {source.hit.chunk.start_page}"
    place = ", ".join(part for part in (source.hit.paper.title, url_of(source) or file_of(source), page) if part)
    return f" Nearest passage [{source.number}]: “{sentence}” ({place})"


def _two(answerability: Answerability) -> str:
    return f"{answerability.probability:.2f}"
