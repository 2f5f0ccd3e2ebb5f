"""Coverage of the clients: called routes, and public names without documentation."""

import re
from pathlib import Path

from papergraph.server.endpoints import endpoints
from scripts.sdk import java, python, typescript
from scripts.sdk.schema import ROOT, node_lists, operations

CALL = re.compile(r'"(GET|POST|PUT|PATCH|DELETE)",\s*(?:path: )?"(/v1/[^"]*)"')
SOURCES = {
    "Python": "sdk/python/src/papergraph_client/**/*.py",
    "TypeScript": "sdk/typescript/src/*.ts",
    "Java": "sdk/java/src/main/**/*.java",
}
RAW: frozenset[tuple[str, str]] = frozenset(
    {
        *(
            ("GET", f"/v1/{kind}/{{id}}")
            for kind in ("sections", "chunks", "authors", "references", "questions", "entities", "clusters")
        ),
        ("POST", "/v1/drafts"),
        ("GET", "/v1/answers/{id}"),
        ("DELETE", "/v1/answers/{id}"),
        ("PUT", "/v1/answers/{id}/rating"),
        ("GET", "/v1/jobs/{id}/events"),
        *((method, "/v1/annotations") for method in ("POST", "DELETE")),
        ("PATCH", "/v1/annotations/{id}"),
        ("GET", "/v1/papers/{id}/annotated.pdf"),
        ("POST", "/v1/papers/copy"),
        ("POST", "/v1/papers/reread"),
        ("GET", "/v1/papers/pairs"),
        ("GET", "/v1/papers/{id}/corrections"),
        ("POST", "/v1/papers/retractions"),
        ("POST", "/v1/references/check"),
        *(("POST", f"/v1/papers/{{id}}/{name}") for name in ("corrections", "different", "merge", "split", "undo")),
        ("POST", "/v1/tables"),
        ("PUT", "/v1/tables/columns"),
        ("DELETE", "/v1/tables"),
        ("POST", "/v1/tables/run"),
        ("POST", "/v1/tables/cells"),
        ("GET", "/v1/tables/export"),
        ("POST", "/v1/screenings"),
        ("DELETE", "/v1/screenings"),
        ("GET", "/v1/screenings/export"),
        *(("POST", f"/v1/screenings/{name}") for name in ("import", "decisions", "duplicates", "papers")),
        ("POST", "/v1/inbox"),
        ("POST", "/v1/watches"),
        ("DELETE", "/v1/watches/{id}"),
        *(("POST", f"/v1/watches/{{id}}/{name}") for name in ("feed", "pause", "run")),
        *(("POST", f"/v1/zotero/{name}") for name in ("push", "sync", "undo")),
        *(("GET", f"/v1/feeds/{{id}}/{{key}}.{form}") for form in ("atom", "json")),
        ("GET", "/v1/keys"),
        ("POST", "/v1/keys"),
        ("DELETE", "/v1/keys/{id}"),
        ("GET", "/v1/collections/{name}/roles"),
        ("PUT", "/v1/collections/{name}/roles/{key}"),
        ("GET", "/v1/invitations"),
        ("POST", "/v1/invitations"),
        ("DELETE", "/v1/invitations/{id}"),
        ("GET", "/v1/sign-up"),
        ("POST", "/v1/sign-up"),
        ("POST", "/v1/sign-up/invitation"),
        ("POST", "/v1/session"),
        ("DELETE", "/v1/session"),
    }
)
"""Routes that no client has a method for, and that ``raw`` reaches: ``node`` reads the same, or pages use them."""


def faults() -> list[str]:
    """Return the routes and lists that are missing in a client, and the names without documentation."""
    found = [
        f"{language}: no method calls {method} {path}, and it is not listed as raw in scripts/sdk/coverage.py"
        for language, pattern in SOURCES.items()
        for method, path in sorted(missing(called_in(sorted(ROOT.glob(pattern)))))
    ]
    known = {(method, path) for method, path, _ in operations()}
    found += [f"{method} {path} is listed as raw, and is no route" for method, path in sorted(RAW - known)]
    found += java.missing_lists()
    references = (python, typescript, java)
    return found + [fault for reference in references for fault in reference.undocumented()]


def called_in(files: list[Path]) -> set[tuple[str, str]]:
    """Return the routes that sources name."""
    return {(call[1], call[2]) for file in files for call in CALL.finditer(file.read_text(encoding="utf-8"))}


def missing(called: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the routes of the schema that are neither called, nor lists of nodes, simple reads or raw."""
    wanted = {(method, path) for method, path, _ in operations()}
    lists = {("GET", f"/v1/{one.name.replace('/', '/{id}/', 1)}") for one in node_lists()}
    reads = {("GET", f"/v1{one.route}") for one in endpoints().values()}
    return wanted - called - lists - reads - RAW
