import json
import pickle
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.parsers import parse
from ingest.sources import DocumentRef, Format, Metadata, RawDocument, find_documents
from ingest.sources.bibtex import plain, read_entries
from ingest.sources.metadata import BadRecordError, metadata_of
from papergraph.errors import Reason, SourceError

TIDES = {
    "arxiv_id": "2601.05286",
    "version": "v2",
    "title": "Tides of\n a moon",
    "authors": ["A. Moon", "B. Sun"],
    "abstract": "It rises\nand falls.\n\n  Twice a day.",
    "primary_category": "physics.ao-ph",
    "categories": ["physics.ao-ph", "quant-ph"],
    "published": "2026-01-07T15:29:52Z",
    "updated": "2026-01-09T16:29:52+01:00",
    "abs_url": "https://arxiv.org/abs/2601.05286v2",
}
SNAPSHOT = {
    "id": "hep-ex/0307015",
    "authors": "H. One, J. Two and K. Three",
    "authors_parsed": [["One", "H.", ""], ["Two", "J.", "Jr"], ["Three", "K.", ""]],
    "title": "Electrons",
    "comments": "23 pages",
    "journal-ref": "Eur.Phys.J. C31 (2003) 17-29",
    "doi": "10.1140/epjc/s2003-01326-x 10.1000/second",
    "categories": "hep-ex hep-ph",
    "versions": [
        {"version": "v1", "created": "Mon, 7 Jul 2003 17:46:39 GMT"},
        {"version": "v2", "created": "Tue, 8 Jul 2003 17:46:39 GMT"},
    ],
    "update_date": "2009-11-10",
}
BIBLIOGRAPHY = r"""
@string{quantum = "Quantum"}
@article{otti,
  title = {{Q}u{T}i{P} and {\"O}ttinger's $\beta_{1}$-decay: 5\% {\textit{in} situ}},
  author = {{\"O}ttinger, Hans Christian and van der Berg, Jr., Jan and {H1 Collaboration} and others},
  journal = quantum, volume = 3, pages = {12--15}, year = 2019, doi = {10.22331/Q-2019},
}
@misc{pre, title={Penny}, eprint={1811.04968v4}, archivePrefix={arXiv}, primaryClass={quant-ph}, year={2022}}
@article{scholar, title={Scholar}, journal={arXiv preprint arXiv:1412.4704}, year={2014}}
@article{broken, title={No end, year=2020
@misc{untitled, year={2020}}
@misc{last, title="Last", date={2021-03-04}, note={See there}}
"""


def lines(path: Path, *records: Any) -> Path:
    path.write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in records))
    return path


def read(found: DocumentRef | SourceError) -> RawDocument:
    assert isinstance(found, DocumentRef), found
    return found.read(max_bytes=10_000)


def told(path: Path) -> dict[str, Metadata | None]:
    return {found.name: read(found).metadata for found in find_documents([path]) if isinstance(found, DocumentRef)}


def refusals(*paths: Path) -> list[str]:
    return [str(error) for error in find_documents(paths) if isinstance(error, SourceError)]


def test_a_line_of_jsonl_is_a_paper_whose_text_is_the_abstract(tmp_path):
    path = lines(tmp_path / "week.jsonl", TIDES)

    (found,) = find_documents([path])
    source = read(found)
    document = parse(source)

    assert (source.name, source.format) == (f"{path}#2601.05286", Format.RECORD)
    assert found.content_hash(max_bytes=1) == source.content_hash
    assert (document.key, document.title) == ("arxiv:2601.05286", "Tides of a moon")
    assert document.text == document.abstract == "It rises and falls.\n\nTwice a day."
    assert (document.year, document.authors) == (2026, ("A. Moon", "B. Sun"))
    assert [(section.kind, section.start, section.end) for section in document.sections] == [
        ("abstract", 0, len(document.text))
    ]
    assert source.metadata == Metadata(
        title="Tides of a moon",
        abstract=document.text,
        authors=("A. Moon", "B. Sun"),
        year=2026,
        arxiv_id="2601.05286",
        arxiv_version=2,
        primary_category="physics.ao-ph",
        categories=("physics.ao-ph", "quant-ph"),
        published=datetime(2026, 1, 7, 15, 29, 52, tzinfo=UTC),
        updated=datetime(2026, 1, 9, 15, 29, 52, tzinfo=UTC),
        url="https://arxiv.org/abs/2601.05286v2",
    )


