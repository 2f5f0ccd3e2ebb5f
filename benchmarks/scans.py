"""Words that OCR finds on scans of pages whose text is known: ``python -m benchmarks.scans``.

Twelve pages of the real PDFs are drawn at 150 to 300 dpi, turned by up to 2 degrees, and kept as JPEG in a PDF. What is
read of each is compared with what is read of the page itself, word by word as often as it occurs.
"""

import io
import re
import sys
import time
from collections import Counter
from dataclasses import dataclass

import pikepdf
import pypdfium2 as pdfium
from PIL import Image

from benchmarks.common import data_folder, write_result
from papergraph.ingest.parsers.pdf.ocr import LIMITS, Scans
from papergraph.ingest.parsers.pdf.reading import PdfReading, read_pdf

PAGES = (
    ("papermage", 1), ("bmc-datta", 1), ("peerj-vespa", 3), ("survey-seti", 2), ("sysid-neural", 1), ("tiedtimes", 1),
    ("twinSIR", 3), ("strucchange-intro", 2), ("hindawi-tully", 1), ("decision-vegan", 1), ("lmtest-intro", 2),
    ("hcl-colors", 4),
)  # fmt: skip
DPI, DEGREES = (150, 200, 300), (0.0, 0.5, -0.5, 1.0, -1.0, 1.5, -1.5, 2.0, -2.0)


@dataclass(frozen=True)
class Scan:
    """Result of a page: dpi, degrees, share of its words that were read, seconds of processor time."""

    page: str
    dpi: int
    degrees: float
    recall: float
    seconds: float
    note: str


def words(text: str) -> Counter[str]:
    """Return the words of a text and how often each occurs."""
    return Counter(re.findall(r"\w+", text.lower()))


def read(data: bytes) -> tuple[PdfReading, float]:
    """Return what is read of a PDF, and the seconds of processor time."""
    start = time.process_time()
    return read_pdf(data, LIMITS, scans=Scans()), time.process_time() - start


def scanned(page: pdfium.PdfPage, dpi: int, degrees: float) -> bytes:
    """Return a PDF with an image of a page."""
    image = page.render(scale=dpi / 72).to_pil().convert("L")
    turned = image.rotate(degrees, fillcolor=255, resample=Image.Resampling.BICUBIC)
    file = io.BytesIO()
    turned.save(file, "PDF", resolution=dpi, quality=75)
    return file.getvalue()


def main(first: int, last: int) -> None:
    """Print and keep the result of some of the pages."""
    folder = data_folder() / "real_pdfs" / "pdf"
    results = []
    for number, (name, page) in list(enumerate(PAGES))[first:last]:
        alone = io.BytesIO()
        with pikepdf.open(folder / f"{name}.pdf") as source, pikepdf.new() as single:
            single.pages.append(source.pages[page])
            single.save(alone)
        known, _ = read(alone.getvalue())
        dpi, degrees = DPI[number % len(DPI)], DEGREES[number % len(DEGREES)]
        found, seconds = read(scanned(pdfium.PdfDocument(alone.getvalue())[0], dpi, degrees))
        expected, got = words(known.text), words(found.text)
        recall = sum(min(n, got[word]) for word, n in expected.items()) / expected.total()
        results.append(Scan(f"{name} {page + 1}", dpi, degrees, round(recall, 3), round(seconds, 1), found.notes[0]))
        print(*vars(results[-1]).values(), sep="  ", flush=True)
    mean = sum(one.recall for one in results) / len(results)
    seconds = sum(one.seconds for one in results) / len(results)
    print(f"mean recall {mean:.3f}, {seconds:.1f} s a page")
    if first == 0 and last >= len(PAGES):
        write_result("scans", {"recall": mean, "seconds": seconds, "pages": [vars(one) for one in results]})


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3] or ("0", "12")))
