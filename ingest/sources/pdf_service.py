"""PDFs that a service of one's own reads: which one, where, and for how long."""

from dataclasses import dataclass

from papergraph.errors import BlockedUrlError, InputError
from papergraph.settings import Settings

OWN = "own"
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
        from papergraph.outbound.service import check_service

        try:
            check_service(self.url)
        except BlockedUrlError as error:
            raise InputError(f"{self.setting}: {self.name} {error.detail}", field="parser") from error

    @property
    def setting(self) -> str:
        """The setting that has its address."""
        return setting_of(self.name)


def setting_of(name: str) -> str:
    """Return the setting that has a service's address."""
    return f"PAPERGRAPH_{name.upper()}_URL"


def chosen_service(settings: Settings, name: str | None = None) -> PdfService | None:
    """Return the service that reads PDFs, by its name or else by the settings; None where the own parser does.

    Raises:
        InputError: There is no such parser, or it has no address.
    """
    name = name or settings.parser
    if name == OWN:
        return None
    if name not in NAMES:
        raise InputError(f"there is no parser {name!r}; there are {OWN}, docling, marker and grobid", field="parser")
    url = {"docling": settings.docling_url, "marker": settings.marker_url, "grobid": settings.grobid_url}[name]
    if not url:
        raise InputError(
            f"{name} needs an address: set {setting_of(name)}, such as http://127.0.0.1:8070", field="parser"
        )
    return PdfService(name, url, settings.parser_timeout_s, settings.parser_max_bytes)
