"""Route of the file that a paper was read from."""

from fastapi import APIRouter
from fastapi.responses import FileResponse

from papergraph.errors import NotFoundError
from schema import records
from server.auth import costs as prices
from server.auth.access import Deadline, access
from server.auth.principal import KeyScope
from server.context import Context, Id

router = APIRouter()

PDF, ANYTHING = "application/pdf", "application/octet-stream"
SANDBOXED = "default-src 'none'; frame-ancestors 'none'; sandbox"
ENDINGS = {
    "markdown": ".md", "text": ".txt", "pdf": ".pdf", "jats": ".xml", "tei": ".xml", "latex": ".tex", "docx": ".docx",
    "html": ".html",
}  # fmt: skip


@router.get(
    "/papers/{id}/file",
    summary="Get the file that a paper was read from; ranges are supported.",
    response_class=FileResponse,
    responses={200: {"content": {PDF: {}, ANYTHING: {}}}, 206: {"description": "The requested ranges of the file."}},
)
@access(KeyScope.READ, cost=prices.UPLOAD, deadline=Deadline.UPLOAD)
async def get_paper_file(context: Context, id: Id) -> FileResponse:
    paper = await context.node(id, records.Paper)
    originals = context.service.originals
    place = originals.find(paper.content_hash) if originals else None
    if place is None:
        raise NotFoundError("file of paper", id, field="id")
    is_pdf = paper.format == "pdf"
    return FileResponse(
        place,
        media_type=PDF if is_pdf else ANYTHING,
        filename=f"{paper.id[:12]}{ENDINGS.get(paper.format or '', '')}",
        content_disposition_type="inline" if is_pdf else "attachment",
        headers={"Content-Security-Policy": SANDBOXED, "ETag": f'"{paper.content_hash}"'},
    )
