import hashlib
from collections.abc import Iterable
from pathlib import Path

import pytest

from papergraph.errors import Code, Reason, SourceError
from papergraph.ingest.parsers import parse
from papergraph.ingest.sources import DocumentRef, Format, LocalFile, RawDocument, find_documents, supported

MAX_BYTES = 1000


def write(path: Path, data: str | bytes = "Words.\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def paths(found: Iterable[DocumentRef | SourceError]) -> list[Path | SourceError]:
    return [Path(entry.name) if isinstance(entry, DocumentRef) else entry for entry in found]


def reasons(found: list[Path | SourceError]) -> list[Reason | None]:
    return [entry.reason if isinstance(entry, SourceError) else None for entry in found]


def refusal(path: Path, *, max_bytes: int = MAX_BYTES) -> SourceError:
    with pytest.raises(SourceError) as caught:
        parse(LocalFile(str(path)).read(max_bytes=max_bytes))
    return caught.value


def test_a_folder_gives_its_files_in_order_of_name_and_those_of_its_subfolders_after_them(tmp_path):
    names = ["b.md", "a.txt", "c.MD", "d.markdown", "e.text", "sub/a.md", "sub/deeper/a.md", "other/z.md"]
    for name in names:
        write(tmp_path / name)

    found = paths(find_documents([tmp_path]))

    in_order = ["a.txt", "b.md", "c.MD", "d.markdown", "e.text", "other/z.md", "sub/a.md", "sub/deeper/a.md"]
    assert [tmp_path / name for name in in_order] == found


def test_paths_keep_the_order_in_which_they_were_named(tmp_path):
    first, second = write(tmp_path / "z.md"), write(tmp_path / "a.md")

    assert [first, second] == paths(find_documents([first, second]))


def test_a_document_that_is_reached_in_several_ways_comes_once(tmp_path, monkeypatch):
    document = write(tmp_path / "sub" / "a.md")
    monkeypatch.chdir(tmp_path)

    found = paths(find_documents([document, Path("sub/a.md"), Path("sub/../sub"), tmp_path]))

    assert [document] == found


def test_relative_paths_become_absolute(tmp_path, monkeypatch):
    document = write(tmp_path / "a.md")
    monkeypatch.chdir(tmp_path)

    assert [document] == paths(find_documents([Path("a.md")]))


def test_hidden_files_and_folders_are_left_out(tmp_path):
    seen = write(tmp_path / "seen.md")
    write(tmp_path / ".hidden.md")
    write(tmp_path / ".git" / "inside.md")

    assert [seen] == paths(find_documents([tmp_path]))


def test_a_link_to_a_folder_is_not_followed_so_that_a_loop_ends(tmp_path):
    document = write(tmp_path / "papers" / "a.md")
    (tmp_path / "papers" / "loop").symlink_to(tmp_path / "papers")
    elsewhere = write(tmp_path / "elsewhere" / "b.md")
    (tmp_path / "papers" / "away").symlink_to(elsewhere.parent)

    assert [document] == paths(find_documents([tmp_path / "papers"]))


def test_a_link_to_a_folder_is_read_when_it_is_named_itself(tmp_path):
    write(tmp_path / "papers" / "a.md")
    (tmp_path / "link").symlink_to(tmp_path / "papers")

    assert [tmp_path / "link" / "a.md"] == paths(find_documents([tmp_path / "link"]))


def test_a_file_of_another_type_is_refused_when_named_and_passed_over_in_a_folder(tmp_path):
    word, markdown = write(tmp_path / "a.ods"), write(tmp_path / "b.md")

    named, *below = paths(find_documents([word, tmp_path]))

    assert reasons([named]) == [Reason.UNSUPPORTED_TYPE]
    assert f".ods is not supported ({supported()})" in str(named)
    assert [markdown] == below


def test_a_file_without_ending_is_refused_in_words(tmp_path):
    (error,) = find_documents([write(tmp_path / "README")])

    assert reasons([error]) == [Reason.UNSUPPORTED_TYPE]
    assert "a file without ending is not supported" in str(error)


@pytest.mark.parametrize("files", [[], ["a.ods"], [".hidden.md"]])
def test_a_folder_without_documents_is_an_error_that_names_it(tmp_path, files):
    for name in files:
        write(tmp_path / name)

    (error,) = find_documents([tmp_path])

    assert (str(tmp_path), Reason.EMPTY) == (error.source, error.reason)


def test_a_missing_path_is_an_error_and_the_next_one_is_still_found(tmp_path):
    document = write(tmp_path / "a.md")

    found = paths(find_documents([tmp_path / "gone.md", document]))

    assert reasons(found) == [Reason.NOT_FOUND, None]
    assert found[1] == document


def test_a_document_is_read_to_the_letter(tmp_path):
    data = "\ufeff# Title\r\n\r\nÄ\rB\n".encode()
    path = write(tmp_path / "a.md", data)

    source = LocalFile(str(path)).read(max_bytes=len(data))

    assert source == RawDocument(str(path), data, Format.MARKDOWN, hashlib.sha256(data).hexdigest())
    assert parse(source).text == data.decode()
    assert source.key == f"file:{path}"


@pytest.mark.parametrize(
    ("name", "form"),
    [("a.md", Format.MARKDOWN), ("a.MARKDOWN", Format.MARKDOWN), ("a.txt", Format.TEXT), ("a.Text", Format.TEXT)],
)
def test_the_ending_says_what_a_file_is_in_any_case_of_letters(tmp_path, name, form):
    assert LocalFile(str(write(tmp_path / name))).read(max_bytes=MAX_BYTES).format is form


@pytest.mark.parametrize("data", [b"", b" \r\n\t\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf \n", b"\n\xef\xbb\xbf\n"])
def test_a_document_without_a_character_to_read_is_empty(tmp_path, data):
    assert refusal(write(tmp_path / "a.md", data)).reason is Reason.EMPTY


@pytest.mark.parametrize(
    ("data", "position"), [("Müller".encode("latin-1"), 1), (b"ok \xff", 3), (b"%PDF\x00 abc", 4)], ids=repr
)
def test_what_is_not_utf8_text_is_refused_with_the_place(tmp_path, data, position):
    error = refusal(write(tmp_path / "a.md", data))

    assert (error.reason, error.code) == (Reason.NOT_TEXT, Code.BAD_USER_INPUT)
    assert str(position) in error.detail


def test_a_document_may_have_the_largest_size_and_no_byte_more(tmp_path):
    path = write(tmp_path / "a.md", "x" * 10)

    assert len(LocalFile(str(path)).read(max_bytes=10).data) == 10
    assert refusal(path, max_bytes=9).reason is Reason.TOO_LARGE


def test_a_document_that_went_away_is_not_found(tmp_path):
    assert refusal(tmp_path / "gone.md").reason is Reason.NOT_FOUND


def test_a_dangling_link_is_found_as_a_document_and_refused_when_it_is_read(tmp_path):
    link = tmp_path / "a.md"
    link.symlink_to(tmp_path / "gone.md")

    (document,) = paths(find_documents([link]))

    assert document == link
    assert refusal(document).reason is Reason.NOT_FOUND


def test_a_folder_is_unreadable_as_a_document(tmp_path):
    folder = tmp_path / "x.md"
    folder.mkdir()

    error = refusal(folder)

    assert error.reason is Reason.UNREADABLE
    assert str(folder) in str(error)


def test_a_folder_with_the_name_of_a_document_is_searched_like_any_other(tmp_path):
    document = write(tmp_path / "x.md" / "y.md")

    assert [document] == paths(find_documents([tmp_path]))
