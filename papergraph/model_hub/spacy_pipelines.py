"""Trained spaCy pipelines: official wheels with their checksums, unpacked into the cache, where entities find them.

``papergraph models get spacy:en_core_web_sm`` alone opens connections. A wheel is only unpacked: nothing is installed
into the environment, and none of its Python files is kept.
"""

import shutil
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from papergraph.errors import InputError, LocalNeo4jError, UnavailableError
from papergraph.file_lock import locked
from papergraph.maven import OTHER_FETCH_TIMEOUT_S, Jar, fetch
from papergraph.progress import Progress, silent
from papergraph.settings import Settings

if TYPE_CHECKING:
    from papergraph.model_hub.hub import ListedModel

PREFIX, KIND, LANGUAGE = "spacy:", "entities", "en"
META = "meta.json"
KEPT = frozenset({"LICENSE", "LICENSES_SOURCES", "README.md"})
"""Files beside the pipeline's own folder that are kept."""


@dataclass(frozen=True)
class SpacyPipeline:
    """A released wheel of https://github.com/explosion/spacy-models.

    Attributes:
        package: Name of the package.
        version: Its version, for spaCy 3.8.
        sha256: Checksum of the wheel.
        size_mb: Size of the wheel in megabytes.
        licence: SPDX identifier.
    """

    package: str
    version: str
    sha256: str
    size_mb: int
    licence: str = "MIT"

    @property
    def name(self) -> str:
        """Name for ``papergraph models get``."""
        return f"{PREFIX}{self.package}"

    @property
    def release(self) -> str:
        return f"{self.package}-{self.version}"


KNOWN = (
    SpacyPipeline("en_core_web_sm", "3.8.0", "1932429db727d4bff3deed6b34cfc05df17794f4a52eeb26cf8928f7c1a0fb85", 13),
    SpacyPipeline("en_core_web_md", "3.8.0", "5e6329fe3fecedb1d1a02c3ea2172ee0fede6cea6e4aefb6a02d832dba78a310", 34),
    SpacyPipeline("en_core_web_lg", "3.8.0", "293e9547a655b25499198ab15a525b05b9407a75f10255e405e8c3854329ab63", 401),
)


def known_pipeline(name: str) -> SpacyPipeline:
    """Return a pipeline by its name with ``spacy:``.

    Raises:
        InputError: Its checksum is unknown.
    """
    found = next((one for one in KNOWN if one.name == name), None)
    if found is None:
        names = ", ".join(one.name for one in KNOWN)
        raise InputError(
            f"{name!r} is none of the pipelines with a known checksum: {names}. Install another one with pip; "
            "papergraph finds installed packages of English pipelines",
            field="name",
        )
    return found


def folder_of(settings: Settings, pipeline: SpacyPipeline) -> Path:
    """Return the folder that a pipeline is unpacked into."""
    return settings.cache.expanduser().resolve() / "models" / "spacy" / pipeline.release


def installed_folders(settings: Settings) -> Sequence[Path]:
    """Return the folders of the unpacked pipelines."""
    return [folder for one in KNOWN if ((folder := folder_of(settings, one)) / META).is_file()]


def listed(settings: Settings, language: str | None) -> "list[ListedModel]":
    """Return the known pipelines for a language as rows of ``papergraph models list``."""
    from papergraph.model_hub.hub import ListedModel

    here = installed_folders(settings)
    return [
        ListedModel(
            one.name, KIND, LANGUAGE, None, one.size_mb, None, None, one.licence, folder_of(settings, one) in here
        )
        for one in KNOWN
        if language in (None, LANGUAGE)
    ]


def install_pipeline(settings: Settings, pipeline: SpacyPipeline, *, progress: Progress = silent) -> Path | None:
    """Fetch and unpack a pipeline; return its folder, or None if it was there already.

    Raises:
        UnavailableError: It cannot be fetched, has another checksum, or cannot be written.
    """
    folder = folder_of(settings, pipeline)
    if (folder / META).is_file():
        return None
    work = folder.with_name(f"{folder.name}.part")
    try:
        work.mkdir(parents=True, exist_ok=True)
        with locked(
            work / "unpack.lock",
            waiting=f"another papergraph is fetching {pipeline.name}",
            timeout_s=OTHER_FETCH_TIMEOUT_S,
            progress=progress,
        ):
            if not (folder / META).is_file():
                _fetch_and_unpack(settings.mirrors.spacy, pipeline, work, folder, progress)
    except LocalNeo4jError as error:
        raise _not_downloaded(pipeline, str(error)) from error
    except (OSError, zipfile.BadZipFile) as error:
        told = f"it cannot be written to {folder} ({error}); make room there, or set PAPERGRAPH_CACHE to another folder"
        raise _not_downloaded(pipeline, told) from error
    shutil.rmtree(work, ignore_errors=True)
    return folder


def _fetch_and_unpack(base_url: str, pipeline: SpacyPipeline, work: Path, folder: Path, progress: Progress) -> None:
    wheel = f"{pipeline.release}-py3-none-any.whl"
    jar = Jar(f"wheel/{wheel}", f"{pipeline.release}/{wheel}", pipeline.sha256, mirror="spacy")
    fetch([jar], work, base_url=base_url, what=pipeline.name, progress=progress)
    unpacked = work / "unpacked"
    shutil.rmtree(unpacked, ignore_errors=True)
    own = PurePosixPath(pipeline.package, pipeline.release)
    with zipfile.ZipFile(work / jar.name) as packed:
        for entry in packed.infolist():
            path = PurePosixPath(entry.filename)
            inside = path.relative_to(own) if path.is_relative_to(own) else PurePosixPath(path.name)
            if entry.is_dir() or ".." in path.parts or not (path.is_relative_to(own) or path.name in KEPT):
                continue
            target = unpacked / inside
            target.parent.mkdir(parents=True, exist_ok=True)
            with packed.open(entry) as source, target.open("wb") as file:
                shutil.copyfileobj(source, file)
    if not (unpacked / META).is_file():
        raise _not_downloaded(pipeline, f"{wheel} holds no pipeline in {own}")
    unpacked.rename(folder)


def _not_downloaded(pipeline: SpacyPipeline, problem: str) -> UnavailableError:
    return UnavailableError(f"{pipeline.name} was not downloaded: {problem}")
