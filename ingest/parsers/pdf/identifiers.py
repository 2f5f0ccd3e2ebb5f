"""DOI and arXiv id of a paper, as its first page prints them."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ingest.parsers.pdf.glyphs import Segment
from ingest.parsers.pdf.heading_lines import Lines
from ingest.parsers.pdf.layout import STAMP
from schema.ids import arxiv_key, doi_key

DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>]+")
LABEL = re.compile(r"(?:doi\b|https?://(?:dx\.)?doi\.org)[:\s/]*$", re.IGNORECASE)
CITE_AS = re.compile(r"(?:how to )?cite this (?:article|paper)(?: as)?\b|to cite this article", re.IGNORECASE)
PLACEHOLDER = re.compile(
    r"x{3,}|n{5,}|y{3,}|v0{2,}|\.0{3,}(?:\.|$)|i00\b|\.\.\.|…|insert|your|yy-t[nm]|10\.\d+/[xyz?#.\-/]*$|"
    r"/1{4,}$|/0*$|example",
    re.IGNORECASE,
)
"""What templates print where a DOI will stand."""


def find_doi(of_file: str, lines: Lines, running: Sequence[Segment], before: int) -> str | None:
    """Return the DOI that the first page or the file's metadata says; None for the placeholder of a template.

    A DOI in the running text is another paper's. It counts where it stands above the text, at the page's edge, in a
    line that holds little else, or in a note that says "doi".
    """
    if found := _doi(of_file):
        return found
    if found := _cited_as(lines):
        return found
    counted = Counter(doi for text in _places(lines, running, before) for doi in _dois(text))
    return counted.most_common(1)[0][0] if counted else None


def _cited_as(lines: Lines) -> str | None:
    """Return the DOI beside the words "Cite this article as", wherever they stand."""
    for number, text in enumerate(lines.texts):
        if CITE_AS.match(text):
            for near in lines.texts[max(0, number - 2) : number + 6]:
                if doi := next(_dois(near), None):
                    return doi
    return None


def find_arxiv_id(running: Sequence[Segment]) -> str | None:
    """Return the id of the stamp that arXiv prints in the margin."""
    for segment in running:
        if match := STAMP.search(segment.text):
            try:
                return arxiv_key(match[1]).partition(":")[2]
            except ValueError:
                continue
    return None


def _places(lines: Lines, running: Sequence[Segment], before: int) -> Iterator[str]:
    yield from (segment.text for segment in running)
    first_page = lines.lines[0].page if lines.lines else 0
    for number, line in enumerate(lines.lines):
        if line.page != first_page:
            break
        for segment in line.segments:
            match = DOI.search(segment.text)
            if not match:
                continue
            alone = match.end() - match.start() > 0.45 * len(segment.text)
            small = lines.styles[number].size < lines.body.size - 0.4
            if (number < before and before < 100) or alone or (small and LABEL.search(segment.text, 0, match.start())):
                yield segment.text


def _dois(text: str) -> Iterator[str]:
    for match in DOI.finditer(text):
        if doi := _doi(match[0]):
            yield doi


def _doi(text: str) -> str | None:
    if not text or PLACEHOLDER.search(text):
        return None
    try:
        return doi_key(text.rstrip(".,;)]")).partition(":")[2]
    except ValueError:
        return None
