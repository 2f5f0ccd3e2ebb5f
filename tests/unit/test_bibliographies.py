"""RIS, CSL-JSON and Zotero's JSON to records, and the files that entries name."""

import io
import json
import zipfile
from pathlib import Path

import pytest

from papergraph.errors import Reason, SourceError
from papergraph.ingest.graph.paper_sources import source_of
from papergraph.ingest.parsers import parse
from papergraph.ingest.sources import csl_json, records, ris
from papergraph.ingest.sources.find import find_documents
from papergraph.ingest.sources.metadata import BadRecordError, metadata_of
from papergraph.ingest.sources.parser import LocalFile
from papergraph.ingest.sources.records import Record
from papergraph.ingest.sources.uploads import attached_file, is_upload, paths_in
from papergraph.ingest.sources.web import Web
from tests.support.files import write

RIS = """TY  - JOUR
TI  - Tides of the sea
AU  - Lovelace, Ada
AU  - Gödel, Kurt, Jr.
PY  - 1843/05/01
DO  - 10.1000/182
JF  - Journal of Tides
VL  - 3
SP  - 12
EP  - 15
AB  - They come
  and go.
ER  -
TY  - JOUR
TI  - Torn
"""


def test_ris_gives_a_record_for_each_reference_and_remarks_on_one_without_an_end():
    (first_line, first), (last_line, last) = ris.read_entries(RIS)

    assert (first_line, last_line) == (1, 14)
    assert json.loads(first.pop("record"))["ris"][:2] == [["TY", "JOUR"], ["TI", "Tides of the sea"]]
    assert first == {
        "title": "Tides of the sea",
        "abstract": "They come and go.",
        "doi": "10.1000/182",
        "type": "JOUR",
        "authors": ["Ada Lovelace", "Kurt Gödel Jr."],
        "year": 1843,
        "journal_ref": "Journal of Tides, 3, 12-15",
    }
    assert (last["title"], last["reader_remarks"]) == ("Torn", ["has no end: a line ER is missing"])


def test_csl_and_zotero_items_give_records():
    csl = {
        "id": "a",
        "type": "article-journal",
        "title": "Tides",
        "author": [{"family": "Gogh", "given": "Vincent", "non-dropping-particle": "van"}, {"literal": "H1"}],
        "issued": {"date-parts": [[2015, 10]]},
        "container-title": "Quantum",
        "page": "1-2",
    }
    zotero = {
        "itemType": "preprint",
        "citationKey": "b",
        "title": "Winds",
        "creators": [{"firstName": "Ada", "lastName": "Lovelace", "creatorType": "author"}],
        "date": "May 2016",
        "extra": "arXiv: 2401.01234",
        "attachments": [{"path": "files/1/winds.pdf"}],
    }

    (_, one), (_, bad) = csl_json.read_entries(json.dumps([csl, "no item"]))
    ((_, other),) = csl_json.read_entries(json.dumps({"items": [zotero, {"itemType": "note"}]}))

    assert (one["authors"], one["year"], one["journal_ref"]) == (["Vincent van Gogh", "H1"], 2015, "Quantum, 1-2")
    assert isinstance(bad, BadRecordError)
    assert (other["authors"], other["year"], other["arxiv_id"]) == (["Ada Lovelace"], 2016, "2401.01234")
    assert other["attachments"] == ["files/1/winds.pdf"]


