"""Files brought over REST, on a real Neo4j: what is taken, what is refused, and what a job makes of them."""

import asyncio
import gzip
import io
import json
import zipfile
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio

from papergraph.database import Database
from papergraph.errors import Code
from papergraph.ingest.jobs import queue as jobs
from papergraph.server.app import create_app
from papergraph.server.auth.access import KeyScope, everything
from papergraph.server.auth.keys import create_key
from papergraph.server.auth.server_limits import ServerLimits
from papergraph.server.operations import ingest
from papergraph.server.operations.ingest import Allowance, IngestService, Uploads, owner_of
from papergraph.server.operations.service import Service
from papergraph.settings import Settings
from tests.support.damaged_pdfs import damaged_pdfs, many_pages
from tests.support.embedders import QuickEmbedder
from tests.support.ingestion import paper, work
from tests.support.problems import assert_problem
from tests.support.servers import NOWHERE
from tests.support.typeset import pdf, prose
from tests.support.web_site import Site

LOCAL = ("127.0.0.1", 123)


class Bringing:
    """REST in this process with a folder for uploads, and a worker beside it."""

    def __init__(self, database: Database, embedder: Any, folder: Path, site: Site) -> None:
        settings = Settings(
            home=folder,
            fetch={"allowed_hosts": "127.0.0.1", "allow_http": True},
            mirrors={"openalex": site.url("/")},
        )
        self.database, self.embedder = database, embedder
        self.intake = IngestService.of(settings)
        assert self.intake.uploads is not None
        self.uploads: Uploads = self.intake.uploads
        self.keys: dict[str, str] = {}
        self._service = Service(database, embedder, intake=self.intake)
        self.client = self.client_with(ServerLimits())

    def client_with(self, policy: ServerLimits) -> httpx.AsyncClient:
        application = create_app(self._service, policy)
        return httpx.AsyncClient(
            transport=httpx.ASGITransport(application, client=LOCAL), base_url="http://localhost", timeout=60
        )

    async def bring(self, name: str, data: bytes, media_type: str = "application/octet-stream") -> httpx.Response:
        return await self.client.post("/v1/uploads", files={"file": (name, data, media_type)})

    async def brought(self, name: str, data: bytes) -> str:
        """Bring a file that is taken, and return its id."""
        response = await self.bring(name, data)
        assert response.status_code == 201, response.text
        return str(response.json()["id"])

    async def opened(self, **body: Any) -> dict[str, Any]:
        """Open a job, and return it."""
        response = await self.client.post("/v1/jobs", json=body)
        assert response.status_code == 202, response.text
        answer: dict[str, Any] = response.json()
        return answer

    async def work(self) -> int:
        """Do what is queued, as ``papergraph worker`` does."""
        return await work(self.database, self.embedder, once=True, web=self.intake.web)

    async def tasks(self, job: str) -> list[dict[str, Any]]:
        answer = (await self.client.get(f"/v1/jobs/{job}/tasks", params={"first": 100})).json()
        tasks: list[dict[str, Any]] = answer["data"]
        return tasks

    def files(self) -> list[Path]:
        """Return what lies in the folder of uploads."""
        return sorted(path for path in self.uploads.folder.rglob("*") if path.is_file())


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as site:
        site.pages["/0.md"] = paper("Paper 0").encode()
        site.types["/0.md"] = "text/markdown"
        yield site


@pytest_asyncio.fixture(loop_scope="session")
async def rest(
    database: Database, embedder: Any, tmp_path: Path, site: Site, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Bringing]:
    monkeypatch.setattr("papergraph.ingest.worker.FIRST_PAUSE_S", 0.02)
    monkeypatch.setattr(jobs, "FOLLOWED_EVERY_S", 0.02)
    bringing = Bringing(database, QuickEmbedder(embedder), tmp_path, site)
    async with bringing.client:
        yield bringing


