"""Files of records: each line of a JSONL file, each entry of a bibliography is a document of its own.

A record that names a ``file`` beside it describes that; any other is a paper of which only the metadata is known, and
whose text is the abstract.
"""

import codecs
import hashlib
import json
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from papergraph.errors import Reason, SourceError
from papergraph.ingest.sources import bibtex, csl_json, ris
from papergraph.ingest.sources.metadata import BadRecordError, metadata_of
from papergraph.ingest.sources.parser import (
    LIBRARIES,
    LocalFile,
    endings,
    file_hash,
    format_of,
    read_bytes,
    supported,
)
from papergraph.ingest.sources.source import (
    DocumentRef,
    Format,
    Metadata,
    RawDocument,
    Source,
    hash_by_reading,
    hash_content,
    withdrawn,
)
from papergraph.ingest.sources.uploads import (
    PREFERRED,
    attached_file,
    ends_of,
    existing,
    find_upload,
    is_below,
    is_upload,
    stated_paths,
)
from papergraph.schema.ids import doi_of, title_letters

if TYPE_CHECKING:
    from papergraph.ingest.sources.web import Web

LONGEST_LINE_BYTES = 20_000_000
LARGEST_BIBLIOGRAPHY_BYTES = 100_000_000
HIDDEN = re.compile(r"(?:^|/)\.|__MACOSX")
MOST_ARCHIVED = 5000
"""Files of an uploaded archive."""
UNPACKING = (OSError, KeyError, RuntimeError, NotImplementedError, EOFError, zipfile.BadZipFile, zlib.error)
"""Errors of damaged and encrypted archives, and of unknown compression."""

READERS = {
    ".bib": bibtex.read_entries,
    ".csv": csl_json.read_table,
    ".enw": ris.read_endnote,
    ".json": csl_json.read_entries,
    ".nbib": ris.read_pubmed,
    ".ris": ris.read_entries,
}
"""Readers of bibliographies by file extension."""
BEGINNINGS = {
    "%0 ": ris.read_endnote,
    "PMID-": ris.read_pubmed,
    "RT ": ris.read_refworks,
    "Record #1 of ": ris.read_cochrane,
}
"""Readers of bibliographies by the first characters of the file, which count before its extension."""
DECLARED_ENCODING = re.compile(rb"%[ ]?Encoding:[ ]?([\w.-]{1,40})", re.IGNORECASE)
"""First line that JabRef writes."""
LONGEST_BEGINNING = 200
LEAST_ALIKE = 0.8
"""Similarity of two titles of one DOI, 0 to 1, from which on they are of one paper."""


@dataclass(frozen=True)
class Record(DocumentRef):
    """Paper described by a record in a file of records.

    Attributes:
        name: ``path#record``.
        path: The file of records.
        line: Line of the record, from 1.
        paper: arXiv id, DOI, or another name.
        version: Version at arXiv, or 0.
        sha256: Checksum of the record.
        place: Offset and length of the record in a JSONL file, in bytes.
        entry: The record itself as JSON, for bibliographies.
        file: File of the paper's text, for bibliographies.
    """

    name: str
    path: str
    line: int
    paper: str
    version: int
    sha256: str
    place: tuple[int, int] | None = None
    entry: str | None = field(default=None, repr=False)
    file: str | None = None

    @property
    def known_format(self) -> str | None:
        """The format of papers of which metadata alone is known."""
        return Format.RECORD

    def content_hash(self, *, max_bytes: int) -> str | None:
        """Return the sha-256 hex of the record."""
        return self.sha256

    def read(self, *, max_bytes: int) -> RawDocument:
        """Read the record again.

        Raises:
            SourceError: The file is gone, or another one by now.
        """
        data = self.entry.encode() if self.entry is not None else self._read_line()
        if hashlib.sha256(data).hexdigest() != self.sha256:
            raise SourceError(self.name, Reason.UNREADABLE, "the file changed while it was read; ingest it again")
        metadata = metadata_of(json.loads(data))
        own = f"{Path(self.path).name}, {self.name[len(self.path) + 1 :]}"
        metadata = replace(metadata, remarks=tuple(f"{own}: {remark}" for remark in metadata.remarks))
        return RawDocument(self.name, data, Format.RECORD, self.sha256, metadata)

    def _read_line(self) -> bytes:
        start, length = self.place or (0, 0)
        try:
            with Path(self.path).open("rb") as file:
                file.seek(start)
                return file.read(length)
        except OSError as error:
            raise SourceError(self.name, Reason.UNREADABLE, f"cannot be read: {error.strerror}") from error


