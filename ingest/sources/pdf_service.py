"""PDFs that a service of one's own reads: which one, where, and for how long."""

from dataclasses import dataclass

from papergraph.errors import BlockedUrlError, InputError
from papergraph.settings import Settings

OWN = "builtin"
SETTING, ENGINE = "PAPERGRAPH_PARSER_URL", "PAPERGRAPH_PARSER_ENGINE"
NAMES = ("docling", "marker", "grobid")


@dataclass(frozen=True)
class PdfService:
    """A service that reads PDFs.

    Attributes:
        name: ``docling``, ``marker`` or ``grobid``.
        url: Its address, such as ``http://127.0.0.1:5001``; it may be in a private network.
        timeout_s: Longest time for one PDF, waiting for a busy service included.
        max_bytes: Longest answer.
    """

    name: str
    url: str
    timeout_s: float = 300.0
    max_bytes: int = 100_000_000

    def __post_init__(self) -> None:
        from papergraph.outbound.operator_service import check_service

        try:
            check_service(self.url)
        except BlockedUrlError as error:
            raise InputError(f"{SETTING}: {self.name} {error.detail}", field="parser") from error


def chosen_service(settings: Settings, name: str | None = None) -> PdfService | None:
    """Return the service that reads PDFs, by its name or else by the settings; None where the own parser does.

    Raises:
        InputError: There is no such parser, or it has no address.
    """
    name = name or settings.parser.engine
    if name == OWN:
        return None
    if name not in NAMES:
        raise InputError(f"Parser {name!r} does not exist. Choose {OWN}, docling, marker or grobid.", field="parser")
    engine = settings.parser.engine
    if engine not in (OWN, name):
        raise InputError(f"{SETTING} is the address of {engine}. Set it and {ENGINE} for {name}.", field="parser")
    if not settings.parser.url:
        raise InputError(
            f"Parser {name} has no address. Set {SETTING}, for example to http://127.0.0.1:8070.", field="parser"
        )
    return PdfService(name, settings.parser.url, settings.parser.timeout_s)
