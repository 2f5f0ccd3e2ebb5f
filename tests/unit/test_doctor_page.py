"""The page on integrity names the checks of the doctor."""

import re
from pathlib import Path

from papergraph import cypher
from papergraph.ingest.doctor import checks

PAGE = Path("docs/integrity.md").read_text(encoding="utf-8")


def test_the_page_names_every_check():
    section = PAGE.split("## Checks")[1].split("## Faults")[0]
    rows = "\n".join(line for line in section.splitlines() if line.startswith("| "))

    assert sorted(re.findall(r"`(\w+)`", rows)) == sorted(check.name for check in checks())


def test_every_query_of_the_doctor_is_run_by_it():
    source = Path("ingest/doctor.py").read_text(encoding="utf-8")
    headers = [
        cypher.describe(cypher.load(f"doctor/{check.name}")).doctor for check in checks() if is_query(check.name)
    ]
    repairs = {repair.strip() for header in headers for repair in header.get("Repair", "").split(",")}
    files = {name.rpartition("/")[2] for name in cypher.names() if name.startswith("doctor/")}

    run = {check.name for check in checks()} | repairs
    assert files == {name for name in files if name in run or re.search(rf'"(?:doctor/(?:repair/)?)?{name}"', source)}


def is_query(name: str) -> bool:
    return f"doctor/{name}" in cypher.names()
