"""``papergraph screening``: systematic reviews of search results."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from papergraph.cli.common import (
    DEFAULT_COLLECTION,
    EXIT_NOTHING_FOUND,
    Collection,
    Json,
    Quiet,
    Yes,
    confirm,
    progress,
    say,
    settings,
    show,
    with_database,
    write,
    write_json,
    write_records,
)
from papergraph.cli.groups import Group, Section, new_app
from papergraph.errors import InputError

if TYPE_CHECKING:
    from papergraph.server.operations.screening import Candidate, ScreeningStatus, StageCounts

Name = Annotated[str, typer.Argument(help="Name or id of a screening.")]
RecordId = Annotated[str, typer.Argument(help="Id of a record, or its beginning.")]
RaterName = Annotated[str | None, typer.Option("--rater", help="Name of the rater, if there are two.")]
StageName = Annotated[str, typer.Option("--stage", help="abstract, or text for full texts.")]

app = new_app("Screen search results for a systematic review.")


@app.command("create", epilog="Example: papergraph screening create trials --reason 'no trial' --raters 2")
def create(
    name: Annotated[str, typer.Argument(help="Name, unique in the collection.")],
    reason: Annotated[list[str] | None, typer.Option(help="Reason of exclusion; repeatable, first counts.")] = None,
    raters: Annotated[int, typer.Option(help="People who decide each record.", min=1, max=2)] = 1,
    collection: Collection = DEFAULT_COLLECTION,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Create a screening."""
    from papergraph.server.auth.access import everything
    from papergraph.server.operations.screening import NewScreening, create_screening

    wanted = NewScreening(name=name, reasons=tuple(reason or ()), raters=raters, collection=collection)
    made = with_database(lambda one: create_screening(one, everything(), wanted), quiet=quiet or as_json)
    show(made, lambda one: write(f"{one.name}: {one.id}"), as_json=as_json)


