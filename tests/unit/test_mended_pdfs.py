"""PDFs that viewers open although they break the format's rules, and the reasons for refusing others."""

import base64
import io
import re
from dataclasses import replace

import pikepdf
import pytest

from papergraph.errors import Reason
from papergraph.ingest.parsers.pdf.check import check
from papergraph.ingest.parsers.pdf.reading import read_pdf
from papergraph.ingest.parsers.sandbox import RefusedError, SandboxLimits
from tests.support.typeset import pdf, prose

LIMITS = replace(SandboxLimits())
WHOLE = pdf(f"#text(16pt)[A whole paper]\n= One\n{prose(400)}")
LENGTHS = list(re.finditer(rb"/Length (\d{3})\b", WHOLE))


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(LENGTHS)))
@pytest.mark.parametrize("step", [1, -1, 7])
def test_a_stream_with_a_wrong_length_is_read_to_the_letter(number, step):
    match = LENGTHS[number]
    wrong = WHOLE[: match.start(1)] + b"%03d" % (int(match[1]) + step) + WHOLE[match.end(1) :]

    assert read_pdf(wrong, LIMITS).text == read_pdf(WHOLE, LIMITS).text
    assert check(wrong, LIMITS).mended or step == 1  # one more byte is the end of a line


def shifted(data: bytes) -> bytes:
    """Return a file whose table of objects points before their places."""
    return re.sub(rb"startxref\s+(\d+)", lambda found: b"startxref\n%d" % (int(found[1]) // 2), data)


ODD = {
    "no end of an object": WHOLE.replace(b"endobj", b"", 1),
    "no end of two objects": WHOLE.replace(b"endobj", b"", 2),
    "a key twice": WHOLE.replace(b"/Type/Catalog", b"/Type/Catalog/Type/Catalog", 1),
    "a table elsewhere": shifted(WHOLE),
    "a wrong length and a table elsewhere": shifted(WHOLE.replace(LENGTHS[0][0], b"/Length 7", 1)),
}


@pytest.mark.parametrize("name", ODD)
def test_a_file_with_odd_objects_is_read_to_the_letter_with_a_note(name):
    assert ODD[name] != WHOLE
    reading = read_pdf(ODD[name], LIMITS)

    assert reading.text == read_pdf(WHOLE, LIMITS).text
    assert reading.notes[0].startswith("mended: ")


@pytest.mark.parametrize("junk", [b"\n% comment" * 400, b"\0" * 5000, b" \r\n" * 2000, b"<html>gateway</html>\n" * 300])
def test_bytes_after_the_end_do_no_harm(junk):
    assert read_pdf(WHOLE + junk, LIMITS).text == read_pdf(WHOLE, LIMITS).text


def test_objects_after_the_end_are_those_of_a_file_that_was_cut_off():
    with pytest.raises(RefusedError) as refused:
        check(WHOLE + b"\n99 0 obj\n<< /Length 3 >>\nstream\nabc", LIMITS)

    assert refused.value.reason is Reason.PARTIAL


@pytest.mark.parametrize("revision", [2, 3, 4, 6])
@pytest.mark.parametrize("owner", ["", "owner"])
def test_a_file_that_asks_for_a_password_is_no_damaged_one(revision, owner):
    with pytest.raises(RefusedError) as refused:
        read_pdf(locked(user="user", owner=owner, revision=revision), LIMITS)

    assert refused.value.reason is Reason.ENCRYPTED
    assert "qpdf" in refused.value.detail


@pytest.mark.parametrize("revision", [3, 4, 6])
def test_a_file_that_only_forbids_changes_is_read(revision):
    assert read_pdf(locked(user="", owner="owner", revision=revision), LIMITS).text == read_pdf(WHOLE, LIMITS).text


def locked(*, user, owner, revision):
    file = io.BytesIO()
    with pikepdf.open(io.BytesIO(WHOLE)) as document:
        options = {} if revision > 3 else {"aes": False, "metadata": False}
        document.save(file, encryption=pikepdf.Encryption(user=user, owner=owner, R=revision, **options))
    return file.getvalue()


@pytest.mark.parametrize("wrapping", ["/ASCII85Decode", "/ASCIIHexDecode"])
@pytest.mark.parametrize("is_damaged", [False, True])
def test_a_damaged_stream_within_letters_is_found(wrapping, is_damaged):
    file = io.BytesIO()
    with pikepdf.open(io.BytesIO(WHOLE)) as document:
        contents = document.pages[0].Contents
        packed = bytearray(contents.read_raw_bytes())
        if is_damaged:
            packed[len(packed) // 2] ^= 0x10
        letters = base64.a85encode(packed) + b"~>" if wrapping == "/ASCII85Decode" else packed.hex().encode() + b">"
        filters = pikepdf.Array([pikepdf.Name(wrapping), pikepdf.Name.FlateDecode])
        contents.write(letters, filter=filters)
        document.save(file, stream_decode_level=pikepdf.StreamDecodeLevel.none, compress_streams=False)
    if not is_damaged:
        assert read_pdf(file.getvalue(), LIMITS).text == read_pdf(WHOLE, LIMITS).text
        return
    with pytest.raises(RefusedError) as refused:
        read_pdf(file.getvalue(), LIMITS)
    assert refused.value.reason is Reason.DAMAGED
