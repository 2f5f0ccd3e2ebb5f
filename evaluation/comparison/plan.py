"""What a comparison asks, before anything is started."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.answers.readers import READERS
from evaluation.comparison.systems import NO_MODEL, System, running_systems, unavailable
from papergraph.errors import InputError
from papergraph.settings import Settings
from server.answers.records import Mode


@dataclass(frozen=True)
class ComparisonPlan:
    """Systems and readers, and how they are asked.

    Attributes:
        systems: What finds passages; others are compared with the first.
        readers: Who answers from them.
        judged: Whether the language model judges, each answer alone and all of a question side by side.
        by_model: Whether the language model makes enrichments.
        judge_model: Another model of the same server as the judge.
        judge_tokens: What the judge may take at most.
        seed: The order of systems before the judge follows from it.
    """

    systems: Sequence[System]
    readers: Sequence[str]
    judged: bool = False
    by_model: bool = False
    judge_model: str | None = None
    judge_tokens: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse a comparison of nothing.

        Raises:
            InputError: No system is named.
        """
        if not self.systems:
            raise InputError("no system can run here", field="pipeline")

    def label(self, system: System, reader: str) -> str:
        """Return what a system with a reader is called in tables."""
        return f"{system.name}, {reader}" if len(self.readers) > 1 else system.name


def planned(
    settings: Settings, systems: Sequence[System], readers: Sequence[str], *, judged: bool | None, by_model: bool
) -> tuple[ComparisonPlan, Mapping[str, str]]:
    """Return what runs with these settings, and what does not, each with the reason.

    Args:
        settings: Whether there is a language model and a reranker.
        systems: All systems that were asked for.
        readers: All readers that were asked for.
        judged: Whether the language model judges; None where it does if one is configured.
        by_model: Whether it makes enrichments.

    Raises:
        InputError: Nothing of it can run, or a judge or enrichments by a model are asked for without one.
    """
    has_model = bool(settings.llm.url and settings.llm.model)
    if (judged or by_model) and not has_model:
        raise InputError(f"{NO_MODEL}, and a judge or enrichments by one are asked for", field="judge")
    left_out = dict(unavailable(systems, settings))
    running = running_systems(systems, left_out)
    able = [reader for reader in readers if has_model or READERS[reader][0] is Mode.EXTRACTIVE]
    left_out |= {f"reader {reader}": NO_MODEL for reader in readers if reader not in able}
    if readers and not able:
        raise InputError(f"none of the readers can run: {NO_MODEL}", field="readers")
    return ComparisonPlan(running, able, has_model if judged is None else judged, by_model), left_out


def default_readers(settings: Settings) -> str:
    """Return the readers that are compared where none are named."""
    return "extractive,model" if settings.llm.url and settings.llm.model else "extractive"
