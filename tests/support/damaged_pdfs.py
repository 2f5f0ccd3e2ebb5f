"""Fifty ways to damage a PDF, each with the reasons that it may be refused for; made from one whole file and a seed."""

import io
import random
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import pikepdf
from pikepdf import Array, Dictionary, Name

from papergraph.errors import Reason

R = Reason
HARD = frozenset({R.OUT_OF_TIME, R.OUT_OF_MEMORY, R.SCANNED, R.EMPTY, R.DAMAGED})


@dataclass(frozen=True)
class Damaged:
    """A bad file; ``reasons`` without an entry: it must be read, and nothing of its text may be missing."""

    name: str
    data: bytes
    reasons: frozenset[Reason]
    may_be_whole: bool = False


def damaged_pdfs(whole: bytes, seed: int) -> Iterator[Damaged]:
    """Yield fifty files."""
    source = random.Random(seed)  # noqa: S311
    for number in range(8):
        length = source.randrange(20, len(whole) - 40)
        yield Damaged(f"cut off {number}", whole[:length], frozenset({R.PARTIAL, R.DAMAGED}))
    yield Damaged(
        "without its middle", whole[: len(whole) // 3] + whole[len(whole) // 2 :], frozenset({R.PARTIAL, R.DAMAGED})
    )
    for number, n_flips in enumerate((1, 1, 1, 2, 3, 5, 10, 20, 50, 100, 200, 400)):
        yield Damaged(f"flipped {number}", _flipped(whole, n_flips, source), frozenset({R.DAMAGED, R.PARTIAL}), True)
    for revision in (2, 3, 4, 6):
        yield Damaged(f"encrypted {revision}", _encrypted(whole, revision, user="secret"), frozenset({R.ENCRYPTED}))
    yield Damaged("locked for its owner only", _encrypted(whole, 6, user=""), frozenset(), True)
    yield Damaged("bomb", _with_contents(zlib.compress(b"0 0 m " * 100_000_000, 1)), frozenset({R.TOO_LARGE}))
    twice = zlib.compress(zlib.compress(bytes(300_000_000), 1), 9)
    yield Damaged(
        "bomb in a bomb",
        _with_contents(twice, filters=2),
        frozenset({R.TOO_LARGE, R.OUT_OF_MEMORY, R.EMPTY, R.SCANNED}),
    )
    yield Damaged("forms that double", _forms(30, copies=2), HARD)
    yield Damaged("forms that multiply by ten", _forms(12, copies=10), HARD)
    yield Damaged(
        "a form that shows itself", _forms(1, copies=1, cycle=True), frozenset({R.SCANNED, R.EMPTY, R.DAMAGED})
    )
    yield Damaged("too many pages", many_pages(2_500), frozenset({R.TOO_LARGE}))
    yield Damaged("pages in a circle", _page_circle(), frozenset({R.DAMAGED}))
    yield Damaged("an outline in a circle", _outline_circle(whole), frozenset({R.DAMAGED}), True)
    yield Damaged("nested arrays", _raw(b"[" * 200_000 + b"]" * 200_000), frozenset({R.DAMAGED, R.EMPTY}))
    yield Damaged("a page that is missing", _counts(whole, 5), frozenset({R.PARTIAL, R.DAMAGED}), True)
    yield Damaged("no pages", _counts(whole, -1), frozenset({R.DAMAGED}))
    yield Damaged("nothing", b"", frozenset({R.EMPTY}))
    yield Damaged("a blank page", _with_contents(b"", filters=0), frozenset({R.EMPTY}))
    yield Damaged("only an image", _image_only(), frozenset({R.SCANNED}))
    yield Damaged("only lines", _with_contents(b"0 0 m 100 100 l S", filters=0), frozenset({R.SCANNED}))
    yield Damaged("mostly images", _mostly_images(whole), frozenset({R.SCANNED}))
    yield Damaged("letters without a meaning", _without_unicode(whole), frozenset({R.NOT_TEXT}), True)
    yield Damaged("a page of HTML", b"<!DOCTYPE html><html><body>Log in</body></html>", frozenset({R.DAMAGED}))
    yield Damaged("a header alone", b"%PDF-1.7\n%%EOF\n", frozenset({R.DAMAGED}))
    yield Damaged("noise", b"%PDF-1.7\n" + source.randbytes(50_000) + b"\n%%EOF\n", frozenset({R.DAMAGED}))
    yield Damaged(
        "a filter that does not exist", whole.replace(b"/FlateDecode", b"/FlatfDecode"), frozenset({R.DAMAGED})
    )
    yield Damaged("zeros", whole[:1000] + bytes(len(whole) - 2000) + whole[-1000:], frozenset({R.DAMAGED, R.PARTIAL}))
    yield Damaged("a broken table of objects", _broken_xref(whole), frozenset({R.DAMAGED, R.PARTIAL}), True)
    yield Damaged("noise at its end", whole + source.randbytes(500), frozenset({R.DAMAGED, R.PARTIAL}), True)


def _flipped(data: bytes, n: int, source: random.Random) -> bytes:
    flipped = bytearray(data)
    for _ in range(n):
        flipped[source.randrange(20, len(data))] ^= 1 << source.randrange(8)
    return bytes(flipped)


def _encrypted(data: bytes, revision: int, *, user: str) -> bytes:
    with pikepdf.open(io.BytesIO(data)) as pdf:
        modern = revision >= 4
        encryption = pikepdf.Encryption(owner="owner", user=user, R=revision, aes=modern, metadata=modern)
        return _saved(pdf, encryption=encryption)


def _with_contents(contents: bytes, *, filters: int = 1) -> bytes:
    pdf = pikepdf.new()
    page = pdf.add_blank_page()
    stream = pikepdf.Stream(pdf, b"")
    if filters:
        packing = Array([Name.FlateDecode] * filters)
        stream.write(contents, filter=packing)
    else:
        stream.write(contents)
    page.obj.Contents = pdf.make_indirect(stream)
    return _saved(pdf)


def _forms(depth: int, *, copies: int, cycle: bool = False) -> bytes:
    """Return a page whose form shows another several times, and so on: the bomb of a billion laughs."""
    pdf = pikepdf.new()
    page = pdf.add_blank_page()
    forms = [pdf.make_indirect(pikepdf.Stream(pdf, b"/F Do " * copies)) for _ in range(depth)]
    for number, form in enumerate(forms):
        form.Type, form.Subtype, form.BBox = Name.XObject, Name.Form, Array([0, 0, 9, 9])
        below = forms[number + 1] if number + 1 < depth else (forms[0] if cycle else None)
        if below is not None:
            form.Resources = Dictionary(XObject=Dictionary(F=below))
    page.obj.Resources = Dictionary(XObject=Dictionary(F=forms[0]))
    page.obj.Contents = pdf.make_indirect(pikepdf.Stream(pdf, b"/F Do"))
    return _saved(pdf)


def many_pages(n: int) -> bytes:
    pdf = pikepdf.new()
    for _ in range(n):
        pdf.add_blank_page()
    return _saved(pdf)


def _raw(*objects: bytes) -> bytes:
    """Return a file of objects as they are, with a catalogue and one page before them."""
    bodies = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]/Extra 4 0 R>>",
        *objects,
    ]
    return _file(bodies)


