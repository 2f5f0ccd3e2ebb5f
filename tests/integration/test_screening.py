"""Screenings in a real graph: imports, duplicates, an order that learns, blind raters, exports, and deletion."""

import csv
import io
import json
from pathlib import Path

import pytest

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import ConflictError, InputError, NotFoundError
from papergraph.progress import silent
from papergraph.schema.checksum import graph_checksum
from papergraph.server.auth.access import KeyScope, Principal, everything
from papergraph.server.operations.ingest import Uploads
from papergraph.server.operations.screening import (
    Candidate,
    CandidateQuery,
    NewScreening,
    RecordDecision,
    create_screening,
    decide_record,
    delete_screening,
    list_screenings,
    read_candidates,
    read_status,
)
from papergraph.server.operations.screening_files import (
    embed_all,
    export_screening,
    find_record,
    import_papers,
    import_results,
    join_records,
    list_duplicates,
    prepare_papers,
)
from papergraph.server.screening.decisions import ScreeningStage, ScreeningState, ScreeningVerdict
from papergraph.statement import Statement
from tests.support.ingestion import ingest

TIDES = "Tides of the harbour number {} rise and fall"
PLANTS = "Roots of the barley plant number {} in dry soil"
COUNT = Statement("test/count", "MATCH (one:Screening|ScreeningRecord|ScreeningDecision) RETURN count(one) AS n")
ME = everything()
ANNA, BEN = (Principal(name, frozenset(KeyScope)) for name in ("anna", "ben"))


def ris(form: str, *numbers: int, doi: bool = True) -> bytes:
    entries = []
    for n in numbers:
        lines = ["TY  - JOUR", f"TI  - {form.format(n)}", "AU  - Moon, Ada", "PY  - 2020"]
        entries.append("\n".join([*lines, *([f"DO  - 10.1000/{form[:3].lower()}{n}"] if doi else []), "ER  - ", ""]))
    return "\n".join(entries).encode()


async def made(database: Database, *, raters: int = 1) -> None:
    await create_screening(database, ME, NewScreening(name="sea", reasons=("no sea", "old"), raters=raters))
    both = ris(TIDES, *range(6)) + b"\n" + ris(PLANTS, *range(6))
    await import_results(database, ME, "sea", source="PubMed", name="one.ris", data=both)


async def decide(database: Database, record: str, verdict: str, who: Principal = ME, **more: object) -> Candidate:
    wanted = RecordDecision(screening="sea", record=record, verdict=ScreeningVerdict(verdict), **more)  # type: ignore[arg-type]
    return await decide_record(database, who, wanted)


async def titles(database: Database, **more: object) -> list[str]:
    return [one.title for one in await read_candidates(database, ME, "sea", CandidateQuery(**more))]  # type: ignore[arg-type]


async def test_files_of_several_databases_give_a_ledger_and_duplicates_with_their_partners(database: Database):
    await made(database)
    second = await import_results(
        database, ME, "sea", source="Scopus", name="two.ris", data=ris(TIDES, 0, 1, 9, doi=False)
    )
    again = await import_results(
        database, ME, "sea", source="Scopus", name="x.ris", data=ris(TIDES, 0, 1, 9, doi=False)
    )
    (summary,) = await list_screenings(database, ME, None)
    pairs = await list_duplicates(database, ME, "sea")

    assert (second.n_new, second.n_duplicates, again.is_repeated) == (1, 2, True)
    assert [(one.source, one.n_records) for one in summary.imports] == [("PubMed", 12), ("Scopus", 3)]
    assert (summary.n_records, summary.n_duplicates) == (15, 2)
    assert {(one.title, one.source, one.kept_source, one.by) for one in pairs} == {
        (TIDES.format(n), "Scopus", "PubMed", "title") for n in (0, 1)
    }
    (candidate, *_) = [one for one in await read_candidates(database, ME, "sea") if one.title == TIDES.format(0)]
    assert candidate.sources == ("PubMed", "Scopus")
    paged = [
        one for after in (None, pairs[0].id) for one in await list_duplicates(database, ME, "sea", first=1, after=after)
    ]
    assert paged == pairs
    parted = await join_records(database, ME, "sea", record=pairs[0].id, kept=None)
    assert parted.n_duplicates == 1
    (possible,) = await list_duplicates(database, ME, "sea", possible=True)
    assert {possible.id, possible.kept_id} == {pairs[0].id, pairs[0].kept_id}
    joined = await join_records(database, ME, "sea", record=pairs[0].kept_id, kept=pairs[0].id)
    assert joined.n_duplicates == 2
    with pytest.raises(InputError, match="repeats none"):
        await join_records(database, ME, "sea", record=pairs[0].id, kept=pairs[0].kept_id)
    with pytest.raises(InputError, match="no records"):
        await import_results(database, ME, "sea", source="Web", name="none.csv", data=b"")
    with pytest.raises(ConflictError, match="has a screening"):
        await create_screening(database, ME, NewScreening(name="sea"))


