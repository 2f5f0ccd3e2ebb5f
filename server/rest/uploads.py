"""Uploads: the one thing that is only here, because GraphQL has no way for a file that does not hold it whole."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response

from papergraph.errors import NotFoundError, PapergraphError
from schema.ids import ID
from server.access import prices
from server.rest.asking import Ask, Asked
from server.rest.models import All, Answer
from server.rest.multipart import FORM, one_file, pass_over
from server.uploads import Uploads, in_use_by

router = APIRouter()

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


class Upload(Answer):
    """A file that waits for a job, or is used by one."""

    id: str
    name: str
    """What its owner calls it; it is shown and never a path."""

    format: str
    """What it is, by its content and its name."""

    n_bytes: int
    content_hash: str
    """sha-256 hex of its bytes."""

    brought_at: datetime
    used_at: datetime | None
    """When a job named it last."""


@router.post("/uploads", status_code=201, summary="Bring a file that a job can ingest.", openapi_extra=BODY)
async def upload(ask: Ask, request: Request, response: Response) -> Upload:
    await ask.charge(prices.UPLOAD)
    uploads = _uploads(ask)
    try:
        part, pieces = await one_file(request)
        taken = await uploads.take(
            ask.grant.id,
            part.file_name or "",
            pieces,
            media_type=part.media_type,
            in_use=in_use_by(ask.database),
        )
    except PapergraphError:
        await pass_over(request)
        raise
    response.headers["Location"] = f"/v1/uploads/{taken.id}"
    return Upload.model_validate(taken)


@router.get("/uploads", summary="The asker's uploads, the newest first.")
async def list_uploads(ask: Ask) -> All[Upload]:
    await ask.charge(prices.UPLOAD)
    return All(data=[Upload.model_validate(one) for one in await _uploads(ask).all_of(ask.grant.id)])


@router.get("/uploads/{id}", summary="One of the asker's uploads.", name="upload_by_id")
async def upload_by_id(ask: Ask, id: UploadId) -> Upload:
    await ask.charge(1)
    (found,) = await _uploads(ask).find(ask.grant.id, [id])
    return Upload.model_validate(found)


@router.delete("/uploads/{id}", status_code=204, summary="Delete one of the asker's uploads.")
async def delete_upload(ask: Ask, id: UploadId) -> None:
    await ask.charge(1)
    await _uploads(ask).remove(ask.grant.id, id)


def _uploads(ask: Asked) -> Uploads:
    """Return where uploads are kept.

    Raises:
        NotFoundError: This server takes none.
    """
    if ask.intake.uploads is None:
        raise NotFoundError("place for uploads on", "this server", field="file")
    return ask.intake.uploads
