"""Chunks beside the chunks of hits, while another process deletes papers."""

from types import SimpleNamespace
from typing import Any

from papergraph.server.retrieval.search import _beside


class Answering:
    """Database in which of two chunks one was deleted, and so were the chunks beside the other."""

    async def read(self, statement: Any, **parameters: Any) -> list[dict[str, Any]]:
        return [{"chunk_id": "there", "before": ["gone too"], "after": []}] if "window" in parameters else []


async def test_a_chunk_that_was_deleted_meanwhile_has_nothing_beside_it():
    resources: Any = SimpleNamespace(database=Answering())

    assert await _beside(resources, ["gone", "there"], 1) == {"there": ((), ())}
    assert await _beside(resources, ["gone", "there"], 0) == {}