class TestJobs:
    @pytest.mark.slow
    async def test_a_job_is_opened_found_listed_worked_off_and_told_of(self, rest, site):
        sources = [site.url("/0.md"), site.url("/nothing.md")]

        response = await rest.client.post("/v1/jobs", json={"sources": sources})
        opened = response.json()
        await rest.work()
        job = (await rest.client.get(response.url.join(response.headers["location"]))).json()
        tasks = await rest.tasks(opened["id"])
        failed = (await rest.client.get(f"/v1/jobs/{opened['id']}/tasks?state=failed&count=true")).json()
        listed = (await rest.client.get("/v1/jobs?count=true")).json()

        assert (response.status_code, opened["state"], opened["sources"]) == (202, "queued", sources)
        assert (opened["nDocuments"], opened["nPending"], opened["progress"]) == (2, 2, 0.0)
        assert (job["state"], job["progress"], job["states"]) == ("done", 1.0, {"done": 1, "failed": 1})
        assert [(task["source"], task["state"], task["title"]) for task in tasks] == [
            (sources[0], "done", "Paper 0"),
            (sources[1], "failed", None),
        ]
        assert (failed["total"], failed["data"]) == (1, tasks[1:])
        assert (listed["total"], listed["data"]) == (1, [job])

    async def test_the_same_key_opens_one_job_and_another_body_is_a_conflict(self, rest, site):
        headers = {"Idempotency-Key": "mine"}
        body = {"sources": [site.url("/0.md")]}

        answers = [await rest.client.post("/v1/jobs", json=body, headers=headers) for _ in range(2)]
        quoted = await rest.client.post("/v1/jobs", json=body, headers={"Idempotency-Key": '"mine"'})
        other = await rest.client.post("/v1/jobs", json={"sources": [site.url("/1.md")]}, headers=headers)
        later = await rest.client.post("/v1/jobs", json=body, headers={"Idempotency-Key": "k" * 300})

        assert {(answer.status_code, answer.json()["id"]) for answer in (*answers, quoted)} == {
            (202, answers[0].json()["id"])
        }
        assert_problem(other, 409, Code.CONFLICT, "idempotencyKey")
        assert_problem(later, 400, Code.BAD_USER_INPUT, "Idempotency-Key")
        assert await jobs.count_jobs(rest.database) == 1

    async def test_the_key_of_graphql_is_the_same(self, rest, site):
        call = f'mutation {{ ingest(sources: ["{site.url("/0.md")}"], idempotencyKey: "k") {{ ... on Job {{ id }} }} }}'

        theirs = (await rest.client.post("/graphql", json={"query": call})).json()["data"]["ingest"]
        ours = await rest.client.post(
            "/v1/jobs", json={"sources": [site.url("/0.md")]}, headers={"Idempotency-Key": "k"}
        )

        assert ours.json()["id"] == theirs["id"]

    @pytest.mark.parametrize(
        "body, field",
        [
            ({}, "sources"),
            ({"sources": ["https://example.org/a"] * 101}, "sources"),
            ({"sources": ["/etc/passwd"]}, "sources"),
            ({"sources": [f"upload:{NOWHERE}/x.md"]}, "sources"),
            ({"sources": ["file:///etc/passwd"]}, "sources"),
            ({"sources": ["https://example.org"], "collection": "No name"}, "collection"),
            ({"uploads": ["../../etc/passwd"]}, "uploads.0"),
            ({"sources": "https://example.org"}, "sources"),
        ],
    )
    async def test_what_cannot_be_brought_in_is_refused_and_nothing_is_opened(self, rest, body, field):
        assert_problem(await rest.client.post("/v1/jobs", json=body), 400, Code.BAD_USER_INPUT, field)
        assert await jobs.list_jobs(rest.database) == []

    async def test_a_job_is_cancelled_and_taken_up_again(self, rest, site):
        id = (await rest.opened(sources=[site.url("/0.md")]))["id"]

        for change in ("cancel", "retry"):
            assert_problem(await rest.client.post(f"/v1/jobs/{id[:4]}/{change}"), 404, Code.NOT_FOUND)
        assert (await rest.client.get(f"/v1/jobs/{id[:4]}")).json()["state"] == "queued"
        cancelled = (await rest.client.post(f"/v1/jobs/{id}/cancel")).json()
        n_meanwhile = await rest.work()
        retried = (await rest.client.post(f"/v1/jobs/{id}/retry")).json()

        assert (cancelled["state"], n_meanwhile, retried["state"]) == ("cancelled", 0, "queued")
        assert await rest.work() == 1
        for change in ("cancel", "retry"):
            assert_problem(await rest.client.post(f"/v1/jobs/elsewhere/{change}"), 404, Code.NOT_FOUND)

    async def test_progress_comes_as_events_until_the_job_is_done(self, rest, site):
        id = (await rest.opened(sources=[site.url("/0.md")]))["id"]

        working = asyncio.create_task(rest.work())
        response = await rest.client.get(f"/v1/jobs/{id}/progress")
        await working

        events = [event.split("\n") for event in response.text.strip().split("\n\n")]
        told = [json.loads(data.removeprefix("data: ")) for name, data in events if name == "event: job"]
        assert response.headers["content-type"].startswith("text/event-stream")
        assert [job["id"] for job in told] == [id] * len(told)
        assert (told[0]["progress"], told[-1]["state"], told[-1]["progress"]) == (0.0, "done", 1.0)
        assert_problem(await rest.client.get("/v1/jobs/elsewhere/progress"), 404, Code.NOT_FOUND)
        response = await rest.client.get(f"/v1/jobs/{id}/events")
        events = [event.split("\n") for event in response.text.strip().split("\n\n")]
        (task,) = [json.loads(data.removeprefix("data: ")) for name, data in events if name == "event: task"]
        assert {name for name, _ in events} == {"event: job", "event: task"}  # it was done a moment ago
        assert (task["state"], task["nEmbedded"], task["secondsLeft"]) == ("done", 0, None)
        assert_problem(await rest.client.get("/v1/jobs/elsewhere/events"), 404, Code.NOT_FOUND)

    @pytest.mark.slow
    async def test_a_paper_is_deleted_once_and_a_question_needs_to_be_there(self, rest, site):
        await rest.opened(sources=[site.url("/0.md")])
        await rest.work()
        (paper,) = (await rest.client.get("/v1/papers")).json()["data"]

        deleted = await rest.client.delete(f"/v1/papers/{paper['id']}")
        again = await rest.client.delete(f"/v1/papers/{paper['id']}")
        review = await rest.client.put(f"/v1/questions/{paper['id']}/review", json={"decision": "accepted"})

        assert deleted.json() == {"paperId": paper["id"], "keys": paper["keys"]}
        assert_problem(again, 404, Code.NOT_FOUND, "id")
        assert_problem(review, 404, Code.NOT_FOUND, "id")


