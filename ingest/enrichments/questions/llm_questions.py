"""Questions through a language model: many of each chunk, and pairs of question and answer over a whole paper.

Many short questions a chunk are how QuIM-RAG indexes a corpus; pairs by a student who asks and a teacher who answers
are PR3's, which makes them from the metadata of the paper, and across papers that share metadata. Each pair is checked
against the passages that it names by a call of its own; what a paper cannot answer is asked for once more, and then
left out. Answers are data: which chunks a question belongs to is decided here.
"""

import math
from collections.abc import Awaitable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from papergraph.concurrency import gather_or_cancel
from papergraph.errors import ModelAnswerError
from papergraph.ingest.enrichments.enrichment import ExpectedRequest, StoredChunk, StoredPaper, headings_of
from papergraph.ingest.enrichments.questions.candidates import (
    LONGEST_ANSWER,
    Draft,
    Generator,
    as_lines,
    asked_chunks,
    asked_question,
    one_line,
    same_text,
    spread,
)
from papergraph.language_model import Budget, LanguageModel, Prompt
from papergraph.language_model.prompts import fenced, numbered_passages

PROMPTS = Path(__file__).parents[1] / "prompts"
GROUP_CHARS = 12_000
"""Characters of passages that one request holds: 3,000 to 4,000 tokens."""
MOST_GROUPS = 8
LONGEST_PASSAGE, LONGEST_ABSTRACT, MOST_HEADINGS = 6_000, 2_000, 40
NONE = "none"
PASSAGES_PER_GROUP = 36
CHARS_PER_QUESTION, QUESTION_CHARS, PAIR_CHARS, VERDICT_CHARS = 150, 85, 400, 40
"""Expected characters of a passage for each question, of a question, of a pair, and of a verdict."""


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ChunkQuestions(_Answer):
    """Questions that a passage answers."""

    questions: list[str]


class Pair(_Answer):
    """A question with its answer and where it stands."""

    question: str
    answer: str = Field(min_length=1)
    passages: list[int]
    whole_paper: bool


class Pairs(_Answer):
    """Pairs of question and answer."""

    pairs: list[Pair]


class SharedPair(_Answer):
    """A question across papers with its answer and where it stands."""

    question: str
    answer: str = Field(min_length=1)
    passages: list[int]


class SharedPairs(_Answer):
    """Pairs of question and answer across papers."""

    pairs: list[SharedPair]


class Verdict(_Answer):
    """Result of checking a question against its source."""

    answerable: bool
    supported: bool


@dataclass(frozen=True)
class Prompts:
    """Prompts, the user's own if they exist; a change of a prompt recomputes the enrichment."""

    of_chunk: Prompt
    of_paper: Prompt
    of_group: Prompt
    check: Prompt

    @classmethod
    def load(cls, model: LanguageModel) -> "Prompts":
        """Read them.

        Raises:
            FileContentError: One of the user's cannot be used.
        """
        of_paper = frozenset({"n", "title", "abstract", "headings", "metadata", "passages", "tried"})
        return cls(
            model.prompt("questions_of_chunk", frozenset({"n", "title", "heading", "passage"}), folder=PROMPTS),
            model.prompt("questions_of_paper", of_paper, folder=PROMPTS),
            model.prompt("questions_of_group", frozenset({"n", "metadata", "passages"}), folder=PROMPTS),
            model.prompt("question_check", frozenset({"question", "answer", "passages"}), folder=PROMPTS),
        )

    @property
    def versions(self) -> tuple[str, ...]:
        """Versions of all."""
        return (self.of_chunk.version, self.of_paper.version, self.of_group.version, self.check.version)


