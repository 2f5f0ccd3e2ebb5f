"""Fifty damaged files: each is refused for a reason, or read without missing a letter; none takes the process down."""

from dataclasses import replace
from functools import cache

import pytest

from papergraph.errors import Reason
from papergraph.ingest.parsers.pdf import read_in_child
from papergraph.ingest.parsers.pdf.reading import PdfReading
from papergraph.ingest.parsers.sandbox import RefusedError, SandboxLimits
from tests.support.damaged_pdfs import Damaged, damaged_pdfs
from tests.support.typeset import pdf, prose

SEED = 20261121
LIMITS = replace(SandboxLimits(), seconds=20, memory_bytes=600 << 20)


@cache
def whole() -> bytes:
    sections = "\n".join(f"= Section {number}\n{prose(250, first=1000 * number)}" for number in range(4))
    return pdf(f"#set page(columns: 2)\n#text(16pt)[A whole paper]\n{sections}")


@cache
def whole_reading() -> PdfReading:
    return read_in_child(whole(), LIMITS)


@cache
def files() -> list[Damaged]:
    return list(damaged_pdfs(whole(), SEED))


@pytest.mark.slow
def test_there_are_fifty_and_each_of_its_own_kind():
    assert len({file.name for file in files()}) == len({file.data for file in files()}) == 50


FAST = range(5, 50, 15)


@pytest.mark.parametrize(
    "number", [pytest.param(number, marks=() if number in FAST else pytest.mark.slow) for number in range(50)]
)
def test_a_damaged_file_is_refused_for_its_reason_or_read_to_the_letter(number):
    file = files()[number]

    try:
        reading = read_in_child(file.data, LIMITS)
    except RefusedError as refusal:
        assert refusal.reason in file.reasons, (file.name, refusal.detail)
        assert refusal.detail
    else:
        assert file.may_be_whole, file.name
        assert reading.text == whole_reading().text, file.name


def test_the_reasons_tell_the_kinds_apart():
    found = {Reason.ENCRYPTED, Reason.PARTIAL, Reason.DAMAGED, Reason.SCANNED, Reason.EMPTY, Reason.TOO_LARGE}

    assert found <= {reason for file in files() for reason in file.reasons}
