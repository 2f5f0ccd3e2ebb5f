"""Evidence tables in the graph: runs, stale cells, values of people, changes between dates, and deletion."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
import pytest_asyncio

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import ConflictError, InputError, NotFoundError
from papergraph.ingest.doctor import examine
from papergraph.ingest.ingestor import Ingestor, delete
from papergraph.ingest.jobs import queue as jobs
from papergraph.ingest.jobs.model import JobKind, JobState
from papergraph.ingest.worker import work
from papergraph.language_model import LanguageModel
from papergraph.schema.checksum import graph_checksum
from papergraph.server.auth.access import KeyScope, Principal, everything
from papergraph.server.operations.tables import (
    CellAction,
    CellEdit,
    NewTable,
    TableCell,
    change_columns,
    column_reports,
    create_table,
    delete_table,
    diff_table,
    edit_cell,
    estimate_run,
    export_table,
    list_tables,
    read_rows,
    start_run,
)
from papergraph.server.tables.column import AnsweredBy, CellState, Column
from papergraph.server.tables.worker import Asked, run_job, work_on
from papergraph.statement import Statement
from tests.support.embedders import QuickEmbedder
from tests.support.fake_llm import FakeLLM
from tests.support.files import write
from tests.support.flat_settings import settings_of

TIDES = "# On tides\n\nThe tide rises twice a day at the coast. We measured a height of 4.5 m at noon.\n"
WAVES = "# On waves\n\nWaves are higher in winter than in summer, as all sailors know.\n"
HEIGHT = Column(name="height", question="Which height was measured?", type="number", unit="m")
SEASON = Column(name="season", question="Are waves higher in winter?", type="yes-no")
BY_HAND = Column(name="rating", question="How good is it?", answered_by=AnsweredBy.PERSON)
RETRACT = Statement("test/retract", "MATCH (p:Paper {title: $title}) SET p.editorialStatus = 'retracted'")
CUT_OFF = Statement("test/cut_off", "MATCH (:TableCell)-[link:CELL_OF]->(:Source) DELETE link")
COUNT = Statement("test/count", "MATCH (one:EvidenceTable|TableColumn|TableCell) RETURN count(one) AS n")
ME = everything()


@pytest_asyncio.fixture
async def ingestor(database: Database, embedder: Embedder, tmp_path: Path) -> Ingestor:
    write(tmp_path / "tides.md", TIDES)
    write(tmp_path / "waves.md", WAVES)
    made = Ingestor(database, QuickEmbedder(embedder))
    await made.ingest([tmp_path])
    await create_table(database, ME, NewTable(name="sea", columns=[HEIGHT, SEASON, BY_HAND]))
    return made


async def run(database: Database) -> tuple[JobState | None, int, int]:
    job, _ = await start_run(database, ME, "sea")
    return (JobState.DONE, 0, 0) if job is None else await run_job(database, job, to_the_end=True)


async def cells(database: Database) -> dict[tuple[str, str], TableCell]:
    rows = await read_rows(database, ME, "sea")
    return {(row.title, cell.column): cell for row in rows for cell in row.cells}


async def count(database: Database) -> int:
    (record,) = await database.read(COUNT)
    return int(record["n"])


async def test_a_run_fills_what_is_missing_and_only_that(database: Database, ingestor: Ingestor, tmp_path: Path):
    assert (await estimate_run(database, ME, "sea")).n_cells == 4
    assert await run(database) == (JobState.DONE, 2, 4)
    found = await cells(database)
    height = found["On tides", "height"].finding
    assert height is not None
    assert (height.value, height.number, height.quotes[0].text) == (
        "4.5 m",
        4.5,
        "We measured a height of 4.5 m at noon.",
    )
    season = found["On waves", "season"].finding
    assert season is not None
    assert season.value == "yes"
    missing = found["On waves", "height"].finding
    assert missing is not None
    assert missing.state is CellState.NOT_REPORTED
    assert missing.read is not None
    assert missing.read.missing
    assert found["On waves", "rating"].finding is None
    exported = await export_table(database, ME, "sea", "md")
    assert "4.5 m" in exported.content.decode()
    assert exported.name == "sea.md"
    with pytest.raises(InputError, match="no format"):
        await export_table(database, ME, "sea", "xls")
    assert await run(database) == (JobState.DONE, 0, 0)
    write(tmp_path / "tides.md", TIDES.replace("4.5", "5.5"))
    await ingestor.ingest([tmp_path])
    assert (await cells(database))["On tides", "height"].is_stale
    assert await run(database) == (JobState.DONE, 1, 2)
    after = (await cells(database))["On tides", "height"]
    assert after.finding is not None
    assert (after.finding.value, after.is_stale) == ("5.5 m", False)
    await change_columns(database, ME, "sea", [SEASON, Column(name="height", question="Which height?", unit="m")])
    assert (await estimate_run(database, ME, "sea")).n_cells == 2
    assert (await examine(database)).findings == ()


@pytest.mark.slow
async def test_a_persons_value_locks_a_cell_and_needs_a_quote_of_the_paper(database: Database, ingestor: Ingestor):
    await run(database)
    paper = next(row.paper_id for row in await read_rows(database, ME, "sea") if row.title == "On tides")
    edit = {"table": "sea", "paper": paper, "column": "height"}
    with pytest.raises(InputError, match="does not have the words"):
        await edit_cell(database, ME, CellEdit(**edit, value="9 m", quotes=["a height of 9 m"]))
    with pytest.raises(InputError, match="is no number"):
        await edit_cell(database, ME, CellEdit(**edit, value="tall"))
    with pytest.raises(InputError, match="needs a quote"):
        await edit_cell(database, ME, CellEdit(**edit | {"column": "rating"}, value="good"))
    with pytest.raises(InputError, match="in a passage"):
        await edit_cell(database, ME, CellEdit(**edit, value="9 m", quotes=["On tides"]))
    before = datetime.now(UTC)
    row = await edit_cell(database, ME, CellEdit(**edit, value="4.50 m", quotes=["a height of 4.5  m"]))
    cell = row.cells[0]
    assert cell.is_locked
    assert (cell.finding and cell.finding.value, cell.machine and cell.machine.value) == ("4.50 m", "4.5 m")
    assert (await run(database))[2] == 0
    (change,) = await diff_table(database, ME, "sea", before=before)
    assert (change.before, change.after, change.maker) == ("4.5 m", "4.50 m", "person")
    (report, *_) = await column_reports(database, ME, "sea")
    assert (report.n_locked, report.n_compared, report.n_agreed, report.agreement) == (1, 1, 0, 0.0)
    row = await edit_cell(database, ME, CellEdit(**edit, action=CellAction.ACCEPT))
    assert row.cells[0].finding is not None
    assert row.cells[0].finding.value == "4.5 m"
    row = await edit_cell(database, ME, CellEdit(**edit, action=CellAction.WITHDRAW))
    assert (row.cells[0].is_locked, row.cells[0].finding and row.cells[0].finding.maker) == (False, "rules 3")
    row = await edit_cell(database, ME, CellEdit(**edit, action=CellAction.REJECT))
    assert row.cells[0].finding is not None
    assert row.cells[0].finding.state is CellState.UNCHECKED


@pytest.mark.slow
@pytest.mark.writes_by_hand
async def test_cells_go_with_their_paper_and_table_and_a_retraction_flags_a_row(
    database: Database, ingestor: Ingestor, tmp_path: Path
):
    before = (await graph_checksum(database)).sha256
    await run(database)
    assert (await graph_checksum(database)).sha256 != before
    await database.run_alone(RETRACT, title="On waves")
    assert [row.editorial_status for row in await read_rows(database, ME, "sea")] == [None, "retracted"]
    assert await count(database) == 8
    await delete(database, [str(tmp_path / "waves.md")], collection="main")
    assert await count(database) == 6
    await database.run_alone(CUT_OFF)
    assert [(one.check, one.n) for one in (await examine(database)).findings] == [("cell_astray", 2)]
    await delete_table(database, ME, "sea")
    assert await count(database) == 0


@pytest.mark.slow
async def test_tables_of_forbidden_collections_are_not_found(database: Database, ingestor: Ingestor):
    other = Principal("other", frozenset(KeyScope), collections=("elsewhere",))
    with pytest.raises(NotFoundError):
        await read_rows(database, other, "sea", collection="main")
    with pytest.raises(NotFoundError):
        await list_tables(database, other, "main")
    with pytest.raises(ConflictError, match="has a table"):
        await create_table(database, ME, NewTable(name="sea", columns=[HEIGHT]))
    with pytest.raises(InputError, match="1 to 50 columns"):
        await change_columns(database, ME, "sea", [])
    with pytest.raises(InputError, match="Two columns"):
        await create_table(database, ME, NewTable(name="two", columns=[HEIGHT, HEIGHT]))
    tides = [row.paper_id for row in await read_rows(database, ME, "sea") if row.title == "On tides"]
    await create_table(database, ME, NewTable(name="one", columns=[HEIGHT], papers=tides))
    assert [row.title for row in await read_rows(database, ME, "one")] == ["On tides"]
    others = json.dumps({"not": {"papers": tides}})
    await create_table(database, ME, NewTable(name="others", columns=[HEIGHT], filter=others))
    assert [row.title for row in await read_rows(database, ME, "others")] == ["On waves"]
    with pytest.raises(InputError, match="no kinds of passages"):
        await create_table(database, ME, NewTable(name="rows", columns=[HEIGHT], filter='{"kinds": ["table"]}'))


@pytest.mark.slow
async def test_a_worker_runs_queued_tables_and_a_cancelled_run_stays_cancelled(database: Database, ingestor: Ingestor):
    job, _ = await start_run(database, ME, "sea")
    assert job is not None
    runners = {JobKind.TABLES: lambda job, is_over: work_on(database, job, is_over)}
    assert await work(ingestor, once=True, runners=runners) == 2
    assert (await jobs.find_job(database, job.id)).state is JobState.DONE
    await change_columns(database, ME, "sea", [Column(name="season", question="Are waves higher?")])
    second, _ = await start_run(database, ME, "sea")
    assert second is not None
    await jobs.cancel(database, second.id)
    assert await work(ingestor, once=True, runners=runners) == 0
    assert (await jobs.find_job(database, second.id)).state is JobState.CANCELLED


@pytest.mark.slow
async def test_a_model_fills_its_column_and_a_run_without_one_is_paused(
    database: Database, ingestor: Ingestor, tmp_path: Path
):
    asked = Column(name="rise", question="How often does the tide rise?", answered_by=AnsweredBy.MODEL)
    await create_table(database, ME, NewTable(name="model", columns=[asked]))
    assert (await estimate_run(database, ME, "model")).n_model_requests == 2
    job, _ = await start_run(database, ME, "model")
    assert job is not None
    assert (await run_job(database, job, to_the_end=True))[0] is JobState.PAUSED
    with FakeLLM() as llm:
        llm.otherwise('{"state": "value", "value": "twice a day", "quotes": ["The tide rises twice a day"]}')
        chosen = {"llm_url": llm.url, "llm_model": "scripted", "llm_attempts": 1, "cache": tmp_path / "cache"}
        async with LanguageModel.from_settings(settings_of(chosen)) as model:
            job, _ = await start_run(database, ME, "model")
            assert job is not None
            assert await run_job(database, job, to_the_end=True, asked=Asked(model)) == (JobState.DONE, 2, 2)
    found = {row.title: row.cells[0].finding for row in await read_rows(database, ME, "model")}
    tides, waves = found["On tides"], found["On waves"]
    assert tides is not None
    assert waves is not None
    assert (tides.value, tides.quotes[0].text) == ("twice a day", "The tide rises twice a day")
    assert (waves.state, waves.quotes) == (CellState.UNCHECKED, ())
    assert tides.maker.startswith("scripted, prompt ")
    assert (await start_run(database, ME, "model"))[0] is None
