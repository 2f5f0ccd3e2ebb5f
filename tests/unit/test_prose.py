"""Pages for users are in plain technical English: the rules that a program can check."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").glob("*.md"))
PAGES += ["README.md", "CONTRIBUTING.md"]
OPENERS = ("What", "Who", "How", "Whether", "Where", "Of")
"""No sentence or heading begins with one of these: name the thing, then say what it does."""

WORDS = (
    "told",
    "tells of",
    "asked of",
    "brought in",
    "seen to",
    r"comes? by",
    "stands",
    "(?<!Hugging )faces?(?! of the polytope)",
    "ways?",
    r"mend(?:s|ed|ing)?",
    "hangs? together",
    "takes",
    r"(?:one's|of (?:your|our|their|its)) own",
    "strangers",
    "else",
    "held to",
    "for good",
)
"""Words that are not in text for users, with what to write: report, query, ingest, process, reach, is stored,
interface, path, repair, linked, accepts, custom, untrusted, otherwise, limited by, permanently."""

MOST_WORDS = 25
"""Most words of a sentence."""

ROWS_OF_CODE = ("docs/doctor.md", "docs/observability.md")
"""Pages with tables whose rows other tests compare with the code: the text of such a row is the code's."""

EXCEPTIONS: set[str] = {
    "docs/graph-model.md",
    "docs/named-queries.md",
    "docs/settings.md",
}
"""Pages that are not rewritten yet; this list only shrinks."""


def sentences(page: str) -> list[str]:
    """Return headings, sentences and table cells of a page, without code and addresses."""
    text = (ROOT / page).read_text(encoding="utf-8")
    text = re.sub(r"^(`{3,}).*?^\1$", "\n", text, flags=re.DOTALL | re.MULTILINE)
    if page in ROWS_OF_CODE:
        text = re.sub(r"^\| `\w+` \| .*\|$", "", text, flags=re.MULTILINE)
    text = re.sub(r"`[^`]*`", "`", text)
    text = re.sub(r"\]\([^)]*\)|<https?:[^>]*>", "]", text)
    return [part for block in blocks(text) for part in re.split(r"(?<=[.;:?!])\s+|\s[–·]\s", block) if part.strip()]


def blocks(text: str) -> Iterator[str]:
    """Yield headings, paragraphs, list items and table cells, each in one line."""
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.)\s|#|\|)", text):
        line = " ".join(paragraph.split())
        if line.startswith("|"):
            yield from (cell.strip() for cell in line.strip("|").split("|"))
        else:
            yield re.sub(r"^(?:#+|[-*]|\d+\.)\s+", "", line)


def faults(page: str) -> list[str]:
    """Return what of a page breaks a rule."""
    found = []
    for sentence in sentences(page):
        plain = re.sub(r"[*_\[\]`(]+", " ", sentence).strip()
        if plain.startswith(OPENERS) and plain.split()[0].rstrip(",") in OPENERS:
            found.append(f"begins with {plain.split()[0]}: {sentence}")
        found += [f"{word[0]}: {sentence}" for word in re.finditer(rf"\b(?:{'|'.join(WORDS)})\b", plain, re.IGNORECASE)]
        if len(re.findall(r"[\w'’/.,-]*\w[\w'’/.,-]*", plain)) > MOST_WORDS:
            found.append(f"more than {MOST_WORDS} words: {sentence}")
    return found


@pytest.mark.parametrize("page", sorted(set(PAGES) - EXCEPTIONS))
def test_a_page_keeps_the_rules_of_prose(page: str):
    assert not faults(page), "\n".join(faults(page))


def test_the_exceptions_only_shrink():
    assert set(PAGES) >= EXCEPTIONS
    assert [page for page in sorted(EXCEPTIONS) if not faults(page)] == [], "take these pages out of EXCEPTIONS"


@pytest.mark.parametrize(
    ("text", "n"),
    [
        ("# What it took\n", 1),
        ("Where no model is set, the server\nanswers.\n", 1),
        ("The server tells of it in ways of its own.\n", 3),
        ("| setting | meaning |\n|---|---|\n| `A` | Of one key. Who asks. |\n", 2),
        ("Run `papergraph told`.\n\n```sh\nWhat takes else\n```\n", 0),
        ("See [the page](https://example.org/takes/else).\n", 0),
        ("One idea; " + "word " * 26 + "\n", 1),
        ("1. Whoever reads.\n2. Often read.\n", 0),
    ],
)
def test_faults_are_found(text: str, n: int, tmp_path: Path):
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")

    assert len(faults(str(page))) == n