async def test_the_order_learns_and_full_texts_follow_and_prisma_counts_them(
    database: Database, embedder: Embedder, tmp_path: Path
):
    await made(database)
    await embed_all(database, ME, embedder, "sea", collection="main", progress=silent)
    ids = {one.title: one.id for one in await read_candidates(database, ME, "sea")}
    tides, plants = ([ids[form.format(n)] for n in range(6)] for form in (TIDES, PLANTS))
    await decide(database, tides[0], "include")
    decided = await decide(database, plants[0], "exclude", reason="no sea")
    assert (decided.state, decided.reason) == (ScreeningState.EXCLUDED, "no sea")
    shown = await read_candidates(database, ME, "sea")
    assert [one.title[:5] for one in shown] == ["Tides"] * 5 + ["Roots"] * 5
    assert "+harbour" in shown[0].words
    page = await read_candidates(database, ME, "sea", CandidateQuery(first=2, after=shown[1].id))
    assert [one.id for one in page] == [one.id for one in shown[2:4]]
    with pytest.raises(InputError, match="no reason"):
        await decide(database, plants[1], "exclude", reason="dull")
    with pytest.raises(InputError, match="before its full text"):
        await decide(database, plants[1], "include", stage=ScreeningStage.TEXT)
    await decide(database, plants[1], "include")
    await decide(database, plants[1], "open")
    assert PLANTS.format(1) in await titles(database)
    await decide(database, tides[1], "include")
    await decide(database, tides[2], "include")
    await decide(database, tides[0], "include", stage=ScreeningStage.TEXT)
    await decide(database, tides[1], "exclude", stage=ScreeningStage.TEXT, reason="old")
    await decide(database, tides[2], "exclude", stage=ScreeningStage.TEXT, reason="not retrieved")
    status = await read_status(database, ME, "sea")
    flow = status.prisma
    assert (flow.n_records, flow.n_screened, flow.n_excluded, flow.n_sought) == (12, 4, 1, 3)
    assert (flow.n_not_retrieved, flow.n_assessed, flow.n_included, flow.n_waiting) == (1, 2, 1, 8)
    assert [(one.name, one.n) for one in flow.reasons] == [("old", 1)]
    assert [(one.n_decided, one.n_included) for one in status.stages[0].curve][-1] == (4, 3)

    table = await export_screening(database, ME, "sea", "csv")
    rows = {row["title"]: row for row in csv.DictReader(io.StringIO(table.content.decode()))}
    assert (len(rows), rows[TIDES.format(1)]["text reason"]) == (12, "old")
    assert [one["title"] for one in json.loads((await export_screening(database, ME, "sea", "json")).content)] == [
        TIDES.format(0)
    ]
    assert b"<svg" in (await export_screening(database, ME, "sea", "svg")).content
    upload, n, _ = await prepare_papers(database, Uploads(tmp_path), ME, "sea", stage=ScreeningStage.TEXT)
    assert (n, upload.name) == (1, "screening.json")
    assert await find_record(database, ME, "sea", tides[0][:12]) == tides[0]


async def test_raters_are_blind_until_both_decided_and_a_third_settles(database: Database):
    await made(database, raters=2)
    ids = {one.title: one.id for one in await read_candidates(database, ANNA, "sea")}
    tides = [ids[TIDES.format(n)] for n in range(6)]
    first = await decide(database, tides[0], "include", ANNA, note="secret")
    assert [one.note for one in first.decisions] == ["secret"]
    seen = {one.id: one for one in await read_candidates(database, BEN, "sea")}
    assert (seen[tides[0]].decisions, len(seen)) == ((), 12)
    assert tides[0] not in [one.id for one in await read_candidates(database, ANNA, "sea")]
    assert (await export_screening(database, BEN, "sea", "csv")).content.find(b"anna") == -1
    both = await decide(database, tides[0], "exclude", BEN)
    assert (both.state, len(both.decisions)) == (ScreeningState.CONFLICT, 2)
    with pytest.raises(ConflictError, match="raters have decided"):
        await decide(database, tides[0], "include", Principal("eve", frozenset(KeyScope)))
    with pytest.raises(InputError, match="account of your key"):
        await read_candidates(database, ANNA, "sea", CandidateQuery(rater="ben"))
    in_conflict = await read_candidates(database, BEN, "sea", CandidateQuery(state=ScreeningState.CONFLICT))
    assert [one.id for one in in_conflict] == [tides[0]]
    settled = await decide(database, tides[0], "include", ANNA, resolves=True)
    assert settled.state is ScreeningState.INCLUDED
    for who in (ANNA, BEN):
        await decide(database, tides[1], "exclude", who)
    (abstract, _) = (await read_status(database, ANNA, "sea")).stages
    assert abstract.agreement is not None
    assert (abstract.agreement.n, abstract.agreement.n_agreed, abstract.n_mine) == (2, 1, 10)


@pytest.mark.slow
async def test_a_screening_is_of_its_collection_in_the_checksum_and_deleted_whole(
    database: Database, embedder: Embedder, tmp_path: Path
):
    (tmp_path / "one.md").write_text(f"---\ndoi: 10.1000/tid1\n---\n\n# {TIDES.format(1)}\n\nThey rise twice a day.\n")
    await ingest(database, embedder, [tmp_path / "one.md"])
    before = (await graph_checksum(database)).sha256
    await made(database)
    made_of = await import_papers(database, ME, "sea")
    assert (made_of.n_new, made_of.n_duplicates, made_of.file.source) == (0, 1, "collection")
    imported = (await graph_checksum(database)).sha256
    assert imported != before
    (candidate,) = [one for one in await read_candidates(database, ME, "sea") if one.title == TIDES.format(1)]
    assert candidate.paper_id is not None
    await embed_all(database, ME, embedder, "sea", collection="main", progress=silent)
    assert (await graph_checksum(database)).sha256 == imported
    other = Principal("other", frozenset(KeyScope), collections=("elsewhere",))
    with pytest.raises(NotFoundError):
        await read_status(database, other, "sea", collection="main")
    await delete_screening(database, ME, "sea")
    (record,) = await database.read(COUNT)
    assert record["n"] == 0
    assert (await graph_checksum(database)).sha256 == before
