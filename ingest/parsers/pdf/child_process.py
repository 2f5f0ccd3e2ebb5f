"""Reading a PDF in a child process."""

from ingest.parsers.pdf.reading import PdfReading
from ingest.parsers.sandbox.limits import SandboxLimits
from ingest.parsers.sandbox.process import run_child

CHILD = "ingest.parsers.pdf.child"


def read_in_child(data: bytes, limits: SandboxLimits) -> PdfReading:
    """Read a PDF in a process of its own.

    Raises:
        RefusedError: It cannot become a paper, took longer or more memory than ``limits``, or made the process crash.
    """
    return PdfReading.of(run_child(CHILD, limits, data))
