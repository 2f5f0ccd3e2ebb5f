"""What a run of a pipeline comes to: its queries, candidates, and a trace of each step."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from papergraph.records import Record, described
from papergraph.statement import CypherCall
from server.retrieval.candidates import AskedQuery, RankedCandidate
from server.retrieval.pipelines import Pipeline
from server.retrieval.relations import RelationPath
from server.retrieval.scope import Scope
from server.selection.result import SelectionReport


@dataclass(frozen=True)
class TraceStep(Record):
    """Trace of a step."""

    step: Annotated[str, described("Name of the step.")]
    options: Annotated[Mapping[str, Any], described("Options of the step by name.")]
    ms: Annotated[float, described("Duration in milliseconds.")]
    candidates_in: Annotated[
        int, described("Number of candidates before the step; before fusion, chunks in all rankings.")
    ]
    candidates_out: Annotated[int, described("Number of candidates after the step.")]
    cypher: Annotated[tuple[CypherCall, ...], described("Cypher queries of the step.")]
    notes: Annotated[tuple[str, ...], described("Remarks of the step, such as a fallback.")] = ()


@dataclass
class PipelineResult:
    """What a run came to.

    Attributes:
        pipeline: What was run, with all options.
        scope: Where it looked.
        queries: What was searched for, the query itself first.
        candidates: The result, best first.
        trace: A line for each step.
        draft: The temporary answer, where one was made.
        selection: The certificate, where passages were selected.
        passages: Shortened texts by chunk, where they were compressed.
        windows: How many chunks on each side belong to a passage.
        generated: What a language model wrote, by step, so that the run can be repeated without it.
        relations: Relations of the graph that are content beside the chunks that say them.
        warnings: What a step was left out for, in words, where a run was to go on without a language model.
    """

    pipeline: Pipeline
    scope: Scope
    queries: list[AskedQuery]
    candidates: list[RankedCandidate] = field(default_factory=list)
    trace: list[TraceStep] = field(default_factory=list)
    draft: str | None = None
    selection: SelectionReport | None = None
    passages: dict[str, str] = field(default_factory=dict)
    windows: int = 0
    generated: dict[str, list[str]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    relations: list[RelationPath] = field(default_factory=list)