def _file(bodies: list[bytes]) -> bytes:
    out = bytearray(b"%PDF-1.7\n")
    offsets = []
    for number, body in enumerate(bodies, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(bodies) + 1)
    for offset in offsets:
        out += b"%010d 00000 n \n" % offset
    out += b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(bodies) + 1, start)
    return bytes(out)


def _page_circle() -> bytes:
    return _file(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            b"<</Type/Pages/Parent 2 0 R/Kids[2 0 R]/Count 1>>",
        ]
    )


def _outline_circle(data: bytes) -> bytes:
    with pikepdf.open(io.BytesIO(data)) as pdf:
        one, two = pdf.make_indirect(Dictionary()), pdf.make_indirect(Dictionary())
        page = pdf.pages[0].obj
        for item, after in ((one, two), (two, one)):
            item.Title, item.Dest, item.Next, item.First = "Round", Array([page, Name.Fit]), after, after
        pdf.Root.Outlines = pdf.make_indirect(Dictionary(Type=Name.Outlines, First=one, Last=two, Count=2))
        return _saved(pdf)


def _counts(data: bytes, more: int) -> bytes:
    """Return a file that says it has more pages than it holds, or has none at all."""
    with pikepdf.open(io.BytesIO(data)) as pdf:
        if more < 0:
            pdf.Root.Pages = pdf.make_indirect(Dictionary(Type=Name.Pages, Kids=Array([]), Count=0))
        else:
            pdf.Root.Pages.Count = int(pdf.Root.Pages.Count) + more
        return _saved(pdf)


def _image(pdf: pikepdf.Pdf) -> pikepdf.Object:
    image = pikepdf.Stream(pdf, bytes(range(256)) * 40)
    image.Type, image.Subtype, image.Width, image.Height = Name.XObject, Name.Image, 128, 80
    image.ColorSpace, image.BitsPerComponent = Name.DeviceGray, 8
    return pdf.make_indirect(image)


def _image_only() -> bytes:
    pdf = pikepdf.new()
    for _ in range(3):
        page = pdf.add_blank_page()
        page.obj.Resources = Dictionary(XObject=Dictionary(Im=_image(pdf)))
        page.obj.Contents = pdf.make_indirect(pikepdf.Stream(pdf, b"q 500 0 0 700 20 20 cm /Im Do Q"))
    return _saved(pdf)


def _mostly_images(data: bytes) -> bytes:
    with pikepdf.open(io.BytesIO(data)) as pdf, pikepdf.open(io.BytesIO(_image_only())) as images:
        for _ in range(len(pdf.pages)):
            pdf.pages.extend(images.pages)
        return _saved(pdf)


def _without_unicode(data: bytes) -> bytes:
    with pikepdf.open(io.BytesIO(data)) as pdf:
        for item in pdf.objects:
            if isinstance(item, Dictionary) and item.get("/Type") == Name.Font and "/ToUnicode" in item:
                del item["/ToUnicode"]
        return _saved(pdf)


def _broken_xref(data: bytes) -> bytes:
    head, found, tail = data.rpartition(b"startxref")
    return head + found + b"\n7\n%%EOF\n" if found else tail


def _saved(pdf: pikepdf.Pdf, **options: object) -> bytes:
    out = io.BytesIO()
    kept = {} if options else {"stream_decode_level": pikepdf.StreamDecodeLevel.none}
    pdf.save(out, static_id=not options, compress_streams=False, **kept, **options)
    return out.getvalue()