REFWORKS = """RT Journal Article
SR Electronic(1)
ID 21
A1 Lovelace, Ada
A1 Hopper, Grace
T1 Tides of the northern
 sea
JF Ocean Letters
YR 2019
FD march 5
VO 12
IS 3
SP 10
OP 19
K1 tides
K1 sea level
AB The sea rises.
IT falls again.
SN 1234-5679
DO 10.1000/tides

RT Book, Whole
A1 Somerville, Mary
T1 On the connexion
YR 1834
PB Murray
PP London
"""
CNKI = """RT Journal Article
SR 1
A1 张三;李四
T1 智慧居家养老系统设计
JF 中国老年学杂志
YR 2022
IS 06
vo 23
OP 1-12
K1 智慧养老;智能家居
LK https://link.example/1
DS CNKI
"""
COCHRANE = """Record #1 of 2
ID: CN-02000001
AU: Lovelace A
AU: Hopper G
TI: Salt after exercise
SO: Journal of salt
YR: 2019
VL: 12
NO: 3
PG: 123‐130
PM: PUBMED 31000001
PT: Journal article
KY: *Salt; Exercise
DOI: 10.1000/salt
AB: BACKGROUND: Salt was given. RESULTS: No difference.
US: https://www.example.org/CN-02000001

Record #2 of 2
ID: CN-02000002
AU: Curie M
TI: Water after exercise
YR: 2020
"""
COCHRANE_RIS = """Record #1 of 2
Provider: John Wiley & Sons
Content: text/plain; charset="UTF-8"

TY  - JOUR
TI  - Salt after exercise
AU  - Lovelace, A
ER  -

Record #2 of 2
TY  - JOUR
TI  - Water after exercise
ER  -
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            REFWORKS,
            [
                ("Tides of the northern sea", ["Ada Lovelace", "Grace Hopper"], 2019),
                ("On the connexion", ["Mary Somerville"], 1834),
            ],
        ),
        (CNKI, [("智慧居家养老系统设计", ["张三", "李四"], 2022)]),
        (
            COCHRANE,
            [("Salt after exercise", ["A Lovelace", "G Hopper"], 2019), ("Water after exercise", ["M Curie"], 2020)],
        ),
        (COCHRANE_RIS, [("Salt after exercise", ["A Lovelace"], None), ("Water after exercise", [], None)]),
    ],
    ids=["RefWorks", "CNKI", "Cochrane", "Cochrane RIS"],
)
@pytest.mark.parametrize("name", ["export.txt", "export.ris"])
def test_tagged_exports_are_known_by_their_beginning(text, expected, name, tmp_path: Path):
    file = tmp_path / name
    file.write_text("\ufeff" + text.replace("\n", "\r\n"), encoding="utf-8")

    found = [metadata_of(json.loads(one.entry or "")) for one in find_documents([file]) if isinstance(one, Record)]

    assert [(one.title, list(one.authors), one.year) for one in found] == expected


def test_tags_of_refworks_and_cochrane_become_those_of_ris():
    (_, article), _ = ris.read_refworks(REFWORKS)
    ((_, chinese),) = ris.read_refworks(CNKI)
    (_, trial), _ = ris.read_cochrane(COCHRANE)

    assert (article["journal_ref"], article["doi"]) == ("Ocean Letters, 12, 10-19", "10.1000/tides")
    assert (article["abstract"], article["keywords"]) == ("The sea rises. IT falls again.", ["tides", "sea level"])
    assert (chinese["journal_ref"], chinese["url"]) == ("中国老年学杂志, 23, 1-12", "https://link.example/1")
    assert (trial["journal_ref"], trial["doi"], trial["keywords"]) == (
        "Journal of salt, 12, 123-130",
        "10.1000/salt",
        ["Salt", "Exercise"],
    )
    assert trial["abstract"].startswith("BACKGROUND: Salt was given.")


@pytest.mark.parametrize(
    ("field", "paths"),
    [
        ("Full Text:files/12/a.pdf:application/pdf", ["files/12/a.pdf"]),
        ("PDF:files/1/a.pdf:application/pdf;Snapshot:files/2/b.html:text/html", ["files/1/a.pdf", "files/2/b.html"]),
        (":/home/u/a b.pdf:PDF", ["/home/u/a b.pdf"]),
        (r"A\: title:files/A\: title.pdf:application/pdf", ["files/A: title.pdf"]),
        ("files/a.pdf", ["files/a.pdf"]),
        (r"C\:\\refs\\a.pdf:application/pdf", [r"C:\refs\a.pdf"]),
        ("", []),
    ],
)
def test_a_file_field_names_paths(field, paths):
    assert paths_in(field) == paths


def test_a_library_in_a_folder_brings_its_entries_and_no_file_outside_the_folder(tmp_path: Path):
    inside = tmp_path / "library" / "files" / "a.md"
    inside.parent.mkdir(parents=True)
    inside.write_text("# A\n\nText.\n")
    (tmp_path / "secret.md").write_text("# Secret\n")
    bib = tmp_path / "library" / "my.bib"
    bib.write_text("@misc{a, title={A}, file={files/a.md}}\n@misc{b, title={B}, file={../secret.md}}\n")

    found = list(find_documents([bib]))

    assert [one.name for one in found if isinstance(one, LocalFile)] == [str(inside)]
    assert {one.name for one in find_documents([bib.parent])} == {one.name for one in found}


@pytest.mark.parametrize(
    ("stated", "stored"),
    [
        ("files/Mu\u0308ller.md", "files/M\u00fcller.md"),
        ("files/M\u00fcller.md", "files/Mu\u0308ller.md"),
        ("missing.md, files/b.md", "files/b.md"),
        ("files/a, b.md", "files/a, b.md"),
        (r"C:\Users\Ada\Zotero\files\c.md", "files/c.md"),
        ("/home/ada/Papers/files/c.md", "files/c.md"),
        ("D:/elsewhere/c.md", "c.md"),
    ],
)
def test_an_attachment_is_found_under_another_spelling_or_below_its_own_folder(stated, stored, tmp_path: Path):
    file = tmp_path / stored
    file.parent.mkdir(exist_ok=True)
    file.write_text("# Tides\n\nThe sea rises.\n", encoding="utf-8")

    assert attached_file([stated], tmp_path) == str(file)


TABLE = """Key,Item Type,Publication Year,Author,Title,Publication Title,DOI,Pages,File Attachments,Manual Tags
AB12,journalArticle,2015,"Moon, Ada; The Sea Group",Tides,Journal of Tides,10.1000/182,12-15,C:\\z\\1.pdf;1.html,a; b
CD34,book,,,,,,,,
"""
SCOPUS = """\ufeffAuthors,Author full names,Title,Year,Source title,Page start,Page end,DOI
Moon A.,"Moon, Ada (571)",Tides,2015,Journal of Tides,12,15,10.1000/182
"""


@pytest.mark.parametrize("table", [TABLE, SCOPUS])
def test_a_row_of_a_table_of_zotero_or_scopus_is_a_record(table, tmp_path: Path):
    (tmp_path / "a.csv").write_text(table, "utf-8")
    read = [
        one if isinstance(one, SourceError) else one.read(max_bytes=9999)
        for one in find_documents([tmp_path / "a.csv"])
    ]

    told = read[0].metadata
    assert (told.title, told.year, told.doi, told.authors[0]) == ("Tides", 2015, "10.1000/182", "Ada Moon")
    assert told.journal_ref == "Journal of Tides, 12-15"
    if table is TABLE:
        assert (told.authors, told.keywords) == (("Ada Moon", "The Sea Group"), ("a", "b"))
        assert (told.remarks, read[1].detail) == (
            ("a.csv, AB12: file C:\\z\\1.pdf was not found", "a.csv, AB12: file 1.html was not found"),
            "line 3: has no title",
        )


BIB = """@article{a/1, title={One}, file={:files/1/p.pdf:PDF}}
@article{a/2, title={Two}, file={C\\:\\\\z\\\\q.pdf;files/2/p.pdf}}
@article{a/3, title={Three}, file={files/3/none.pdf}}
"""
OWN = "0" * 32


def uploaded(folder: Path, *files: tuple[str, bytes]) -> list[str]:
    """Put files where uploads of one owner lie, and return their names."""
    names = []
    for number, (name, data) in enumerate(files):
        place = folder / OWN / f"{number:032x}"
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(data)
        names.append(f"upload:{OWN}{number:032x}/{name}")
    return names


def test_records_of_an_uploaded_bibliography_find_their_texts_among_the_uploads_of_the_job(tmp_path: Path):
    refs, p, q = uploaded(tmp_path, ("refs.bib", BIB.encode()), ("p.pdf", b"%PDF-1"), ("q.pdf", b"%PDF-2"))
    web = Web(None, None, tmp_path)  # type: ignore[arg-type]

    one, two, three, *texts = find_documents([refs, p, q], web=web)

    assert [text.name for text in texts] == [p, q]
    assert [record.name for record in (one, two, three)] == [f"{refs}#a/{n}" for n in (1, 2, 3)]
    assert (one.file, two.file, three.file) == (p, q, None)
    assert three.read(max_bytes=9).metadata.remarks == ("refs.bib, a/3: file files/3/none.pdf was not found",)
    assert [record.file for record in find_documents([refs], web=web)] == [None] * 3
    assert all(is_upload(document.name) for document in (one, *texts))
    assert f"file:{p}" in source_of(one.read(max_bytes=9), parse(one.read(max_bytes=9)), config="").identities


def test_an_uploaded_archive_is_a_library_with_its_files(tmp_path: Path):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in (
            "refs.bib",
            "files/1/p.pdf",
            "files/2/p.pdf",
            "__MACOSX/files/1/p.pdf",
            "files/.hidden.pdf",
            "a.exe",
        ):
            archive.writestr(name, BIB if name == "refs.bib" else b"%PDF " + name.encode())
    library, empty = uploaded(tmp_path, ("export.zip", packed.getvalue()), ("torn.zip", packed.getvalue()[:-9]))
    web = Web(None, None, tmp_path)  # type: ignore[arg-type]

    one, two, three, *texts = find_documents([library], web=web)

    assert [text.name for text in texts] == [f"{library}#files/{n}/p.pdf" for n in (1, 2)]
    assert (one.file, two.file, three.file) == (texts[0].name, texts[1].name, None)
    read = texts[1].read(max_bytes=100)
    assert (read.data, read.format, texts[1].content_hash(max_bytes=100)) == (
        b"%PDF files/2/p.pdf",
        "pdf",
        read.content_hash,
    )
    assert texts[1].content_hash(max_bytes=5) is None
    assert [fault.reason for fault in find_documents([empty], web=web)] == [Reason.DAMAGED]


def damaged_archives() -> dict[str, bytes]:
    """Return archives with a bibliography that cannot be unpacked, by their fault."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("refs.bib", BIB * 20)
    whole = packed.getvalue()
    data, entry = 30 + len("refs.bib"), whole.rindex(b"PK\x01\x02")
    encrypted, unknown = bytearray(whole), bytearray(whole)
    encrypted[6] |= 1
    encrypted[entry + 8] |= 1
    unknown[8] = unknown[entry + 10] = 99
    return {
        "torn": whole[: data + 20] + b"\xff" * 20 + whole[data + 40 :],
        "encrypted": bytes(encrypted),
        "unknown compression": bytes(unknown),
    }


