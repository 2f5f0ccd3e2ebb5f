"""A server that warms up searches once, and starts all the same where that fails or takes too long."""

import asyncio

import pytest

from papergraph.cli import serve_running
from papergraph.errors import NotFoundError
from papergraph.progress import silent
from papergraph.server.operations.service import Service
from tests.support.embedders import ToyModel


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The queries of searches that never end."""
    queries: list[str] = []

    async def search(resources, request):
        queries.append(request.query)
        await asyncio.sleep(60)

    monkeypatch.setattr(serve_running, "search", search)
    monkeypatch.setattr(serve_running, "compile_all", lambda: None)
    return queries


async def test_a_search_that_takes_too_long_is_left(asked, monkeypatch):
    monkeypatch.setattr(serve_running, "WARM_UP_S", 0.05)

    await asyncio.wait_for(serve_running._warm_up(Service(None, ToyModel("toy", dimension=8)), silent), 5)

    assert asked == [serve_running.WARM_UP_QUERY]


async def test_a_store_without_papers_is_no_fault(asked, monkeypatch):
    async def search(resources, request):
        asked.append(request.query)
        raise NotFoundError.collection("main")

    monkeypatch.setattr(serve_running, "search", search)

    await serve_running._warm_up(Service(None, ToyModel("toy", dimension=8)), silent)

    assert len(asked) == 1
