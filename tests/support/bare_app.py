"""The application without a store, for what is answered before one is asked."""

from functools import cache

from fastapi import FastAPI
from neo4j import AsyncGraphDatabase

from papergraph.database import Database
from papergraph.server.app import create_app
from papergraph.server.auth.server_limits import ServerLimits
from papergraph.server.operations.service import Service

OPEN = ServerLimits()


@cache
def application(policy: ServerLimits) -> FastAPI:
    driver = AsyncGraphDatabase.driver("bolt://localhost:1", auth=("neo4j", "x"))  # which is never asked
    return create_app(Service(Database(driver), None), policy)  # type: ignore[arg-type]
