"""Routes of a paper as a file: the one that it was read from, pages and figures as images, and text as Markdown."""

from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import FileResponse
from pydantic import Field

from papergraph.errors import NotFoundError
from papergraph.schema import records
from papergraph.server.auth.operations import FILE, PAGE_IMAGE, PAPER_TEXT
from papergraph.server.graph.export import to_markdown, whole_paper
from papergraph.server.operations.annotations import annotated_pdf
from papergraph.server.operations.context import Context, Id
from papergraph.server.operations.versions import file_of, version_of
from papergraph.server.papers.regions import VERSION, PageImages, PageWidth
from papergraph.server.rest.graph import has_already
from papergraph.server.rest.requests import RequestModel

router = APIRouter()

PDF, ANYTHING = "application/pdf", "application/octet-stream"
PNG, MARKDOWN = "image/png", "text/markdown"
BYTES = {"schema": {"type": "string", "format": "binary"}}
"""Schema of an image, also under the type of any bytes: openapi-python-client leaves out what is an image only."""

MOST_PAGES = 10_000
KEPT_S = 3600
SANDBOXED = "default-src 'none'; frame-ancestors 'none'; sandbox"
ENDINGS = {
    "markdown": ".md", "text": ".txt", "pdf": ".pdf", "jats": ".xml", "tei": ".xml", "latex": ".tex", "docx": ".docx",
    "html": ".html", "odt": ".odt", "epub": ".epub", "pptx": ".pptx", "rtf": ".rtf",
}  # fmt: skip


PageNumber = Annotated[int, Path(ge=1, le=MOST_PAGES, description="Page, from 1.")]


class ImageOptions(RequestModel):
    """Options of rendering a page."""

    width: PageWidth = Field(default=PageWidth.MEDIUM)
    """Width of the image, in pixels."""


class OfVersion(RequestModel):
    """Text of a paper that is asked for."""

    version: int | None = Field(default=None, ge=1, le=1000)
    """Number of an earlier text; default: the present one."""


class ImageResponse(Response):
    """Image of a page."""

    media_type = PNG


class MarkdownResponse(Response):
    """Text as Markdown."""

    media_type = MARKDOWN


@router.get(
    "/papers/{id}/file",
    summary="Get the file that a paper was read from; ranges are supported.",
    response_class=FileResponse,
    responses={200: {"content": {PDF: {}, ANYTHING: {}}}, 206: {"description": "The requested ranges of the file."}},
)
@FILE
async def get_paper_file(context: Context, id: Id, wanted: Annotated[OfVersion, Query()]) -> FileResponse:
    paper = await context.node(id, records.Paper)
    if wanted.version is not None:
        paper = (await version_of(context.database, id, wanted.version, collections=context.collections)).paper
    place = file_of(context.service.originals, paper)
    is_pdf = paper.format == "pdf"
    return FileResponse(
        place,
        media_type=PDF if is_pdf else ANYTHING,
        filename=f"{paper.id[:12]}{ENDINGS.get(paper.format or '', '')}",
        content_disposition_type="inline" if is_pdf else "attachment",
        headers={"Content-Security-Policy": SANDBOXED, "ETag": f'"{paper.content_hash}"'},
    )


@router.get(
    "/papers/{id}/annotated.pdf",
    summary="Get the PDF of a paper with the notes and highlights that the caller sees.",
    response_class=Response,
    responses={200: {"content": {PDF: BYTES}}},
)
@PAGE_IMAGE
async def get_annotated_pdf(context: Context, id: Id) -> Response:
    paper = await context.node(id, records.Paper)
    data = await annotated_pdf(context.database, context.principal, context.service.originals, paper)
    headers = {
        "Content-Security-Policy": SANDBOXED,
        "Content-Disposition": f'attachment; filename="{paper.id[:12]}.pdf"',
        "Cache-Control": "private, no-store",
    }
    return Response(data, media_type=PDF, headers=headers)


@router.get(
    "/papers/{id}/pages/{n}.png",
    summary="Get a page of the PDF that a paper was read from, as an image.",
    response_class=ImageResponse,
    responses={200: {"content": {PNG: BYTES, ANYTHING: BYTES}}, 304: {"description": "The image is as the ETag says."}},
)
@PAGE_IMAGE
async def get_page_image(
    context: Context, id: Id, n: PageNumber, wanted: Annotated[ImageOptions, Query()], request: Request
) -> Response:
    paper = await context.node(id, records.Paper)
    images = _images(context, paper)
    headers = _image_headers(f"{paper.content_hash[:32]}-{n}-{wanted.width}")
    if n <= (paper.n_pages or 0) and _is_kept(request, headers):
        return Response(status_code=304, headers=headers)
    return ImageResponse(await images.image(paper, n, wanted.width), headers=headers)


@router.get(
    "/chunks/{id}/figure.png",
    summary="Get the picture of a caption, cut from a page of the PDF that its paper was read from.",
    response_class=ImageResponse,
    responses={200: {"content": {PNG: BYTES, ANYTHING: BYTES}}, 304: {"description": "The image is as the ETag says."}},
)
@PAGE_IMAGE
async def get_figure_image(
    context: Context, id: Id, wanted: Annotated[ImageOptions, Query()], request: Request
) -> Response:
    chunk = await context.node(id, records.Chunk)
    paper = await context.node(chunk.paper_id, records.Paper)
    images = _images(context, paper)
    headers = _image_headers(f"{paper.content_hash[:32]}-{chunk.id[:32]}-{wanted.width}")
    if chunk.figure and _is_kept(request, headers):
        return Response(status_code=304, headers=headers)
    return ImageResponse(await images.figure(paper, chunk, wanted.width), headers=headers)


def _images(context: Context, paper: records.Paper) -> PageImages:
    if context.service.page_images is None:
        raise NotFoundError("PDF of paper", paper.id, field="id")
    return context.service.page_images


def _is_kept(request: Request, headers: Mapping[str, str]) -> bool:
    return has_already(request.headers.get("if-none-match", ""), headers["ETag"])


def _image_headers(content: str) -> dict[str, str]:
    return {
        "Cache-Control": f"private, max-age={KEPT_S}",
        "Content-Security-Policy": SANDBOXED,
        "ETag": f'"{content}-{VERSION}"',
    }


@router.get(
    "/papers/{id}/text.md",
    summary="Get the text of a paper as Markdown.",
    response_class=MarkdownResponse,
    responses={200: {"content": {MARKDOWN: {"schema": {"type": "string"}}}}},
)
@PAPER_TEXT
async def get_paper_text(context: Context, id: Id, wanted: Annotated[OfVersion, Query()]) -> Response:
    paper = await context.node(id, records.Paper)
    if wanted.version is None:
        text = await whole_paper(context.database, paper.id, collection=paper.collection)
    else:
        text = await version_of(context.database, id, wanted.version, collections=context.collections)
    return MarkdownResponse(
        to_markdown(text),
        headers={
            "Content-Disposition": f'inline; filename="{paper.id[:12]}.md"',
            "Content-Security-Policy": SANDBOXED,
        },
    )
