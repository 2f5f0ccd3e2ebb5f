"""Documents of public bug reports, each as its README says it must come out; PAPERGRAPH_DATA holds their folder."""

import os
import unicodedata
from functools import cache
from pathlib import Path

import pytest

from papergraph.errors import Reason, SourceError
from papergraph.ingest.parsers import Document, parse
from papergraph.ingest.sources import Format, RawDocument

FOLDER = Path(os.environ.get("PAPERGRAPH_DATA") or "/nonexistent") / "reports" / "documents"
FORMATS = {
    ".pdf": Format.PDF, ".md": Format.MARKDOWN, ".xml": Format.XML, ".html": Format.HTML, ".tex": Format.LATEX,
    ".gz": Format.LATEX,
}  # fmt: skip
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="PAPERGRAPH_DATA has no such folder")


@cache
def read(name: str) -> Document:
    path = FOLDER / name
    return parse(RawDocument(str(path), path.read_bytes(), FORMATS[path.suffix], "0" * 64))


def refusal(name: str) -> SourceError:
    with pytest.raises(SourceError) as refused:
        read(name)
    return refused.value


SEAGRASS = "Drying of Seagrass Leaves in Moving Air"
AUTHORS = {
    "authors-acm-journal.pdf": ["Example", "Sample", "Muster"],
    "authors-beside-abstract.pdf": ["Example", "Sample", "Muster", "Beispiel"],
    "authors-glued.pdf": ["Pusep", "Santos", "Smirnov", "Bakarov", "Toropov"],
    "authors-right-column.pdf": ["Example", "Sample"],
    "32-cover-hal.pdf": ["Example", "Sample"],
    "32-cover-repository.pdf": ["Example", "Sample"],
}


@pytest.mark.parametrize("name", AUTHORS)
def test_authors_are_all_found_and_none_is_a_heading(name):
    document = read(name)

    assert [author.split()[-1] for author in document.authors] == AUTHORS[name]
    assert not {section.title for section in document.sections} & set(document.authors)
    assert document.title == SEAGRASS or not name.startswith("32")


HOLDS = {
    "05-label-hyphen.pdf": ["maneuver", "ASTEROID"],
    "16-hebrew-logical.pdf": ["הפחמן", "בעומק"],
    "16-hebrew-visual.pdf": ["הפחמן", "בעומק"],
    "arabic-docling-02.pdf": ["الحكومة المصرية"],
    "arabic-habibi.pdf": ["حبيبي"],
    "arabic-tabula.pdf": ["مرحبا", "سلطان"],
    "19-fullwidth.md": ["qPCR"],
    "19-nfd.md": ["café"],
    "29c-junk-after-eof.pdf": ["Tidal"],
    "69-inputpath.tar.gz": ["quagga", "Quokka", "numbat", "| 1 | 2 |"],
    "71c-oai.xml": ["OAI meadow sampled"],
    "74-lists.xml": ["After the list and so on."],
    "68-pdfstrcmp.tex": [r"\mathbb{R}^n"],
    "soft-hyphen.pdf": ["COVID-19", "compared"],
}


@pytest.mark.parametrize("name", HOLDS)
def test_words_are_whole(name):
    text = read(name).text
    if name.startswith("arabic"):  # marks aside
        text = "".join(sign for sign in unicodedata.normalize("NFKD", text) if unicodedata.category(sign) != "Mn")

    assert [words for words in HOLDS[name] if words not in text] == []
    assert not {"pdfstrcmp", "com-pared", "COVID--19"} & set(text.split())


REFUSED = {
    "22-user-only.pdf": Reason.ENCRYPTED,
    "29-one-bad-page.pdf": Reason.DAMAGED,
    "71b-articles2.xml": Reason.UNSUPPORTED_TYPE,
    "75b-deep-300.html": Reason.DAMAGED,
}


@pytest.mark.parametrize("name", REFUSED)
def test_the_reason_of_a_refusal_fits(name):
    assert refusal(name).reason is REFUSED[name]


def test_references_have_their_authors_and_no_biography_among_them():
    months, untitled, unusual = (
        read(f"references-{kind}.md").references for kind in ("month-names", "no-titles", "unusual-name")
    )

    last = [entry.authors[-1].split()[-1] for entry in months]
    assert last == ["Martin", "Decker", "Martinez", "Novak", "Marsi"]
    assert len({cited.reference for cited in read("references-month-names.md").cited_at}) == 2
    assert [entry.title for entry in untitled] == [None] * 6
    assert not {"Phys", "Adv"} & {word for entry in untitled for name in entry.authors for word in name.split()}
    ids = {entry.arxiv_id for entry in untitled} - {None}
    assert ids == {"hep-ph/9803315", "hep-th/9711200", "astro-ph/0003365", "hep-ph/9507385"}
    assert [len(entry.authors) for entry in unusual] == [4, 5, 4]
    assert len(read("biographies.pdf").references) == 3
    plain = read("72-citation-alternatives.xml").references
    assert all(entry.authors and entry.title and entry.year for entry in plain[-4:])
