"""A PDF with highlights and notes as annotations that other readers show, written in a child process."""

import base64
import io
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from papergraph.errors import Reason
from papergraph.ingest.parsers.pdf.page_image import PageFrame, frames
from papergraph.ingest.parsers.sandbox import RefusedError, SandboxLimits, run_child

LIMITS = SandboxLimits(seconds=30.0, wall_seconds=120.0, output_bytes=400_000_000)
PRINTED = 4
"""Flag of an annotation that is printed."""
ICON, STEP = 0.03, 0.04
"""Shares of a page's height: size of a note's icon, and distance of two."""

Box = tuple[float, float, float, float, float]


@dataclass(frozen=True)
class PdfMark:
    """Highlight or note to write into a PDF.

    Attributes:
        id: Name of the annotation in the file.
        text: Comment or note.
        author: Name of who made it; may be empty.
        changed_at: Time of its last change, in ISO 8601 with its offset.
        colour: Red, green and blue, 0 to 1.
        boxes: Page from 1, left, upper, right and lower edge as shares of the page; none for a note on the first page.
    """

    id: str
    text: str
    author: str
    changed_at: str
    colour: tuple[float, float, float]
    boxes: tuple[Box, ...] = ()


def annotate_in_child(data: bytes, marks: Sequence[PdfMark], *, limits: SandboxLimits = LIMITS) -> bytes:
    """Return a PDF with annotations, written in a process of its own.

    Raises:
        RefusedError: The PDF cannot be opened or written within ``limits``.
    """
    return base64.b64decode(run_child("annotate", limits, data, json.dumps([asdict(mark) for mark in marks])))


def annotate(data: bytes, marks: Sequence[PdfMark]) -> bytes:
    """Return a PDF with annotations, as :func:`annotate_in_child` does, in this process."""
    import pikepdf

    shown = frames(data)
    try:
        document = pikepdf.open(io.BytesIO(data))
    except pikepdf.PdfError as error:
        raise RefusedError(Reason.DAMAGED, "cannot be opened") from error
    with document:
        n_notes = 0
        for mark in marks:
            boxes = mark.boxes or ((1, ICON, n_notes * STEP + ICON, 2 * ICON, n_notes * STEP + 2 * ICON),)
            n_notes += not mark.boxes
            for page in sorted({int(box[0]) for box in boxes}):
                if 1 <= page <= min(len(document.pages), len(shown)):
                    own = [box for box in boxes if int(box[0]) == page]
                    made = document.make_indirect(_annotation(mark, own, shown[page - 1]))
                    sheet = document.pages[page - 1].obj
                    kept = sheet.get("/Annots")
                    others = list(kept) if isinstance(kept, pikepdf.Array) else []
                    sheet.Annots = pikepdf.Array([*others, made])
        written = io.BytesIO()
        document.save(written)
    return written.getvalue()


def _annotation(mark: PdfMark, boxes: Sequence[Box], frame: PageFrame) -> Any:
    from pikepdf import Array, Dictionary, Name, String

    quads: list[float] = []
    for _, left, upper, right, lower in boxes:
        corners = [frame.points(*corner) for corner in ((left, upper), (right, upper), (left, lower), (right, lower))]
        quads += [round(number, 2) for corner in corners for number in corner]
    made = Dictionary(
        Type=Name.Annot,
        Subtype=Name.Highlight if mark.boxes else Name.Text,
        NM=String(f"{mark.id}-{int(boxes[0][0])}"),
        Rect=Array([min(quads[0::2]), min(quads[1::2]), max(quads[0::2]), max(quads[1::2])]),
        C=Array(list(mark.colour)),
        F=PRINTED,
        Contents=String(mark.text),
        M=String(f"D:{datetime.fromisoformat(mark.changed_at).astimezone(UTC):%Y%m%d%H%M%S}Z"),
    )
    if mark.boxes:
        made.QuadPoints = Array(quads)
    if mark.author:
        made.T = String(mark.author)
    return made