@dataclass(frozen=True)
class Asking:
    """Asks a model about one paper.

    Attributes:
        model: The model; its slots bound how many requests are open at once.
        prompts: What it is asked by.
        budget: What may be spent.
        paper: The paper.
        per_chunk: Questions asked for of each chunk; 0 for none.
        pairs: Pairs asked for of the paper; 0 for none.
        most_chunks: Chunks asked about at most, spread over the paper.
    """

    model: LanguageModel
    prompts: Prompts
    budget: Budget | None
    paper: StoredPaper
    per_chunk: int
    pairs: int
    most_chunks: int

    async def drafts(self) -> list[Draft]:
        """Return what the model made of the paper, in the paper's order.

        A chunk or group of chunks for which the model gives nothing that can be used is passed over.

        Raises:
            ModelAnswerError: None of its answers can be used.
            LanguageModelError: It cannot be asked; what was answered is kept and costs nothing the next time.
        """
        chunks = asked_chunks(self.paper, most=self.most_chunks)
        work: list[Awaitable[list[Draft]]] = []
        if self.per_chunk:
            work += [self._of_chunk(chunk) for chunk in chunks]
        shares = group_shares(self.paper, self.pairs)
        work += [self._pairs_of(group, n) for group, n in shares]
        results = await gather_or_cancel([_usable(one) for one in work])
        failed = [one for one in results if isinstance(one, ModelAnswerError)]
        if failed and len(failed) == len(results):
            raise failed[0]
        return [draft for one in results if not isinstance(one, ModelAnswerError) for draft in one]

    async def _of_chunk(self, chunk: StoredChunk) -> list[Draft]:
        values = _chunk_values(self.paper, chunk, self.per_chunk)
        prompt = self.prompts.of_chunk
        reply = await self.model.answer_json(prompt, values, answer=ChunkQuestions, budget=self.budget)
        texts = [text for text in map(asked_question, reply.value.questions) if text is not None]
        return [
            Draft(text, (chunk.id,), Generator.MODEL, model=reply.model, prompt_version=reply.prompt_version)
            for text in texts[: self.per_chunk]
        ]

    async def _pairs_of(self, group: Sequence[StoredChunk], n: int) -> list[Draft]:
        """Return at most ``n`` pairs that hold; those that did not are asked for once more."""
        asked = await self._ask_pairs(group, n, tried=())
        good, bad = await self._checked(group, asked)
        if bad:
            again = await self._ask_pairs(group, len(bad), tried=bad)
            more, _ = await self._checked(group, again)
            good += more
        return good

    async def _ask_pairs(
        self, group: Sequence[StoredChunk], n: int, *, tried: Sequence[str]
    ) -> list[tuple[Draft | None, str]]:
        """Return (draft, question) for each pair; the draft is None if the pair cites no passage."""
        values = _paper_values(self.paper, group, n, tried)
        reply = await self.model.answer_json(self.prompts.of_paper, values, answer=Pairs, budget=self.budget)
        found: list[tuple[Draft | None, str]] = []
        for pair in reply.value.pairs:
            question = asked_question(pair.question)
            answer = one_line(pair.answer)[:LONGEST_ANSWER]
            if question is None or not answer or any(same_text(question, other) for other in tried):
                continue
            numbers = sorted({number for number in pair.passages if 1 <= number <= len(group)})
            draft = Draft(
                question,
                tuple(group[number - 1].id for number in numbers),
                Generator.MODEL,
                spans_paper=not numbers,
                answer=answer,
                model=reply.model,
                prompt_version=reply.prompt_version,
                metadata=as_lines(self.paper.metadata),
            )
            found.append((draft if numbers or pair.whole_paper else None, question))
        return found[:n]

    async def _checked(
        self, group: Sequence[StoredChunk], pairs: Sequence[tuple[Draft | None, str]]
    ) -> tuple[list[Draft], list[str]]:
        """Return the pairs that their source answers and supports, and the questions of the others."""

        async def holds(draft: Draft | None) -> bool:
            if draft is None:
                return False
            source = [chunk.text for chunk in group if draft.spans_paper or chunk.id in draft.chunk_ids]
            return await _holds(self.model, self.prompts, self.budget, draft, source)

        verdicts = await gather_or_cancel([holds(draft) for draft, _ in pairs])
        good = [draft for (draft, _), held in zip(pairs, verdicts, strict=True) if held and draft is not None]
        return good, [question for (_, question), held in zip(pairs, verdicts, strict=True) if not held]


