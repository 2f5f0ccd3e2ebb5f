"""Cypher queries of a principal, for all interfaces."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from papergraph.cypher_guard import NO_FENCE, Fence
from papergraph.errors import AccessError, NotFoundError
from papergraph.schema.replica import LEFT_OUT
from papergraph.server.auth.access import KeyScope, Principal
from papergraph.server.user_cypher.request import CypherRequest
from papergraph.server.user_cypher.runner import Piece, RunsCypher, Table, Target, gathered

SERVICE = Fence(
    frozenset(LEFT_OUT),
    frozenset({"HAS_TASK", "RATES", "ANNOTATES_PRIVATELY", "HAS_RECORD", "HAS_DECISION", "REPEATS"}),
)
"""Data about the service and its users, which queries must not access; replicas lack them."""


async def pieces_for(
    principal: Principal, desk: RunsCypher | None, request: CypherRequest
) -> AsyncGenerator[Piece, None]:
    """Run a query of a principal; see :meth:`papergraph.server.user_cypher.runner.CypherRunner.ask`.

    Raises:
        AccessError: The principal lacks the scope for Cypher, or the target has forbidden collections.
        NotFoundError: The server does not run queries.
        PapergraphError: As of :meth:`papergraph.server.user_cypher.runner.CypherRunner.ask`.
    """
    principal.require(KeyScope.CYPHER, "Cypher")
    if desk is None:
        raise NotFoundError("Cypher", "", field="query", message="This server does not run Cypher queries.")
    async with aclosing(_asked(principal, desk, request)) as pieces:
        async for piece in pieces:
            yield piece


def _asked(principal: Principal, desk: RunsCypher, request: CypherRequest) -> AsyncGenerator[Piece, None]:
    is_admin = KeyScope.ADMIN in principal.scopes
    return desk.ask(principal.account, request, may_read=lambda target: _fence(principal, target), whatever=is_admin)


async def table_for(principal: Principal, desk: RunsCypher | None, request: CypherRequest) -> Table:
    """Return all of an answer at once; arguments and errors are those of :func:`pieces_for`."""
    return await gathered(pieces_for(principal, desk, request))


def _fence(principal: Principal, target: Target) -> Fence:
    """Return the forbidden parts of the target for a principal's queries.

    A query reads the whole graph, so the principal needs all of its collections.

    Raises:
        AccessError: The target has several collections, or a forbidden one.
    """
    if KeyScope.ADMIN in principal.scopes:
        return NO_FENCE
    if len(target.collections) > 1:
        raise AccessError.scope(
            "Cypher over several collections",
            KeyScope.ADMIN.value,
            advice="Query a replica of one collection instead: papergraph db replica --collection NAME",
        )
    if principal.collections is not None and not set(target.collections) <= set(principal.collections):
        raise AccessError.scope("Cypher over a collection out of reach of the key", KeyScope.ADMIN.value)
    return NO_FENCE if target.as_of is not None else SERVICE