@pytest.mark.parametrize("fault", damaged_archives())
def test_an_archive_whose_bibliography_cannot_be_unpacked_is_refused(tmp_path: Path, fault: str):
    (library,) = uploaded(tmp_path, ("export.zip", damaged_archives()[fault]))

    (refused,) = find_documents([library], web=Web(None, None, tmp_path))  # type: ignore[arg-type]

    assert isinstance(refused, SourceError)
    assert refused.reason is Reason.DAMAGED


def test_bibliographies_of_an_archive_have_one_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(3):
            archive.writestr(f"{number}.bib", BIB)
    (library,) = uploaded(tmp_path, ("export.zip", packed.getvalue()))
    web = Web(None, None, tmp_path)  # type: ignore[arg-type]

    monkeypatch.setattr(records, "LARGEST_BIBLIOGRAPHY_BYTES", 3 * len(BIB))
    whole = list(find_documents([library], web=web))
    monkeypatch.setattr(records, "LARGEST_BIBLIOGRAPHY_BYTES", 3 * len(BIB) - 1)
    (refused,) = find_documents([library], web=web)

    assert len(whole) == 9
    assert isinstance(refused, SourceError)
    assert refused.reason is Reason.TOO_LARGE


REMARKS = {
    "a.bib": (
        """@article{a1, title={One}, doi={N/A}, year={in press}, file={:C\\:\\\\refs\\\\one.pdf:PDF}}
        @article{a2, title={Two}, journal={J}, issn={1234-5678}, file={two.docm}}
        @incollection{a3, title={Preface}, doi={10.1000/b}} """
        + """
        @incollection{a4, title={On tides of the sea}, doi={10.1000/b}}
        @article{a5, title={Five}, eprint={none}, archiveprefix={arXiv}}
        @article{a6, title={Six}, year=1843, journal={{J}}, issn={{0028-0836}}, eprint={{2401.01234}},
        archiveprefix={{arXiv}}, url={{https://example.org/6}}}""",
        [
            "a.bib, a1: file C:\\refs\\one.pdf was not found",
            "a.bib, a1: year 'in press' is not a year; left out",
            "a.bib, a1: doi 'N/A' is not a DOI; left out",
            "a.bib, a2: file two.docm is none of",
            "a.bib, a2: issn '1234-5678' is not an ISSN; left out",
            "a.bib, a3: doi 10.1000/b is that of records with other titles; left out",
            "a.bib, a4: doi 10.1000/b is that of records with other titles; left out",
            "a.bib, a5: ",
        ],
    ),
    "b.ris": (
        "TY  - JOUR\nID  - b1\nTI  - One\nPY  - n.d.\nDO  - none\nL1  - one.pdf\nER  -\n",
        [
            "b.ris, b1: file one.pdf was not found",
            "b.ris, b1: year 'n.d.' is not a year; left out",
            "b.ris, b1: doi 'none' is not a DOI; left out",
        ],
    ),
    "c.json": (
        json.dumps([{"id": "c1", "title": "One", "DOI": 7, "issued": {"literal": "forthcoming"}, "URL": ["x"]}]),
        [
            "c.json, c1: year 'forthcoming' is not a year; left out",
            "c.json, c1: doi must be text, not int; left out",
            "c.json, c1: url must be text, not list; left out",
        ],
    ),
    "d.jsonl": (
        json.dumps({"title": "One", "authors": 3, "published": "soon", "id": "2401.01234", "version": "x"}),
        [
            "d.jsonl, 2401.01234: published 'soon' is not a time",
            "d.jsonl, 2401.01234: authors must be a list of names; left out",
            "d.jsonl, 2401.01234: version 'x' is not one such as v2; left out",
        ],
    ),
}


