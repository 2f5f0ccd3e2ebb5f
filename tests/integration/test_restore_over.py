"""A snapshot takes the place of what a store holds, or the store stays as it was."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import ArchiveError, ConflictError, SchemaError
from papergraph.ingest.graph.writer import hold_model
from papergraph.progress import silent
from papergraph.schema.archive import restore as restore_module
from papergraph.schema.archive.backup import back_up
from papergraph.schema.archive.manifest import Manifest, manifest_paths
from papergraph.schema.archive.objects import Objects
from papergraph.schema.archive.restore import RestoreState, restore_archive, restore_over
from papergraph.schema.checksum import graph_checksum
from papergraph.schema.fulltext import switch_analyzer
from papergraph.schema.migrate import analyzer_of, prepare
from papergraph.server.local.backup_operations import faults_of, replace_store
from papergraph.statement import Statement
from papergraph.store import Address
from tests.support.cut_off import CutOff
from tests.support.ingestion import ingest, paper

pytestmark = [pytest.mark.slow, pytest.mark.stores]
KEY = Statement("test/key", "CREATE (key:ApiKey {id: 'k1', name: 'a key', hash: 'x'})")
KEYS = Statement("test/keys", "MATCH (key:ApiKey) RETURN key.id AS id")


async def nothing(database: Database) -> list[str]:
    return []


async def something(database: Database) -> list[str]:
    return ["a fault"]


@pytest_asyncio.fixture
async def taken(database: Database, embedder: Embedder, tmp_path: Path) -> AsyncIterator[Manifest]:
    """A snapshot of one paper in ``a``, of a store that now holds another one."""
    for name in ("one", "two"):
        (tmp_path / f"{name}.md").write_text(paper(f"Paper {name}", authors="Ada Byron"))
    await ingest(database, embedder, [tmp_path / "one.md"])
    done = await back_up(database, tmp_path / "a")
    await ingest(database, embedder, [tmp_path / "two.md"])
    yield done.manifest
    await database.run_alone(Statement("test/no_keys", "MATCH (key:ApiKey) DELETE key"))


async def over(database: Database, folder: Path, manifest: Manifest, examine: restore_module.Examine = nothing):
    return await restore_over(database, folder / "a", manifest, folder / "points", examine=examine)


async def root_of(database: Database) -> str:
    return (await back_up(database, None)).manifest.root


@pytest.mark.writes_by_hand
async def test_a_snapshot_takes_the_place_of_what_is_there_and_back(
    database: Database, taken: Manifest, tmp_path: Path
):
    await database.run_alone(KEY)
    await switch_analyzer(database, "german", progress=silent)
    before = await graph_checksum(database)

    point = await over(database, tmp_path, taken)

    assert await root_of(database) == taken.root
    assert await analyzer_of(database) == "english"
    assert [record["id"] for record in await database.read(KEYS)] == ["k1"]
    assert (await RestoreState.of(database)).root is None
    assert point is not None
    await restore_over(database, tmp_path / "points", Manifest.read(point), tmp_path / "points", examine=nothing)
    assert (await graph_checksum(database)).same_graph(before)
    assert await analyzer_of(database) == "german"
    await switch_analyzer(database, "english", progress=silent)


async def test_a_store_stays_as_it_was_if_the_examination_finds_a_fault(
    database: Database, taken: Manifest, tmp_path: Path
):
    before = await graph_checksum(database)

    with pytest.raises(ArchiveError, match="the store is again as it was: a fault"):
        await over(database, tmp_path, taken, something)

    assert (await graph_checksum(database)).same_graph(before)
    assert (await RestoreState.of(database)).root is None


async def test_a_store_stays_as_it_was_if_the_schema_is_not_as_it_should_be(
    database: Database, taken: Manifest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async def drifting(database, folder, manifest, done, *, progress):
        if manifest.root == taken.root:
            raise SchemaError.drift(("index paper_embedding is missing",))
        await write(database, folder, manifest, done, progress=progress)

    write, before = restore_module.write_snapshot, await root_of(database)
    monkeypatch.setattr(restore_module, "write_snapshot", drifting)

    with pytest.raises(ArchiveError, match=r"again as it was: The schema .*\n.*paper_embedding is missing"):
        await over(database, tmp_path, taken)

    assert await root_of(database) == before
    assert (await RestoreState.of(database)).root is None


async def test_a_store_stays_as_it_was_if_probes_find_less(
    database: Database, taken: Manifest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async def less(*given):
        return ["a search finds less"]

    assert all(probe.hits for probe in taken.probes if probe.kind == "vector")
    before = await root_of(database)
    failed_probes = restore_module.failed_probes
    monkeypatch.setattr(restore_module, "failed_probes", lambda on, probes: less() if probes else failed_probes(on, ()))

    with pytest.raises(ArchiveError, match="a search finds less"):
        await over(database, tmp_path, taken)

    assert await root_of(database) == before


async def test_nothing_is_touched_if_the_snapshot_is_damaged(database: Database, taken: Manifest, tmp_path: Path):
    before = await database.state()
    Objects(tmp_path / "a").path(taken.entries[0].lines).write_bytes(b"other")

    with pytest.raises(ArchiveError, match="store was not changed"):
        await over(database, tmp_path, taken)

    assert await database.state() == before
    assert not (tmp_path / "points").exists()


@pytest.mark.parametrize("fault", [None, "a fault"])
async def test_a_call_that_is_cut_off_anywhere_goes_on_when_it_is_repeated(
    database: Database,
    embedder: Embedder,
    taken: Manifest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fault: str | None,
):
    before, transact, cut = await root_of(database), database.transact, CutOff(database, monkeypatch)

    async def examine(database: Database) -> list[str]:
        return [fault] if fault else []

    expected, n_cut = (before if fault else taken.root), 0
    for number in range(1, 400):
        cut.n_left = 7 * number
        try:
            await over(database, tmp_path, taken, examine)
            assert fault is None
            break
        except EOFError:
            n_cut += 1
            state = await RestoreState.of(database)
            if state.root is not None:
                with pytest.raises(SchemaError):
                    await prepare(database, embedder.card)
                with pytest.raises(SchemaError):
                    await transact("test", hold_model)
                with pytest.raises(ConflictError, match="--over"):
                    await restore_archive(database, tmp_path / "a", taken)
        except ArchiveError as error:
            assert fault is not None and "again as it was" in str(error)
            break
    assert n_cut > 3
    cut.n_left = 0
    assert await root_of(database) == expected
    assert (await RestoreState.of(database)).root is None


async def test_what_is_committed_after_the_restore_point_is_in_the_next_one(
    database: Database, taken: Manifest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    verify, n_changes = restore_module.verify, 0

    def changing(folder, manifest, *, progress):
        nonlocal n_changes
        found = verify(folder, manifest, progress=progress)
        if folder.name == "points" and n_changes < most:
            n_changes += 1
            with database_driver(database) as session:
                session.run("MERGE (review:Review {id: 'r1'}) SET review.text = randomUUID()").consume()
        return found

    monkeypatch.setattr(restore_module, "verify", changing)
    most = 10
    with pytest.raises(ConflictError, match="changed all the time"):
        await over(database, tmp_path, taken)
    assert (await RestoreState.of(database)).root is None
    n_changes, most = 0, 1
    point = await over(database, tmp_path, taken)

    assert point is not None and any(entry.name == "Review r1" for entry in Manifest.read(point).entries)
    assert await root_of(database) == taken.root


def database_driver(database: Database):
    from neo4j import GraphDatabase

    login = database.login
    assert login is not None
    return GraphDatabase.driver(login.uri, auth=(login.user, login.password)).session()


async def test_another_snapshot_is_refused_and_the_restore_point_is_the_way_back(
    database: Database, taken: Manifest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    before = await graph_checksum(database)
    other = (await back_up(database, tmp_path / "b")).manifest
    write = restore_module.write_part

    async def cut_off(*given):
        raise EOFError

    monkeypatch.setattr(restore_module, "write_part", cut_off)
    with pytest.raises(EOFError):
        await over(database, tmp_path, taken)
    monkeypatch.setattr(restore_module, "write_part", write)
    (path,) = manifest_paths(tmp_path / "points")
    point = Manifest.read(path)
    if other.root != point.root:
        with pytest.raises(ConflictError, match="another snapshot"):
            await restore_over(database, tmp_path / "b", other, tmp_path / "points", examine=nothing)

    await restore_over(database, tmp_path / "points", point, tmp_path / "points", examine=something)

    assert (await graph_checksum(database)).same_graph(before)


async def test_a_store_that_was_never_used_needs_no_restore_point(
    database: Database, embedder: Embedder, taken: Manifest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    shutil.rmtree(tmp_path / "points", ignore_errors=True)
    await database.run_alone(Statement("test/all", "MATCH (n) WHERE NOT n:SchemaVersion DETACH DELETE n"))

    assert await over(database, tmp_path, taken) is None
    assert await root_of(database) == taken.root


async def test_a_repeated_command_takes_the_snapshot_that_it_began_with(
    database: Database, taken: Manifest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    login = database.login
    assert login is not None
    address = Address(login.uri, login.user, login.password, login.database, 30.0)
    write = restore_module.write_part

    async def cut_off(*given):
        raise EOFError

    monkeypatch.setattr(restore_module, "write_part", cut_off)
    with pytest.raises(EOFError):
        await replace_store(address, tmp_path / "a", taken.root, tmp_path / "points", progress=silent)
    monkeypatch.setattr(restore_module, "write_part", write)
    shutil.copytree(tmp_path / "points", tmp_path / "a", dirs_exist_ok=True)
    assert Manifest.read(manifest_paths(tmp_path / "a")[-1]).root != taken.root

    manifest, point = await replace_store(address, tmp_path / "a", None, tmp_path / "points", progress=silent)

    assert (manifest.root, await root_of(database)) == (taken.root, taken.root)
    assert point is not None and await faults_of(database) == []