class TestTaken:
    async def test_a_file_becomes_a_paper_that_tells_no_path_of_the_server(self, rest):
        data = paper("Brought over the network").encode()

        response = await rest.bring("my notes.md", data, "text/markdown")
        upload = response.json()
        job = await rest.opened(uploads=[upload["id"], upload["id"]])
        await rest.work()

        assert (response.status_code, response.headers["location"]) == (201, f"uploads/{upload['id']}")
        assert (upload["name"], upload["format"], upload["sizeBytes"]) == ("my notes.md", "markdown", len(data))
        (task,) = await rest.tasks(job["id"])
        (found,) = (await rest.client.get("/v1/papers")).json()["data"]
        named = f"upload:{upload['id']}/my notes.md"
        assert (task["state"], task["source"], task["key"]) == ("done", named, named)
        assert (found["title"], found["key"], found["sources"]) == ("Brought over the network", named, [named])
        assert str(rest.uploads.folder) not in json.dumps([job, task, found])
        by_key = await rest.client.get("/v1/papers/by-key", params={"key": named})
        assert by_key.json() == found

    async def test_graphql_takes_uploads_too(self, rest):
        id = await rest.brought("notes.md", paper("Notes").encode())
        call = f'mutation {{ ingest(uploads: ["{id}"]) {{ __typename ... on Job {{ sources }} }} }}'

        answer = (await rest.client.post("/graphql", json={"query": call})).json()["data"]["ingest"]

        assert answer == {"__typename": "Job", "sources": [f"upload:{id}/notes.md"]}
        assert await rest.work() == 1

    @pytest.mark.slow
    async def test_the_same_file_twice_is_one_paper(self, rest):
        data = paper("Twice").encode()
        ids = [await rest.brought(name, data) for name in ("a.md", "b.md")]

        await rest.opened(uploads=ids)
        await rest.work()

        (found,) = (await rest.client.get("/v1/papers")).json()["data"]
        assert len(found["sources"]) == 2

    async def test_it_lies_whole_on_the_disk_under_a_name_of_ours_that_nobody_else_reads(self, rest):
        data = paper("Whole").encode()
        id = await rest.brought("whole.md", data)

        described, place = rest.files()[1], rest.files()[0]
        assert (place.parent.name, place.name) == (owner_of(everything(LOCAL[0])), id[32:])
        assert place.read_bytes() == data
        assert "whole.md" in described.read_text()
        assert {path.stat().st_mode & 0o777 for path in rest.files()} == {0o600}
        assert place.parent.stat().st_mode & 0o077 == 0

    async def test_it_is_listed_read_and_deleted_by_its_owner(self, rest):
        ids = [await rest.brought(f"{number}.md", paper(f"Paper {number}").encode()) for number in range(3)]

        listed = (await rest.client.get("/v1/uploads")).json()["data"]
        one = (await rest.client.get(f"/v1/uploads/{ids[0]}")).json()
        deleted = await rest.client.delete(f"/v1/uploads/{ids[0]}")

        assert [upload["id"] for upload in listed] == ids[::-1]
        assert one == listed[-1]
        assert (deleted.status_code, deleted.content) == (204, b"")
        assert_problem(await rest.client.get(f"/v1/uploads/{ids[0]}"), 404, Code.NOT_FOUND)
        assert_problem(await rest.client.post("/v1/jobs", json={"uploads": ids}), 404, Code.NOT_FOUND, "uploads")
        assert len(rest.files()) == 4

    async def test_another_key_does_not_find_it(self, rest):
        made = [(await create_key(rest.database, name=name, scopes=[KeyScope.INGEST]))[1] for name in ("a", "b")]
        mine, theirs = ({"X-API-Key": key} for key in made)
        async with rest.client_with(ServerLimits(keys_required=True)) as client:
            files = {"file": ("notes.md", paper("Notes").encode())}
            id = (await client.post("/v1/uploads", files=files, headers=mine)).json()["id"]
            answers = [
                await client.get(f"/v1/uploads/{id}", headers=theirs),
                await client.delete(f"/v1/uploads/{id}", headers=theirs),
                await client.post("/v1/jobs", json={"uploads": [id]}, headers=theirs),
            ]
            listed = await client.get("/v1/uploads", headers=theirs)
            own = await client.post("/v1/jobs", json={"uploads": [id]}, headers=mine)

        for answer in answers:
            assert_problem(answer, 404, Code.NOT_FOUND)
        assert listed.json() == {"data": []}
        assert own.status_code == 202

    async def test_a_latex_file_takes_nothing_in_from_the_disk(self, rest, tmp_path):
        secret = tmp_path / "secret.tex"
        secret.write_text("The secret of the server.")
        text = (
            r"\documentclass{article}\title{Parts}\begin{document}\section{One}Some text that is long enough "
            rf"to be a paper. \input{{{secret}}} \input{{../../secret}} \include{{secret}} More of it.\end{{document}}"
        )

        id = await rest.brought("parts.tex", text.encode())
        job = await rest.opened(uploads=[id])
        await rest.work()

        (task,) = await rest.tasks(job["id"])
        assert task["state"] == "done", task
        (found,) = (await rest.client.get("/v1/papers")).json()["data"]
        chunks = (await rest.client.get(f"/v1/papers/{found['id']}/chunks")).json()["data"]
        assert "More of it" in json.dumps(chunks) and "secret of the server" not in json.dumps(chunks)

    async def test_a_bibliography_and_the_texts_of_one_job_become_papers_and_what_is_missing_is_told(self, rest):
        entries = "@article{a, title={Moons of the sea}, file={:x/p.md:MD}}\n@book{b, title={B}, file={q.pdf}}"
        ids = [await rest.brought("refs.bib", entries.encode()), await rest.brought("p.md", paper("Notes").encode())]
        estimate = (await rest.client.post("/v1/jobs/estimate", json={"uploads": ids})).json()
        job = await rest.opened(uploads=ids)
        await rest.work()

        papers = {one["title"]: one for one in (await rest.client.get("/v1/papers")).json()["data"]}
        warned = [task["warning"] for task in await rest.tasks(job["id"]) if task["warning"]]
        assert {one["title"]: one["file"] for one in estimate["documents"]} == {
            "Moons of the sea": "p.md", "B": None, "Notes": None,
        }  # fmt: skip
        assert papers.keys() == {"Moons of the sea", "B"}
        assert len(papers["Moons of the sea"]["sources"]) == 2
        assert warned == ["refs.bib, b: file q.pdf was not found."]
        assert (await rest.client.get(f"/v1/jobs/{job['id']}")).json()["nWarned"] == 1


