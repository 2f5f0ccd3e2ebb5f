"""Accuracy of the sentence splitter at full stops in real papers, beside a bare rule and spaCy's sentencizer.

``sentence_cases.jsonl`` holds 340 stops drawn at random from abstracts and full papers of four data sets and judged by
one reader. ``hard`` (160, beside a short word, number, bracket or small letter) and ``plain`` (60) were drawn when the
rules stood, which were then changed after what they got wrong there; ``fresh`` (120, after a word that looks like an
abbreviation, or before something else than a letter) was drawn after that and changed nothing. A line is group, file,
record, field, character after the stop, and whether the next sentence begins at the next character that is no blank.
The text itself stays in the data folder.

    PAPERGRAPH_DATA=... python -m benchmarks.sentences
"""

import json
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.common import data_folder, write_result
from papergraph.text.sentences import sentence_starts

CASES = Path(__file__).parent / "sentence_cases.jsonl"
BARE_RULE = re.compile(r"[.!?]\s+(?=[A-Z])")
AROUND = 2000
"""Characters on each side that are read: what is further away does not matter."""


def cases(folder: Path) -> Iterator[tuple[str, str, int, bool]]:
    """Yield group, text, character after the stop, and whether a sentence ends there."""
    records: dict[str, list[str]] = {}
    for line in CASES.read_text().splitlines():
        group, file, number, field, offset, ends = json.loads(line)
        lines = records.setdefault(file, (folder / file).read_text(encoding="utf-8").split("\n"))
        text: str = json.loads(lines[number])[field]
        start = max(0, offset - AROUND)
        yield group, text[start : offset + AROUND], offset - start, ends


def says_end(starts: list[int], text: str, offset: int) -> bool:
    """True if a splitter begins a sentence at the first character after the full stop and blanks."""
    return any(start > offset and not text[offset:start].strip() for start in starts)


def main() -> None:
    """Print and keep the share that each splitter reads right."""
    import spacy

    sentencizer = spacy.blank("en")
    sentencizer.add_pipe("sentencizer")
    splitters: dict[str, Callable[[str], list[int]]] = {
        "papergraph": sentence_starts,
        "stop, blank, capital": lambda text: [match.end() for match in BARE_RULE.finditer(text)],
        "spaCy sentencizer": lambda text: [sentence.start_char for sentence in sentencizer(text).sents],
    }
    right: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for group, text, offset, ends in cases(data_folder()):
        for name, starts in splitters.items():
            found = says_end(starts(text), text, offset)
            right[name][group].append(found == ends)
            if name == "papergraph" and found != ends and "--show" in sys.argv:
                print(repr(text[max(0, offset - 60) : offset] + "¦" + text[offset : offset + 40]))
    figures: dict[str, Any] = {
        name: {group: {"right": sum(of), "of": len(of)} for group, of in groups.items()}
        for name, groups in right.items()
    }
    for name, groups in figures.items():
        print(f"{name:22}" + "".join(f"  {group} {of['right']} of {of['of']}" for group, of in groups.items()))
    write_result("sentences", figures)


if __name__ == "__main__":
    main()
