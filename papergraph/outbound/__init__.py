"""The one way to the outside: what may be asked for, where it really is, how fast, how much, and for how long.

:mod:`papergraph.outbound.operator_service` asks what an operator runs at an address of their own.
"""

from papergraph.outbound.client import ARXIV_GATE, Fetched, HostThrottle, Outside, check_address, open_outside

__all__ = ["ARXIV_GATE", "Fetched", "HostThrottle", "Outside", "check_address", "open_outside"]
