"""What a comparison compares: pipelines, each on the chunks of one or several chunkers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from evaluation.corpus_store import chunking_of
from evaluation.task import Task
from ingest.chunkers import ChunkOptions, chunkers
from papergraph.errors import InputError
from papergraph.settings import Settings
from server.retrieval.pipelines import RERANKER, Pipeline, needs

OWN = "own"
"""In the place of a chunker: the one that a pipeline is published for, or else the usual one of the data."""

DOCUMENTED = (
    "default,sv,am,kv,sv*,am*,kv*,m1,m2,m3,m4,m5,m6,m7,m8,quim,rag,pr3,pr3-naive,chunk256,chunk256-aug,ensemble"
)
"""The pipelines of the five documents beside the default one."""

NO_MODEL = "no language model is configured (PAPERGRAPH_LLM_URL, PAPERGRAPH_LLM_MODEL)"
NO_RERANKER = "no reranker is configured (PAPERGRAPH_RERANKER_MODEL)"


@dataclass(frozen=True)
class System:
    """A pipeline on chunks of a kind; the pipeline has the name that the system has in tables."""

    pipeline: Pipeline
    chunking: ChunkOptions

    @property
    def name(self) -> str:
        """Its name in tables."""
        return self.pipeline.name


def parse_chunkers(names: str) -> tuple[str, ...]:
    """Return the chunkers of a list with commas, ``own`` among them.

    Raises:
        InputError: There is no such chunker, or one is named twice.
    """
    wanted = tuple(name.strip() for name in names.split(","))
    for name in wanted:
        if name != OWN and name not in chunkers():
            raise InputError(
                f"Chunker {name!r} does not exist. Choose from {', '.join((OWN, *chunkers()))}.", field="chunkers"
            )
    if len(set(wanted)) < len(wanted):
        raise InputError(f"a chunker is named twice in {names!r}", field="chunkers")
    return wanted


def systems_of(pipelines: Sequence[Pipeline], names: Sequence[str], task: Task) -> tuple[System, ...]:
    """Return each pipeline on the chunks of each chunker, none twice; with several chunkers names have the chunker's.

    Args:
        pipelines: The pipelines; the first one on the first chunker is what others are compared with.
        names: Names of chunkers, or ``own``.
        task: Whose corpus; documents that are passages stay whole where a pipeline is for any chunks.
    """
    found: dict[tuple[str, ChunkOptions], System] = {}
    for pipeline in pipelines:
        for name in names:
            chunker = pipeline.chunker if name == OWN else name
            chunking = chunking_of(task) if chunker is None else ChunkOptions(chunker=chunker)
            label = f"{pipeline.name} ({chunking.chunker})" if len(names) > 1 else pipeline.name
            found.setdefault((pipeline.name, chunking), System(replace(pipeline, name=label), chunking))
    return tuple(found.values())


def unavailable(systems: Sequence[System], settings: Settings) -> Mapping[str, str]:
    """Return the systems that cannot run with these settings, each with the reason."""
    has_model = bool(settings.llm.url and settings.llm.model)
    found = {}
    for system in systems:
        reasons = []
        if system.pipeline.asks_model and not has_model:
            reasons.append(NO_MODEL)
        if RERANKER in needs(system.pipeline) and None in system.pipeline.rerankers and not settings.reranker.model:
            reasons.append(NO_RERANKER)
        if reasons:
            found[system.name] = "; ".join(reasons)
    return found


def running_systems(systems: Sequence[System], left_out: Mapping[str, str]) -> list[System]:
    """Return the systems that are not left out.

    Raises:
        InputError: None is left; the message has the reasons.
    """
    running = [system for system in systems if system.name not in left_out]
    if not running:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in left_out.items())
        raise InputError(f"none of the pipelines can run: {reasons}", field="pipeline")
    return running
