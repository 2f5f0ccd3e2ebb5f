"""A Neo4j to be killed, and a client that asks meanwhile."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

from papergraph import local_neo4j
from papergraph.local_neo4j import Memory, RunningNeo4j
from papergraph.server.app import create_app
from papergraph.server.operations.service import Service
from papergraph.settings import Settings

SMALL = Memory(heap_mb=512, page_cache_mb=64)


SEARCH = {"query": '{ search(input: {query: "annealing steps", k: 3}) { hits { rank } } }'}


@asynccontextmanager
async def client_of(service: Service) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the application over a service."""
    transport = httpx.ASGITransport(create_app(service))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=60) as client:
        yield client


async def is_ready(client: httpx.AsyncClient) -> bool:
    return (await client.get("/readyz")).status_code == 200


async def started(home: Path) -> RunningNeo4j:
    return await asyncio.to_thread(local_neo4j.start, Settings(home=home), memory=SMALL)
