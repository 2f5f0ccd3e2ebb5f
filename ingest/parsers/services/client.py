"""Client of services that read PDFs, and identifiers in the front matter that they give."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from papergraph.errors import Code, OutboundError, OutboundStatusError, OutboundTooLargeError, Reason, SourceError
from papergraph.ingest.parsers.common.entries import ARXIV_IN_TEXT, DOI_IN_TEXT, arxiv_of
from papergraph.ingest.sources import PdfService, RawDocument
from papergraph.outbound.operator_service import OwnService
from papergraph.schema.ids import doi_of

# Ask a service to read a PDF, and say of a document what became of that


UPLOADED = "paper.pdf"
"""Neutral name of an uploaded file; its own name may be private."""


class Client:
    """Asks a service about one PDF."""

    def __init__(self, service: PdfService, file: RawDocument) -> None:
        self.service, self.file = service, file

    def post(self, path: str, *, field: str, form: Mapping[str, str], accept: str = "application/json") -> bytes:
        """Send the PDF as a form's file and return the answer; a busy service is asked again while there is time.

        Raises:
            SourceError: It cannot be reached, refuses the file, is too slow, or its answer is too long.
        """
        name, limits = self.service.name, self.service
        asked = OwnService(limits.url, deadline_s=limits.timeout_s, max_bytes=limits.max_bytes)
        try:
            return asked.post(
                path, form=form, files={field: (UPLOADED, self.file.data, "application/pdf")}, accept=accept
            )
        except OutboundTooLargeError as error:
            detail = f"{name} answers more than {limits.max_bytes:,} bytes"
            raise SourceError(self.file.name, Reason.TOO_LARGE, detail) from error
        except OutboundStatusError as error:
            raise self.failed(f"answers {error.status}" + (f": {error.told}" if error.told else "")) from error
        except OutboundError as error:
            if error.code is Code.TIMEOUT:
                detail = f"{name} took longer than {limits.timeout_s:g} s ([parser] timeout_s in papergraph.toml)"
                raise SourceError(self.file.name, Reason.OUT_OF_TIME, detail) from error
            detail = f"{name} at {error}; start it, or set PAPERGRAPH_PARSER_URL, and ingest again"
            raise SourceError(self.file.name, Reason.SERVICE_FAILED, detail) from error

    def json(self, body: bytes) -> dict[str, Any]:
        """Return an answer that is a JSON object.

        Raises:
            SourceError: The answer is not a JSON object.
        """
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise self.failed(f"answers what is no JSON ({str(error)[:80]})") from error
        if not isinstance(answer, dict):
            raise self.failed("answers JSON that is no object")
        return answer

    def failed(self, detail: str) -> SourceError:
        """Return the refusal of a file that the service could not read."""
        return SourceError(
            self.file.name,
            Reason.SERVICE_FAILED,
            f"{self.service.name} at {self.service.url} {detail}; see its log, or ingest with --parser own",
        )


# DOI and arXiv id on the first page of a PDF that a service read, beside its running text


def identifiers(texts: Iterable[str]) -> tuple[str | None, str | None]:
    """Return the DOI and the arXiv id in texts before the first heading and in the margins.

    Each is None unless exactly one is found.
    """
    together = "\n".join(texts)
    dois = {doi_of(found[1].rstrip(").,;]")) for found in DOI_IN_TEXT.finditer(together)} - {None}
    arxiv_ids = {arxiv_of(found[1]) for found in ARXIV_IN_TEXT.finditer(together)} - {None}
    return dois.pop() if len(dois) == 1 else None, arxiv_ids.pop() if len(arxiv_ids) == 1 else None
