"""Progress of long work: a protocol, for example for a terminal, and a silent implementation."""

from typing import Protocol


class Progress(Protocol):
    """Hears what is being done and how far it is; may be called from several threads, one call at a time."""

    def step(self, message: str) -> None:
        """Hear that something of unknown length has begun, for example ``waiting for the first query``."""

    def advance(self, message: str, done: int, total: int) -> None:
        """Hear that ``done`` of ``total`` things are done; ``message`` names them and stays the same."""

    def at(self, message: str, thing: str) -> None:
        """Hear on which of the things that ``message`` names work begins, for example a file's name."""


class Silent:
    """Progress that is ignored."""

    def step(self, message: str) -> None:
        """Say nothing."""

    def advance(self, message: str, done: int, total: int) -> None:
        """Say nothing."""

    def at(self, message: str, thing: str) -> None:
        """Say nothing."""


silent = Silent()