@dataclass(frozen=True)
class DescribedFile(DocumentRef):
    """File described by a record beside it.

    Attributes:
        name: ``path#record``, or the URL that the record gives as the file's source.
        line: Line of the record, from 1.
        paper: arXiv id, DOI, or another name.
        version: Version at arXiv, or 0.
        path: The file.
        metadata: Metadata in the record.
    """

    name: str
    line: int
    paper: str
    version: int
    path: str
    metadata: Metadata

    @property
    def known_format(self) -> str | None:
        """The format that the file's name tells."""
        return format_of(self.path)

    def content_hash(self, *, max_bytes: int) -> str | None:
        """Return the hash of the file's bytes and the metadata; None where :meth:`read` would refuse to read them."""
        of_bytes = file_hash(self.path, max_bytes=max_bytes)
        return of_bytes and hash_content(of_bytes, self.metadata)

    def read(self, *, max_bytes: int) -> RawDocument:
        """Read the file.

        Raises:
            SourceError: It is gone, unreadable, larger than ``max_bytes``, or empty.
        """
        try:
            data = read_bytes(self.path, max_bytes=max_bytes)
        except SourceError as error:
            raise SourceError(self.name, error.reason, f"{self.path} {error.detail}") from error
        content = hash_content(hashlib.sha256(data).hexdigest(), self.metadata)
        return RawDocument(self.name, data, endings()[Path(self.path).suffix.lower()], content, self.metadata)


Attach = Callable[[Sequence[str]], str | None]
"""Returns the name of an entry's text, existing or not, given the paths that the entry states."""


def find_records(path: Path) -> list[DocumentRef | SourceError]:
    """Return the papers that a file of records tells of, and an error for each record that cannot be one.

    Of several records of one paper the one of the newest version stands, of equal ones the last.
    """
    try:
        if path.suffix.lower() == ".jsonl":
            entries = list(_jsonl(path))
        else:
            data = read_bytes(str(path), max_bytes=LARGEST_BIBLIOGRAPHY_BYTES)
            entries = list(_bibliography(path, data, lambda paths: attached_file(paths, path.parent)))
    except OSError as error:
        return [SourceError(str(path), Reason.UNREADABLE, f"cannot be read: {error.strerror}")]
    except SourceError as error:
        return [error]
    if not entries:
        return [SourceError(str(path), Reason.EMPTY, "holds no paper")]
    return [*newest(entries), *_attached(path, entries)]


def read_bibliography(path: Path) -> tuple[list[tuple[int, Metadata]], list[SourceError]]:
    """Return what :func:`bibliography_of` returns of a file.

    Raises:
        SourceError: The file cannot be read.
    """
    return bibliography_of(str(path), read_bytes(str(path), max_bytes=LARGEST_BIBLIOGRAPHY_BYTES))


def bibliography_of(name: str, data: bytes) -> tuple[list[tuple[int, Metadata]], list[SourceError]]:
    """Return the line and metadata of each entry of a bibliography, also of repeated ones, and entries with errors.

    Args:
        name: Name of the file, whose ending tells its format where its beginning does not.
        data: Its bytes.

    Raises:
        SourceError: It is neither UTF-8, UTF-16 nor in the encoding that it declares.
    """
    path = Path(name)
    found, refused = [], []
    for line, entry in _entries(path, data):
        try:
            if isinstance(entry, BadRecordError):
                raise entry
            known = {name: value for name, value in entry.items() if name not in ("reader_remarks", "attachments")}
            found.append((line, metadata_of(known, needs_title=False)))
        except BadRecordError as error:
            refused.append(_bad(path, line, str(error)))
    return found, refused


def stated_metadata(record: str) -> Metadata:
    """Return what a stored record says of its paper, see :mod:`papergraph.ingest.sources.csl`."""
    ((form, content),) = json.loads(record).items()
    match form:
        case "bibtex":
            entry = bibtex.entry_of(content["type"], content["key"], content["fields"])
        case "ris":
            entry = ris.entry_of(content)
        case _:
            entry = csl_json.entry_of(content)
    return metadata_of(entry)


def is_library(path: Path) -> bool:
    """Say whether a bibliography is that of a reference manager: an entry names a file that lies below its folder."""
    found = find_records(path)
    return any(isinstance(document, LocalFile) for document in found)


