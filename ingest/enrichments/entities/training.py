"""Train a pipeline that finds entities on a user's own data: spaCy's training with the configuration that we ship.

Three forms of data, told by what the file holds. JSONL of spaCy: ``text`` and ``spans`` (or ``entities``), each with
``start``, ``end`` in characters and ``label``. CoNLL: a token a line with its tag last, IOB1 or IOB2, sentences apart
by an empty line. JSONL of DyGIE++ as SciERC has it: ``sentences`` of tokens and ``ner`` with first token, last token
and label, counted over the document.
"""

import json
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from io import TextIOBase
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from papergraph.errors import InputError

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

CONFIG = Path(__file__).with_name("train_ner.cfg")
MOST_BYTES = 500_000_000
LONGEST_TEXT = 1_000_000

Span = tuple[int, int, str]

_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}", "``": '"', "''": '"'}
"""Tokens of the Penn Treebank for what they stand for."""
_NO_SPACE_BEFORE = frozenset([*",.;:?!%)]}", "'s", "n't"])


@dataclass(frozen=True)
class Text:
    """A text with its entities: first character, character after the last one, type."""

    text: str
    spans: tuple[Span, ...]


@dataclass(frozen=True)
class Score:
    """Micro precision, recall and F1 over exact spans with their types, in [0, 1]."""

    precision: float
    recall: float
    f1: float
    n_gold: int


@dataclass(frozen=True)
class Training:
    """What training did: where the pipeline lies, and how good it is on data that it did not learn from.

    ``dev`` is what the best step was chosen by, so that ``test`` is the figure to quote.
    """

    folder: str
    n_texts: int
    labels: tuple[str, ...]
    steps: int
    seed: int
    dev: Score
    test: Score | None
    elapsed_s: float


