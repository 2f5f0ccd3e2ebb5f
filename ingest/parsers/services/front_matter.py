"""What the first page of a PDF that a service read says of the paper beside its running text: DOI and arXiv id."""

from collections.abc import Iterable

from ingest.parsers.common.bibliography import ARXIV_IN_TEXT, DOI_IN_TEXT, arxiv_of, doi_of


def identifiers(texts: Iterable[str]) -> tuple[str | None, str | None]:
    """Return the DOI and the arXiv id of ``texts``: what stands before the first heading, and in the margins.

    Each is None where there is none, or more than one.
    """
    together = "\n".join(texts)
    dois = {doi_of(found[1].rstrip(").,;]")) for found in DOI_IN_TEXT.finditer(together)} - {None}
    arxiv_ids = {arxiv_of(found[1]) for found in ARXIV_IN_TEXT.finditer(together)} - {None}
    return dois.pop() if len(dois) == 1 else None, arxiv_ids.pop() if len(arxiv_ids) == 1 else None