def _attached(path: Path, entries: list[DocumentRef | SourceError]) -> list[DocumentRef | SourceError]:
    """Return the files that entries of a bibliography name and that lie below its folder."""
    named = dict.fromkeys(entry.file for entry in entries if isinstance(entry, Record) and entry.file)
    return [LocalFile(file) for file in named if is_below(file, path.parent)]


def newest(found: list[DocumentRef | SourceError]) -> list[DocumentRef | SourceError]:
    """Leave out records of a paper that are superseded by a newer version or a later record."""
    versions: dict[tuple[str, str], int] = {}
    places: dict[tuple[str, str], int] = {}
    for place, document in enumerate(found):
        if isinstance(document, Record | DescribedFile) and document.version >= versions.get(_told(document), -1):
            versions[_told(document)], places[_told(document)] = document.version, place
    return [
        document
        for place, document in enumerate(found)
        if not isinstance(document, Record | DescribedFile) or places[_told(document)] == place
    ]


def _told(document: "Record | DescribedFile") -> tuple[str, str]:
    """Return the identity of a record for :func:`newest`: (file of records, paper)."""
    return (document.path if isinstance(document, Record) else "", document.paper)


def _jsonl(path: Path) -> Iterator[DocumentRef | SourceError]:
    start = 0
    with path.open("rb") as file:
        line = 0
        while data := file.readline(LONGEST_LINE_BYTES + 1):
            line += 1
            if len(data) > LONGEST_LINE_BYTES:
                raise _bad(path, line, f"is longer than {LONGEST_LINE_BYTES:,} bytes")
            place = start + len(data) - len(data.lstrip())
            start += len(data)
            if data := data.strip():
                try:
                    record = json.loads(data)
                except (ValueError, RecursionError) as error:
                    yield _bad(path, line, f"is not JSON: {' '.join(str(error).split())[:200]}")
                else:
                    yield _found(path, line, record, data=data, place=(place, len(data)))


def _entries(path: Path, data: bytes) -> list[tuple[int, Any]]:
    """Return the line and record of each entry of a bibliography.

    Raises:
        SourceError: It is neither UTF-8, UTF-16 nor in the encoding that it declares.
    """
    text = _decoded(path, data)
    beginning = text[:LONGEST_BEGINNING].lstrip()
    by_beginning = (reader for start, reader in BEGINNINGS.items() if beginning.startswith(start))
    return list(next(by_beginning, READERS.get(path.suffix.lower(), ris.read_entries))(text))


def _decoded(path: Path, data: bytes) -> str:
    declared = DECLARED_ENCODING.match(data)
    try:
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return data.decode("utf-16")
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        with suppress(UnicodeDecodeError, LookupError):
            if declared:
                return data.decode(declared[1].decode())
        detail = f"is not UTF-8: byte {error.start} cannot be read; convert it with iconv"
        raise SourceError(str(path), Reason.NOT_TEXT, detail) from error


def _bibliography(path: Path, data: bytes, attach: Attach) -> Iterator[DocumentRef | SourceError]:
    entries = _entries(path, data)
    of_dois, of_files, of_keys = ContradictoryTitles(), ContradictoryTitles(), ContradictoryTitles()
    for _, entry in entries:
        if isinstance(entry, dict):
            entry["attached_file"] = attach(entry.get("attachments", ()))
            of_dois.add(_doi_of(entry), entry.get("title"))
            of_files.add(entry["attached_file"], entry.get("title"))
    for line, entry in entries:
        if isinstance(entry, BadRecordError):
            yield _bad(path, line, str(entry))
            continue
        attachments, file = list(entry.pop("attachments", ())), entry.pop("attached_file")
        remarks = [*entry.pop("reader_remarks", ()), *_missing_files(attachments, file, attach)]
        if (doi := _doi_of(entry)) in of_dois:  # the book's, say, on each of its chapters
            entry |= {"doi": None, "url": None if "doi.org/" in str(entry.get("url")) else entry.get("url")}
            remarks.append(f"doi {doi} is that of records with other titles; left out")
        if file and file not in of_files:
            entry["attached_file"] = file
        elif file:
            remarks.append(f"file {attachments[0]} is that of records with other titles; a paper of its own")
        if nth := of_keys.add(str(key := entry.get("key") or entry.get("id") or ""), entry.get("title")):
            remarks.append(f"key {key} is that of a record with another title, too; both are kept")
        if remarks:
            entry["reader_remarks"] = remarks
        data = json.dumps(entry, sort_keys=True).encode()
        yield _found(path, line, entry, data=data, place=None, nth=nth, file=file)