@pytest.mark.parametrize("name", REMARKS)
def test_a_field_that_cannot_be_read_is_left_out_with_a_remark_that_names_file_entry_and_field(name, tmp_path: Path):
    text, remarks = REMARKS[name]
    (tmp_path / name).write_text(text)

    sources = [found.read(max_bytes=10**6) for found in find_documents([tmp_path / name])]

    told = [remark for source in sources for remark in source.metadata.remarks]
    assert [one[: len(expected)] for one, expected in zip(told, remarks, strict=True)] == remarks
    assert all(parse(source).notes == source.metadata.remarks for source in sources)


FORMS = {
    "a.bib": r"""
@article{d1, title={T}, doi={10.1000/(SICI)1-4571(1998)49:8&lt;693::AID&gt;3.0.CO;2-O}}
@article{d2, title={T}, doi={10.1000/978-1{\textunderscore}53}}
@article{d3, title={T}, doi={DOI 10.1000/c (open access)}}
@article{d4, title={T}, doi={info:doi/10.1000/D}}
@article{d5, title={T}, doi={10.1000/eHIDDEN1}}
@article{d6, title={T}, doi={10.1000/f
   .14}}
@article{d7, title={T}, howpublished={\url{https://doi.org/10.1000/g}}}
@article{d8, title={T}, note={Erratum of doi: 10.1000/h}}
@article{d9, title={T}, url={https://onlinelibrary.example.com/doi/full/10.1000/i?af=R}}
@misc{d10, title={T}, url={https://arxiv.org/pdf/2401.00011v3.pdf}}
@article{n1, title={T}, author={family=Berg, given=Hans, prefix={van der} and family=Li, given=Na}}
@article{n2, title={T}, author={Smith, J. and, Doe, A.}}
""".replace("HIDDEN", "\u200b\u2010"),
    "b.ris": """TY  - CONF
TI  - T
M3  - doi: 10.1000/r1
KW  - a, b
KW  - c
d
ER  -
TY  - BOOK
BT  - The book
""",
    "c.enw": "%0 Journal Article\n%T T\n%K tides\nwaves, high\n",
    "d.nbib": "PMID- 1\nBTI - The book\nMH  - *Tides\nMH  - Seas, cold\n",
    "e.json": '[{"title": ["T"], "author": "Ada Moon", "keyword": ["x", "y"]}]',
    "f.jsonl": '{"title": "T", "authors": [{"first": "Bo", "last": "Sun"}], "year": 2012.0}',
}
"""Forms of ids, names and dialects that occur in exports, beside those of the specifications."""


