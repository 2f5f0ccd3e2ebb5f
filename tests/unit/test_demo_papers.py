"""The PDFs of ``papergraph demo`` say what the texts say that they were typeset from; see scripts/samples."""

import re
from pathlib import Path

import pytest

from papergraph.ingest.parsers import parse
from papergraph.ingest.parsers.pdf import document_of
from papergraph.ingest.parsers.pdf.reading import read_pdf
from papergraph.ingest.sources import Format, RawDocument
from tests.support.pdf_documents import LIMITS

TEXTS, PAPERS = Path("ingest/samples"), Path("ingest/demo")
NAMES = sorted(path.stem for path in TEXTS.iterdir())
FORMATS = {".md": Format.MARKDOWN, ".txt": Format.TEXT}
SENTENCE = re.compile(r"(?:(?<=\. )|(?<=\n\n))[A-Z][^.|$*`\x22\n]{40,}\.(?=\s)")


def test_each_text_has_its_pdf():
    assert [path.stem for path in sorted(PAPERS.iterdir())] == NAMES


@pytest.mark.parametrize("name", NAMES[::3])
def test_a_pdf_has_the_title_headings_and_sentences_of_its_text(name: str):
    (file,) = TEXTS.glob(f"{name}.*")
    text = parse(RawDocument(file.name, file.read_bytes(), FORMATS[file.suffix], "0" * 64))
    data = (PAPERS / f"{name}.pdf").read_bytes()
    paper = document_of(RawDocument(f"{name}.pdf", data, Format.PDF, "0" * 64), read_pdf(data, LIMITS))

    assert paper.title == text.title
    assert paper.authors and paper.year
    assert [one.title for one in paper.sections if one.title != paper.title] == [
        one.title for one in text.sections if one.title != text.title
    ]
    assert len(paper.references) == len(text.references)
    read, wanted = " ".join(paper.text.split()), SENTENCE.findall(text.text)
    missing = [sentence for sentence in wanted if sentence not in read]
    assert len(wanted) >= 15
    assert len(missing) <= 0.05 * len(wanted), missing
