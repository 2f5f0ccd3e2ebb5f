"""Scans: lines of an engine as text of a page, and a real scan where the extra is installed."""

import io
import os
import socket
from dataclasses import replace

import numpy as np
import pypdfium2 as pdfium
import pytest
from PIL import Image

from papergraph.errors import Reason, SourceError
from papergraph.ingest.parsers import sandbox
from papergraph.ingest.parsers.pdf import ocr, parse, version
from papergraph.ingest.parsers.pdf.ocr import ReadLine, Scans, segments_of
from papergraph.ingest.parsers.pdf.reading import read_pdf
from papergraph.ingest.parsers.sandbox import RefusedError
from tests.support.pdf_documents import LIMITS, source
from tests.support.typeset import pdf, prose

PAGE = pdf(f"#set page(width: 400pt, height: 500pt, margin: 40pt)\n= Tides of small seas\n{prose(120)}")


def scan(*, degrees: float = 0.0, n_pages: int = 1, dpi: int = 150) -> bytes:
    """Return a PDF whose pages are images of one page."""
    image = pdfium.PdfDocument(PAGE)[0].render(scale=dpi / 72).to_pil().convert("L")
    turned = image.rotate(degrees, fillcolor=255, resample=Image.Resampling.BICUBIC)
    file = io.BytesIO()
    turned.save(file, "PDF", resolution=dpi, save_all=True, append_images=[turned] * (n_pages - 1))
    return file.getvalue()


def box(x: float, y: float, wide: float, high: float, slope: float = 0.0) -> list[tuple[float, float]]:
    fall = slope * wide
    return [(x, y), (x + wide, y + fall), (x + wide, y + high + fall), (x, y + high)]


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> list[ReadLine]:
    """Lines that the engine finds on each page."""
    lines = [
        ReadLine(box(100, 100, 600, 40), "Tides of small seas", 0.9),
        *(
            ReadLine(box(100, 200 + 30 * n, 900, 20), f"The tide of day {n} rose by a metre and fell again.", 1.0)
            for n in range(9)
        ),
    ]
    monkeypatch.setattr(ocr, "read_image", lambda image: lines)
    return lines


def test_each_scanned_page_is_reported_before_it_is_read(engine):
    told: list[tuple[int, int]] = []
    read_pdf(scan(n_pages=3), LIMITS, scans=Scans(lambda page, n_pages: told.append((page, n_pages))))
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_the_pages_that_a_child_reports_reach_its_parent_and_are_no_error():
    told: list[tuple[int, int]] = []
    (output, written), (errors, reported) = os.pipe(), os.pipe()
    ours, theirs = socket.socketpair()
    os.write(reported, b"a warning\npage 1 of 12\npage 2 of 12\n")
    os.write(written, b"{}")
    theirs.send(b"0")
    for end in (written, reported, theirs.detach()):
        os.close(end)
    token = sandbox.on_page.set(lambda page, n_pages: told.append((page, n_pages)))
    try:
        status, answer, _ = sandbox._answer(ours, output, errors, LIMITS)
    finally:
        sandbox.on_page.reset(token)
        ours.close()
        os.close(output)
        os.close(errors)
    assert (status, answer, told) == (b"0", b"{}", [(2, 12)])


def test_lines_of_a_scan_are_lines_of_the_page_with_their_places(engine):
    reading = read_pdf(scan(), LIMITS, scans=Scans())

    assert reading.text.startswith("Tides of small seas\n\nThe tide of day 0 rose")
    assert reading.title == "Tides of small seas"
    n = sum(len(line.text.replace(" ", "")) for line in engine)
    mean = sum(line.confidence * len(line.text.replace(" ", "")) for line in engine) / n
    assert reading.notes == [f"1 of 1 page read by OCR, with a mean confidence of {mean:.2f}"]
    assert (reading.lost, reading.n_scanned) == (0.0, 0)
    assert reading.line_boxes


@pytest.mark.parametrize("slope", [-0.035, -0.01, 0.0, 0.02, 0.035])
def test_a_page_that_was_scanned_askew_is_turned(slope):
    lines = [ReadLine(box(100 - slope * 40 * n, 100 + 40 * n, 900, 20, slope), f"line {n}", 1.0) for n in range(12)]

    found = segments_of(lines, 2.0, 500, 600)

    assert np.ptp([one.x0 for one in found]) < 1
    assert np.ptp(np.diff([one.y for one in found])) < 0.5
    assert {one.size for one in found} == {found[0].size}
    assert found[0].edges[0] == pytest.approx(found[0].x0) and found[0].edges[-1] == pytest.approx(found[0].x1, abs=0.1)


def test_without_the_reader_a_scan_is_refused_with_the_command(monkeypatch):
    monkeypatch.setattr(ocr, "is_installed", lambda: False)
    with pytest.raises(RefusedError, match="uv sync --inexact --extra ocr") as refused:
        read_pdf(scan(), LIMITS)

    assert refused.value.reason is Reason.SCANNED


def test_only_pages_that_an_image_covers_are_read(engine):
    whole = pdf(f"= Tides\n{prose(300)}")

    assert read_pdf(whole, LIMITS, scans=Scans()) == read_pdf(whole, LIMITS)


def test_too_many_scanned_pages_are_refused(engine, monkeypatch):
    monkeypatch.setattr(ocr, "MOST_PAGES", 1)
    with pytest.raises(RefusedError, match="more than 1 scanned pages; split it") as refused:
        read_pdf(scan(n_pages=2), LIMITS, scans=Scans())

    assert refused.value.reason is Reason.TOO_LARGE


@pytest.mark.slow
@pytest.mark.parametrize("degrees", [0.0, 2.0])
def test_a_real_scan_is_read_in_a_child_process(degrees):
    pytest.importorskip("rapidocr", reason="the extra ocr is not installed")
    document = parse(source(scan(degrees=degrees, dpi=200)))

    words = set(read_pdf(PAGE, LIMITS).text.split())
    assert len(words & set(document.text.split())) >= 0.95 * len(words)
    assert document.title.startswith("Tides of small seas")
    assert "read by OCR" in document.notes[0]


@pytest.mark.slow
def test_a_child_that_reads_scans_keeps_its_limits(monkeypatch):
    pytest.importorskip("rapidocr", reason="the extra ocr is not installed")
    monkeypatch.setattr(ocr, "LIMITS", replace(ocr.LIMITS, seconds=0.5))
    with pytest.raises(SourceError) as refused:
        parse(source(scan()))

    assert refused.value.reason is Reason.OUT_OF_TIME


def test_pdfs_are_read_again_once_scans_can_be_read(monkeypatch):
    versions = []
    for is_installed in (False, True):
        monkeypatch.setattr(ocr, "is_installed", lambda found=is_installed: found)
        versions.append(version())

    assert versions[0] != versions[1]
