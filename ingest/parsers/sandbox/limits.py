"""How much one document may cost, and how a refusal is said inside the child process."""

from dataclasses import dataclass

from papergraph.errors import Reason


@dataclass(frozen=True)
class SandboxLimits:
    """What one file may take.

    Attributes:
        seconds: Wall time of the child process, its start included.
        memory_bytes: Its address space.
        pages: Most pages.
        characters: Most characters of text.
        stream_bytes: Longest stream of the file once unpacked, images aside.
        output_bytes: Longest answer, as JSON.
        program_memory_bytes: Address space of a program that the child runs; 0 where it runs none.
        program_output_bytes: Longest file that such a program writes.
    """

    seconds: float = 50.0
    memory_bytes: int = 1 << 30
    pages: int = 2_000
    characters: int = 10_000_000
    stream_bytes: int = 200_000_000
    output_bytes: int = 100_000_000
    program_memory_bytes: int = 0
    program_output_bytes: int = 0


class RefusedError(Exception):
    """A document that cannot become a paper; crosses to the parent process as its reason and detail."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason, self.detail = reason, detail