def test_records_of_the_arxiv_snapshot_are_read_too():
    assert metadata_of(SNAPSHOT) == Metadata(
        title="Electrons",
        authors=("H. One", "J. Two Jr", "K. Three"),
        year=2003,
        doi="10.1140/epjc/s2003-01326-x",
        arxiv_id="hep-ex/0307015",
        arxiv_version=2,
        primary_category="hep-ex",
        categories=("hep-ex", "hep-ph"),
        published=datetime(2003, 7, 7, 17, 46, 39, tzinfo=UTC),
        updated=datetime(2003, 7, 8, 17, 46, 39, tzinfo=UTC),
        comment="23 pages",
        journal_ref="Eur.Phys.J. C31 (2003) 17-29",
    )


def test_a_record_without_an_abstract_is_a_paper_without_text(tmp_path):
    (found,) = find_documents([lines(tmp_path / "a.jsonl", {"title": "Bare"})])

    document = parse(read(found))

    assert (document.title, document.text, document.sections) == ("Bare", "", ())
    assert document.key == f"file:{tmp_path}/a.jsonl#line 1"


def test_a_bad_line_is_named_with_its_reason_and_the_others_go_on(tmp_path):
    bad = {
        '{"title": ': "is not JSON",
        "[1]": "is no object",
        '{"abstract": "x"}': "has no title",
        '{"title": 1}': "title must be text",
        '{"title": "x", "year": "soon"}': "year soon is not a year",
        '{"title": "x", "arxiv_id": "12"}': "'12' is not an arXiv id",
        '{"title": "x", "published": "soon"}': "published 'soon' is not a time",
        '{"title": "\\ud800"}': "holds what is no character",
        '{"title": "x", "authors": {"a": 1}}': "authors must be a list",
        '{"title": "x", "arxiv_id": "2601.05286", "version": "new"}': "version 'new'",
    }
    path = lines(tmp_path / "a.jsonl", *bad, "", TIDES, {"title": "Other", "id": "o"})

    assert list(told(path)) == [f"{path}#2601.05286", f"{path}#o"]
    said = refusals(path)
    assert len(said) == len(bad)
    for number, (line, reason) in enumerate(zip(said, bad.values(), strict=True), start=1):
        assert f"line {number}: " in line
        assert reason in line


def test_a_file_without_any_paper_is_refused_once_when_named_and_passed_over_in_a_folder(tmp_path):
    path = lines(tmp_path / "log.jsonl", {"level": "info"}, {"level": "warning"})
    (tmp_path / "a.md").write_text("Words.")

    assert [f"{path}: holds no paper: line 1: has no title"] == refusals(path)
    assert [found.name for found in find_documents([tmp_path]) if isinstance(found, DocumentRef)] == [
        str(tmp_path / "a.md")
    ]
    assert not refusals(tmp_path)
    assert "holds no paper" in refusals(lines(tmp_path / "empty.jsonl"))[0]


def test_of_records_of_one_paper_in_a_file_the_newest_version_stands_and_of_equal_ones_the_last(tmp_path):
    """Records of several files are sources of one paper, among which the graph decides."""
    first = lines(tmp_path / "a.jsonl", TIDES, {**TIDES, "version": "v1"}, {**TIDES, "title": "Last"})
    second = lines(tmp_path / "b.jsonl", {**TIDES, "version": "v1", "title": "Old"})

    for order in ([first, second], [second, first], [tmp_path]):
        assert sorted(read(found).metadata.title for found in find_documents(order)) == ["Last", "Old"]


def test_only_a_changed_line_is_other_content(tmp_path):
    path = tmp_path / "a.jsonl"
    others = [{"title": "One", "id": "1"}, {"title": "Two", "id": "2"}]
    before = [found.content_hash(max_bytes=1) for found in find_documents([lines(path, TIDES, *others)])]

    after = [found.content_hash(max_bytes=1) for found in find_documents([lines(path, "", others[0], TIDES)])]
    changed = [
        found.content_hash(max_bytes=1) for found in find_documents([lines(path, {**TIDES, "doi": "10.1000/1"})])
    ]

    assert set(after) == set(before[:2])
    assert not set(changed) & set(before)


def test_a_file_that_changes_before_a_record_is_read_is_noticed(tmp_path):
    path = lines(tmp_path / "a.jsonl", TIDES)
    (found,) = find_documents([path])
    lines(path, {"title": "Quite another one"})

    with pytest.raises(SourceError, match="changed while it was read"):
        read(found)
    path.unlink()
    with pytest.raises(SourceError, match="cannot be read"):
        read(found)


def test_what_was_found_can_be_sent_to_another_process(tmp_path):
    for found in find_documents([lines(tmp_path / "a.jsonl", TIDES)]):
        assert read(pickle.loads(pickle.dumps(found))) == read(found)  # noqa: S301 our own