class ContradictoryTitles:
    """Titles of records by a value that they state, such as a DOI, a key or a file.

    A value is in it if records of different titles state it.
    """

    def __init__(self) -> None:
        self._titles: dict[str, list[str]] = {}

    def add(self, value: str | None, title: Any) -> int:
        """Note the title of a record that states a value; return how many other titles were there before it."""
        if not value or not isinstance(title, str):
            return 0
        titles, letters = self._titles.setdefault(value, []), title_letters(title)
        for nth, other in enumerate(titles):
            if _are_alike(other, letters):
                return nth
        titles.append(letters)
        return len(titles) - 1

    def __contains__(self, value: str | None) -> bool:
        return len(self._titles.get(value or "", ())) > 1


def _doi_of(entry: Mapping[str, Any]) -> str | None:
    return doi_of(str(entry.get("doi") or ""))


def _missing_files(attachments: Sequence[str], file: str | None, attach: Attach) -> Iterator[str]:
    """Yield what is said of each attachment of an entry that was not found; ``file`` is the text of the entry."""
    for path in attachments:
        found = attach([path])
        is_missing = found is None or not _is_there(found)
        if is_missing and (found or format_of(path)):
            yield f"file {path} was not found"
    if attachments and file is None and not any(map(format_of, attachments)):
        yield f"file {attachments[0]} is none of {supported()}"


def _is_there(file: str) -> bool:
    return is_upload(file) or Path(file).is_file()


def is_bibliography(path: Path) -> bool:
    """Say whether a text file is a bibliography by its first characters."""
    try:
        with path.open("rb") as file:
            beginning = file.read(LONGEST_BEGINNING).decode("utf-8-sig", "replace").lstrip()
    except OSError:
        return False
    return beginning.startswith(tuple(BEGINNINGS))


def _are_alike(title: str, other: str) -> bool:
    short, long = sorted((title, other), key=len)
    return long.startswith(short) or SequenceMatcher(None, title, other, autojunk=False).ratio() >= LEAST_ALIKE


def _found(
    path: Path,
    line: int,
    record: Any,
    *,
    data: bytes,
    place: tuple[int, int] | None,
    nth: int = 0,
    file: str | None = None,
) -> DocumentRef | SourceError:
    try:
        described = isinstance(record, dict) and "file" in record
        metadata = metadata_of(record, needs_title=not described)
        called = record.get("key") or record.get("id") if metadata.arxiv_id is None else None
        own = metadata.arxiv_id or (str(called) if isinstance(called, str | int) else None)
        own = own or metadata.doi or f"line {line}"
        own += f"~{nth + 1}" if nth else ""
        name = f"{path}#{own}"
        paper = metadata.arxiv_id or metadata.doi or name
        version = metadata.arxiv_version or 0
        if record.get("withdrawn") is True:
            return withdrawn(name, metadata)
        if not described:
            entry = None if place else data.decode()
            sha256 = hashlib.sha256(data).hexdigest()
            return Record(name, str(path), line, paper, version, sha256, place, entry, file or metadata.file)
        if url := record.get("source"):
            name = paper = _url(url)
        return DescribedFile(name, line, paper, version, str(_beside(path, record["file"])), metadata)
    except BadRecordError as error:
        return _bad(path, line, str(error))


def _url(text: Any) -> str:
    if not isinstance(text, str) or urlsplit(text).scheme not in ("http", "https"):
        raise BadRecordError("source must be the URL that the file is from")
    return text


def _beside(path: Path, name: Any) -> Path:
    """Return the file in a record; it must be below the record's own folder."""
    folder = path.parent.resolve()
    file = (folder / name).resolve() if isinstance(name, str) and "\0" not in name else folder
    if file == folder or not file.is_relative_to(folder):
        raise BadRecordError("file must be the path of a file below the record's folder")
    if format_of(file.name) is None:
        raise BadRecordError(f"{file.name} is of a type that is not supported")
    beside = path.parent / file.relative_to(folder)
    return existing(beside) or beside


def _bad(path: Path, line: int, detail: str) -> SourceError:
    return SourceError(str(path), Reason.BAD_METADATA, f"line {line}: {detail}")


# Bibliographies and archives among uploads: records find their texts among the uploads of the same job


