"""MCP for whoever starts the command: this machine, which needs no key."""

from dataclasses import replace
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context

from server.access.grants import everything
from server.access.keyring import Keyring
from server.access.limits import Limits
from server.access.policy import Policy
from server.access.spending import Spending
from server.access.visits import Visit
from server.error_bodies import new_request_id
from server.mcp.tools import server_of
from server.rest.asking import Asked, Terms
from server.service import Service

ASKER = "stdio"
"""Whose what is spent on a language model is."""


def stdio_server(service: Service, policy: Policy, max_cost: int) -> MCPServer[Any]:
    """Return a server of the tools for one client.

    Args:
        service: What answers.
        policy: Its limits hold here too; a key is not asked for.
        max_cost: The highest cost of one call.
    """
    open_policy = replace(policy, keys_required=False)
    limits = Limits(open_policy)
    terms = Terms(limits, max_cost, Spending(service.database, open_policy))
    visit = Visit(Keyring(service.database), limits, open_policy, ASKER, None)

    def asked(_: Context[Any, Any]) -> Asked:
        return Asked(service, everything(ASKER), terms, new_request_id(), visit)

    return server_of(asked, with_cypher=policy.cypher_by_agents)
