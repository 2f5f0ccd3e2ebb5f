"""Records of bibliographies are stored whole, and written as they were read."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from papergraph.errors import InputError, SourceError
from papergraph.evaluation.round_trip import listed
from papergraph.ingest.sources.csl import item_of
from papergraph.ingest.sources.latex_text import plain
from papergraph.ingest.sources.records import find_records, is_bibliography, read_bibliography
from papergraph.ingest.sources.source import DocumentRef, Metadata
from papergraph.schema.ids import doi_key
from papergraph.server.papers.bibliographies import BIBLIOGRAPHIES, to_text

ENDINGS = {"bibtex": ".bib", "csl-json": ".json", "ris": ".ris"}

BIBTEX = r"""
@article{smith2019key,
  title = {Penguins and the {Bayesian} Ice},
  author = {Smith, Jane and de la Cruz, Juan and {World Health Organization} and King, Jr., Martin Luther},
  year = {2019},
  month = mar,
  journal = {Journal of Polar Statistics},
  volume = {12},
  number = {3},
  pages = {101--119},
  publisher = {Ice \& Press},
  issn = {1234-5678},
  doi = {10.5555/polar.2019.12},
  keywords = {penguins; to read},
  note = {cite in chapter 2},
  x-rating = {5 \% better}
}

