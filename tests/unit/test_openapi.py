"""Page docs/rest.md: each route, reason and setting is described there."""

import re
from pathlib import Path

from papergraph.server.rest.openapi import PROBLEMS
from papergraph.server.rest.router import description
from papergraph.settings import PREFIX, Settings

PAGE = Path("docs/rest.md").read_text()


def test_every_route_is_told_with_its_last_part():
    routes = PAGE.split("## Routes")[1].split("## Problems")[0]

    for path in description()["paths"]:
        name = path.removeprefix("/v1/").replace("/{id}", "").split("/")[-1]
        assert name in routes, path


def test_every_status_and_setting_is_told():
    problems = PAGE.split("## Problems")[1].split("## Pages")[0]
    uploads = PAGE.split("## Uploads")[1]

    assert set(PROBLEMS) | {405} == {int(status) for status in re.findall(r"\b[45]\d\d\b", problems)}
    assert PREFIX + "INGEST_MAX_FILE_BYTES" in uploads
    assert f"({Settings().ingest.max_file_bytes // 10**6} MB)" in uploads


def test_every_operation_has_a_name_of_its_own_a_summary_and_a_key():
    described = description()
    operations = [operation for routes in described["paths"].values() for operation in routes.values()]

    assert len({operation["operationId"] for operation in operations}) == len(operations)
    assert all(operation["summary"] and operation["tags"] for operation in operations)
    assert described["security"] == [{}, {"bearer": []}, {"header": []}]
