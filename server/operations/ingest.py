"""Ingestion and its uploads, as all interfaces take them."""

import asyncio
import hashlib
import json
import os
import re
import secrets
import time
import unicodedata
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Self

from pydantic import StringConstraints

from papergraph import cypher
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import Code, ConflictError, InputError, NotFoundError, PapergraphError, Reason
from papergraph.ingest.chunkers import ChunkOptions
from papergraph.ingest.ingestor import Ingestor, JobSettings
from papergraph.ingest.jobs.model import Job
from papergraph.ingest.pipeline.estimate import IngestionEstimate
from papergraph.ingest.sources import PdfService, Web, chosen_service
from papergraph.ingest.sources.catalogues import identifier
from papergraph.ingest.sources.file_types import check_content, format_named
from papergraph.ingest.sources.source import OWN
from papergraph.ingest.sources.uploads import UPLOAD, place_of
from papergraph.ingest.sources.web import UPLOADS, is_outside
from papergraph.records import described
from papergraph.requests import PYTHON_ONLY, request
from papergraph.schema.ids import ID, check_id, sha256
from papergraph.server.auth.access import Principal
from papergraph.server.retrieval.request import InCollection
from papergraph.settings import Settings

# Files that are brought over the network: taken piece by piece, looked at, kept for a while, used by jobs.
#
# Each belongs to its uploader, by hashes of account and key, which are the first half of its id and the name of its
# folder. It exists once its bytes are on the disk: they are written under another name and moved last.


HALF, QUARTER = 32, 16
"""Hexadecimal digits of the owner, and of its account, in an id."""

MOST_NAME_CHARS = 200
SWEPT_EVERY_S = 600.0
TORN_AFTER = timedelta(hours=1)
SETTLING = timedelta(minutes=1)
"""Time for which a named upload counts as waiting, while its job is being opened."""

InUse = Callable[[], Awaitable[set[str]]]
"""Gives the ids of uploads that unfinished jobs name."""

Ended = Callable[[Collection[str]], Awaitable[set[str]]]
"""Returns those of some ids of keys that are not valid any more."""


@dataclass(frozen=True)
class Upload:
    """A file that was brought.

    Attributes:
        id: 64 hexadecimal digits, the first half its owner's.
        name: What its owner calls it.
        format: What it is, by its content and its name.
        n_bytes: Its size.
        content_hash: sha-256 hex of its bytes.
        brought_at: When it was there.
        used_at: When a job named it last.
        key_id: Key that it ends with; empty where no keys are required.
    """

    id: str
    name: str
    format: str
    n_bytes: int
    content_hash: str
    brought_at: datetime
    used_at: datetime | None = None
    key_id: str = ""

    @property
    def source(self) -> str:
        """Name in jobs and papers."""
        return f"upload:{self.id}/{self.name}"

    @property
    def touched_at(self) -> datetime:
        """When it was brought, or named by a job last."""
        return self.used_at or self.brought_at


@dataclass(frozen=True)
class Allowance:
    """Limits of uploads.

    Attributes:
        max_bytes: Largest file.
        waiting: Most files of an account.
        waiting_bytes: Largest total size of these.
        kept: Lifetime of an upload without an unfinished job.
    """

    max_bytes: int = 20_000_000
    waiting: int = 100
    waiting_bytes: int = 500_000_000
    kept: timedelta = timedelta(hours=24)