@dataclass(frozen=True)
class Passage:
    """A chunk of one of several papers."""

    paper_id: str
    title: str
    chunk: StoredChunk

    @property
    def text(self) -> str:
        """Text for the model."""
        return f"Paper: {one_line(self.title)}\n{self.chunk.text}"


async def pairs_across(
    model: LanguageModel,
    prompts: Prompts,
    budget: Budget | None,
    passages: Sequence[Passage],
    metadata: Sequence[str],
    n: int,
) -> list[Draft]:
    """Return at most ``n`` pairs that passages of two papers or more answer together, each checked against them.

    Args:
        model: The model.
        prompts: What it is asked by.
        budget: What may be spent.
        passages: Of all papers of a group.
        metadata: What the papers have in common, each as ``field: value``.
        n: Pairs asked for.

    Raises:
        ModelAnswerError: The answer cannot be used.
        LanguageModelError: It cannot be asked.
    """
    values = _group_values(passages, metadata, n)
    reply = await model.answer_json(prompts.of_group, values, answer=SharedPairs, budget=budget)
    drafts: dict[str, tuple[Draft, list[Passage]]] = {}
    for pair in reply.value.pairs:
        question, answer = asked_question(pair.question), one_line(pair.answer)[:LONGEST_ANSWER]
        named = [passages[number - 1] for number in sorted(set(pair.passages)) if 1 <= number <= len(passages)]
        if question is None or not answer or len({passage.paper_id for passage in named}) < 2:
            continue
        draft = Draft(
            question,
            tuple(passage.chunk.id for passage in named),
            Generator.MODEL,
            answer=answer,
            model=reply.model,
            prompt_version=reply.prompt_version,
            metadata=tuple(metadata),
        )
        drafts.setdefault(question, (draft, named))
    asked = list(drafts.values())[:n]
    verdicts = await gather_or_cancel(
        [_holds(model, prompts, budget, draft, [passage.text for passage in named]) for draft, named in asked]
    )
    return [draft for (draft, _), held in zip(asked, verdicts, strict=True) if held]


