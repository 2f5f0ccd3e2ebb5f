"""Random operations on a library by three sessions at once, beside a model: nothing is lost or doubled."""

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import pytest

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import ConflictError, NotFoundError
from papergraph.schema.archive.backup import back_up
from papergraph.schema.archive.manifest import Manifest
from papergraph.schema.archive.restore import restore_archive
from papergraph.server.auth.access import KeyScope, Principal
from papergraph.server.operations.annotations import (
    AnnotationChange,
    NewAnnotation,
    annotate,
    change_annotation,
    delete_annotations,
    list_annotations,
)
from papergraph.server.operations.changes import delete_paper
from papergraph.server.operations.collections import create_collection
from papergraph.server.operations.papers import copy_papers
from papergraph.server.papers.annotations import Annotation, AnnotationKind, AnnotationQuery
from tests.support.ingestion import empty, ingest, paper, papers_of

N_OPERATIONS, N_SESSIONS, N_PAPERS = 200, 3, 5
QUOTE = "We look at it."
COLLECTIONS = ("main", "other")
PERSON = Principal(
    "walker01", frozenset({KeyScope.READ, KeyScope.ASK, KeyScope.INGEST}), COLLECTIONS, account="walker01"
)
"""One person with three browsers: conflicts are between its own windows."""

Said = Counter[tuple[str, str, str]]
"""Collection with title, kind and text of each annotation."""