class Uploads:
    """The uploads of one server below a folder."""

    def __init__(self, folder: Path, allowance: Allowance | None = None) -> None:
        self.folder = folder
        self.allowance = allowance or Allowance()
        self._coming: Counter[str] = Counter()
        self._swept_at = -SWEPT_EVERY_S

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Return those that an operator's settings allow."""
        return cls(settings.home / UPLOADS, Allowance(settings.ingest.max_file_bytes))

    async def take(
        self,
        principal: Principal,
        name: str,
        pieces: AsyncIterator[bytes],
        *,
        media_type: str = "",
        in_use: InUse,
        ended: Ended | None = None,
    ) -> Upload:
        """Store a file durably.

        Args:
            principal: The owner.
            name: File name with extension.
            pieces: Its bytes.
            media_type: Declared media type, may be empty.
            in_use: Function that returns the uploads of unfinished jobs.
            ended: Function that returns invalid keys; None where no keys are required.

        Raises:
            InputError: The file is too large, empty, unsupported, or of another type than its name says.
            ConflictError: The account has too many waiting uploads.
            PapergraphError: Writing failed.
        """
        check_name(name)
        format_named(name)
        owner = owner_of(principal)
        file = secrets.token_hex(HALF // 2)
        with self._one_coming(owner[:QUARTER]), _storing():
            await self._sweep(in_use, ended)
            await self._make_room(owner[:QUARTER], in_use)
            place = place_of(self.folder, owner, file)
            torn = place.with_suffix(".part")
            try:
                n_bytes, content_hash = await self._write(torn, pieces)
                format = await asyncio.to_thread(check_content, torn, name, media_type)
                key_id = "" if ended is None else principal.id
                upload = Upload(owner + file, name, str(format), n_bytes, content_hash, _now(), key_id=key_id)
                await asyncio.to_thread(_keep, torn, place, upload)
            except BaseException:
                torn.unlink(missing_ok=True)
                raise
        return upload

    async def find(self, principal: Principal, ids: Sequence[str]) -> list[Upload]:
        """Return uploads of one owner by their ids, each once.

        Raises:
            NotFoundError: An upload is missing or of another owner.
            InputError: An id is malformed.
        """
        return [await asyncio.to_thread(self._one, principal, id) for id in dict.fromkeys(ids)]

    async def read(self, principal: Principal, id: str) -> tuple[Upload, bytes]:
        """Return an upload of an owner with its bytes.

        Raises:
            NotFoundError: The upload is missing or of another owner.
            InputError: The id is malformed.
        """
        (upload,) = await self.find(principal, [id])
        return upload, await asyncio.to_thread(self._place(upload.id).read_bytes)

    async def all_of(self, principal: Principal) -> list[Upload]:
        """Return all uploads of one owner, the newest first."""
        found = await asyncio.to_thread(self._owned, owner_of(principal))
        return sorted(found, key=lambda upload: (upload.brought_at, upload.id), reverse=True)

    async def remove(self, principal: Principal, id: str) -> Upload:
        """Delete an upload; a job that names it will not find it.

        Raises:
            NotFoundError: The upload is missing or of another owner.
        """
        (upload,) = await self.find(principal, [id])
        await asyncio.to_thread(self._delete, upload.id)
        return upload

    async def end_with(self, keys: Sequence[Principal], in_use: InUse) -> None:
        """Delete the uploads of keys that ended; those of unfinished jobs end with the job."""
        found = await asyncio.to_thread(lambda: [one for key in keys for one in self._owned(owner_of(key))])
        waiting = await in_use() if found else set()
        for upload in found:
            if upload.id not in waiting:
                await asyncio.to_thread(self._delete, upload.id)

    async def note_use(self, uploads: Sequence[Upload]) -> None:
        """Note that a job is being opened that names uploads."""
        with _storing():
            for upload in uploads:
                used = replace(upload, used_at=_now())
                await asyncio.to_thread(_describe, self._place(upload.id), used)

    def _place(self, id: str) -> Path:
        return place_of(self.folder, id[:HALF], id[HALF:])

    def _one(self, principal: Principal, id: str) -> Upload:
        check_id(id, field="uploads")
        upload = _read(self._place(id)) if id[:HALF] == owner_of(principal) else None
        if upload is None:
            raise NotFoundError("upload with id", id, field="uploads")
        return upload

    def _owned(self, owner: str) -> list[Upload]:
        folder = self.folder / owner
        names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
        found = [_read(folder / name) for name in names if re.fullmatch(f"[0-9a-f]{{{HALF}}}", name)]
        return [upload for upload in found if upload is not None]

    def _of_account(self, account: str) -> list[Upload]:
        owners = [path.name for path in self.folder.glob(f"{account}*")]
        return [upload for owner in owners for upload in self._owned(owner)]

    def _delete(self, id: str) -> None:
        place = self._place(id)
        place.unlink(missing_ok=True)
        place.with_suffix(".json").unlink(missing_ok=True)

    @contextmanager
    def _one_coming(self, account: str) -> Iterator[None]:
        self._coming[account] += 1
        try:
            yield
        finally:
            self._coming[account] -= 1
            if not self._coming[account]:
                del self._coming[account]

    async def _write(self, place: Path, pieces: AsyncIterator[bytes]) -> tuple[int, str]:
        """Write a new file and return its size and hash."""
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        checksum, n_bytes = hashlib.sha256(), 0
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        with open(os.open(place, flags, 0o600), "wb") as file:  # noqa: ASYNC230, PTH123
            async for piece in pieces:
                n_bytes += len(piece)
                if n_bytes > self.allowance.max_bytes:
                    limit = f"{self.allowance.max_bytes:,} bytes (PAPERGRAPH_INGEST_MAX_FILE_BYTES)"
                    told = f"The file is larger than {limit}."
                    raise InputError(told, field="file", reason=Reason.TOO_LARGE)
                checksum.update(piece)
                await asyncio.to_thread(file.write, piece)
            if not n_bytes:
                raise InputError("The file is empty.", field="file", reason=Reason.EMPTY)
            file.flush()
            await asyncio.to_thread(os.fsync, file.fileno())
        return n_bytes, checksum.hexdigest()

    async def _make_room(self, account: str, in_use: InUse) -> None:
        """Let what is coming come: where it needs room, what jobs are done with goes first.

        Raises:
            ConflictError: Too much is waiting.
        """
        mine = sorted(await asyncio.to_thread(self._of_account, account), key=lambda upload: upload.touched_at)
        if self._has_room(account, mine):
            return
        waiting = await in_use()
        for upload in list(mine):
            is_done = upload.used_at is not None and _now() - upload.used_at > SETTLING and upload.id not in waiting
            if is_done and not self._has_room(account, mine):
                await asyncio.to_thread(self._delete, upload.id)
                mine.remove(upload)
        if not self._has_room(account, mine):
            raise ConflictError(
                f"{len(mine)} uploads of {sum(one.n_bytes for one in mine):,} bytes are waiting, the most allowed. "
                "Ingest or delete some.",
                field="file",
            )

    def _has_room(self, account: str, mine: Sequence[Upload]) -> bool:
        n_coming = self._coming[account]
        n_bytes = sum(upload.n_bytes for upload in mine) + n_coming * self.allowance.max_bytes
        return len(mine) + n_coming <= self.allowance.waiting and n_bytes <= self.allowance.waiting_bytes

    async def _sweep(self, in_use: InUse, ended: Ended | None) -> None:
        """Delete what was kept long enough, and uploads of ended keys, of all owners, now and then."""
        if time.monotonic() - self._swept_at < SWEPT_EVERY_S:
            return
        self._swept_at = time.monotonic()
        all_ = await asyncio.to_thread(self._all)
        gone = await ended({upload.key_id for upload in all_ if upload.key_id}) if ended else set()
        old = [one for one in all_ if one.key_id in gone or _now() - one.touched_at > self.allowance.kept]
        if not old:
            return
        waiting = await in_use()
        for upload in old:
            if upload.id not in waiting:
                await asyncio.to_thread(self._delete, upload.id)

    def _all(self) -> list[Upload]:
        """Return the uploads of all owners; files that were never whole go at once."""
        owners = [path for path in self.folder.iterdir() if path.is_dir()] if self.folder.is_dir() else []
        for torn in (path for owner in owners for path in owner.glob("*.part")):
            with suppress(FileNotFoundError):
                if _now() - datetime.fromtimestamp(torn.stat().st_mtime, UTC) > TORN_AFTER:
                    torn.unlink()
        return [upload for owner in owners for upload in self._owned(owner.name)]


def owner_of(principal: Principal) -> str:
    """Return the owner's part of an upload's id: a hash of the account, and one of the key."""
    of_account, of_key = (sha256("uploads of", id)[:QUARTER] for id in (principal.account, principal.id))
    return of_account + of_key


def check_name(name: str) -> None:
    """Check that a file's name can be stored as a label.

    Raises:
        InputError: The name is a path, empty, too long, or has unprintable characters.
    """
    if not name or len(name) > MOST_NAME_CHARS:
        raise InputError(
            f"The file name must have 1 to {MOST_NAME_CHARS} characters.", field="file", reason=Reason.BAD_METADATA
        )
    if "/" in name or "\\" in name or name.startswith("."):
        raise InputError(
            "The file name must not be a path or begin with a dot.", field="file", reason=Reason.BAD_METADATA
        )
    if any(unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") for character in name):
        raise InputError("The file name must not have control characters.", field="file", reason=Reason.BAD_METADATA)


def in_use_by(database: Database) -> InUse:
    """Return a function that reads which uploads unfinished jobs still need."""

    async def in_use() -> set[str]:
        records = await database.read(cypher.load("jobs/uploads"))
        matches = [UPLOAD.fullmatch(record["source"]) for record in records]
        return {match["owner"] + match["file"] for match in matches if match}

    return in_use


def ended_in(database: Database) -> Ended:
    """Return a function that reads which keys have ended."""

    async def ended(ids: Collection[str]) -> set[str]:
        if not ids:
            return set()
        records = await database.read(cypher.load("auth/ended_keys"), ids=sorted(ids), now=_now())
        return {record["id"] for record in records}

    return ended


@contextmanager
def _storing() -> Iterator[None]:
    """Tell what the disk refuses as an error of ours."""
    try:
        yield
    except PapergraphError:
        raise
    except OSError as error:
        public = "The file could not be stored. Retry later."
        told = f"an upload cannot be stored: {error}"
        raise PapergraphError(told, code=Code.UNAVAILABLE, public=public) from error


def _keep(torn: Path, place: Path, upload: Upload) -> None:
    """Make a written file an upload: what is said of it first, then its bytes under their name."""
    _describe(place, upload)
    torn.replace(place)
    folder = os.open(place.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _describe(place: Path, upload: Upload) -> None:
    text = json.dumps(asdict(upload), default=datetime.isoformat)
    torn = place.with_suffix(f".{secrets.token_hex(4)}.part")
    with open(os.open(torn, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:  # noqa: PTH123
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    torn.replace(place.with_suffix(".json"))


def _read(place: Path) -> Upload | None:
    """Return the metadata of an upload; None if it was deleted."""
    try:
        if not place.is_file() or place.is_symlink():
            return None
        said = json.loads(place.with_suffix(".json").read_text())
    except (OSError, ValueError):
        return None
    moments = {name: said[name] and datetime.fromisoformat(said[name]) for name in ("brought_at", "used_at")}
    return Upload(**(said | moments))


def _now() -> datetime:
    return datetime.now(UTC)


# Papers brought in over the network: jobs for ``papergraph worker``, of what is outside or was uploaded.
#
# Files of the server are brought in on its own command line.


MOST_SOURCES, MOST_SOURCE_CHARS = 100, 2000
MOST_KEY_CHARS = 200


@request(kw_only=True, title="ChunkingBody")
class Chunking:
    """Options of chunking; null values are the chunker's own."""

    chunker: Annotated[str, described("Name of the chunker; see docs/ingestion.md.", max_length=40)] = "default"
    max_tokens: Annotated[int | None, described("Maximum tokens of a chunk.", ge=1)] = None
    max_chars: Annotated[int | None, described("Maximum characters of a chunk.", ge=1)] = None
    overlap: Annotated[int | None, described("Overlap of consecutive chunks, in the unit of the chunker.", ge=0)] = None
    drop_back_matter: Annotated[bool, described("Skip references and appendices.")] = False
    mask_urls: Annotated[bool, described("Embed [URL] in place of URLs.")] = False
    trim_stops: Annotated[bool, described("Remove full stops at the start of chunks.")] = True
    embed_parents: Annotated[bool, described("Embed the parents of a hierarchy too.")] = False
    across_headings: Annotated[bool | None, described("Let chunks run on over headings.")] = None


@request(kw_only=True, title="IngestBody")
class IngestRequest:
    """Documents to ingest: URLs, identifiers and uploads, at least one."""

    sources: Annotated[
        tuple[Annotated[str, StringConstraints(max_length=MOST_SOURCE_CHARS)], ...],
        described(
            "URLs, arxiv:ID, DOIs, pmid:ID, isbn:ID, title:TEXT; pdf:doi:ID is the open PDF. With uploads, 1 to 100.",
            max_length=MOST_SOURCES,
            examples=[["arxiv:2401.01234"]],
        ),
    ] = ()
    collection: InCollection = None
    uploads: Annotated[
        tuple[Annotated[str, StringConstraints(pattern=f"^{ID.pattern}$")], ...],
        described("Ids of your uploads (REST: POST /v1/uploads).", max_length=MOST_SOURCES),
    ] = ()
    chunking: Annotated[Chunking, described("Chunker and its sizes.")] = field(default_factory=Chunking)
    parser: Annotated[
        str | None, described("Parser of PDF files: builtin, or the service of the server.", max_length=40)
    ] = None
    key: Annotated[
        str | None,
        described(
            "Idempotency key: a repeated call with it opens no second job.",
            min_length=1,
            max_length=MOST_KEY_CHARS,
            alias="idempotencyKey",
        ),
        PYTHON_ONLY,
    ] = None

    def __post_init__(self) -> None:
        """Refuse too many documents, none, and files of this machine.

        Raises:
            InputError: ``field`` names the sources.
        """
        if not 1 <= (n := len(self.sources) + len(self.uploads)) <= MOST_SOURCES:
            raise InputError(f"There are {n} sources and uploads; 1 to {MOST_SOURCES} are required.", field="sources")
        for source in self.sources:
            if not is_outside(source):
                told = "is neither a URL nor an identifier such as arxiv:ID. Upload files with POST /v1/uploads."
                raise InputError(f"{source[:80]!r} {told}", field="sources")


@dataclass(frozen=True)
class IngestService:
    """Service of ingestion.

    Attributes:
        web: Access to the network.
        max_bytes: Largest document.
        pdf_by: Service that parses PDFs; None for the built-in parser.
        uploads: Store of uploads, or None if they are refused.
        partial_share: Share of pages or letters above which their loss makes a paper partial.
    """

    web: Web = field(repr=False)
    max_bytes: int
    pdf_by: PdfService | None = None
    uploads: Uploads | None = field(default=None, repr=False)
    partial_share: float = JobSettings.partial_share

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Return what an operator's settings allow.

        Raises:
            InputError: A service is named and has no address.
        """
        ingest = settings.ingest
        uploads = Uploads.of(settings)
        return cls(Web.opened(settings), ingest.max_file_bytes, chosen_service(settings), uploads, ingest.partial_share)

    async def open_job(
        self, principal: Principal, database: Database, embedder: Embedder, request: IngestRequest
    ) -> Job:
        """Open a durable job that ingests documents into a collection.

        Raises:
            InputError: The chunker or parser is unknown, or uploads are disabled.
            NotFoundError: The collection is forbidden, or an upload is missing or of another owner.
            ConflictError: The key belongs to another request, or the account has too many unfinished jobs.
            DatabaseError: The outcome is unknown; the same call continues.
        """
        collection, sources, settings, uploads = await self._read(principal, request)
        if self.uploads and uploads:
            await self.uploads.note_use(uploads)
        key = None if request.key is None else f"{principal.id}:{request.key}"
        return await self._enqueue(principal, database, embedder, collection, sources, settings, key)

    async def reread(
        self, principal: Principal, database: Database, embedder: Embedder, collection: str, kept: Sequence[str]
    ) -> Job:
        """Open a durable job that reads kept files (``kept:HASH/FORMAT/NAME``) with the settings of the server.

        Raises:
            ConflictError: The account has too many unfinished jobs.
            DatabaseError: The outcome is unknown; the same call continues.
        """
        settings = JobSettings(ChunkOptions.choose(), self.max_bytes, self.pdf_by, self.partial_share)
        return await self._enqueue(principal, database, embedder, collection, kept, settings, None)

    async def _enqueue(
        self,
        principal: Principal,
        database: Database,
        embedder: Embedder,
        collection: str,
        sources: Sequence[str],
        settings: JobSettings,
        key: str | None,
    ) -> Job:
        ingestor = Ingestor(database, embedder, self.web)
        account = principal.account
        return await ingestor.enqueue(sources, collection=collection, settings=settings, key=key, account=account)

    async def estimate(
        self, principal: Principal, database: Database, embedder: Embedder, request: IngestRequest
    ) -> IngestionEstimate:
        """Return the estimate of the job of :meth:`open_job`, without writing.

        Raises:
            InputError: The chunker or parser is unknown, or uploads are disabled.
            NotFoundError: The collection is forbidden, or an upload is missing or of another owner.
            DatabaseError: Neo4j failed.
        """
        collection, sources, settings, _ = await self._read(principal, request)
        ingestor = Ingestor(database, embedder, self.web)
        return await ingestor.estimate(sources, collection=collection, settings=settings)

    async def _read(
        self, principal: Principal, request: IngestRequest
    ) -> tuple[str, list[str], JobSettings, list[Upload]]:
        """Return the collection, all documents, how they are read, and the uploads among them."""
        collection = request.collection or principal.default_collection
        if principal.collections is not None and collection not in principal.collections:
            raise NotFoundError.collection(collection)
        found = await self.uploads.find(principal, request.uploads) if self.uploads else []
        if len(found) < len(set(request.uploads)):
            raise InputError("This server accepts no uploads.", field="uploads")
        cut = ChunkOptions.choose(**{one.name: getattr(request.chunking, one.name) for one in fields(Chunking)})
        settings = JobSettings(cut, self.max_bytes, self._service(request.parser), self.partial_share)
        sources = [identifier(source) or source for source in request.sources]
        return collection, [*sources, *(upload.source for upload in found)], settings, found

    def _service(self, parser: str | None) -> PdfService | None:
        """Return the service that parses PDFs, None for our own parser."""
        offered = {OWN: None} | ({self.pdf_by.name: self.pdf_by} if self.pdf_by else {})
        if parser is None:
            return self.pdf_by
        if parser not in offered:
            names = " or ".join(offered)
            raise InputError(f"Parser {parser[:40]!r} is not available here. Choose {names}.", field="parser")
        return offered[parser]
