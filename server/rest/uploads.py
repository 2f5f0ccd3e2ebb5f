"""Routes of uploads, which GraphQL does not offer, because it would hold whole files in memory."""

from collections import deque
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from pydantic import Field
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import ClientDisconnect

from papergraph.errors import InputError, NotFoundError, PapergraphError, Reason
from papergraph.schema.ids import ID
from papergraph.server.auth.operations import MANAGE_UPLOADS, UPLOAD
from papergraph.server.operations.context import Context, RequestContext
from papergraph.server.operations.ingest import Uploads, ended_in, in_use_by
from papergraph.server.rest.requests import ListResponse, ResponseModel

router = APIRouter()
FORM = "multipart/form-data"

BODY = {
    "requestBody": {
        "required": True,
        "content": {
            FORM: {
                "schema": {
                    "type": "object",
                    "properties": {"file": {"type": "string", "format": "binary"}},
                    "required": ["file"],
                }
            }
        },
    }
}
UploadId = Annotated[str, Path(pattern=f"^{ID.pattern}$")]


class Upload(ResponseModel):
    """Uploaded file."""

    id: str
    name: str
    """File name; never used as a path."""

    format: str
    """Format, detected from content and name."""

    size_bytes: int = Field(validation_alias="n_bytes", serialization_alias="sizeBytes")
    content_hash: str
    """sha-256 hex of the bytes."""

    uploaded_at: datetime = Field(validation_alias="brought_at", serialization_alias="uploadedAt")
    last_used_at: datetime | None = Field(validation_alias="used_at", serialization_alias="lastUsedAt")
    """Time of the last use by a job."""


@router.post("/uploads", status_code=201, summary="Upload a file for a job.", openapi_extra=BODY)
@UPLOAD
async def create_upload(context: Context, request: Request, response: Response) -> Upload:
    uploads = _uploads(context)
    try:
        part, pieces = await one_file(request)
        taken = await uploads.take(
            context.principal,
            part.file_name or "",
            pieces,
            media_type=part.media_type,
            in_use=in_use_by(context.database),
            ended=ended_in(context.database) if context.limits.rate.keys_required else None,
        )
    except PapergraphError:
        await pass_over(request)
        raise
    response.headers["Location"] = f"uploads/{taken.id}"
    return Upload.model_validate(taken)


@router.get("/uploads", summary="List your uploads, newest first.")
@MANAGE_UPLOADS
async def list_uploads(context: Context) -> ListResponse[Upload]:
    return ListResponse(data=[Upload.model_validate(one) for one in await _uploads(context).all_of(context.principal)])


@router.get("/uploads/{id}", summary="Get one of your uploads.")
@MANAGE_UPLOADS
async def get_upload(context: Context, id: UploadId) -> Upload:
    (found,) = await _uploads(context).find(context.principal, [id])
    return Upload.model_validate(found)


@router.delete("/uploads/{id}", status_code=204, summary="Delete one of your uploads.")
@MANAGE_UPLOADS
async def delete_upload(context: Context, id: UploadId) -> None:
    await _uploads(context).remove(context.principal, id)


def _uploads(context: RequestContext) -> Uploads:
    """Return where uploads are kept.

    Raises:
        NotFoundError: This server takes none.
    """
    if context.intake.uploads is None:
        raise NotFoundError("upload store", "", field="file", message="This server accepts no uploads.")
    return context.intake.uploads


@dataclass
class Part:
    """A part of a form: what is said of it."""

    headers: dict[str, str] = field(default_factory=dict)

    @property
    def file_name(self) -> str | None:
        """The name of the file that it is, if it is one."""
        _, options = parse_options_header(self.headers.get("content-disposition"))
        name = options.get(b"filename")
        if name is None:
            return None
        try:
            return name.decode("utf-8")
        except UnicodeDecodeError:
            return name.decode("latin-1")

    @property
    def media_type(self) -> str:
        """Declared media type."""
        return parse_options_header(self.headers.get("content-type"))[0].decode("latin-1")


async def one_file(request: Request) -> tuple[Part, AsyncIterator[bytes]]:
    """Return the file of a form and its bytes; other parts are refused.

    Raises:
        InputError: The request is not a form with exactly one file.
    """
    events = _events(request)
    async for part in events:
        if not isinstance(part, Part) or part.file_name is None:
            raise _no_file("the form holds something beside a file")
        return part, _bytes_of(events)
    raise _no_file("the form holds no file")


async def pass_over(request: Request) -> None:
    """Read what is still coming: a client that is sending hears no answer, and takes its connection for broken."""
    with suppress(ClientDisconnect, RuntimeError):  # it is gone, or there is nothing left
        async for _ in request.stream():
            pass


async def _bytes_of(events: AsyncIterator[Part | bytes]) -> AsyncIterator[bytes]:
    async for piece in events:
        if isinstance(piece, Part):
            raise _no_file("The form has more than one file.")
        yield piece


async def _events(request: Request) -> AsyncIterator[Part | bytes]:
    """Yield the parts of a form as they begin, and the bytes of each."""
    kind, options = parse_options_header(request.headers.get("content-type"))
    if kind != FORM.encode():
        raise InputError(f"An upload must be {FORM} with one part.", field="file", reason=Reason.UNSUPPORTED_TYPE)
    reading = _Reading()
    try:
        parser = MultipartParser(options.get(b"boundary", b""), reading.callbacks)  # type: ignore[arg-type]
        async for data in request.stream():
            if data:
                parser.write(data)
            while reading.events:
                yield reading.events.popleft()
        parser.finalize()
    except FormParserError as error:
        raise _no_file("The body is not a form.") from error
    except ClientDisconnect as error:
        raise InputError("The upload is incomplete. Send it again.", field="file", reason=Reason.PARTIAL) from error
    if not reading.is_whole:
        raise InputError("The upload is incomplete. Send it again.", field="file", reason=Reason.PARTIAL)


class _Reading:
    """Parts found by the parser."""

    def __init__(self) -> None:
        self.events: deque[Part | bytes] = deque()
        self.is_whole = False
        self._part = Part()
        self._name, self._value = b"", b""
        self.callbacks = {
            "on_part_begin": self._begin,
            "on_header_field": self._add_name,
            "on_header_value": self._add_value,
            "on_header_end": self._end_header,
            "on_headers_finished": lambda: self.events.append(self._part),
            "on_part_data": lambda data, start, end: self.events.append(data[start:end]),
            "on_end": self._end,
        }

    def _begin(self) -> None:
        self._part = Part()

    def _add_name(self, data: bytes, start: int, end: int) -> None:
        self._name += data[start:end]

    def _add_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _end_header(self) -> None:
        self._part.headers[self._name.decode("latin-1").lower()] = self._value.decode("latin-1")
        self._name, self._value = b"", b""

    def _end(self) -> None:
        self.is_whole = True


def _no_file(why: str) -> InputError:
    return InputError(f"{why} Send {FORM} with one part: a file with its name.", field="file", reason=Reason.UNREADABLE)