@dataclass(frozen=True)
class ArchivedFile(DocumentRef):
    """File of an uploaded archive.

    Attributes:
        name: ``upload:ID/NAME#path``.
        path: The archive.
        member: Path of the file in it.
    """

    name: str
    path: Path = field(repr=False)
    member: str

    @property
    def known_format(self) -> str | None:
        """The format that the file's name tells."""
        return format_of(self.member)

    def content_hash(self, *, max_bytes: int) -> str | None:
        """Return the sha-256 hex of the file's bytes; None where :meth:`read` would refuse to read them."""
        return hash_by_reading(self, max_bytes=max_bytes)

    def read(self, *, max_bytes: int) -> RawDocument:
        """Unpack the file.

        Raises:
            SourceError: The archive is gone or damaged, or the file is empty or larger than ``max_bytes``.
        """
        try:
            with zipfile.ZipFile(self.path) as archive, archive.open(self.member) as file:
                data = file.read(max_bytes + 1)
        except UNPACKING as error:
            raise SourceError(self.name, Reason.DAMAGED, f"cannot be unpacked: {error}") from error
        if not data:
            raise SourceError(self.name, Reason.EMPTY, "is empty")
        if len(data) > max_bytes:
            raise SourceError(self.name, Reason.TOO_LARGE, f"is larger than {max_bytes:,} bytes")
        return RawDocument(self.name, data, str(format_of(self.member)), hashlib.sha256(data).hexdigest())


def find_uploaded(spec: str, web: "Web | None") -> list[DocumentRef | SourceError]:
    """Return the documents of ``upload:ID/NAME``: the file, or those of a bibliography or an archive."""
    upload = find_upload(spec, web.uploads if web else None)
    if isinstance(upload, SourceError) or f".{upload.format}" not in LIBRARIES or web is None:
        return [upload]
    try:
        if upload.format == "zip":
            return _archived(upload.name, upload.path)
        data = read_bytes(str(upload.path), max_bytes=LARGEST_BIBLIOGRAPHY_BYTES)
        return _uploaded_records(spec, data, {one.partition("/")[2]: one for one in web.together})
    except SourceError as error:
        return [SourceError(spec, error.reason, error.detail)]
    except UNPACKING as error:
        return [SourceError(spec, Reason.DAMAGED, f"cannot be unpacked: {error}")]


def _archived(spec: str, path: Path) -> list[DocumentRef | SourceError]:
    with zipfile.ZipFile(path) as archive:
        members = [one.filename for one in archive.infolist() if not one.is_dir() and not HIDDEN.search(one.filename)]
        texts = {member: f"{spec}#{member}" for member in members if format_of(member) is not None}
        libraries = [member for member in members if Path(member).suffix.lower() in READERS]
        if len(members) > MOST_ARCHIVED:
            return [SourceError(spec, Reason.TOO_LARGE, f"holds more than {MOST_ARCHIVED:,} files")]
        if not texts and not libraries:
            return [SourceError(spec, Reason.EMPTY, f"holds no file of a supported type ({supported()})")]
        found: list[DocumentRef | SourceError] = []
        left = LARGEST_BIBLIOGRAPHY_BYTES
        for member in libraries:
            with archive.open(member) as file:
                data = file.read(left + 1)
            if (left := left - len(data)) < 0:
                most = f"{LARGEST_BIBLIOGRAPHY_BYTES:,} bytes"
                return [SourceError(spec, Reason.TOO_LARGE, f"holds bibliographies of more than {most}")]
            found += _uploaded_records(f"{spec}#{member}", data, texts)
    return [*found, *(ArchivedFile(name, path, member) for member, name in texts.items())]


def _uploaded_records(name: str, data: bytes, texts: Mapping[str, str]) -> list[DocumentRef | SourceError]:
    """Return the records of an uploaded bibliography; ``texts`` are the sources of files by name or path."""
    ends = {end: source for path, source in texts.items() if format_of(path) for end in ends_of(path)}

    def attach(paths: Sequence[str]) -> str | None:
        found = [ends[end] for path in stated_paths(paths) for end in ends_of(path) if end in ends]
        return next(iter(sorted(found, key=lambda source: not source.lower().endswith(PREFERRED))), None)

    entries = list(_bibliography(Path(name), data, attach))
    return newest(entries) or [SourceError(name, Reason.EMPTY, "holds no paper")]


SOURCE = Source("upload", is_upload, find_uploaded)