class Walk:
    """The library, and what it has to hold."""

    def __init__(self, database: Database, embedder: Embedder, folder: Path, seed: int) -> None:
        self.database, self.embedder, self.folder = database, embedder, folder
        self.draw = random.Random(seed)  # noqa: S311 no secret
        self.where = {f"Study number {number}": "main" for number in range(N_PAPERS)}
        self.said: Said = Counter()
        self.done: Counter[str] = Counter()

    def file(self, title: str) -> Path:
        return self.folder / f"{title.split()[-1]}.md"

    async def bring(self, title: str, version: int = 0) -> None:
        """Ingest a paper, or another version of it, into its collection."""
        self.file(title).write_text(
            paper(title, body=f"Version {version}.\n\n## Method\n\n{QUOTE}\n\n## Result\n\nIt is.")
        )
        await ingest(self.database, self.embedder, [self.file(title)], collection=self.where[title])

    async def id_of(self, title: str) -> str:
        (found,) = [one for one in await papers_of(self.database, collection=self.where[title]) if one.title == title]
        return found.id

    async def annotations(self, collection: str) -> list[Annotation]:
        return await list_annotations(self.database, PERSON, AnnotationQuery(collection), first=1000)

    async def check(self) -> None:
        """Compare papers and annotations with the model."""
        stored: Said = Counter()
        for collection in COLLECTIONS:
            papers = {one.id: one.title for one in await papers_of(self.database, collection=collection)}
            assert sorted(papers.values()) == sorted(title for title, at in self.where.items() if at == collection)
            for one in await self.annotations(collection):
                stored[f"{collection}: {papers[one.paper_id]}", one.kind.value, one.text] += 1
        assert stored == self.said

    def key(self, title: str, kind: str, text: str) -> tuple[str, str, str]:
        return f"{self.where[title]}: {title}", kind, text

    async def add_all(self, titles: Sequence[str], number: int) -> None:
        """Each session adds a note or a highlight; all add the same tag to the same paper."""
        kinds = [self.draw.choice(["note", "highlight"]) for _ in titles]
        wanted = [
            (title, kind, f"remark {number}.{i}") for i, (title, kind) in enumerate(zip(titles, kinds, strict=True))
        ]
        tag = (titles[0], "tag", f"tag {number % 7}")
        await asyncio.gather(*(self._add(*one) for one in [*wanted, *[tag] * N_SESSIONS]))
        self.said.update(self.key(*one) for one in wanted)
        self.said[self.key(*tag)] = 1
        self.done["add"] += N_SESSIONS + 1

    async def _add(self, title: str, kind: str, text: str) -> None:
        quote = QUOTE if kind == "highlight" else ""
        shared = text.endswith("1")
        wanted = NewAnnotation(
            papers=[await self.id_of(title)], kind=AnnotationKind(kind), text=text, quote=quote, shared=shared
        )
        await annotate(self.database, PERSON, wanted)

    async def change_at_once(self, number: int) -> None:
        """All sessions change one annotation that all have read: one change is stored, the others are conflicts."""
        found = [one for at in COLLECTIONS for one in await self.annotations(at) if one.kind is AnnotationKind.NOTE]
        if not found:
            return
        one = self.draw.choice(found)
        texts = [f"changed {number}.{session}" for session in range(N_SESSIONS)]
        results = await asyncio.gather(*(self._change(one.id, text, one.changed_at) for text in texts))
        assert sorted(results) == ["conflict"] * (N_SESSIONS - 1) + ["stored"]
        self._replace(one.text, texts[results.index("stored")])
        self.done["change"] += N_SESSIONS
        self.done["conflict"] += N_SESSIONS - 1

    async def _change(self, id: str, text: str, seen: datetime) -> str:
        try:
            await change_annotation(self.database, PERSON, id, AnnotationChange(text=text, seen=seen))
        except ConflictError:
            return "conflict"
        except NotFoundError:
            return "missing"
        return "stored"

    def _replace(self, old: str, new: str | None) -> None:
        (key,) = [one for one in self.said if one[2] == old]
        del self.said[key]
        if new is not None:
            self.said[key[0], key[1], new] = 1

    async def delete_while_changed(self, number: int) -> None:
        """One session deletes a note while another changes it: it is gone, whoever comes first."""
        found = [one for at in COLLECTIONS for one in await self.annotations(at) if one.kind is AnnotationKind.NOTE]
        if not found:
            return
        one = self.draw.choice(found)
        await asyncio.gather(
            delete_annotations(self.database, PERSON, [one.id]),
            self._change(one.id, f"late {number}", one.changed_at),
        )
        self._replace(one.text, None)
        self.done["delete"] += 2

    async def move(self, title: str) -> None:
        """Move a paper to the other collection, by copying and deleting it."""
        source, target = self.where[title], next(one for one in COLLECTIONS if one != self.where[title])
        id = await self.id_of(title)
        await copy_papers(self.database, [id], from_collection=source, to_collection=target, principal=PERSON)
        await delete_paper(self.database, id, collections=COLLECTIONS, originals=None)
        self.where[title] = target
        moved = {key: n for key, n in self.said.items() if key[0] == f"{source}: {title}"}
        for key, n in moved.items():
            del self.said[key]
            self.said[self.key(title, *key[1:])] += n
        self.done["move"] += 1

    async def delete(self, title: str) -> None:
        """Delete a paper with all that it has, and add it again."""
        await delete_paper(self.database, await self.id_of(title), collections=COLLECTIONS, originals=None)
        for key in [key for key in self.said if key[0] == f"{self.where[title]}: {title}"]:
            del self.said[key]
        await self.bring(title)
        self.done["delete"] += 1

    async def restore(self, number: int) -> None:
        """Back the store up, empty it and restore it."""
        made = await back_up(self.database, self.folder / f"archive-{number}")
        assert made.path is not None
        await empty(self.database)
        await restore_archive(self.database, self.folder / f"archive-{number}", Manifest.read(made.path))
        self.done["restore"] += 1


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1])
async def test_200_operations_of_three_sessions_lose_and_double_nothing(
    database: Database, embedder: Embedder, tmp_path: Path, seed: int
):
    walk = Walk(database, embedder, tmp_path, seed)
    await create_collection(database, "other")
    for title in walk.where:
        await walk.bring(title)

    for number in range(1, 10 * N_OPERATIONS):
        titles = walk.draw.sample(sorted(walk.where), N_SESSIONS)
        match walk.draw.choices(["add", "change", "race", "again", "move", "delete"], [6, 4, 2, 2, 1.5, 0.5])[0]:
            case "add":
                await walk.add_all(titles, number)
            case "change":
                await walk.change_at_once(number)
            case "race":
                await walk.delete_while_changed(number)
            case "again":
                await walk.bring(titles[0], number)
                walk.done["ingest"] += 1
            case "move":
                await walk.move(titles[0])
            case "delete":
                await walk.delete(titles[0])
        if number % 25 == 0:
            await walk.restore(number)
        await walk.check()
        if walk.done.total() >= N_OPERATIONS:
            break

    assert walk.done.total() >= N_OPERATIONS
    assert {"add", "change", "conflict", "delete", "ingest", "move", "restore"} <= walk.done.keys(), walk.done
