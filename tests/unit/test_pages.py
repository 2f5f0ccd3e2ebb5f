"""Pages are short and few, their links lead somewhere, and their commands exist."""

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from typer.core import TyperGroup

from papergraph.cli.main import app
from scripts.docs.named_queries import PAGE, page_with_table
from tests.support.pages import ROOT, RUN, SHOWN, Block, blocks, pages

ALL = sorted(
    str(path.relative_to(ROOT))
    for folder in (".", "docs", "docs/design", "benchmarks", "sdk/python", "sdk/typescript", "sdk/java")
    for path in (ROOT / folder).glob("*.md")
)
COMMANDS = typer.main.get_command(app)
BLOCK = r"^```.*?^```$"
FLAG = re.compile(r"^--?[a-z][\w-]*")


def anchors(path: Path) -> set[str]:
    """Return the anchors of the headings of a page, as GitHub makes them."""
    text = re.sub(BLOCK, "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", re.sub(r"[`*]", "", one)).strip().lower().replace(" ", "-") for one in headings}


@pytest.mark.parametrize("page", ALL)
def test_links_and_anchors_lead_somewhere(page: str):
    text = re.sub(BLOCK + r"|`[^`\n]*`", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)

    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", text):
        path, _, anchor = target.partition("#")
        place = (ROOT / page).parent / path if path else ROOT / page
        assert place.exists(), f"{page} points to {target}"
        assert not anchor or not place.name.endswith(".md") or anchor in anchors(place), f"{page} points to {target}"


def test_references_of_the_code_to_pages_lead_somewhere():
    reference = re.compile(r"\b((?:docs|benchmarks)/[\w/-]+\.md)(?:#([\w-]+))?")
    for folder in ("cli", "cypher", "evaluation", "ingest", "papergraph", "schema", "scripts", "server", "tests"):
        for path in (ROOT / folder).rglob("*.*"):
            if path.suffix in (".py", ".toml", ".cypher", ".graphql"):
                for page, anchor in reference.findall(path.read_text(encoding="utf-8")):
                    assert (ROOT / page).is_file(), f"{path} names {page}"
                    assert not anchor or anchor in anchors(ROOT / page), f"{path} names {page}#{anchor}"


def test_pages_are_few_and_short_and_all_of_them_are_in_the_index():
    docs = [page for page in ALL if page.startswith("docs/")]
    design = [page for page in docs if page.startswith("docs/design/")]

    assert len(design) <= 13
    assert len(docs) - len(design) <= 33
    assert sum(len((ROOT / page).read_text(encoding="utf-8").splitlines()) for page in docs) <= 7000
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 150
    assert len((ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()) <= 60
    assert set(docs) <= set(pages())


def test_the_table_of_named_queries_is_that_of_the_files():
    page = PAGE.read_text(encoding="utf-8")

    assert page == page_with_table(page), "python -m scripts.docs.named_queries"


@pytest.mark.parametrize("page", pages())
def test_blocks_are_of_known_languages_and_files_can_be_read(page: str):
    for block in blocks(page):
        assert block.language in RUN | SHOWN | {"xml", "java"}, f"{page}:{block.line}"
        if block.language == "toml":
            tomllib.loads(block.text)
        if block.language == "json" and "…" not in block.text:
            for line in [block.text] if block.text.count("\n{") == 0 else block.text.splitlines():
                json.loads(line)


def test_most_blocks_run():
    found = [block for page in pages() for block in blocks(page) if block.language in RUN and not block.file]
    left_out = [block for block in found if block.needs]

    assert len(left_out) <= len(found) / 4, [f"{block.page}:{block.line}" for block in left_out]


@pytest.mark.parametrize("page", pages())
def test_commands_of_blocks_and_of_the_text_exist_with_their_options(page: str):
    text = (ROOT / page).read_text(encoding="utf-8")
    spans = re.findall(r"`(papergraph [^`]+)`", re.sub(BLOCK, "", text, flags=re.DOTALL | re.MULTILINE))
    lines = [line for block in blocks(page) if block.language == "sh" for line in commands(block)]

    for line in [*spans, *lines]:
        assert not wrong_in(line), f"{page}: {wrong_in(line)} in {line}"


def commands(block: Block) -> Iterator[str]:
    for line in block.text.replace("\\\n", " ").splitlines():
        for part in re.split(r"[|;]|&&", re.sub(r"(['\"]).*?\1", "TEXT", line.partition(" #")[0])):
            if found := re.search(r"(?:^|[\s/])papergraph( .*)$", part):
                yield f"papergraph{found[1]}"


def wrong_in(line: str) -> str:
    """Return the first word of a command line that is no command or option, or empty."""
    command, words = COMMANDS, re.sub(r"(['\"]).*?\1", "TEXT", " ".join(line.split())).split()[1:]
    while words and isinstance(command, TyperGroup) and not words[0].startswith("-"):
        name = words.pop(0)
        if name not in command.commands:
            return "" if re.search(r"[A-Z…|]", name) else name
        command = command.commands[name]
    options = {"--help", "--version"} | {flag for one in command.params for flag in (*one.opts, *one.secondary_opts)}
    return next((word for word in words if (flag := FLAG.match(word)) and flag[0] not in options), "")
