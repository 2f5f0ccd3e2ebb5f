"""MCP over standard input and output, for the local user, who needs no key."""

from dataclasses import replace
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context

from papergraph.server.auth.access import everything
from papergraph.server.auth.credentials import Credentials, KeyCache
from papergraph.server.auth.rate_limits import RateLimiter
from papergraph.server.auth.server_limits import ServerLimits
from papergraph.server.auth.usage_budget import UsageBudget
from papergraph.server.mcp.server import server_of
from papergraph.server.operations.context import CostLimits, RequestContext
from papergraph.server.operations.service import Service

ASKER = "stdio"
"""Account that pays for language-model calls over stdio."""


def stdio_server(service: Service, policy: ServerLimits, max_cost: int) -> MCPServer[Any]:
    """Return a server of the tools for one client.

    Args:
        service: What answers.
        policy: Its limits hold here too; a key is not asked for.
        max_cost: The highest cost of one call.
    """
    open_policy = replace(policy, keys_required=False)
    limits = RateLimiter(open_policy)
    terms = CostLimits(limits, max_cost, UsageBudget(service.database, open_policy))
    visit = Credentials(KeyCache(service.database), limits, open_policy, ASKER, None)

    def context_of(_: Context[Any, Any]) -> RequestContext:
        return RequestContext(service, everything(ASKER), terms, visit)

    return server_of(context_of, with_cypher=policy.cypher_by_agents)