def test_ids_names_and_keywords_are_read_in_the_forms_of_exports(tmp_path: Path):
    read = {}
    for name, text in FORMS.items():
        (tmp_path / name).write_text(text, "utf-8")
        read[name] = [one.read(max_bytes=10**6).metadata for one in find_documents([tmp_path / name])]

    told = [one.doi or one.arxiv_id or one.authors for one in read["a.bib"]]
    assert told == [
        "10.1000/(sici)1-4571(1998)49:8<693::aid>3.0.co;2-o",
        "10.1000/978-1_53",
        "10.1000/c",
        "10.1000/d",
        "10.1000/e-1",
        "10.1000/f.14",
        "10.1000/g",
        (),
        "10.1000/i",
        "2401.00011",
        ("Hans van der Berg", "Na Li"),
        ("J. Smith", "A. Doe"),
    ]
    one, book = read["b.ris"]
    assert (one.doi, one.keywords, book.title) == ("10.1000/r1", ("a, b", "c", "d"), "The book")
    assert read["c.enw"][0].keywords == ("tides", "waves, high")
    assert (read["d.nbib"][0].title, read["d.nbib"][0].keywords) == ("The book", ("Tides", "Seas, cold"))
    assert (read["e.json"][0].title, read["e.json"][0].authors, read["e.json"][0].keywords) == (
        "T", ("Ada Moon",), ("x", "y"),
    )  # fmt: skip
    assert (read["f.jsonl"][0].authors, read["f.jsonl"][0].year) == (("Bo Sun",), 2012)


