"""Test sets by a language model: questions about sampled passages, with answers that quote them.

Simple, reasoning and multi-context questions have the ratio 2 : 1 : 1; cross-document ones are additional, from a
passage and the nearest one of another paper. Each is checked: its quotes must occur literally in the passages, and a
second call of the model must find it answerable and its answer supported. Failed drafts are replaced from other
passages, and reported. Unanswerable questions are those of one paper, asked about another one.

Sampling depends on the seed only and the model's answers are cached, so a repeated command gives the same set.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field

from papergraph.concurrency import gather_or_cancel
from papergraph.errors import InputError, ModelAnswerError
from papergraph.evaluation.answers.question_sets import Example, Kind
from papergraph.ingest.enrichments.enrichment import StoredChunk, StoredPaper
from papergraph.ingest.enrichments.questions.candidates import asked_chunks, asked_question, one_line
from papergraph.ingest.enrichments.questions.llm_questions import PROMPTS as CHECK_PROMPTS
from papergraph.ingest.enrichments.questions.llm_questions import Verdict
from papergraph.ingest.enrichments.state import paper_states, read_papers
from papergraph.language_model import Budget, LanguageModel, Options, Prompt
from papergraph.language_model.prompts import fenced, numbered_passages
from papergraph.progress import Progress, silent
from papergraph.schema.ids import sha256
from papergraph.server.retrieval.request import MAX_QUERY_CHARS, SearchRequest
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.search import search

PROMPTS = Path(__file__).with_name("prompts")
SHARES: Mapping[Kind, int] = {Kind.SIMPLE: 2, Kind.REASONING: 1, Kind.MULTI_CONTEXT: 1}
"""As the thesis' test set, after RAGAS."""
WRITTEN = (*SHARES, Kind.CROSS_DOCUMENT)
"""Kinds that a model writes."""
NEAREST = 20
"""Passages near to one among which that of another paper is looked for."""
N_PASSAGES: Mapping[Kind, int] = {Kind.SIMPLE: 1, Kind.REASONING: 1, Kind.MULTI_CONTEXT: 2}
MOST_QUESTIONS, MOST_PAPERS = 10_000, 1_000
TRIES = 3
LONGEST_PASSAGE = 6_000
PLACEHOLDERS = frozenset({"title", "passages"})

Near = Callable[[str, str], Awaitable["Material | None"]]
"""Function that returns the nearest material to a text outside the paper with an id, or None."""

T = TypeVar("T")


