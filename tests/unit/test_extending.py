"""The examples of docs/extending.md are short, and each adds its part; those with a graph: test_extending_graph.py."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import papergraph.cli.commands
import papergraph.ingest.chunkers.methods
import papergraph.ingest.enrichments
import papergraph.ingest.parsers
import papergraph.ingest.sources
import papergraph.server.retrieval.steps
from papergraph.cli.main import assembled
from papergraph.embedding import DEFAULT_NAME, load_tokenizer
from papergraph.errors import InputError, Reason, SourceError
from papergraph.ingest.chunkers import Chunker, ChunkOptions, chunkers
from papergraph.ingest.enrichments import enrichments
from papergraph.ingest.enrichments.options import EnrichmentOptions
from papergraph.ingest.parsers import parse, parsers
from papergraph.ingest.sources import Format, RawDocument, find_documents, sources, supported
from papergraph.ingest.sources.parser import endings, media_types
from papergraph.server.retrieval.pipelines import PipelineError
from papergraph.server.retrieval.pipelines import parse as parse_pipeline
from papergraph.server.retrieval.steps import steps
from tests.support.examples import EXAMPLES, FOLDER
from tests.support.registries import add_part

MOST_LINES = 40
ORG = "* Tides\n* Method\nWe measure the tides.\n* Result\nThey rise.\n"


COMMANDS = r'''"""``papergraph formats``: list the formats of documents."""

from papergraph.cli.common import Json, write, write_json
from papergraph.cli.groups import Group, Section, new_app

app = new_app("List the formats of documents.")


@app.command("list")
def list_formats(as_json: Json = False) -> None:
    """List formats with their endings."""
    from papergraph.ingest.sources.parser import parsers

    found = {name: list(parser.endings) for name, parser in parsers().items() if parser.endings}
    lines = [f"{name}: {', '.join(endings)}" for name, endings in found.items()]
    write_json(found) if as_json else write("\n".join(lines))


GROUP = Group("formats", Section.DEVELOP, 990, app)
'''


@pytest.fixture
def org(tmp_path: Path) -> Iterator[None]:
    example = EXAMPLES["ingest/parsers/org.py"]
    with add_part(papergraph.ingest.parsers, "org", example, tmp_path, parsers, endings, media_types):
        yield


def test_each_example_is_a_file_that_is_not_there_and_short():
    page = (FOLDER.parent / "extending.md").read_text(encoding="utf-8")
    assert len(EXAMPLES) == 12
    for path, text in EXAMPLES.items():
        assert f"(examples/{path})" in page, path
        assert len(text.splitlines()) <= MOST_LINES, path
        assert Path(path).parent.is_dir() and not Path(path).exists(), path


@pytest.mark.usefixtures("org")
def test_the_parser_reads_its_format(tmp_path: Path):
    path = tmp_path / "tides.org"
    path.write_text(ORG, encoding="utf-8")
    (found,) = find_documents([path])
    assert not isinstance(found, SourceError)

    document = parse(found.read(max_bytes=1000))

    assert (document.title, document.format) == ("Tides", "org")
    texts = {one.title: document.text[one.start : one.end] for one in document.sections}
    assert texts == {"Tides": "", "Method": "We measure the tides.\n", "Result": "They rise.\n"}
    assert ".org" in supported()


@pytest.mark.usefixtures("org")
def test_the_parser_refuses_damage_with_a_reason(tmp_path: Path):
    path = tmp_path / "torn.org"
    path.write_text("no heading", encoding="utf-8")
    (found,) = find_documents([path])
    assert not isinstance(found, SourceError)

    with pytest.raises(SourceError) as refused:
        parse(found.read(max_bytes=1000))

    assert refused.value.reason is Reason.DAMAGED


def test_the_chunker_cuts_lines(tmp_path: Path):
    text = "# Tides\n\nThe moon rises.\nThe sea follows\n\nthe moon.\n"
    document = parse(RawDocument("/papers/tides.md", text.encode(), Format.MARKDOWN, "0" * 64))

    example = EXAMPLES["ingest/chunkers/methods/lines.py"]
    with add_part(papergraph.ingest.chunkers.methods, "lines", example, tmp_path, chunkers):
        spans = list(Chunker(load_tokenizer(DEFAULT_NAME), ChunkOptions.choose("lines")).chunks(document))

    assert [span.text for span in spans] == ["The moon rises.", "The sea follows", "the moon."]
    assert all(span.text == document.text[span.start : span.end] for span in spans)


def test_the_source_finds_a_note_and_refuses_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "tides.md").write_text("# Tides\n\nThey rise.\n", encoding="utf-8")

    with add_part(papergraph.ingest.sources, "notes", EXAMPLES["ingest/sources/notes.py"], tmp_path, sources):
        here, missing = find_documents(["note:tides", "note:moon"])
        assert not isinstance(here, SourceError) and not isinstance(missing, SourceError)
        document = parse(here.read(max_bytes=1000))
        with pytest.raises(SourceError) as refused:
            missing.read(max_bytes=1000)
        with pytest.raises(SourceError) as too_large:
            here.read(max_bytes=5)

    assert (document.title, document.key) == ("Tides", "note:tides")
    assert missing.content_hash(max_bytes=1000) is None
    assert (refused.value.reason, too_large.value.reason) == (Reason.NOT_FOUND, Reason.TOO_LARGE)


def test_the_commands_are_in_the_help_and_run(tmp_path: Path):
    with add_part(papergraph.cli.commands, "formats", COMMANDS, tmp_path):
        root = assembled()
        help_text = CliRunner().invoke(root, ["--help"]).stdout
        listed = CliRunner().invoke(root, ["formats", "list"])
    after = CliRunner().invoke(assembled(), ["--help"]).stdout

    assert "List the formats of documents." in help_text
    assert "markdown: .md, .markdown" in listed.stdout.splitlines()
    assert "List the formats of documents." not in after


def test_the_step_is_checked_in_a_pipeline_and_keeps_the_best_of_each_paper(tmp_path: Path):
    search = {"step": "search", "retrievers": ["vector"]}
    with add_part(
        papergraph.server.retrieval.steps, "spread", EXAMPLES["server/retrieval/steps/spread.py"], tmp_path, steps
    ):
        pipeline = parse_pipeline("mine", {"steps": [search, {"step": "spread", "per_paper": 1}]})
        with pytest.raises(PipelineError, match="step 1, spread: it needs candidates"):
            parse_pipeline("mine", {"steps": [{"step": "spread"}, search]})
        with pytest.raises(PipelineError, match="there is no option 'per_papers'; did you mean 'per_paper'"):
            parse_pipeline("mine", {"steps": [search, {"step": "spread", "per_papers": 1}]})
        assert parse_pipeline("mine", pipeline.as_dict()) == pipeline
        assert pipeline.giving(3).steps[1].limit == 3
    with pytest.raises(PipelineError, match="there is no step 'spread'"):
        parse_pipeline("mine", pipeline.as_dict())


def test_the_enrichment_is_chosen_with_its_options(tmp_path: Path):
    config = tmp_path / "layers.toml"
    config.write_text("[words]\nleast = 4\n", encoding="utf-8")
    example = EXAMPLES["ingest/enrichments/words.py"]
    with add_part(papergraph.ingest.enrichments, "words", example, tmp_path, enrichments):
        (chosen,) = EnrichmentOptions.read(config, names="words").enrichments(None)
        (default,) = EnrichmentOptions.read(names="words").enrichments(None)
        assert list(enrichments())[-1] == chosen.name == "words"
        assert chosen.config_hash != default.config_hash
    with pytest.raises(InputError, match="Enrichment 'words' does not exist"):
        EnrichmentOptions.read(config)
