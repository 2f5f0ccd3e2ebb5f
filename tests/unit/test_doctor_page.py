"""The page on the doctor lists its checks as they are."""

import re
from pathlib import Path

import cypher
from ingest.doctor import CHECKS

PAGE = Path("docs/doctor.md").read_text(encoding="utf-8")


def test_the_page_lists_every_check_in_order_with_what_it_finds_and_mends():
    rows = re.findall(r"^\| `(\w+)` \| (.+) \| (.+) \|$", PAGE, re.MULTILINE)

    assert rows == [
        (check.name, check.means, "; ".join(cure.action for cure in check.cures) or "told, with what to do")
        for check in CHECKS
    ]


def test_every_query_of_the_doctor_is_run_by_it():
    source = Path("ingest/doctor.py").read_text(encoding="utf-8")
    files = {name.rpartition("/")[2] for name in cypher.names() if name.startswith("doctor/")}

    assert files == {name for name in files if re.search(rf'"(?:doctor/(?:repair/)?)?{name}"', source)}