def test_each_missing_attachment_is_told_and_percent_escapes_are_read(tmp_path: Path):
    (tmp_path / "50 %.md").write_text("# T\n\nText.\n")
    entries = "@article{a, title={A}, file={p.pdf;q.pdf}}\n@article{b, title={B}, local-url={50%20%25.md}}"
    (tmp_path / "a.bib").write_text(entries)

    found = find_documents([tmp_path / "a.bib"])
    one, other = (record.read(max_bytes=10**6).metadata for record in found if isinstance(record, records.Record))

    assert one.remarks == ("a.bib, a: file p.pdf was not found", "a.bib, a: file q.pdf was not found")
    assert (other.file, other.remarks) == (str(tmp_path / "50 %.md"), ())


def test_of_existing_files_a_pdf_goes_first_and_a_missing_one_last(tmp_path: Path):
    for name in ("notes.md", "paper.pdf"):
        (tmp_path / name).write_bytes(b"x")

    assert attached_file(["gone.pdf", "notes.md", "paper.pdf"], tmp_path) == str(tmp_path / "paper.pdf")
    assert attached_file(["gone.pdf", "notes.md"], tmp_path) == str(tmp_path / "notes.md")
    assert attached_file(["gone.pdf"], tmp_path) == str(tmp_path / "gone.pdf")


