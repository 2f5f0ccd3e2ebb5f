"""What the operator chose: whether keys are asked for, by which names the server is reached, how much it answers."""

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from papergraph.database import Database
from papergraph.errors import InputError
from papergraph.settings import Settings
from server.access.keys import has_valid_key

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")


@dataclass(frozen=True)
class Policy:
    """Who is answered, and how much; 0 stands for no limit.

    Attributes:
        keys_required: Whether a request needs a key.
        hosts: Names and addresses that the server is reached by, beside those of this machine.
        requests_per_minute: Requests with one key, or from one address where no keys are asked for.
        cost_per_minute: What their GraphQL operations may cost.
        requests_at_once: Requests of one key, or from one address, at the same time.
        all_requests_at_once: Requests of all.
        worked_on_at_once: Those of them that are worked on, while the others wait for their turn.
        tokens_per_day: Tokens of a language model that one asker's questions may take in a day of UTC.
        cost_per_day: What they may cost.
        cypher_by_agents: Whether Cypher is among the tools of MCP.
    """

    keys_required: bool = False
    hosts: tuple[str, ...] = ()
    requests_per_minute: int = 0
    cost_per_minute: int = 0
    requests_at_once: int = 0
    all_requests_at_once: int = 0
    worked_on_at_once: int = 0
    tokens_per_day: int = 0
    cost_per_day: float = 0.0
    cypher_by_agents: bool = False

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Return what the settings say."""
        return cls(
            keys_required=settings.keys == "required",
            hosts=settings.hosts,
            requests_per_minute=settings.requests_per_minute,
            cost_per_minute=settings.cost_per_minute,
            requests_at_once=settings.requests_at_once,
            all_requests_at_once=settings.all_requests_at_once,
            worked_on_at_once=settings.worked_on_at_once,
            tokens_per_day=settings.llm_tokens_per_day,
            cost_per_day=settings.llm_cost_per_day,
            cypher_by_agents=settings.mcp_cypher,
        )

    def names(self) -> Sequence[str]:
        """Return the names that a request may call the server by."""
        bare = [name.strip("[]") for name in self.hosts]
        return [*LOOPBACK_NAMES, *(f"[{name}]" if ":" in name else name for name in bare)]


def is_loopback(host: str) -> bool:
    """Say whether an address is this machine's own, which no other machine reaches."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def refuse_open_address(host: str, policy: Policy) -> None:
    """Refuse an address that others reach, unless keys are required and the names are known that it is reached by.

    Raises:
        InputError: It must not be listened on.
    """
    if is_loopback(host):
        return
    if not policy.keys_required:
        raise InputError(
            f"without keys the server listens on this machine only: use 127.0.0.1, not {host!r}, or make a key "
            "(papergraph keys create) and set PAPERGRAPH_KEYS=required",
            field="host",
        )
    if not policy.hosts:
        raise InputError(
            f"to listen on {host!r}, set PAPERGRAPH_HOSTS to the names and addresses that the server is reached by",
            field="hosts",
        )


async def refuse_without_keys(host: str, policy: Policy, database: Database) -> None:
    """Refuse an address that others reach while no key is valid.

    Raises:
        InputError: It must not be listened on.
        DatabaseError: Neo4j failed.
    """
    if not is_loopback(host) and not (policy.keys_required and await has_valid_key(database)):
        raise InputError(
            f"no key is valid, so nobody could ask the server on {host!r}: papergraph keys create makes one",
            field="host",
        )