def group_shares(paper: StoredPaper, pairs: int) -> list[tuple[list[StoredChunk], int]]:
    """Return groups of neighbouring chunks that fit one request each, with how many pairs each is asked for.

    There are at most :data:`MOST_GROUPS`, spread over the paper where it has more.
    """
    groups: list[list[StoredChunk]] = []
    size = 0
    for chunk in asked_chunks(paper, most=len(paper.chunks)):
        length = min(len(chunk.text), LONGEST_PASSAGE)
        if not groups or size + length > GROUP_CHARS:
            groups.append([])
            size = 0
        groups[-1].append(chunk)
        size += length
    chosen = spread(groups, min(MOST_GROUPS, pairs))
    return [(group, pairs // len(chosen) + (at < pairs % len(chosen))) for at, group in enumerate(chosen)]


def n_requests(paper: StoredPaper, *, per_chunk: int, pairs: int, across: int, most_chunks: int) -> int:
    """Return how many requests a paper takes at most, a bad answer's repair not counted.

    Those across papers are shared by two papers at least.
    """
    of_chunks = len(asked_chunks(paper, most=most_chunks)) if per_chunk else 0
    of_group = math.ceil((1 + across) / 2) if across else 0
    return of_chunks + sum(2 + 2 * n for _, n in group_shares(paper, pairs)) + of_group


async def _holds(
    model: LanguageModel, prompts: Prompts, budget: Budget | None, draft: Draft, source: Sequence[str]
) -> bool:
    """Say whether a model finds that passages answer a question, and support its answer."""
    values = _check_values(draft.text, draft.answer or "", source)
    try:
        reply = await model.answer_json(prompts.check, values, answer=Verdict, budget=budget)
    except ModelAnswerError:
        return False
    return reply.value.answerable and reply.value.supported


def expected_requests(
    prompts: Prompts, paper: StoredPaper, *, per_chunk: int, pairs: int, across: int, group_size: int, most_chunks: int
) -> Iterator[ExpectedRequest]:
    """Return the requests for a paper, if all pairs hold at their first check and each is made of one passage.

    Groups of papers have between two and ``group_size`` papers, so a request across papers belongs to one paper by one
    part in the mean of these. Each of its pairs is made of two passages.
    """
    for chunk in asked_chunks(paper, most=most_chunks) if per_chunk else ():
        n = min(per_chunk, 1 + len(chunk.text) // CHARS_PER_QUESTION)
        yield ExpectedRequest(
            prompts.of_chunk, _chunk_values(paper, chunk, per_chunk), ChunkQuestions, n * QUESTION_CHARS
        )
    for group, n in group_shares(paper, pairs):
        yield ExpectedRequest(prompts.of_paper, _paper_values(paper, group, n, ()), Pairs, n * PAIR_CHARS)
        for chunk in spread(group, n):
            yield _expected_check(prompts, [chunk.text], share=n / min(n, len(group)))
    worth = asked_chunks(paper, most=PASSAGES_PER_GROUP)
    if not across or not paper.metadata or not worth:
        return
    n_papers = 1 + group_size / 2
    named = [Passage(paper.id, paper.title, chunk) for chunk in worth]
    chosen = [one for at, one in enumerate(named) if sum(len(of.text) for of in named[: at + 1]) <= GROUP_CHARS]
    values = _group_values(chosen or named[:1], as_lines(paper.metadata), across)
    yield ExpectedRequest(prompts.of_group, values, SharedPairs, across * PAIR_CHARS, share=1 / n_papers)
    yield _expected_check(prompts, [one.text for one in named[:2]], share=across / n_papers)


def _expected_check(prompts: Prompts, source: Sequence[str], *, share: float) -> ExpectedRequest:
    question, answer = "x" * QUESTION_CHARS, "x" * (PAIR_CHARS - QUESTION_CHARS)
    return ExpectedRequest(prompts.check, _check_values(question, answer, source), Verdict, VERDICT_CHARS, share)


def _chunk_values(paper: StoredPaper, chunk: StoredChunk, n: int) -> dict[str, str]:
    heading = fenced("; ".join(headings_of([chunk])))
    return {"n": str(n), "title": fenced(paper.title), "heading": heading, "passage": _passages([chunk])}


def _paper_values(paper: StoredPaper, group: Sequence[StoredChunk], n: int, tried: Sequence[str]) -> dict[str, str]:
    return {
        "n": str(n),
        "title": fenced(paper.title),
        "abstract": fenced(paper.abstract)[:LONGEST_ABSTRACT],
        "headings": fenced("; ".join(headings_of(paper.chunks)[:MOST_HEADINGS])),
        "metadata": fenced("; ".join(as_lines(paper.metadata))) or NONE,
        "passages": _passages(group),
        "tried": fenced(" ".join(tried)) or NONE,
    }


def _group_values(passages: Sequence[Passage], metadata: Sequence[str], n: int) -> dict[str, str]:
    texts = numbered_passages((passage.text for passage in passages), most_chars=LONGEST_PASSAGE)
    return {"n": str(n), "metadata": fenced("; ".join(metadata)), "passages": texts}


def _check_values(question: str, answer: str, source: Sequence[str]) -> dict[str, str]:
    passages = numbered_passages(source, most_chars=LONGEST_PASSAGE)
    return {"question": fenced(question), "answer": fenced(answer), "passages": passages}


def _passages(chunks: Sequence[StoredChunk]) -> str:
    return numbered_passages((chunk.text for chunk in chunks), most_chars=LONGEST_PASSAGE)


async def _usable(work: Awaitable[list[Draft]]) -> list[Draft] | ModelAnswerError:
    try:
        return await work
    except ModelAnswerError as error:
        return error