class _Said(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Quoted(_Said):
    """Words of a passage."""

    passage: int
    words: str


class Made(_Said):
    """A question with its answer and what shows it."""

    question: str
    answer: str
    quotes: list[Quoted] = Field(max_length=20)


@dataclass(frozen=True)
class Material:
    """Material of a question: titles and keys of its papers, and passages."""

    title: str
    papers: str
    texts: tuple[str, ...]

    def beside(self, other: "Material") -> "Material":
        """Return both together."""
        return Material(
            f"{self.title}; {other.title}", f"{self.papers} and {other.papers}", (*self.texts, *other.texts)
        )


@dataclass(frozen=True)
class TestSet:
    """Test set.

    Attributes:
        cases: The questions, by kind and number.
        left_out: Number of failed drafts by reason.
        short: Number of missing questions by kind.
    """

    cases: tuple[Example, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)
    short: Mapping[str, int] = field(default_factory=dict)


def quotas(n: int) -> dict[Kind, int]:
    """Return how many of ``n`` questions are of which kind: 2 : 1 : 1, by the largest remainders."""
    whole = sum(SHARES.values())
    found = {kind: n * share // whole for kind, share in SHARES.items()}
    by_remainder = sorted(SHARES, key=lambda kind: -(n * SHARES[kind] % whole))
    for kind in by_remainder[: n - sum(found.values())]:
        found[kind] += 1
    return found


@dataclass(frozen=True)
class Sample:
    """Size of a test set.

    Attributes:
        n: Number of answerable questions of a paper; with those of two papers 1 to 10,000.
        n_unanswerable: Number of these that are also asked about another paper.
        n_across: Number of additional questions about two papers.
        share: Share of the papers to sample, in (0, 1]; at most 1,000 papers.
        seed: Seed of the sampling.

    Raises:
        InputError: A number is out of range.
    """

    n: int
    n_unanswerable: int = 0
    share: float = 0.1
    seed: int = 0
    n_across: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.n + self.n_across <= MOST_QUESTIONS or not 0 <= self.n_unanswerable <= self.n:
            told = f"a test set has 1 to {MOST_QUESTIONS} questions, and no more unanswerable ones"
            raise InputError(told, field="n")
        if not 0.0 < self.share <= 1.0:
            raise InputError(f"the share of papers must be above 0 and at most 1, got {self.share}", field="share")


async def make_test_set(
    resources: Resources,
    model: LanguageModel,
    sample: Sample,
    *,
    collection: str,
    budget: Budget | None = None,
    progress: Progress = silent,
) -> TestSet:
    """Create a test set about the papers of a collection.

    Args:
        resources: A prepared store with its embedding model.
        model: Language model that writes and checks.
        sample: Size of the test set.
        collection: Name of the collection.
        budget: Budget of the model.
        progress: Receives the number of finished questions.

    Raises:
        InputError: The papers lack suitable passages.
        FileContentError: A prompt of the user is invalid.
        LanguageModelError: The model failed; its answers are cached, and the same call continues.
        DatabaseError: Neo4j failed.
    """
    seed, n_unanswerable, database = sample.seed, sample.n_unanswerable, resources.database
    keys = sorted([state.key async for state in paper_states(database, collection)])
    random = Random(f"{seed} papers")  # noqa: S311
    drawn = random.sample(keys, min(len(keys), MOST_PAPERS, max(1, round(sample.share * len(keys))))) if keys else []
    papers = await read_papers(database, collection, drawn)

    async def near(text: str, paper_id: str) -> Material | None:
        request = SearchRequest(text[:MAX_QUERY_CHARS], pipeline="vector", collection=collection, k=NEAREST)
        hits = (await search(resources, request)).hits
        others = (hit for hit in hits if hit.paper.id != paper_id)
        return next((Material(hit.paper.title, hit.paper.key, (hit.chunk.text,)) for hit in others), None)

    making = Making(model, papers, seed=seed, budget=budget, near=near)
    made = await making.cases(quotas(sample.n) | {Kind.CROSS_DOCUMENT: sample.n_across}, progress=progress)
    others = tuple(elsewhere(made.cases, making.paper_of, keys, n=n_unanswerable, seed=seed))
    short = dict(made.short)
    if len(others) < n_unanswerable:
        short[Kind.UNANSWERABLE.value] = n_unanswerable - len(others)
    return replace(made, cases=(*made.cases, *others), short=short)


def elsewhere(
    cases: Sequence[Example], paper_of: Mapping[str, str], papers: Sequence[str], *, n: int, seed: int
) -> list[Example]:
    """Return ``n`` answerable questions, each asked about a random other paper, which is assumed to lack the answer.

    The assumption is unchecked: another paper may answer a question by chance.

    Args:
        cases: The questions; those without a paper are skipped.
        paper_of: Answering paper by question id.
        papers: All papers, by the ids of a filter.
        n: Most questions.
        seed: Seed of the sampling.
    """
    random = Random(f"{seed} elsewhere")  # noqa: S311
    asked = [case for case in cases if case.is_answerable and case.id in paper_of]
    if len(papers) < 2:
        return []
    found = []
    for case in random.sample(asked, min(n, len(asked))):
        other = random.choice([paper for paper in papers if paper != paper_of[case.id]])
        told = f"{case.source}; asked of {other}"
        found.append(
            Example(f"{case.id}@{sha256(other)[:8]}", case.question, (), (), Kind.UNANSWERABLE, (other,), told)
        )
    return found


class Making:
    """Draws passages, asks for a question of each draw, and checks what comes."""

    def __init__(
        self,
        model: LanguageModel,
        papers: Sequence[StoredPaper],
        *,
        seed: int,
        budget: Budget | None = None,
        near: Near | None = None,
    ) -> None:
        """Load the prompts, and look which papers can be asked about.

        Raises:
            InputError: None can.
            FileContentError: A prompt of the user is invalid.
        """
        self._model, self._seed, self._budget, self._near = model, seed, budget, near
        self._papers = [(paper, chunks) for paper in papers if (chunks := asked_chunks(paper, most=len(paper.chunks)))]
        if not self._papers:
            raise InputError("no paper there has passages to ask about; ingest papers first", field="collection")
        self._prompts = {kind: self._prompt(f"testset_{kind.value.replace('-', '_')}") for kind in WRITTEN}
        asked = frozenset({"question", "answer", "passages"})
        self._check = model.prompt("question_check", asked, folder=CHECK_PROMPTS)
        self.paper_of: dict[str, str] = {}
        self._left_out: Counter[str] = Counter()

    async def cases(self, wanted: Mapping[Kind, int], *, progress: Progress = silent) -> TestSet:
        """Return the questions of each kind that pass; each is tried with up to three draws."""
        slots = [(kind, number) for kind, n in wanted.items() for number in range(n)]
        n_done = 0

        async def fill(kind: Kind, number: int) -> Example | None:
            nonlocal n_done
            case = await self._fill(kind, number)
            n_done += 1
            progress.advance("questions", n_done, len(slots))
            return case

        filled = await gather_or_cancel(fill(kind, number) for kind, number in slots)
        found: dict[str, Example] = {}
        for case in filled:
            if case is not None and case.id in found:
                self._left_out["the same question again"] += 1
            elif case is not None:
                found[case.id] = case
        n_found = Counter(case.kind for case in found.values())
        short = {kind.value: n - n_found[kind] for kind, n in wanted.items() if n > n_found[kind]}
        return TestSet(tuple(found.values()), dict(self._left_out), short)

    def _prompt(self, name: str) -> Prompt:
        return self._model.prompt(name, PLACEHOLDERS, folder=PROMPTS)

    async def _fill(self, kind: Kind, number: int) -> Example | None:
        random = Random(f"{self._seed} {kind} {number}")  # noqa: S311
        for _ in range(TRIES):
            paper, chunks = random.choice(self._papers)
            material = await self._material(random, kind, paper, chunks)
            if isinstance(material, str):
                self._left_out[material] += 1
                continue
            try:
                case = await self._made(kind, material)
            except ModelAnswerError as error:
                self._left_out[f"the model's answer cannot be used: {error.fault.value}"] += 1
                continue
            if isinstance(case, Example):
                if kind is not Kind.CROSS_DOCUMENT:
                    self.paper_of[case.id] = paper.key
                return case
            self._left_out[case] += 1
        return None

    async def _material(
        self, random: Random, kind: Kind, paper: StoredPaper, chunks: Sequence[StoredChunk]
    ) -> Material | str:
        """Return drawn passages for a question, or why there are none."""
        if kind is not Kind.CROSS_DOCUMENT:
            drawn = _apart(random, chunks, N_PASSAGES[kind])
            if drawn is None:
                return "the paper has too few passages"
            return Material(paper.title, paper.key, tuple(chunk.text for chunk in drawn))
        one = random.choice(chunks)
        other = None if self._near is None else await self._near(one.text, paper.id)
        if other is None:
            return "no passage of another paper is near"
        return Material(paper.title, paper.key, (one.text,)).beside(other)

    async def _made(self, kind: Kind, material: Material) -> Example | str:
        """Return a question that passed, or why it did not."""
        texts = material.texts
        passages = numbered_passages(texts, most_chars=LONGEST_PASSAGE)
        values = {"title": fenced(material.title), "passages": passages}
        options = Options(seed=self._seed)
        prompt = self._prompts[kind]
        reply = await self._model.answer_json(prompt, values, answer=Made, options=options, budget=self._budget)
        made = reply.value
        question, answer = asked_question(made.question), one_line(made.answer)
        if question is None or not answer:
            return "no question was made"
        quoted: dict[int, list[str]] = {}
        for quote in made.quotes:
            if 1 <= quote.passage <= len(texts) and _stands_in(quote.words, texts[quote.passage - 1]):
                quoted.setdefault(quote.passage, []).append(" ".join(quote.words.split()))
        if len(quoted) < len(texts):
            return "a quote does not stand in its passage, or a passage is not quoted"
        asked = {"question": fenced(question), "answer": fenced(answer), "passages": passages}
        check = await self._model.answer_json(self._check, asked, answer=Verdict, budget=self._budget)
        if not (check.value.answerable and check.value.supported):
            return "the passages do not answer it, or not so"
        evidence = tuple(words for number in sorted(quoted) for words in quoted[number])
        told = f"made by {reply.model} of {material.papers}"
        return Example(sha256(question)[:16], question, (answer,), evidence, kind, None, told)


def _apart(random: Random, chunks: Sequence[StoredChunk], n: int) -> list[StoredChunk] | None:
    """Return ``n`` random non-adjacent chunks of a paper in its order, or None.

    None: the paper has too few chunks, or each of three draws has adjacent ones.
    """
    for _ in range(TRIES):
        if len(chunks) < n:
            return None
        drawn = sorted(random.sample(range(len(chunks)), n))
        if all(chunks[b].ordinal - chunks[a].ordinal > 1 for a, b in pairwise(drawn)):
            return [chunks[number] for number in drawn]
    return None


def _stands_in(words: str, text: str) -> bool:
    """Return whether words occur literally in a text, ignoring blanks."""
    plain = " ".join(words.split())
    return bool(plain) and plain in " ".join(text.split())
