"""Ask readers the questions, in turns, so that what else happens falls on all of them."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

from evaluation.answers.examples import Example, SystemAnswer
from evaluation.answers.judge import Judge
from evaluation.answers.measures import Encoder, Measured, measure
from papergraph.concurrency import gather_or_cancel
from papergraph.errors import DatabaseError, PapergraphError
from papergraph.progress import Progress, silent

Answerer = Callable[[Example], Awaitable[SystemAnswer]]
"""Anything that answers a question."""


async def ask_all(
    cases: Sequence[Example],
    readers: Mapping[str, Answerer],
    encoder: Encoder,
    *,
    judge: Judge | None = None,
    at_once: int = 1,
    progress: Progress = silent,
) -> dict[str, list[Measured]]:
    """Ask each question of all readers one after the other, and measure what they give.

    Args:
        cases: The questions.
        readers: Who answers, by name.
        encoder: The local embedding model.
        judge: A language model that judges, or None.
        at_once: How many questions are on their way together; latencies are each question's own with 1 alone.
        progress: Hears how many questions are done.

    Returns:
        For each reader what it gave for each question and its figures, in the order of the questions. A reader that
        fails on one has failed there, which is told; a database that fails ends it all.

    Raises:
        DatabaseError: Neo4j failed.
        EmbeddingError: A text cannot be embedded.
    """
    found: dict[str, dict[str, Measured]] = {name: {} for name in readers}
    slots = asyncio.Semaphore(at_once)
    n_done = 0

    async def ask(case: Example) -> None:
        nonlocal n_done
        async with slots:
            for name, answerer in readers.items():
                found[name][case.id] = await measure(case, await _given(answerer, case), encoder, judge)
            n_done += 1
            progress.advance("questions", n_done, len(cases))

    await gather_or_cancel(ask(case) for case in cases)
    return {name: [of_reader[case.id] for case in cases] for name, of_reader in found.items()}


async def _given(answerer: Answerer, case: Example) -> SystemAnswer:
    try:
        return await answerer(case)
    except DatabaseError:
        raise
    except PapergraphError as error:
        return SystemAnswer("", failure=f"{type(error).__name__}: {error}")