REPEATED = {
    "bib": """@article{smith, title={Tides of the northern sea}, doi={10.1000/1}}
        @article{smith, title={Winds over southern land}, doi={10.1000/2}}
        @article{smith, title={Tides of the Northern Sea}, doi={10.1000/1}, note={again}}
        @article{smith, title={Ice on the lakes in spring}}""",
    "ris": "".join(
        f"TY  - JOUR\nID  - smith\nTI  - {title}\n{doi}ER  -\n\n"
        for title, doi in [
            ("Tides of the northern sea", "DO  - 10.1000/1\n"),
            ("Winds over southern land", "DO  - 10.1000/2\n"),
            ("Tides of the Northern Sea", "DO  - 10.1000/1\n"),
            ("Ice on the lakes in spring", ""),
        ]
    ),
    "json": json.dumps(
        [
            {"id": "smith", "type": "article", "title": "Tides of the northern sea", "DOI": "10.1000/1"},
            {"id": "smith", "type": "article", "title": "Winds over southern land", "DOI": "10.1000/2"},
            {"id": "smith", "type": "article", "title": "Tides of the Northern Sea", "DOI": "10.1000/1"},
            {"id": "smith", "type": "article", "title": "Ice on the lakes in spring"},
        ]
    ),
}


@pytest.mark.parametrize("form", REPEATED)
def test_records_of_other_titles_with_the_same_key_are_all_kept(form: str, tmp_path: Path):
    (tmp_path / f"a.{form}").write_text(REPEATED[form])

    found = {one.name.rpartition("#")[2]: one.read(max_bytes=10**6) for one in find_documents([tmp_path / f"a.{form}"])}

    assert {name: one.metadata.title for name, one in found.items()} == {
        "smith": "Tides of the Northern Sea",
        "smith~2": "Winds over southern land",
        "smith~3": "Ice on the lakes in spring",
    }
    remark = "key smith is that of a record with another title, too; both are kept"
    assert [any(told.endswith(remark) for told in found[name].metadata.remarks) for name in sorted(found)] == [
        False,
        True,
        True,
    ]


CHAPTERS = {
    "bib": """@inbook{c1, title={On tides of the sea}, file={files/book.pdf}}
        @inbook{c2, title={The winds over lands}, file={files/book.pdf}}
        @article{c3, title={Ice on the lakes}, file={files/ice.pdf}}""",
    "ris": "".join(
        f"TY  - CHAP\nID  - {key}\nTI  - {title}\nL1  - files/{file}\nER  -\n\n"
        for key, title, file in [
            ("c1", "On tides of the sea", "book.pdf"),
            ("c2", "The winds over lands", "book.pdf"),
            ("c3", "Ice on the lakes", "ice.pdf"),
        ]
    ),
}


@pytest.mark.parametrize("form", CHAPTERS)
def test_a_file_of_records_with_other_titles_is_the_text_of_none_and_a_document_of_its_own(form: str, tmp_path: Path):
    for name in ("book", "ice"):
        write(tmp_path / "files" / f"{name}.pdf", name)
    (tmp_path / f"a.{form}").write_text(CHAPTERS[form])

    found = list(find_documents([tmp_path / f"a.{form}"]))

    records = {one.name.rpartition("#")[2]: one.read(max_bytes=10**6) for one in found if "#" in one.name}
    assert {name: one.metadata.file for name, one in records.items()} == {
        "c1": None,
        "c2": None,
        "c3": str(tmp_path / "files" / "ice.pdf"),
    }
    assert sorted(one.name for one in found if "#" not in one.name) == [
        str(tmp_path / "files" / name) for name in ("book.pdf", "ice.pdf")
    ]
    assert "file files/book.pdf is that of records with other titles" in records["c1"].metadata.remarks[0]
