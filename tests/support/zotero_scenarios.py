"""Scenarios of a library of Zotero that syncs follow: what happens there, and the state that papergraph then has.

Each row has its source: pages of zotero.org on the web API (``web``) and the local API (``local``), issues, or other
clients that describe what they saw (``seen``).
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from papergraph.ingest.fetch.zotero import Changes, Zotero, opened
from tests.support.defter import Mirror
from tests.support.fake_zotero import FakeZotero

SEA = [{"tag": "sea"}]


@dataclass
class World:
    """A library: A with a file, a note, a highlight and a tag in a collection, B without any, and a file alone.

    With a ``mirror``, papergraph syncs with that server, which gets the library before each sync.
    """

    server: FakeZotero
    home: Path
    mirror: Mirror | None = None

    def file(self, key: str, name: str) -> Path:
        path = self.home / "storage" / key / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {name}\n\nThe sea rises.\n")
        return path

    def build(self) -> None:
        server = self.server
        server.collect("C1", "Oceans")
        server.add("A", "Tides", DOI="10.1000/tides", tags=SEA, collections=["C1"])
        server.add("B", "Winds")
        server.attach("F1", self.file("F1", "tides.md"), parent="A")
        server.attach("F2", self.file("F2", "alone.md"))
        server.note("N1", "A", "<p>Read again</p>")
        server.annotate("H1", "F1", "The sea rises")

    @property
    def zotero(self) -> Zotero:
        return Zotero(self.server.url, "users/0") if self.mirror is None else self.mirror.zotero

    def sync(self, **options: Any) -> Changes:
        if self.mirror is not None:
            self.mirror.push(self.server)
        with opened(self.home, self.zotero, "main") as folder:
            return folder.update(**options)

    @property
    def state(self) -> tuple[str, str]:
        """Keys of items and files alone, and of tags, notes and highlights, that papergraph has."""
        own = self.mirror.own if self.mirror is not None else str
        with opened(self.home, self.zotero, "main") as folder:
            found = folder.shown_items, (one.key for one in folder.marks)
        items, marks = (" ".join(sorted(map(own, keys))) for keys in found)
        return items, marks

    def set(self, key: str, **fields: Any) -> None:
        self.server.items[key] |= fields


ALL, MARKS = "A B F2", "A oceans;A sea;H1;N1"

Act = Callable[[World], Any]

LOCAL_ONLY = {
    "a file is renamed",
    "a file is away",
    "a note has no item",
    "one path is bad",
    "Zotero is busy",
}
"""Scenarios of files on this machine, or that no server by others plays."""

# What happens between syncs, the number of syncs after it, then the items and marks that are there, and a change told.
SYNCS: list[tuple[str, str, Act, int, str, str, str]] = [
    ("nothing changes", "local", lambda w: None, 1, ALL, MARKS, ""),
    ("an item goes into the trash", "web", lambda w: w.server.trash.add("A"), 1, "B F2", "", "deleted Tides"),
    (
        "it is restored",
        "web",
        lambda w: (w.server.trash.add("A"), w.sync(), w.server.trash.clear()),
        1,
        ALL,
        MARKS,
        "added Tides",
    ),
    (
        "an item is absent once",
        "54yyyu/zotero-mcp#457",
        lambda w: w.server.items.pop("B"),
        1,
        ALL,
        MARKS,
        "absent Winds",
    ),
    (
        "an item is absent twice",
        "54yyyu/zotero-mcp#457",
        lambda w: w.server.items.pop("B"),
        2,
        "A F2",
        MARKS,
        "deleted Winds",
    ),
    ("an item is new", "web", lambda w: w.server.add("C", "Rain"), 1, "A B C F2", MARKS, "added Rain"),
    ("an item is renamed", "web", lambda w: w.set("B", title="Gales"), 1, ALL, MARKS, "changed Gales"),
    ("only its version changes", "54yyyu/zotero-mcp#457", lambda w: w.set("B", version=99), 1, ALL, MARKS, ""),
    ("two items have one DOI", "seen", lambda w: w.set("B", DOI="10.1000/tides"), 1, ALL, MARKS, "changed Winds"),
    (
        "two items are merged",
        "web",
        lambda w: (w.server.trash.add("B"), w.set("A", relations={"dc:replaces": "B"})),
        1,
        "A F2",
        MARKS,
        "deleted Winds",
    ),
    ("a collection is renamed", "web", lambda w: w.server.collect("C1", "Seas"), 1, ALL, "A sea;A seas;H1;N1", ""),
    (
        "a collection moves below another",
        "web",
        lambda w: (w.server.collect("C2", "Earth"), w.server.collect("C1", "Oceans", "C2")),
        1,
        ALL,
        "A earth/oceans;A sea;H1;N1",
        "",
    ),
    ("a collection is deleted", "web", lambda w: w.server.collections.clear(), 1, ALL, "A sea;H1;N1", ""),
    ("an item leaves a collection", "web", lambda w: w.set("A", collections=[]), 1, ALL, "A sea;H1;N1", ""),
    ("a tag is removed", "web", lambda w: w.set("A", tags=[]), 1, ALL, "A oceans;H1;N1", ""),
    (
        "a tag is the publisher's",
        "web",
        lambda w: w.set("A", tags=[{"tag": "sea", "type": 1}]),
        1,
        ALL,
        "A oceans;H1;N1",
        "changed Tides",
    ),
    ("a note is deleted", "web", lambda w: w.server.items.pop("N1"), 1, ALL, "A oceans;A sea;H1", ""),
    (
        "a note is papergraph's",
        "seen",
        lambda w: w.set("N1", tags=[{"tag": "papergraph"}]),
        1,
        ALL,
        "A oceans;A sea;H1",
        "",
    ),
    (
        "a highlight is papergraph's",
        "seen",
        lambda w: w.set("H1", tags=[{"tag": "papergraph"}]),
        1,
        ALL,
        "A oceans;A sea;N1",
        "",
    ),
    (
        "a highlight is a drawing",
        "web",
        lambda w: w.set("H1", annotationType="ink", annotationText=""),
        1,
        ALL,
        "A oceans;A sea;N1",
        "",
    ),
    ("a position is malformed", "web", lambda w: w.set("H1", annotationPosition="{"), 1, ALL, MARKS, ""),
    ("a note has no item", "web", lambda w: w.set("N1", parentItem="X"), 1, ALL, "A oceans;A sea;H1", ""),
    (
        "a file is renamed",
        "54yyyu/zotero-mcp#291",
        lambda w: w.server.files.update(F1=w.server.files["F1"].rename(w.home / "storage/F1/new.md")),
        1,
        ALL,
        MARKS,
        "changed Tides",
    ),
    ("a file is away", "seen", lambda w: w.server.files["F1"].unlink(), 1, ALL, MARKS, ""),
    (
        "a file never was there",
        "web",
        lambda w: w.server.attach("F3", w.home / "gone.pdf", parent="B"),
        1,
        ALL,
        MARKS,
        "missing_files Winds: gone.pdf",
    ),
    (
        "a file is no document",
        "54yyyu/zotero-mcp#265",
        lambda w: w.server.attach("F3", w.file("F3", "map.png"), parent="B"),
        1,
        ALL,
        MARKS,
        "",
    ),
    ("a file alone goes into the trash", "web", lambda w: w.server.trash.add("F2"), 1, "A B", MARKS, ""),
    ("one path is bad", "zotero/zotero#5007", lambda w: w.server.unreadable.add("B"), 3, ALL, MARKS, "absent Winds"),
    ("Zotero is busy", "web", lambda w: setattr(w.server, "n_busy", 3), 1, ALL, MARKS, ""),
    (
        "a proxy is set",
        "54yyyu/zotero-mcp#78",
        lambda w: os.environ.update(http_proxy="http://127.0.0.1:9"),
        1,
        ALL,
        MARKS,
        "",
    ),
]
