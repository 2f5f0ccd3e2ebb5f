"""The readers of this server, as what asks them: sentences of the papers, or a language model by one of its prompts."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from papergraph.errors import InputError
from papergraph.evaluation.answers.question_sets import Answerer, Example, Passage, Quote, SystemAnswer
from papergraph.evaluation.corpus_store import LoadedCorpus
from papergraph.evaluation.queries import Span
from papergraph.schema.records import Chunk
from papergraph.server.answers.answer import answer
from papergraph.server.answers.records import Answer, Mode, Reason, Refusal, Source
from papergraph.server.answers.request import AskRequest
from papergraph.server.retrieval.filters import Filter
from papergraph.server.retrieval.pipelines import Pipeline, Reader
from papergraph.server.retrieval.request import MAX_K, MAX_QUERY_CHARS
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.search import Hit

READERS: Mapping[str, tuple[Mode, Reader | None]] = {
    "extractive": (Mode.EXTRACTIVE, None),
    "model": (Mode.GENERATIVE, None),
    **{reader.value: (Mode.GENERATIVE, reader) for reader in Reader},
}
"""By name; ``model`` is the language model with the prompt that the pipeline names."""


def parse_readers(names: str) -> tuple[str, ...]:
    """Return the readers of a list with commas; the first is the one that others are compared with.

    Raises:
        InputError: There is no such reader, or one is named twice.
    """
    wanted = tuple(name.strip() for name in names.split(","))
    for name in wanted:
        if name not in READERS:
            raise InputError(f"Reader {name!r} does not exist. Choose from {', '.join(READERS)}.", field="answers")
    if len(set(wanted)) < len(wanted):
        raise InputError(f"a reader is named twice in {names!r}", field="answers")
    return wanted


def asks_model(readers: Sequence[str]) -> bool:
    """Say whether any of the readers is a language model."""
    return any(READERS[name][0] is Mode.GENERATIVE for name in readers)


def answerer_of(
    resources: Resources,
    name: str,
    *,
    pipeline: Pipeline,
    collection: str,
    corpus: LoadedCorpus | None = None,
    whole: bool = False,
) -> Answerer:
    """Return a function that answers a question with a reader of this server.

    Each reader searches by itself; with one pipeline they get equal passages. A report counts the questions with equal
    passages and compares readers on these only.

    Args:
        resources: Store and models of the pipelines.
        name: Name of the reader, one of :data:`READERS`.
        pipeline: Pipeline that finds the passages.
        collection: Collection to search.
        corpus: Stored documents of a task, or None. With a corpus, ``papers`` of a question are ids of documents, and
            passages have positions in these.
        whole: Pass all passages of the pipeline to the reader, as in its publication, instead of ten.
    """
    mode, reader = READERS[name]
    k = min(pipeline.k, MAX_K) if whole else None

    async def ask(case: Example) -> SystemAnswer:
        asking = AskRequest(
            case.question[:MAX_QUERY_CHARS],
            pipeline=pipeline,
            collection=collection,
            k=k,
            filter=_filter(case, corpus),
            mode=mode,
            reader=reader,
        )
        start = time.perf_counter()
        result = await answer(resources, asking)
        return given_of(result, ms=1000 * (time.perf_counter() - start), corpus=corpus)

    return ask


def given_of(result: Answer | Refusal, *, ms: float, corpus: LoadedCorpus | None = None) -> SystemAnswer:
    """Return a reader's answer in the form for measuring; a missing model counts as a failure."""
    used: dict[str, Any] = {
        "ms": ms,
        "tokens": result.usage.tokens,
        "cost": result.usage.cost,
        "second_check": result.second_check,
    }
    if isinstance(result, Refusal):
        passages = _passages(result.nearest, corpus)
        if result.reason is Reason.MODEL_UNAVAILABLE:
            return SystemAnswer("", passages, failure=f"{result.reason.value}: {result.message}", **used)
        return SystemAnswer("", passages, refusal=result.reason.value, **used)
    chunks = {chunk.id: chunk for source in result.sources for chunk in _chunks(source.hit)}
    quotes = tuple(
        Quote(one.chunk_id, one.quote, _places(chunks[one.chunk_id], corpus, (one.start, one.end)))
        for one in result.citations
    )
    return SystemAnswer(
        result.text, _passages(result.sources, corpus), quotes, llm_generated=result.llm_generated, **used
    )


def _filter(case: Example, corpus: LoadedCorpus | None) -> Filter | None:
    """Return a filter for the papers of a question.

    Raises:
        InputError: All of them are missing.
    """
    if case.papers is None:
        return None
    if corpus is None:
        return Filter(papers=case.papers)
    papers = tuple(sorted({corpus.paper_of[doc] for doc in case.papers if doc in corpus.paper_of}))
    if not papers:
        raise InputError(f"none of the papers of question {case.id!r} is in the corpus", field="papers")
    return Filter(papers=papers)


def _passages(sources: Sequence[Source], corpus: LoadedCorpus | None) -> tuple[Passage, ...]:
    return tuple(
        Passage(
            source.hit.chunk.id,
            source.text,
            source.hit.paper.title,
            tuple(place for chunk in _chunks(source.hit) for place in _places(chunk, corpus)),
        )
        for source in sources
    )


def _chunks(hit: Hit) -> tuple[Chunk, ...]:
    return (*hit.before, hit.chunk, *hit.after)


def _places(chunk: Chunk, corpus: LoadedCorpus | None, part: tuple[int, int] | None = None) -> tuple[Span, ...]:
    """Return the positions of a chunk, or of a part of its text, in the documents of a task."""
    if corpus is None:
        return ()
    start, end = chunk.start_char, chunk.end_char
    if part is not None and end - start == len(chunk.text):
        start, end = start + part[0], start + part[1]
    documents = corpus.documents_of.get(chunk.paper_id, ())
    return tuple(Span(document.id, start + document.shift, end + document.shift) for document in documents)
