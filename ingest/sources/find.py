"""From what a user names to the documents to read."""

import os
import re
from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path

from ingest.sources.archives import ARXIV_NAME
from ingest.sources.files import LocalFile
from ingest.sources.records import DescribedFile, find_records, newest
from ingest.sources.source import FORMATS, RECORDS, SUPPORTED, Found
from ingest.sources.tex import LatexFile, decoded, is_main
from ingest.sources.uploads import find_upload, is_upload
from ingest.sources.web import Web, find_outside, is_outside
from papergraph.errors import Reason, SourceError

Spec = str | PathLike[str]
"""What a user names: the path of a file or folder, a URL, or ``arxiv:ID``."""


def find_documents(specs: Iterable[Spec], *, web: Web | None = None) -> Iterator[Found | SourceError]:
    """Yield the documents to read, in a stable order and each once, and an error for each name that has none.

    A folder gives its supported files at any depth, hidden ones and links to folders left out; a file that is named
    itself must be of a supported type. A file of records gives a document for each record. In a folder, JSONL that
    tells of no paper is passed over, and so are bibliographies: they are what the papers beside them cite.

    Nothing is fetched before it is read, and nothing outside at all unless a ``web`` is given.
    """
    found = [document for spec in specs for document in _find(str(spec), web)]
    described = {document.path for document in found if isinstance(document, DescribedFile)}
    seen: set[str] = set()
    for document in newest(found):
        if isinstance(document, SourceError):
            yield document
        elif document.name not in seen and document.name not in described:
            seen.add(document.name)
            yield document


def _find(spec: str, web: Web | None) -> list[Found | SourceError]:
    if is_upload(spec):
        return [find_upload(spec, web.uploads if web else None)]
    return [find_outside(spec, web)] if is_outside(spec) else _find_files(spec)


def _find_files(spec: str) -> list[Found | SourceError]:
    path = Path(os.path.abspath(spec))  # noqa: PTH100 resolve() would follow links
    found = _below(path) if path.is_dir() else _named(path)
    if not found:
        return [SourceError(spec, Reason.EMPTY, f"the folder holds no file of a supported type ({SUPPORTED})")]
    return found


def _named(path: Path) -> list[Found | SourceError]:
    if not os.path.lexists(path):
        return [SourceError(str(path), Reason.NOT_FOUND, "there is no such file or folder")]
    if path.suffix.lower() in RECORDS:
        return find_records(path)
    if path.suffix.lower() not in FORMATS:
        detail = f"{path.suffix or 'a file without ending'} is not supported ({SUPPORTED})"
        return [SourceError(str(path), Reason.UNSUPPORTED_TYPE, detail)]
    return [_file(path)]


def _file(path: Path) -> Found:
    return LatexFile(str(path)) if path.suffix.lower() == ".tex" else LocalFile(str(path))


def _is_paper(path: Path) -> bool:
    """Say whether a file in a folder is a paper by itself.

    Parts of LaTeX documents are none, and archives only where they are called as arXiv calls papers' sources.
    """
    match path.suffix.lower():
        case ".tex":
            try:
                return is_main(decoded(path.read_bytes()))
            except OSError:
                return True  # reading it will say what is wrong
        case ".gz" | ".tgz":
            return ARXIV_NAME.fullmatch(re.sub(r"\.(?:tar|tex|gz|tgz)", "", path.name, flags=re.IGNORECASE)) is not None
    return path.suffix.lower() in FORMATS


def _below(folder: Path) -> list[Found | SourceError]:
    found: list[Found | SourceError] = []

    def refuse(error: OSError) -> None:
        found.append(SourceError(str(error.filename), Reason.UNREADABLE, f"cannot be read: {error.strerror}"))

    for parent, folders, files in os.walk(folder, onerror=refuse):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(name for name in files if not name.startswith(".")):
            path = Path(parent, name)
            if _is_paper(path):
                found.append(_file(path))
            elif path.suffix.lower() == ".jsonl":
                records = find_records(path)
                found += records if any(isinstance(record, Found) for record in records) else []
    return found