@phdthesis{Nguyen:1999,
  title = {On {Nguy{\~{\^e}}n} and Garc{\'{\i}}a},
  author = {Garc{\'{\i}}a, Mar\'{\i}a},
  school = {ETH Z{\"u}rich},
  year = {1999}
}

@online{site, title = {A site}, date = {2020-05-17}, urldate = {2021-01-01}, url = {https://example.org/a_b}}
"""
RIS = """TY  - CHAP
ID  - gull
TI  - Gulls
AU  - Gull, Gina
AU  - World Health Organization
ED  - Lee, B.
T2  - Handbook of Birds
PY  - 2011
DA  - 2011/05//
SP  - 12
EP  - 15
SN  - 978-3-16-148410-0
KW  - birds
KW  - sea
ZZ  - unknown
ER  - \n"""
CSL = [
    {
        "id": "w1",
        "type": "report",
        "title": "Corporate author",
        "author": [{"literal": "World Health Organization"}, {"family": "Silva Santos", "given": "Rui"}],
        "issued": {"date-parts": [[2020, 2]]},
        "publisher-place": "Geneva",
        "custom": {"shelf": "A"},
    },
    {"id": 14, "type": "book", "title": "1984", "issued": {"year": 1949}},
]
ENDNOTE = (
    "%0 Journal Article\n%A Beta, Bea\n%T Receptors\n%J Greek Letters\n%P 3-9\n%D 2013\n%R 10.5555/rp.59.1\n%K a\n"
)
PUBMED = (
    "PMID- 123\nTI  - Receptors of\n      moss.\nFAU - Beta, Bea\nDP  - 2013 May\nJT  - Moss\nPG  - 3-9\n"
    "AID - 10.5555/rp.59.1 [doi]\nMH  - Bryophyta\n\nPMID- 124\nTI  - Second.\nDP  - 2014\n"
)


def read(tmp_path: Path, content: str, ending: str) -> list[Metadata]:
    file = tmp_path / f"library{ending}"
    file.write_text(content, encoding="utf-8")
    found = find_records(file)
    assert all(isinstance(one, DocumentRef) for one in found), found
    stated = [one.read(max_bytes=10**7).metadata for one in found if isinstance(one, DocumentRef)]
    return [one for one in stated if one is not None]


def written(found: list[Metadata], form: str, **changed: Any) -> str:
    return BIBLIOGRAPHIES[form]([listed(one, number, **changed) for number, one in enumerate(found)])


def names_of(stated: Metadata) -> list[list[str]]:
    """Return the parts of authors' names; RIS writes particles with the family name."""
    people = item_of(stated.record or "").get("author", [])
    names = [" ".join(filter(None, (one.get("non-dropping-particle"), one.get("family")))) for one in people]
    return [
        [name, one.get("given", ""), one.get("suffix", ""), one.get("literal", "")]
        for name, one in zip(names, people, strict=True)
    ]


@pytest.mark.parametrize(
    ("content", "form"), [(BIBTEX, "bibtex"), (RIS, "ris"), (json.dumps(CSL), "csl-json")], ids=ENDINGS
)
def test_a_file_is_written_as_it_was_read(content, form, tmp_path):
    first = read(tmp_path, content, ENDINGS[form])

    again = read(tmp_path, text := written(first, form), ENDINGS[form])

    assert [json.loads(one.record or "") for one in again] == [json.loads(one.record or "") for one in first]
    assert [replace(one, record=None) for one in again] == [replace(one, record=None) for one in first]
    assert written(again, form) == text


def test_bibtex_keeps_keys_types_macros_escapes_and_unknown_fields(tmp_path):
    text = written(read(tmp_path, BIBTEX, ".bib"), "bibtex")

    for kept in ("@article{smith2019key,", "@phdthesis{Nguyen:1999,", "@online{site,", "  month = mar,"):
        assert kept in text
    assert r"x-rating = {5 \% better}" in text and "urldate = {2021-01-01}" in text
    assert r"Garc{\'{\i}}a, Mar\'{\i}a" in text and r"publisher = {Ice \& Press}" in text


@pytest.mark.parametrize(("content", "form"), [(BIBTEX, "bibtex"), (RIS, "ris"), (json.dumps(CSL), "csl-json")])
@pytest.mark.parametrize("other", ENDINGS)
def test_another_format_says_the_same(content, form, other, tmp_path):
    first = read(tmp_path, content, ENDINGS[form])

    again = read(tmp_path, written(first, other), ENDINGS[other])

    for one, copy in zip(first, again, strict=True):
        assert (copy.title, copy.authors, copy.year, copy.doi) == (one.title, one.authors, one.year, one.doi)
        assert (copy.cite_key, copy.keywords) == (one.cite_key, one.keywords)
        assert names_of(copy) == names_of(one)


@pytest.mark.parametrize("form", ENDINGS)
def test_a_correction_replaces_only_its_fields(form, tmp_path):
    first = read(tmp_path, BIBTEX, ".bib")[:1]

    (again,) = read(tmp_path, written(first, form, title="Penguins & Ice", year=2020), ENDINGS[form])

    assert (again.title, again.year, again.cite_key) == ("Penguins & Ice", 2020, "smith2019key")
    item = item_of(again.record or "")
    assert (item["publisher"], item["volume"]) == ("Ice & Press", "12")
    assert item["author"][2] == {"literal": "World Health Organization"}


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        ("apa", "Smith, J., de la Cruz, J., World Health Organization, & King, M. L., Jr. (2019)."),
        ("ieee", "J. Smith, J. de la Cruz, World Health Organization, and M. L. King Jr., “Penguins"),
        ("nature", "Penguins and the Bayesian Ice. Journal of Polar Statistics 12, 101–119 (2019)"),
    ],
)
def test_references_are_formatted_in_a_style(style, expected, tmp_path):
    found = read(tmp_path, BIBTEX, ".bib")

    text = to_text([listed(one, number) for number, one in enumerate(found)], style)

    assert expected in text
    assert text.count("\n") == len(found)


@pytest.mark.parametrize("style", ["no-such-style", "../apa", "", "APA", "a" * 200])
def test_a_style_that_is_none_is_refused(style):
    with pytest.raises(InputError, match="There is no citation style"):
        to_text([], style)


def test_equal_keys_of_two_records_stay_apart_and_the_first_stays_as_it_is(tmp_path):
    twice = read(tmp_path, "@misc{a, title={One}}\n@misc{b, title={Two}}", ".bib")

    text = BIBLIOGRAPHIES["bibtex"]([listed(one, number, cite_key="a") for number, one in enumerate(twice)])

    assert "@misc{a," in text and "@misc{aa," in text


def test_chapters_with_the_doi_of_their_book_stay_two_papers(tmp_path):
    chapters = "".join(
        f"@incollection{{c{n}, title={{{title}}}, doi={{10.5555/book.1}}, url={{https://doi.org/10.5555/book.1}}}}\n"
        for n, title in enumerate(("Introduction", "Moss on northern roofs"))
    )
    same = "@article{x, title={Tides of the sea}, doi={10.1/2}}\n@article{y, title={Tides of the Sea.}, doi={10.1/2}}"

    found = read(tmp_path, chapters, ".bib")
    assert [(one.title, one.doi) for one in found] == [("Introduction", None), ("Moss on northern roofs", None)]
    assert written(found, "bibtex").count("doi = {10.5555/book.1}") == 2
    assert len(read(tmp_path, same.replace("10.1/", "10.1000/"), ".bib")) == 1


@pytest.mark.parametrize(
    ("content", "ending"),
    [(ENDNOTE, ".enw"), (ENDNOTE, ".ris"), (ENDNOTE, ".txt"), (PUBMED, ".nbib")],
)
def test_endnote_and_pubmed_are_read_whatever_the_file_is_called(content, ending, tmp_path):
    first, *others = read(tmp_path, content, ending)

    assert is_bibliography(tmp_path / f"library{ending}")
    assert (first.title or "").startswith("Receptors") and first.authors == ("Bea Beta",)
    assert (first.year, first.doi) == (2013, "10.5555/rp.59.1")
    assert (first.journal_ref or "").endswith("3-9") and first.keywords
    assert len(others) == (content is PUBMED)


def test_a_record_of_ris_without_its_type_is_kept(tmp_path):
    found = read(
        tmp_path,
        "DB  - Moss\nTY  - JOUR\nTI  - One\nER  - \nJF  - Tides\nT1  - Two\nER  - \nTY  - BOOK\nTI  - Three\nER  -\n",
        ".ris",
    )

    assert [(one.title, json.loads(one.record or "")["ris"][0]) for one in found] == [
        ("One", ["TY", "JOUR"]),
        ("Two", ["TY", "GEN"]),
        ("Three", ["TY", "BOOK"]),
    ]
    assert [one.remarks for one in found] == [(), ("library.ris, line 5: has no type: TY is missing",), ()]


@pytest.mark.parametrize(
    ("declared", "encoding"),
    [
        ("", "utf-16"),
        ("% Encoding: UTF-16BE", "utf-16"),
        ("% Encoding: windows-1252", "cp1252"),
        ("% Encoding: ISO8859_15", "iso8859-15"),
        ("%Encoding:MacRoman", "mac-roman"),
        ("% Encoding: GBK", "gbk"),
    ],
)
def test_another_encoding_is_read_where_the_file_tells_it(declared, encoding, tmp_path):
    name = "张" if encoding == "gbk" else "Müller"
    file = tmp_path / "old.bib"
    file.write_bytes(f"{declared}\n@misc{{a, title = {{T}}, author = {{{name}, A.}}}}\n".encode(encoding))

    ((_, found),), refused = read_bibliography(file)

    assert (found.authors, refused) == ((f"A. {name}",), [])


@pytest.mark.parametrize("declared", ["", "% Encoding: UTF-8", "% Encoding: no-such", "% Encoding: zlib"])
def test_an_encoding_that_is_not_told_is_refused(declared, tmp_path):
    file = tmp_path / "old.bib"
    file.write_bytes(f"{declared}\n@misc{{a, title = {{T}}, author = {{Müller, A.}}}}\n".encode("cp1252"))

    with pytest.raises(SourceError, match="is not UTF-8"):
        read_bibliography(file)


@pytest.mark.parametrize(
    ("stated", "doi"),
    [
        ("{10.5555/rp.48.1}", "10.5555/rp.48.1"),
        ("<10.5555/rp.1>", "10.5555/rp.1"),
        ("doi: 10.5555/RP.1", "10.5555/rp.1"),
        ("10.5555%2Frp.1", "10.5555/rp.1"),
        ("https://doi-org.proxy.example.edu/10.5555/rp.1", "10.5555/rp.1"),
        ("http://dx.doi.org/10.1016/S0004-3702(00)00001-2", "10.1016/s0004-3702(00)00001-2"),
        ("(10.5555/rp.1)", "10.5555/rp.1"),
        ("10.5555/2047-783X-19-24.", "10.5555/2047-783x-19-24"),
        ("10.5555/rp.1;", "10.5555/rp.1"),
        (r"10.5555/978-3\_12", "10.5555/978-3_12"),
        ("10.5555/a; 10.5555/b", "10.5555/a"),
    ],
)
def test_dois_are_cleaned_alike_everywhere(stated, doi, tmp_path):
    assert doi_key(stated) == f"doi:{doi}"
    for content, ending in (
        (f"@misc{{a, title={{T}}, doi={{{stated}}}}}", ".bib"),
        (f"TY  - JOUR\nTI  - T\nDO  - {stated}\nER  - \n", ".ris"),
        (json.dumps([{"id": "a", "title": "T", "DOI": stated}]), ".json"),
    ):
        assert read(tmp_path, content, ending)[0].doi == doi


@pytest.mark.parametrize("field", ["doi = {N/A}", "month = märz", "month = sept", "doi = {see title page}"])
def test_a_field_that_cannot_be_read_costs_no_record_and_is_written_again(field, tmp_path):
    (found,) = read(tmp_path, f"@article{{a, title = {{T}}, {field}, year = 2014}}", ".bib")

    assert (found.title, found.year, found.doi) == ("T", 2014, None)
    assert field.replace("{", "").replace("}", "") in written([found], "bibtex").replace("{", "").replace("}", "")


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"Garc{\'{\i}}a", "García"),
        (r"Garc\'{\i}a", "García"),
        (r"Nguy{\~{\^e}}n", "Nguyễn"),
        (r"O{\textquoteright}Brien", "O’Brien"),
        (r"Lei\-va", "Leiva"),
        (r"{\ss}tra{\ss}e \v{C}ech {\aa}", "ßtraße Čech å"),
        (r"H\textsubscript{2}O and \textsuperscript{13}C", "H2O and 13C"),
        (r"the {$O(n^2)$} case \emph{of} walks", "the $O(n^2)$ case of walks"),
        (r"100\,\% of R\&D\_costs", "100 % of R&D_costs"),
        ("50% of all ``quoted'' words -- or not", "50% of all “quoted” words – or not"),
        (r"\href{https://example.org/a_b}{A link} to \url{https://example.org}", "A link to https://example.org"),
        ("cost 5$ only { here", "cost 5$ only here"),
    ],
)
def test_latex_becomes_text(latex, text):
    assert plain(latex) == text