def read_texts(path: Path) -> list[Text]:
    """Read texts with their entities.

    Raises:
        InputError: The file cannot be read, or a line is of none of the three forms; the message says which.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise InputError(f"{path} has over {MOST_BYTES:,} bytes", field="data")
        content = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}", field="data") from error
    is_json = content.lstrip().startswith("{")
    texts = list(_json_texts(path, content) if is_json else _conll_texts(path, content))
    if not any(text.spans for text in texts):
        raise InputError(f"{path} contains no entities. Name a file with annotated texts.", field="data")
    return texts


def train(
    data: Path,
    dev: Path,
    folder: Path,
    *,
    test: Path | None = None,
    steps: int = 3000,
    seed: int = 0,
    log: Callable[[str], None] = lambda line: None,
) -> Training:
    """Train a pipeline and save the one that is best on ``dev``; takes a processor for minutes.

    Args:
        data: What is learned from.
        dev: What the best step is chosen by.
        folder: Where the pipeline goes; it must not be there yet.
        test: Measured at the end, if given.
        steps: Batches that are learned from.
        seed: Of the random numbers.
        log: Hears the lines of spaCy's table.

    Raises:
        InputError: Data cannot be used, or the folder is there.
    """
    start = time.perf_counter()
    if folder.exists():
        raise InputError(f"{folder} exists already. Name a new folder.", field="folder")
    if steps < 1:
        raise InputError(f"steps is {steps}. Set it to at least 1.", field="steps")
    learned, chosen_by = read_texts(data), read_texts(dev)
    measured = read_texts(test) if test else None
    with tempfile.TemporaryDirectory() as work:
        files = Path(work) / "train.spacy", Path(work) / "dev.spacy"
        _save(learned, files[0])
        _save(chosen_by, files[1])
        overrides = {"paths.train": str(files[0]), "paths.dev": str(files[1]), "system.seed": seed}
        overrides |= {"training.max_steps": steps, "training.eval_frequency": min(200, steps)}
        best = _train(overrides, Path(work) / "out", log)
        best.meta["name"], best.meta["description"] = "papergraph_ner", "trained by papergraph entities train"
        folder.parent.mkdir(parents=True, exist_ok=True)
        best.to_disk(folder)
    labels = tuple(sorted({label for text in learned for *_, label in text.spans}))
    return Training(
        str(folder),
        len(learned),
        labels,
        steps,
        seed,
        score(best, chosen_by),
        score(best, measured) if measured else None,
        time.perf_counter() - start,
    )


def _train(overrides: dict[str, Any], folder: Path, log: Callable[[str], None]) -> "Language":
    """Return the best pipeline that spaCy makes in a new folder by our configuration with ``overrides``."""
    import spacy
    from spacy.training.initialize import init_nlp
    from spacy.training.loop import train as spacy_train
    from spacy.util import load_config

    folder.mkdir()
    nlp = init_nlp(load_config(CONFIG, overrides=overrides))
    _keep_hyphens(nlp)
    told = cast("IO[str]", _Lines(log))
    spacy_train(nlp, folder, stdout=told, stderr=told)
    return spacy.load(folder / "model-best")


def score(nlp: "Language", texts: Sequence[Text]) -> Score:
    """Return how well a pipeline finds the entities of texts that it is given as they are."""
    n_gold = n_found = n_right = 0
    for doc, text in zip(nlp.pipe(text.text for text in texts), texts, strict=True):
        gold = set(text.spans)
        found = {(span.start_char, span.end_char, span.label_) for span in doc.ents}
        n_gold, n_found, n_right = n_gold + len(gold), n_found + len(found), n_right + len(gold & found)
    precision, recall = n_right / max(1, n_found), n_right / max(1, n_gold)
    f1 = 2 * precision * recall / (precision + recall) if n_right else 0.0
    return Score(precision, recall, f1, n_gold)


def as_dict(training: Training) -> dict[str, Any]:
    """Return what training did, for programs."""
    return asdict(training)


class _Lines(TextIOBase):
    """Hands on what spaCy writes, line by line."""

    def __init__(self, log: Callable[[str], None]) -> None:
        self._log = log

    def write(self, text: str, /) -> int:
        for line in text.splitlines():
            if line.strip():
                self._log(line)
        return len(text)


def _keep_hyphens(nlp: "Language") -> None:
    """Make a pipeline take a hyphenated word for one token, as data sets do; it keeps that when it is saved."""
    from spacy.util import compile_infix_regex

    infixes = [one for one in nlp.Defaults.infixes or [] if "-|–|—" not in str(one)]
    tokenizer: Any = nlp.tokenizer
    tokenizer.infix_finditer = compile_infix_regex(infixes).finditer


def _save(texts: Sequence[Text], path: Path) -> None:
    import spacy
    from spacy.tokens import DocBin

    nlp = spacy.blank("en")
    _keep_hyphens(nlp)
    DocBin(docs=[_doc(nlp, text) for text in texts]).to_disk(path)


def _doc(nlp: "Language", text: Text) -> "Doc":
    """Return a text as spaCy learns from it; a span that ends within a token takes the whole token."""
    from spacy.util import filter_spans

    doc = nlp.make_doc(text.text)
    spans = [doc.char_span(start, end, label=label, alignment_mode="expand") for start, end, label in text.spans]
    doc.ents = tuple(filter_spans([span for span in spans if span is not None]))
    return doc


def _json_texts(path: Path, content: str) -> Iterator[Text]:
    for number, line in enumerate(content.splitlines(), 1):
        if not line.strip():
            continue
        try:
            said = json.loads(line)
            yield from _dygie(said) if "sentences" in said else [_spacy(said)]
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise InputError(
                f"{path}, line {number} is neither spaCy's form (text, spans with start, end, label) nor DyGIE++'s "
                f"(sentences, ner): {type(error).__name__} {error}",
                field="data",
            ) from error


def _spacy(said: dict[str, Any]) -> Text:
    text = said["text"]
    if not isinstance(text, str) or len(text) > LONGEST_TEXT:
        raise ValueError(f"text must be a text of at most {LONGEST_TEXT:,} characters")
    spans = []
    for span in said.get("spans", said.get("entities", [])):
        start, end, label = (span["start"], span["end"], span["label"]) if isinstance(span, dict) else span
        if not (0 <= start < end <= len(text) and isinstance(label, str) and label):
            raise ValueError(f"there is no span {start} to {end} with type {label!r}")
        spans.append((start, end, label))
    return Text(text, tuple(spans))


def _dygie(said: dict[str, Any]) -> Iterator[Text]:
    first = 0
    for tokens, entities in zip(said["sentences"], said["ner"], strict=True):
        yield _of_tokens(tokens, [(start - first, end - first + 1, label) for start, end, label, *_ in entities])
        first += len(tokens)


def _conll_texts(path: Path, content: str) -> Iterator[Text]:
    tokens: list[str] = []
    tags: list[str] = []
    for number, line in enumerate([*content.splitlines(), ""], 1):
        columns = line.split()
        if not columns or columns[0] == "-DOCSTART-":
            if tokens:
                yield _of_tokens(tokens, _entities(tags))
            tokens, tags = [], []
            continue
        if len(columns) < 2 or not (columns[-1] == "O" or columns[-1][:2] in ("B-", "I-")):
            raise InputError(f"{path}, line {number}: a token and a tag O, B-… or I-… are needed", field="data")
        tokens.append(columns[0])
        tags.append(columns[-1])


def _entities(tags: Sequence[str]) -> list[Span]:
    found: list[Span] = []
    before = "O"
    for at, tag in enumerate(tags):
        if tag != "O":
            if tag.startswith("B-") or before[2:] != tag[2:]:
                found.append((at, at + 1, tag[2:]))
            else:
                found[-1] = (found[-1][0], at + 1, tag[2:])
        before = tag
    return found


def _of_tokens(tokens: Sequence[str], entities: Sequence[Span]) -> Text:
    """Return tokens as running text, with brackets and spaces as papers have them, and entities as spans of it."""
    text, places = "", []
    for token in (_BRACKETS.get(token, token) for token in tokens):
        if text and token not in _NO_SPACE_BEFORE and text[-1] not in "([{":
            text += " "
        places.append((len(text), len(text) + len(token)))
        text += token
    return Text(text, tuple((places[start][0], places[end - 1][1], label) for start, end, label in entities))
