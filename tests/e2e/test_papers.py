"""``papergraph papers``: papers listed, shown, edited, opened and exported as users do it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command import Papergraph
from tests.support.files import write

BIB = """@article{lovelace, title = {Notes on the engine}, author = {Lovelace, Ada}, year = 1843,
  journal = {Scientific Memoirs}, doi = {10.1000/notes}, file = {files/1/notes.md} }
@article{babbage, title = {On the economy of machinery}, author = {Babbage, Charles}, year = 1832 }
"""


SHELF = ("-c", "shelf")


@pytest.fixture
def library(papergraph: Papergraph, tmp_path: Path) -> Iterator[Path]:
    text = write(tmp_path / "files" / "1" / "notes.md", "# scan\n\n## Engine\n\nThe engine weaves patterns.\n")
    ingested = papergraph("ingest", write(tmp_path / "my.bib", BIB), *SHELF)
    assert ingested.returncode == 0, ingested.stderr
    assert "added: On the economy of machinery (my.bib#babbage)" in ingested.stdout
    yield text
    assert papergraph("papers", "delete", "--yes", tmp_path, *SHELF).returncode == 0


@pytest.mark.slow
def test_papers_are_listed_by_year_and_text_and_filter(papergraph: Papergraph, library: Path):
    def titles(*options: str) -> list[str]:
        result = papergraph("papers", "list", *SHELF, "--json", *options)
        assert (result.returncode, result.stderr) == (0, "")
        return [one["title"] for one in json.loads(result.stdout)]

    notes, economy = "Notes on the engine", "On the economy of machinery"
    assert titles() == titles("--sort", "year") == [notes, economy]
    assert titles("--text", "BABBAGE") == titles("--filter", '{"years": {"to": 1840}}') == [economy]
    assert titles("--text", "ada engine") == titles("--filter", '{"not": {"years": {"to": 1840}}}') == [notes]
    assert titles("--limit", "1") == [notes]
    assert papergraph("papers", "list", *SHELF, "--sort", "size").returncode == 2

    shown = papergraph("papers", "list", *SHELF)
    assert "Ada Lovelace" in shown.stdout
    assert "notes.md" in shown.stdout


def test_nothing_is_deleted_without_a_question_or_yes(papergraph: Papergraph, library: Path):
    refused = papergraph("papers", "delete", "10.1000/notes", *SHELF)
    would = papergraph("papers", "delete", "10.1000/notes", *SHELF, "--dry-run")
    whole = papergraph("collections", "delete", "shelf")
    would_all = papergraph("collections", "delete", "shelf", "--dry-run", "--json")

    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("error: Nothing was deleted. Add --yes to delete ")
    assert would.returncode == 0
    assert "would delete doi:10.1000/notes\n" in would.stdout
    assert (whole.returncode, whole.stdout) == (2, "")
    assert "Nothing was deleted. Add --yes to delete the collection 'shelf' with 2 papers." in whole.stderr
    assert json.loads(would_all.stdout) == {"collection": "shelf", "deleted": 0, "found": 2}
    assert len(json.loads(papergraph("papers", "list", *SHELF, "--json").stdout)) == 2


def test_a_collection_is_deleted_with_yes(papergraph: Papergraph, library: Path):
    assert papergraph("collections", "create", "gone").returncode == 0

    deleted = papergraph("collections", "delete", "gone", "--yes")

    assert (deleted.returncode, deleted.stdout) == (0, "deleted gone: 0 papers\n")
    names = [one["name"] for one in json.loads(papergraph("collections", "list", "--json").stdout)]
    assert "gone" not in names and "shelf" in names


def test_a_paper_of_another_collection_is_said_to_be_there(papergraph: Papergraph, library: Path):
    shown = papergraph("papers", "show", "10.1000/notes")
    listed = papergraph("papers", "list", "--text", "babbage")
    nowhere = papergraph("papers", "list", "--text", "xyzzyq")

    assert (shown.returncode, listed.returncode, nowhere.returncode) == (3, 0, 0)
    assert shown.stderr.rstrip().endswith("It is in shelf: add --collection shelf.")
    assert "No paper of collection 'main' matches. It is in shelf: add --collection shelf." in listed.stderr
    assert nowhere.stderr.rstrip().endswith("No paper of collection 'main' matches.")


def test_an_edit_is_shown_with_its_source_and_undone(papergraph: Papergraph, library: Path):
    edited = papergraph("papers", "edit", library, *SHELF, "--set", "year=1844", "--set", "authors=A. King; B. C.")
    shown = papergraph("papers", "show", "10.1000/notes", *SHELF)
    undone = papergraph("papers", "edit", library, *SHELF, "--undo", "year", "--undo", "authors", "--json")
    wrong = papergraph("papers", "edit", library, *SHELF, "--set", "year=soon")

    assert (edited.returncode, edited.stderr) == (0, "")
    assert "A. King, B. C.  (person: edit:" in edited.stdout
    assert "year:     1844  (person: edit:" in shown.stdout
    fields = {one["name"]: one for one in json.loads(undone.stdout)}
    assert (fields["year"]["value"], fields["year"]["provider"]) == (1843, "publisher")
    assert fields["authors"]["value"] == ["Ada Lovelace"]
    assert (wrong.returncode, wrong.stdout) == (2, "")


def test_the_file_of_a_paper_is_opened_otherwise_its_address(papergraph: Papergraph, library: Path):
    file = papergraph("papers", "open", "10.1000/notes", *SHELF, "--print")
    library.rename(library.with_name("moved.md"))
    address = papergraph("papers", "open", "10.1000/notes", *SHELF, "--print")

    assert (file.stdout, file.returncode) == (f"{library}\n", 0)
    assert (address.stdout, address.returncode) == ("https://doi.org/10.1000/notes\n", 0)


def test_one_or_all_papers_are_exported(papergraph: Papergraph, library: Path, tmp_path: Path):
    bibtex = papergraph("papers", "export", *SHELF, "--format", "bibtex")
    one = papergraph("papers", "export", "10.1000/notes", *SHELF, "--format", "csl-json")
    folder = papergraph("papers", "export", *SHELF, "--folder", tmp_path / "out")
    unclear = papergraph("papers", "export", *SHELF)
    styled = papergraph("papers", "export", "@lovelace", *SHELF, "--style", "ieee")

    assert styled.stdout.startswith("[1]A. Lovelace, “Notes on the engine”")
    assert "@article{lovelace,\n  title = {Notes on the engine}" in bibtex.stdout
    assert bibtex.stdout.count("@") == 2
    (item,) = json.loads(one.stdout)
    assert (item["DOI"], item["author"]) == ("10.1000/notes", [{"family": "Lovelace", "given": "Ada"}])
    assert folder.stdout == f"2 papers in {tmp_path / 'out'}\n"
    assert "The engine weaves patterns." in (tmp_path / "out" / "lovelace.md").read_text()
    assert unclear.returncode == 2