@app.command("import", epilog="Example: papergraph screening import trials --source PubMed pubmed.nbib")
def import_(
    name: Name,
    files: Annotated[list[Path] | None, typer.Argument(help="RIS, NBIB, EndNote, BibTeX, CSV or CSL-JSON.")] = None,
    source: Annotated[str, typer.Option(help="Database that was searched.")] = "",
    papers: Annotated[bool, typer.Option("--papers", help="Import the papers of the collection.")] = False,
    collection: Collection = DEFAULT_COLLECTION,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Import search results, and find duplicates.

    The same file of the same source adds nothing. An interrupted import continues.
    """
    from papergraph.server.auth.access import everything
    from papergraph.server.operations.screening_files import embed_all, import_papers, import_results
    from papergraph.server.startup import open_service
    from papergraph.store import open_store

    if papers == bool(files):
        raise InputError("Pass files of one --source, or --papers.", field="files")
    read = [(path.name, _read(path)) for path in files or ()]
    chosen = settings()
    with progress(quiet=quiet or as_json) as told, open_store(chosen, progress=told) as address:

        async def work() -> list[Any]:
            async with open_service(chosen, address, progress=told) as service:
                database, me = service.database, everything()
                made = [
                    await import_results(database, me, name, source=source, name=file, data=data, collection=collection)
                    for file, data in read
                ]
                if papers:
                    made.append(await import_papers(database, me, name, collection=collection))
                await embed_all(database, me, service.embedder, name, collection=collection, progress=told)
                return made

        made = asyncio.run(work())
    if as_json:
        write_records(made)
        return
    for one in made:
        if one.is_repeated:
            write(f"{one.file.name}: imported before, nothing was added")
            continue
        refused = f", {one.file.n_refused} could not be read" if one.file.n_refused else ""
        write(f"{one.file.name}: {one.file.n_records} records, {one.n_new} new, {one.n_duplicates} duplicates{refused}")
        for line in one.file.refused:
            say(line)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}", field="files") from error


@app.command("status", epilog="Example: papergraph screening status trials")
def status(
    name: Annotated[str | None, typer.Argument(help="Name or id of a screening [list all].")] = None,
    rater: RaterName = None,
    collection: Collection = DEFAULT_COLLECTION,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show the progress of a screening, or list all.

    Recall is estimated from the last decisions (Callaghan and Müller-Hansen 2020).
    """
    from papergraph.records import to_json
    from papergraph.server.auth.access import everything
    from papergraph.server.operations.screening import list_screenings, read_status

    if name is None:
        found = with_database(lambda one: list_screenings(one, everything(), collection), quiet=quiet or as_json)
        if as_json:
            write_records(found)
        else:
            for one in found:
                write(f"{one.name}  {one.n_records} records, {one.n_duplicates} duplicates")
        if not found:
            say("There is no screening; papergraph screening create makes one.")
            raise typer.Exit(EXIT_NOTHING_FOUND)
        return
    told = with_database(
        lambda one: read_status(one, everything(), name, rater=rater, collection=collection), quiet=quiet or as_json
    )
    if as_json:
        write(to_json(told))
    else:
        _write_status(told)


def _write_status(told: "ScreeningStatus") -> None:
    for file in told.screening.imports:
        refused = f", {file.n_refused} could not be read" if file.n_refused else ""
        write(f"{file.source}: {file.n_records} records of {file.name} ({file.at:%Y-%m-%d}{refused})")
    write(f"duplicates: {told.screening.n_duplicates}")
    for stage in told.stages:
        write(
            f"{stage.stage}: {stage.n_included} included, {stage.n_excluded} excluded, "
            f"{stage.n_conflicts} conflicts, {stage.n_open} of {stage.n_records} open"
        )
        _write_statistics(stage)


def _write_statistics(stage: "StageCounts") -> None:
    if (both := stage.agreement) is not None:
        told = ((one, of) for one, of in (("kappa", "kappa"), ("AC1", "ac1")) if getattr(both, of) is not None)
        values = [f"{one} {_interval(both, of)}" for one, of in told]
        write(f"  raters agree on {both.n_agreed} of {both.n}; {', '.join(values)}")
    if stage.recall.low:
        left = f", at most {stage.recall.most_left} left" if stage.recall.n_left else ""
        write(f"  recall at least {stage.recall.low:.2f} (95 %){left}; p of less than .95: {stage.recall.p:.3f}")


def _interval(of: Any, name: str) -> str:
    low, high = getattr(of, f"{name}_low"), getattr(of, f"{name}_high")
    return f"{getattr(of, name):.2f}" + (f" [{low:.2f}, {high:.2f}]" if low is not None else "")


@app.command("next", epilog="Example: papergraph screening next trials -n 5")
def next_(
    name: Name,
    limit: Annotated[int, typer.Option("--limit", "-n", help="Number of records.", min=1, max=1000)] = 1,
    state: Annotated[str, typer.Option(help="open, conflict, included or excluded.")] = "open",
    order: Annotated[str, typer.Option(help="likely, uncertain or random.")] = "likely",
    stage: StageName = "abstract",
    rater: RaterName = None,
    collection: Collection = DEFAULT_COLLECTION,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show the next records to decide, or those of a state.

    Exit 3 if there are none.
    """
    from papergraph.server.auth.access import everything
    from papergraph.server.operations.screening import CandidateQuery, ScreeningOrder, read_candidates
    from papergraph.server.screening.decisions import ScreeningStage, ScreeningState

    chosen_stage, chosen_state = _one_of(ScreeningStage, stage, "stage"), _one_of(ScreeningState, state, "state")
    chosen_order = _one_of(ScreeningOrder, order, "order")
    query = CandidateQuery(chosen_stage, chosen_state, chosen_order, limit, rater=rater, collection=collection)
    found = with_database(lambda one: read_candidates(one, everything(), name, query), quiet=quiet or as_json)
    if as_json:
        write_records(found)
    for one in () if as_json else found:
        _write_candidate(one)
    if not found:
        say("There is no such record.")
        raise typer.Exit(EXIT_NOTHING_FOUND)


def _one_of(kind: Any, value: str, field: str) -> Any:
    if value not in list(kind):
        raise InputError(f"{value[:40]!r} is no {field}. Choose {', '.join(kind)}.", field=field)
    return kind(value)


def _write_candidate(one: "Candidate") -> None:
    score = "" if one.score is None else f"  {one.score:.2f}"
    write(f"{one.id[:8]}{score}  {one.title or '(no title)'}")
    names = f"{', '.join(one.authors[:3])}{' et al.' if len(one.authors) > 3 else ''}"
    id = f"doi:{one.doi}" if one.doi else f"pmid:{one.pmid}" if one.pmid else ""
    write("          " + "; ".join(filter(None, (names, str(one.year or ""), one.journal_ref, id, *one.sources))))
    if one.words:
        write(f"          words {' '.join(one.words)}")
    if one.abstract:
        write(one.abstract)
    for decision in one.decisions:
        told = " ".join(filter(None, (str(decision.verdict), decision.reason, decision.note)))
        write(f"          {decision.name or 'decided'}: {told}")


@app.command("decide", epilog="Example: papergraph screening decide trials 1a2b3c4d exclude --reason 'no trial'")
def decide(
    name: Name,
    record: RecordId,
    verdict: Annotated[str, typer.Argument(help="include, exclude, maybe, or open to withdraw it.")],
    reason: Annotated[str, typer.Option(help="Reason of an exclusion.")] = "",
    note: Annotated[str, typer.Option(help="Remark.")] = "",
    resolve: Annotated[bool, typer.Option("--resolve", help="Settle what raters disagree on.")] = False,
    stage: StageName = "abstract",
    rater: RaterName = None,
    collection: Collection = DEFAULT_COLLECTION,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Include or exclude a record.

    Earlier decisions are kept. After all raters have decided, --resolve makes the last decision.
    """
    from papergraph.database import Database
    from papergraph.records import to_json
    from papergraph.server.auth.access import everything
    from papergraph.server.operations.screening import RecordDecision, decide_record
    from papergraph.server.operations.screening_files import find_record
    from papergraph.server.screening.decisions import ScreeningStage, ScreeningVerdict

    chosen_stage, chosen_verdict = (
        _one_of(ScreeningStage, stage, "stage"),
        _one_of(ScreeningVerdict, verdict, "verdict"),
    )

    async def work(database: Database) -> "Candidate":
        id = await find_record(database, everything(), name, record, collection=collection)
        wanted = RecordDecision(
            screening=name,
            record=id,
            verdict=chosen_verdict,
            stage=chosen_stage,
            reason=reason,
            note=note,
            resolves=resolve,
            rater=rater,
            collection=collection,
        )
        return await decide_record(database, everything(), wanted)

    decided = with_database(work, quiet=quiet or as_json)
    if as_json:
        write(to_json(decided))
    else:
        waits = "; another rater decides it too" if decided.state == "open" and verdict != "open" else ""
        write(f"{decided.state}: {decided.title}{waits}")


@app.command("duplicates", epilog="Example: papergraph screening duplicates trials --possible")
def duplicates(
    name: Name,
    possible: Annotated[bool, typer.Option("--possible", help="Pairs that were not joined.")] = False,
    join: Annotated[tuple[str, str] | None, typer.Option(help="Let a record repeat another one.")] = None,
    part: Annotated[str | None, typer.Option(help="Let a record repeat none.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", help="Number of pairs.", min=1, max=100_000)] = 100,
    collection: Collection = DEFAULT_COLLECTION,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """List duplicates with their partners, or join and part."""
    from papergraph.database import Database
    from papergraph.server.auth.access import everything
    from papergraph.server.operations.screening_files import find_record, join_records, list_duplicates

    if join is not None or part is not None:
        ids = [part] if part is not None else list(join or ())

        async def work(database: Database) -> int:
            found = [await find_record(database, everything(), name, id, collection=collection) for id in ids]
            kept = found[1] if len(found) > 1 else None
            done = await join_records(database, everything(), name, record=found[0], kept=kept, collection=collection)
            return done.n_duplicates

        write(f"duplicates: {with_database(work, quiet=quiet)}")
        return
    found = with_database(
        lambda one: list_duplicates(one, everything(), name, possible=possible, first=limit, collection=collection),
        quiet=quiet or as_json,
    )
    if as_json:
        write_records(found)
        return
    for one in found:
        write(f"{one.id[:8]}  {one.title}  ({_place(one.source, one.line, one.year, one.doi)})")
        kept = _place(one.kept_source, one.kept_line, one.kept_year, one.kept_doi)
        write(f"  = {one.kept_id[:8]}  {one.kept_title}  ({kept}) by {one.by}")


def _place(source: str, line: int, year: int | None, doi: str | None) -> str:
    return ", ".join(filter(None, (f"{source} line {line}", str(year or ""), doi)))


@app.command("export", epilog="Example: papergraph screening export trials --format svg -o prisma.svg")
def export(
    name: Name,
    format: Annotated[
        str, typer.Option("--format", help="csv; json: included ones; svg, mmd: PRISMA diagram.")
    ] = "csv",
    out: Annotated[Path | None, typer.Option("--out", "-o", help="File to write [standard output].")] = None,
    collection: Collection = DEFAULT_COLLECTION,
    quiet: Quiet = False,
) -> None:
    """Export records and decisions, or the PRISMA diagram."""
    from papergraph.server.auth.access import everything
    from papergraph.server.operations.screening_files import export_screening

    made = with_database(
        lambda one: export_screening(one, everything(), name, format, collection=collection), quiet=quiet
    )
    if out is None:
        write(made.content.decode().rstrip("\n"))
    else:
        out.write_bytes(made.content)


@app.command("ingest", epilog="Example: papergraph screening ingest trials --stage abstract")
def ingest(
    name: Name,
    stage: StageName = "text",
    collection: Collection = DEFAULT_COLLECTION,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make papers of included records."""
    from papergraph.server.local.inbox_operations import ingest_screened
    from papergraph.server.screening.decisions import ScreeningStage
    from papergraph.store import open_store

    chosen, chosen_stage = settings(), _one_of(ScreeningStage, stage, "stage")
    with progress(quiet=quiet or as_json) as told, open_store(chosen, progress=told) as address:
        n, failures = asyncio.run(
            ingest_screened(chosen, address, name, stage=chosen_stage, collection=collection, progress=told)
        )
    for line in failures:
        say(line)
    if as_json:
        write_json({"n_records": n, "failures": failures})
    else:
        write(f"included records: {n}, ingested into {collection}{f', failed: {len(failures)}' if failures else ''}")


@app.command("delete", epilog="Example: papergraph screening delete trials --yes")
def delete(
    name: Name,
    collection: Collection = DEFAULT_COLLECTION,
    yes: Yes = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Delete a screening with its records and decisions."""
    from papergraph.server.auth.access import everything
    from papergraph.server.operations.screening import delete_screening

    confirm(f"Delete the screening {name} with all decisions?", yes=yes, refusal="Pass --yes to delete it.")
    gone = with_database(
        lambda one: delete_screening(one, everything(), name, collection=collection), quiet=quiet or as_json
    )
    show(gone, lambda one: write(f"deleted: {one.name}"), as_json=as_json)


GROUP = Group("screening", Section.QUERY, 38, app)
