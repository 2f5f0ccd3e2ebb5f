"""Routes of uploads, which GraphQL does not offer, because it would hold whole files in memory."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from pydantic import Field

from papergraph.errors import NotFoundError, PapergraphError
from papergraph.schema.ids import ID
from papergraph.server.auth.operations import MANAGE_UPLOADS, UPLOAD
from papergraph.server.operations.context import Context, RequestContext
from papergraph.server.operations.ingest import Uploads, ended_in, in_use_by
from papergraph.server.rest.multipart import FORM, one_file, pass_over
from papergraph.server.rest.requests import ListResponse, ResponseModel

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