def test_a_bibliography_gives_a_paper_for_each_entry(tmp_path):
    path = tmp_path / "cited.bib"
    path.write_text(BIBLIOGRAPHY)

    found = told(path)

    assert [name.rpartition("#")[2] for name in found] == ["otti", "1811.04968", "1412.4704", "last"]
    first = found[f"{path}#otti"]
    assert first == Metadata(
        title="QuTiP and Öttinger's $\\beta_{1}$-decay: 5% in situ",
        authors=("Hans Christian Öttinger", "Jan van der Berg Jr.", "H1 Collaboration"),
        year=2019,
        doi="10.22331/q-2019",
        journal_ref="Quantum, 3, 12–15",
    )
    preprint, scholar, last = list(found.values())[1:]
    assert (preprint.arxiv_id, preprint.arxiv_version, preprint.categories) == ("1811.04968", 4, ("quant-ph",))
    assert (scholar.arxiv_id, scholar.journal_ref) == ("1412.4704", None)
    assert (last.title, last.year, last.comment) == ("Last", 2021, "See there")


def test_an_entry_that_cannot_be_read_is_named_with_its_line_and_the_next_ones_are_read(tmp_path):
    path = tmp_path / "cited.bib"
    path.write_text(BIBLIOGRAPHY)

    said = refusals(path)

    assert [line.partition(": ")[2].partition(":")[0] for line in said] == ["line 10", "line 11"]
    assert "is not BibTeX" in said[0]
    assert "has no title" in said[1]


def test_a_bibliography_in_a_folder_is_what_the_papers_there_cite_and_is_passed_over(tmp_path):
    (tmp_path / "cited.bib").write_text(BIBLIOGRAPHY)
    (tmp_path / "paper.md").write_text("Words.")

    assert [found.name for found in find_documents([tmp_path])] == [str(tmp_path / "paper.md")]


@given(st.text(max_size=300))
def test_no_text_breaks_the_reading_of_bibtex(text):
    for _, entry in read_entries("@misc{a, title={" + text + "}}\n" + text):
        if isinstance(entry, dict):
            try:
                metadata_of(entry)
            except BadRecordError:
                continue


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=20), st.lists, max_leaves=5))
def test_any_value_of_a_field_is_taken_or_refused_in_words(value):
    for name in (*TIDES, *SNAPSHOT):
        try:
            metadata_of({"title": "x", name: value})
        except BadRecordError as error:
            assert str(error)


@pytest.mark.parametrize(
    ("latex", "text"),
    [(r"{\L}{\'o}d{\'z}", "Łódź"), (r"A \& B -- C", "A & B – C"), (r"O(\$n^2\$)", "O($n^2$)"), ("a~b", "a b")],
)
def test_latex_becomes_characters(latex, text):
    assert plain(latex) == text


def test_a_record_that_names_a_file_describes_it_and_the_file_is_no_document_of_its_own(tmp_path):
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "1.md").write_text("# Own title\n\nWords.\n")
    (tmp_path / "other.md").write_text("Other words.\n")
    url = "https://example.org/one"
    lines(tmp_path / "pages.jsonl", {"title": "Told", "file": "pages/1.md", "source": url})

    found = {found.name: found for found in find_documents([tmp_path]) if isinstance(found, DocumentRef)}

    assert set(found) == {str(tmp_path / "other.md"), url}
    source = read(found[url])
    assert (source.format, source.key, parse(source).title) == (Format.MARKDOWN, url, "Told")
    assert found[url].content_hash(max_bytes=1000) == source.content_hash
    (tmp_path / "pages" / "1.md").unlink()
    assert found[url].content_hash(max_bytes=1000) is None
    with pytest.raises(SourceError) as caught:
        read(found[url])
    assert (caught.value.source, caught.value.reason) == (url, Reason.NOT_FOUND)


@pytest.mark.parametrize("name", ["../a.md", "/etc/a.md", ".", "", "link/a.md", "a.docx.exe", 7, "a\0.md"])
def test_a_record_cannot_name_a_file_outside_its_folder(tmp_path, name):
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    for made in (outside, folder):
        made.mkdir()
    (outside / "a.md").write_text("Secret.")
    (folder / "link").symlink_to(outside)
    path = lines(folder / "a.jsonl", {"title": "x", "file": name}, TIDES)

    (said,) = refusals(path)

    assert "line 1: " in said


def test_all_1649_real_records_are_papers_with_abstract_authors_and_version(data_folder):
    papers = [read(found) for found in find_documents(sorted((data_folder / "quantum_arxiv").glob("*.jsonl")))]

    assert len(papers) == 1649
    assert all(paper.metadata.abstract and paper.metadata.authors and paper.metadata.arxiv_version for paper in papers)
    assert all(paper.metadata.categories and paper.metadata.year == paper.metadata.published.year for paper in papers)
    assert len({parse(paper).key for paper in papers}) == 1649
