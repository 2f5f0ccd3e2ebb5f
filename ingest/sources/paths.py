"""Files and folders by their paths, which is what every name is that no other source accepts."""

import os
import re
from pathlib import Path

from papergraph.errors import Reason, SourceError
from papergraph.ingest.sources.parser import RECORDS, LocalFile, format_of, supported
from papergraph.ingest.sources.records import find_records, is_bibliography, is_library
from papergraph.ingest.sources.source import DocumentRef, Source
from papergraph.ingest.sources.tex import ARXIV_NAME, LatexFile, decoded, is_main


def find_files(spec: str) -> list[DocumentRef | SourceError]:
    """Return the documents at a path."""
    path = Path(os.path.abspath(spec))  # noqa: PTH100 resolve() would follow links
    found = _below(path) if path.is_dir() else _named(path)
    if not found:
        return [SourceError(spec, Reason.EMPTY, f"the folder holds no file of a supported type ({supported()})")]
    return found


def _named(path: Path) -> list[DocumentRef | SourceError]:
    if not os.path.lexists(path):
        return [SourceError(str(path), Reason.NOT_FOUND, "there is no such file or folder")]
    if path.suffix.lower() in RECORDS or (path.suffix.lower() == ".txt" and is_bibliography(path)):
        return find_records(path)
    if format_of(path.name) is None:
        detail = f"{path.suffix or 'a file without ending'} is not supported ({supported()})"
        return [SourceError(str(path), Reason.UNSUPPORTED_TYPE, detail)]
    return [_file(path)]


def _file(path: Path) -> DocumentRef:
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
    return format_of(path.name) is not None


def _below(folder: Path) -> list[DocumentRef | SourceError]:
    found: list[DocumentRef | SourceError] = []

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
                found += records if any(isinstance(record, DocumentRef) for record in records) else []
            elif path.suffix.lower() in RECORDS and is_library(path):
                found += find_records(path)
    return found


SOURCE = Source("path", accepts=lambda spec: True, find=lambda spec, web: find_files(spec), order=100)
