"""Limits that the operator sets: required keys, trusted hosts, rates and budgets."""

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from papergraph.database import Database
from papergraph.errors import InputError
from papergraph.server.auth.keys import has_valid_key
from papergraph.settings import Settings

OPEN_OF_ONE_KEY, OPEN_OF_ALL = 8, 16
"""Open requests for each that is processed: the others wait."""
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")


class SignUp(StrEnum):
    """Policy of sign-ups: closed, or by invitation."""

    OFF = "off"
    INVITE = "invite"


@dataclass(frozen=True)
class ServerLimits:
    """Access and limits of a server; 0 means unlimited.

    Attributes:
        keys_required: True if requests need a key.
        hosts: Names and addresses of the server beside those of this machine.
        origins: Other origins whose pages may use the API from a browser.
        sign_up: Policy of sign-ups.
        web: True to serve the web interface.
        requests_per_minute: Requests per minute of an account, or of an address if keys are optional.
        cost_per_minute: Cost of their GraphQL operations per minute.
        requests_at_once: Concurrent requests of an account, or of an address.
        all_requests_at_once: Concurrent requests in total.
        worked_on_at_once: Concurrently executed requests; others wait.
        tokens_per_day: Tokens of a language model per account and day (UTC).
        cost_per_day: Cost of these tokens.
        cypher_by_agents: True to offer Cypher as an MCP tool.
        proxies: Addresses and networks of proxies whose ``X-Forwarded-For`` names the client.
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
    proxies: tuple[str, ...] = ("127.0.0.1", "::1")
    origins: tuple[str, ...] = ()
    web: bool = True
    sign_up: SignUp = SignUp.OFF

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Return what the settings say."""
        return cls(
            keys_required=settings.server.require_api_key,
            hosts=settings.server.trusted_hosts,
            origins=settings.server.allowed_origins,
            web=settings.server.web,
            sign_up=SignUp(settings.sign_up) if settings.server.require_api_key else SignUp.OFF,
            requests_per_minute=settings.limits.requests_per_minute,
            cost_per_minute=settings.limits.cost_per_minute,
            requests_at_once=OPEN_OF_ONE_KEY * settings.server.max_active_requests,
            all_requests_at_once=OPEN_OF_ALL * settings.server.max_active_requests,
            worked_on_at_once=settings.server.max_active_requests,
            tokens_per_day=settings.llm.tokens_per_day,
            cost_per_day=settings.llm.cost_per_day,
            cypher_by_agents=settings.cypher.mcp,
            proxies=settings.server.trusted_proxies,
        )

    def names(self) -> Sequence[str]:
        """Return the names that a request may call the server by."""
        bare = [name.strip("[]") for name in self.hosts]
        return [*LOOPBACK_NAMES, *(f"[{name}]" if ":" in name else name for name in bare)]


ANYTHING = ServerLimits()
"""Limits of a local server: everything is allowed."""


def is_loopback(host: str) -> bool:
    """Say whether an address is this machine's own, which no other machine reaches."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def refuse_open_address(host: str, policy: ServerLimits) -> None:
    """Refuse an address that others reach, unless keys are required and the names are known that it is reached by.

    Raises:
        InputError: It must not be listened on.
    """
    if is_loopback(host):
        return
    if not policy.keys_required:
        raise InputError(
            f"Host {host!r} is not allowed without API keys. Use 127.0.0.1, or create a key (papergraph keys create) "
            "and set PAPERGRAPH_SERVER_REQUIRE_API_KEY=true.",
            field="host",
        )
    if not policy.hosts:
        raise InputError(
            f"Host {host!r} is not allowed without trusted hosts. "
            "Set PAPERGRAPH_SERVER_TRUSTED_HOSTS to the names of this server.",
            field="hosts",
        )


async def refuse_without_keys(host: str, policy: ServerLimits, database: Database) -> None:
    """Refuse an address that others reach while no key is valid.

    Raises:
        InputError: It must not be listened on.
        DatabaseError: Neo4j failed.
    """
    if not is_loopback(host) and not (policy.keys_required and await has_valid_key(database)):
        raise InputError(
            f"No API key is valid, so no client could use the server on {host!r}. Run papergraph keys create.",
            field="host",
        )
