"""A service that reads PDFs, played over a real socket: it answers what it is told to, slowly if it is told to."""

import json
import threading
import time
from email.message import Message
from email.parser import BytesParser
from io import BufferedIOBase
from typing import Any

from tests.support.local_server import LocalServer, QuietHandler


def text(number: int, label: str, words: str, page: int = 1, **more: Any) -> dict[str, Any]:
    ref = f"#/texts/{number}"
    return {"self_ref": ref, "label": label, "text": words, "prov": [{"page_no": page}], "children": [], **more}


def refs(*names: str) -> list[dict[str, str]]:
    return [{"$ref": f"#/{name}"} for name in names]


def cell(words: str, row: int, column: int, columns: int = 1) -> dict[str, Any]:
    place = {"start_row_offset_idx": row, "start_col_offset_idx": column, "row_span": 1, "col_span": columns}
    return {"text": words, **place}


DOCLING: dict[str, Any] = {
    "schema_name": "DoclingDocument",
    "body": {
        "self_ref": "#/body",
        "children": refs(
            *("texts/0", "texts/1", "texts/2", "texts/3", "texts/4", "groups/0", "texts/7", "groups/1", "texts/10"),
            *("tables/0", "pictures/0", "texts/13"),
        ),
    },
    "texts": [
        text(0, "page_header", "Journal of Seas, doi:10.1000/Seas.7.", content_layer="furniture"),
        text(1, "title", "On tides"),
        text(2, "section_header", "Abstract", level=1),
        text(3, "text", "We study\ntides."),
        text(4, "section_header", "1 Method", level=1),
        text(5, "list_item", "one", children=refs("texts/6")),
        text(6, "list_item", "below one"),
        text(7, "formula", "E = mc^2", page=2),
        text(8, "text", "Of", page=2),
        text(9, "formula", "x^2", page=2),
        text(10, "caption", "Table 1. Heights.", page=2),
        text(11, "caption", "Fig. 2: A wave.", page=2),
        text(12, "footnote", "In metres.", page=2),
        text(13, "page_footer", "2", page=2),
    ],
    "groups": [
        {"self_ref": "#/groups/0", "label": "list", "children": refs("texts/5")},
        {"self_ref": "#/groups/1", "label": "inline", "children": refs("texts/8", "texts/9")},
    ],
    "tables": [
        {
            "self_ref": "#/tables/0",
            "label": "table",
            "prov": [{"page_no": 2}],
            "captions": refs("texts/10"),
            "footnotes": refs("texts/12"),
            "data": {
                "num_rows": 2,
                "num_cols": 2,
                "table_cells": [cell("Sea", 0, 0, 2), cell("North", 1, 0), cell("1|2", 1, 1)],
            },
        }
    ],
    "pictures": [{"self_ref": "#/pictures/0", "label": "picture", "captions": refs("texts/11"), "footnotes": []}],
    "pages": {"1": {}, "2": {}},
}


def success(content: Any) -> dict[str, Any]:
    """docling-serve's answer with a document."""
    return {"document": {"json_content": content}, "status": "success", "errors": []}


class Double(LocalServer):
    """Answers requests in turn, the last answer for all that follow; an answer may come in slow drops."""

    def __init__(self) -> None:
        self.answers: list[tuple[int, bytes]] = []
        self.drop_s = 0.0
        self.never_begins = False
        self.paths: list[str] = []
        self.forms: list[Message] = []
        self._closed = threading.Event()
        super().__init__(self._handler())
        self.url = self.address

    def __exit__(self, *error: Any) -> None:
        self._closed.set()
        super().__exit__(*error)

    def answer(self, body: Any, status: int = 200) -> None:
        self.answers.append((status, body if isinstance(body, bytes) else json.dumps(body).encode()))

    def drip(self, out: BufferedIOBase) -> None:
        """Send headers without end, a little at a time."""
        try:
            out.write(b"HTTP/1.0 200 OK\r\nX-Drip: ")
            while not self._closed.wait(0.05):
                out.write(b"a")
        except OSError:
            return

    def fields(self) -> dict[str, str]:
        """The fields of the last form; of files their names."""
        fields = {}
        for part in self.forms[-1].get_payload():
            assert isinstance(part, Message)
            name = part.get_param("name", header="content-disposition")
            fields[str(name)] = part.get_filename() or str(part.get_payload())
        return fields

    def _handler(double) -> type[QuietHandler]:  # noqa: N805
        class Handler(QuietHandler):
            protocol_version = "HTTP/1.0"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                head = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
                double.paths.append(self.path)
                double.forms.append(BytesParser().parsebytes(head + body))
                status, answer = double.answers[0] if len(double.answers) == 1 else double.answers.pop(0)
                if double.never_begins:
                    double.drip(self.wfile)
                    return
                self.send_response(status)
                if status == 302:
                    self.send_header("Location", "http://127.0.0.1:1/elsewhere")
                self.end_headers()
                try:
                    for start in range(0, len(answer), 20 if double.drop_s else len(answer) or 1):
                        self.wfile.write(answer[start : start + (20 if double.drop_s else len(answer))])
                        time.sleep(double.drop_s)
                except OSError:
                    return  # the client has had enough

        return Handler
