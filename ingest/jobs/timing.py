"""Stages of a task, and the time that each takes."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from typing import Self

from papergraph.telemetry import metrics, tracing

# The stages that a task goes through; by itself, since processes that only parse need no more of the ledger


class Stage(StrEnum):
    """The stages of a document; an enrichment of its paper is at the stage of its name."""

    FETCH = "fetch"
    PARSE = "parse"
    CHUNK = "chunk"
    EMBED = "embed"
    WRITE = "write"


# How long stages take, as metrics and traces have it


@contextmanager
def timed(stage: str) -> Iterator[None]:
    """Measure a stage, and be the span of what is done in it."""
    with tracing.span(f"stage {stage}"), metrics.STAGE_SECONDS.labels(str(stage)).time():
        yield


class StageClock:
    """Measures the stages that one document goes through, each from when it is reached to the next one or the end."""

    def __init__(self) -> None:
        self._stage = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stage.close()

    def reached(self, stage: Stage) -> None:
        """Begin a stage."""
        self._stage.close()
        self._stage.enter_context(timed(stage))
