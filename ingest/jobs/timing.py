"""How long stages take, as metrics and traces have it."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Self

from ingest.jobs.stages import Stage
from papergraph.telemetry import metrics, tracing


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
