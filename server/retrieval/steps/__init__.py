"""The steps that pipelines are made of; each file defines one, with its options, its check and its work.

A pipeline runs its steps in order. Queries, then rankings (one for each query and retriever), then candidates travel
through them: ``expand`` gives queries, ``search`` rankings, ``fuse`` candidates, and all others need candidates.
"""

from collections.abc import Mapping
from functools import cache

from papergraph.registry import parts
from papergraph.server.retrieval.steps.base import Step, StepKind


@cache
def steps() -> Mapping[str, type[Step]]:
    """Return the classes of all steps by name, in the order in which they are listed."""
    return {name: kind.options for name, kind in parts("papergraph.server.retrieval.steps", "STEP", StepKind).items()}