def docx(*names: str) -> bytes:
    """Return a zip archive with empty files of these names."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return out.getvalue()


HTML = b"<!DOCTYPE html><html><body><p>Hello</p></body></html>"
POLYGLOT = b"%PDF-1.7\n%%EOF\n" + docx("[Content_Types].xml", "word/document.xml")
REFUSED: dict[str, tuple[str, bytes, str, int, str]] = {
    "nothing": ("a.pdf", b"", "", 400, "EMPTY"),
    "no ending": ("paper", b"text", "", 415, "UNSUPPORTED_TYPE"),
    "an ending that nobody takes": ("paper.exe", b"MZ", "", 415, "UNSUPPORTED_TYPE"),
    "records": ("papers.jsonl", b"{}", "", 415, "UNSUPPORTED_TYPE"),
    "a PDF called BibTeX": ("a.bib", b"%PDF-1.7\n", "", 415, "UNSUPPORTED_TYPE"),
    "text called zip": ("a.zip", b"text", "", 415, "UNSUPPORTED_TYPE"),
    "HTML called PDF": ("a.pdf", HTML, "", 415, "UNSUPPORTED_TYPE"),
    "PDF called HTML": ("a.html", b"%PDF-1.7\n", "", 415, "UNSUPPORTED_TYPE"),
    "PDF called text": ("a.txt", b"%PDF-1.7\n", "", 415, "UNSUPPORTED_TYPE"),
    "zip called PDF": ("a.pdf", docx("a"), "", 415, "UNSUPPORTED_TYPE"),
    "zip that is no docx": ("a.docx", docx("a"), "", 415, "UNSUPPORTED_TYPE"),
    "a torn docx": ("a.docx", docx("a")[:20], "", 400, "DAMAGED"),
    "gzip called LaTeX": ("a.tex", b"\x1f\x8b\x08", "", 415, "UNSUPPORTED_TYPE"),
    "text called gzip": ("a.gz", b"text", "", 415, "UNSUPPORTED_TYPE"),
    "text called XML": ("a.xml", b"text", "", 415, "UNSUPPORTED_TYPE"),
    "text called HTML": ("a.html", b"text", "", 415, "UNSUPPORTED_TYPE"),
    "an image called text": ("a.txt", b"\x89PNG\r\n\x1a\n\0\0", "", 400, "NOT_TEXT"),
    "a PDF and a zip at once": ("a.pdf", POLYGLOT, "", 415, "UNSUPPORTED_TYPE"),
    "a page and a PDF at once": ("a.html", HTML + b"%PDF-1.7", "", 415, "UNSUPPORTED_TYPE"),
    "declared as another": ("a.html", HTML, "application/pdf", 415, "UNSUPPORTED_TYPE"),
    "a path": ("../../x.pdf", b"%PDF-1.7\n", "", 400, "BAD_METADATA"),
    "a path of Windows": ("..\\..\\x.pdf", b"%PDF-1.7\n", "", 400, "BAD_METADATA"),
    "an absolute path": ("/etc/passwd.md", b"text", "", 400, "BAD_METADATA"),
    "a hidden file": (".md", b"text", "", 400, "BAD_METADATA"),
    "an end of line": ("a\u2028b.md", b"text", "", 400, "BAD_METADATA"),
    "a long name": ("a" * 200 + ".md", b"text", "", 400, "BAD_METADATA"),
    "too large": ("a.md", b"a" * 100_001, "", 413, "TOO_LARGE"),
}


class TestRefused:
    @pytest.mark.parametrize("what", REFUSED)
    async def test_what_is_not_taken_is_told_why_and_leaves_nothing(self, rest, what):
        name, data, media_type, status, reason = REFUSED[what]
        rest.uploads.allowance = Allowance(max_bytes=100_000)

        response = await rest.bring(name, data, media_type or "application/octet-stream")

        problem = assert_problem(response, status, Code.BAD_USER_INPUT, "file")
        assert problem["errors"][0]["reason"] == reason
        assert rest.files() == []

    @pytest.mark.parametrize(
        "content, media_type",
        [
            (b"", "application/json"),
            (b"x", "multipart/form-data"),
            (b"x", "multipart/form-data; boundary="),
            (b"x", "multipart/form-data; boundary=b"),
            (b"--b--\r\n", "multipart/form-data; boundary=b"),
            (
                b'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nvalue\r\n--b--\r\n',
                "multipart/form-data; boundary=b",
            ),
            (
                b'--b\r\nContent-Disposition: form-data; name="a"; filename="a.md"\r\n\r\nnot whole',
                "multipart/form-data; boundary=b",
            ),
            (
                b'--b\r\nContent-Disposition: form-data; name="a"; filename="a.md"\r\n\r\none\r\n'
                b'--b\r\nContent-Disposition: form-data; name="b"; filename="b.md"\r\n\r\ntwo\r\n--b--\r\n',
                "multipart/form-data; boundary=b",
            ),
            (b"--b\r\n" + b"X-A: " + b"a" * 100_000 + b"\r\n\r\n", "multipart/form-data; boundary=b"),
        ],
    )
    async def test_a_request_that_is_no_form_with_one_file_is_refused(self, rest, content, media_type):
        response = await rest.client.post("/v1/uploads", content=content, headers={"content-type": media_type})

        assert_problem(response, 415 if "json" in media_type else 400, Code.BAD_USER_INPUT, "file")
        assert rest.files() == []

    async def test_a_request_beyond_the_limit_is_refused_before_it_is_read(self, rest):
        rest.uploads.allowance = Allowance(max_bytes=1000)
        read = 0

        async def pieces() -> AsyncIterator[bytes]:
            nonlocal read
            for _ in range(1000):
                read += 1
                yield b"a" * 10_000

        async with rest.client_with(ServerLimits()) as client:
            announced = await client.post(
                "/v1/uploads", content=pieces(), headers={"content-length": "10000000", "content-type": "x/y"}
            )
        assert_problem(announced, 413, Code.BAD_USER_INPUT)
        assert read == 0
        large = await rest.bring("a.md", b"a" * 900_000)
        assert_problem(large, 413, Code.BAD_USER_INPUT, "file")

    @pytest.mark.slow
    async def test_more_than_may_wait_is_a_conflict_until_a_job_is_done_with_some(self, rest, monkeypatch):
        monkeypatch.setattr(ingest, "SETTLING", timedelta(0))
        rest.uploads.allowance = Allowance(max_bytes=10_000, waiting=2)
        ids = [await rest.brought(f"{number}.md", paper(f"Paper {number}").encode()) for number in range(2)]

        full = await rest.bring("more.md", b"text")
        await rest.opened(uploads=ids)
        still_full = await rest.bring("more.md", b"text")
        await rest.work()
        taken = await rest.bring("more.md", b"text")

        assert_problem(full, 409, Code.CONFLICT, "file")
        assert_problem(still_full, 409, Code.CONFLICT, "file")
        assert taken.status_code == 201
        left = {upload["id"] for upload in (await rest.client.get("/v1/uploads")).json()["data"]}
        assert left == {ids[1], taken.json()["id"]}

    async def test_more_bytes_than_may_wait_are_a_conflict(self, rest):
        rest.uploads.allowance = Allowance(max_bytes=1000, waiting_bytes=1500)
        await rest.brought("a.md", b"a" * 600)

        assert_problem(await rest.bring("b.md", b"b"), 409, Code.CONFLICT, "file")

    async def test_what_no_job_wants_is_deleted_when_its_time_has_come(self, rest, monkeypatch):
        waiting, wanted = [await rest.brought(f"{number}.md", b"text") for number in range(2)]
        await rest.opened(uploads=[wanted])
        rest.uploads.allowance = Allowance(kept=timedelta(0))
        monkeypatch.setattr(ingest, "SWEPT_EVERY_S", 0.0)
        torn = rest.uploads.folder / owner_of(everything(LOCAL[0])) / "torn.part"
        torn.touch()

        await rest.bring("more.exe", b"text")
        await rest.bring("more.md", b"\0")

        left = {upload["id"] for upload in (await rest.client.get("/v1/uploads")).json()["data"]}
        assert left == {wanted} and waiting not in left
        assert torn.exists()

    async def test_a_disk_that_takes_nothing_is_told_without_a_path(self, rest, caplog):
        rest.uploads.folder.parent.joinpath("uploads").write_text("in the way")

        response = await rest.bring("a.md", b"text")

        problem = assert_problem(response, 503, Code.UNAVAILABLE)
        assert str(rest.uploads.folder) not in problem["detail"]
        assert problem["requestId"] in caplog.text

    async def test_a_link_in_the_folder_is_not_followed(self, rest, tmp_path):
        id = await rest.brought("a.md", paper("A").encode())
        secret = tmp_path / "secret.md"
        secret.write_text(paper("The secret"))
        place = rest.files()[0]
        await rest.opened(uploads=[id])
        place.unlink()
        place.symlink_to(secret)

        await rest.work()

        (job,) = (await rest.client.get("/v1/jobs")).json()["data"]
        (task,) = await rest.tasks(job["id"])
        assert (task["state"], task["reason"]) == ("failed", "UNREADABLE")
        assert_problem(await rest.client.get(f"/v1/uploads/{id}"), 404, Code.NOT_FOUND)


def bombs() -> dict[str, tuple[bytes, set[str]]]:
    """Return files that are taken, since they are what they are called, with the reasons that ingestion may refuse."""
    whole = pdf(f"#text(16pt)[A whole paper]\n= One\n{prose(250)}")
    wanted = {
        "bomb",
        "too many pages",
        "pages in a circle",
        "encrypted 6",
        "a form that shows itself",
        "forms that double",
    }
    found = {
        f"{one.name}.pdf": (one.data, {reason.value for reason in one.reasons})
        for one in damaged_pdfs(whole, 20261122)
        if one.name in wanted
    }
    assert len(found) == len(wanted)
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 30))
    unpacked = io.BytesIO()
    with zipfile.ZipFile(unpacked, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", bytes(300_000_000))
    return found | {
        "ten thousand pages.pdf": (many_pages(10_000), {"TOO_LARGE"}),
        "a billion laughs.xml": (
            f'<!DOCTYPE article [<!ENTITY l0 "ha">{laughs}]><article>&l29;</article>'.encode(),
            {"DAMAGED"},
        ),
        "nested.html": (b"<html><body>" + b"<div>" * 100_000 + b"text", {"DAMAGED", "EMPTY"}),
        "a bomb.docx": (unpacked.getvalue(), {"TOO_LARGE", "MISSING_PROGRAM"}),
        "a bomb.gz": (gzip.compress(bytes(500_000_000), 1), {"TOO_LARGE", "DAMAGED"}),
    }


@pytest.mark.slow
async def test_what_would_blow_up_is_refused_with_its_reason_while_the_server_answers(rest):
    files = bombs()
    job = await rest.opened(uploads=[await rest.brought(name, data) for name, (data, _) in files.items()])

    working = asyncio.create_task(rest.work())
    alive = 0
    while not working.done():
        assert (await rest.client.get("/healthz")).status_code == 200
        alive += 1
        await asyncio.sleep(0.05)
    await working

    tasks = {task["source"].rpartition("/")[2]: task for task in await rest.tasks(job["id"])}
    assert alive > 10
    assert set(tasks) == set(files)
    for name, (_, reasons) in files.items():
        assert tasks[name]["state"] == "failed", tasks[name]
        assert tasks[name]["reason"] in reasons, tasks[name]


@pytest.mark.slow
def test_over_a_socket_a_refusal_is_heard_and_the_server_goes_on(server, database):
    for name, status in (("a.exe", 415), ("../a.md", 400), ("a.pdf", 415)):
        refused = server.client.post("/v1/uploads", files={"file": (name, b"a" * 8_000_000)})
        assert_problem(refused, status, Code.BAD_USER_INPUT, "file")
    large = server.client.post("/v1/uploads", files={"file": ("a.md", b"a" * 20_000_001)})
    taken = server.client.post("/v1/uploads", files={"file": ("a.md", b"a" * 20_000_000)})

    assert_problem(large, 413, Code.BAD_USER_INPUT, "file")
    assert (taken.status_code, taken.json()["sizeBytes"]) == (201, 20_000_000)
    assert server.client.delete(taken.url.join(taken.headers["location"])).status_code == 204
