"""Annotated papers, and training of a spaCy pipeline on texts with marked names."""

import json
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from io import TextIOBase
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import InputError, ModelChangedError
from papergraph.ingest.enrichments.enrichment import EnrichmentContext, StoredPaper
from papergraph.ingest.enrichments.entities.extraction import FoundEntity
from papergraph.ingest.enrichments.entities.llm_extraction import places
from papergraph.ingest.enrichments.entities.stored_entities import BY_GIVEN, Made, Relation, mentions_of, write_rows
from papergraph.ingest.enrichments.entities.term_extraction import kind_of
from papergraph.ingest.enrichments.state import read_papers
from papergraph.ingest.graph.writer import hold_model
from papergraph.neo4j_errors import Transaction
from papergraph.progress import Progress, silent
from papergraph.schema.ids import check_collection, entity_id, normalise, sha256

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc


# Entities and relations of other programs, read from JSONL and written to stored papers.
#
# Each line is an object about a paper: ``paper``, its key or id (or ``_id``, the end of its key); perhaps ``chunk``,
# the number of a chunk in the paper from 0; ``entities``, names or objects with ``name``, ``type`` and ``aliases``;
# and ``triples``, lists of subject, relation and object. The names of triples are entities too. Several lines may be
# about a paper. What is given goes before what the enrichment finds, and stays until other triples are given or the
# paper changes.


MOST_BYTES = 2_000_000_000
LONGEST_NAME = 500
LONGEST_RELATION = 200
MOST_OF_A_LINE = 10_000
PAPERS_AT_ONCE = 50
DEADLINE_S = 120.0
MARK = "given="
"""Prefix of the mark of a paper with loaded entities."""
ENRICHMENT_MARK = "entities="


@dataclass(frozen=True)
class GivenName:
    """An entity as it is given; without a type its words tell one."""

    name: str
    type: str = ""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Given:
    """Entities and triples that a line gives for a chunk; ``n_left_out`` counts skipped triples without three parts."""

    paper: str
    chunk: int | None
    entities: tuple[GivenName, ...]
    triples: tuple[tuple[str, str, str], ...]
    n_left_out: int = 0


@dataclass(frozen=True)
class Loaded:
    """Result of loading a file.

    Attributes:
        n_lines: Lines of the file.
        n_papers: Papers in the file.
        n_mentions, n_relations: Written.
        n_left_out: Triples without three parts.
        missing: First hundred papers of the file that the collection lacks.
        n_missing: Number of missing papers.
    """

    n_lines: int
    n_papers: int
    n_mentions: int
    n_relations: int
    n_left_out: int
    n_missing: int
    missing: tuple[str, ...]


def read_given(path: Path) -> list[Given]:
    """Read a file of given entities and triples.

    Raises:
        InputError: The file cannot be read, or a line is not of the form; the message says which.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise InputError(f"{path} has over {MOST_BYTES:,} bytes", field="file")
        with path.open(encoding="utf-8") as file:
            return [_given(path, number, line) for number, line in enumerate(file, 1) if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}", field="file") from error


def _given(path: Path, number: int, line: str) -> Given:
    def wrong(what: str) -> InputError:
        return InputError(f"{path}, line {number}: {what}", field="file")

    try:
        said = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise wrong(f"it is no JSON: {error}") from error
    if not isinstance(said, dict):
        raise wrong("it is no object")
    paper = said.get("paper", said.get("_id"))
    if not isinstance(paper, str) or not paper.strip():
        raise wrong("paper, the key or id of a paper, is missing")
    chunk = said.get("chunk")
    if chunk is not None and (not isinstance(chunk, int) or isinstance(chunk, bool) or chunk < 0):
        raise wrong("chunk is the number of a chunk of the paper, from 0")
    entities, triples = said.get("entities", []), said.get("triples", [])
    if not isinstance(entities, list) or not isinstance(triples, list) or len(entities) + len(triples) > MOST_OF_A_LINE:
        raise wrong(f"entities and triples are lists, of {MOST_OF_A_LINE:,} together at most")
    names = []
    for one in entities:
        name = _name(one)
        if name is None:
            raise wrong(f"{str(one)[:100]} is no entity: a name, or an object with name, type and aliases")
        names.append(name)
    for triple in triples:
        if not (isinstance(triple, list) and all(isinstance(part, str) for part in triple)):
            raise wrong(f"{str(triple)[:100]} is no triple: a list of subject, relation and object")
    whole = tuple((triple[0], triple[1], triple[2]) for triple in triples if len(triple) == 3)
    return Given(paper.strip(), chunk, tuple(names), whole, len(triples) - len(whole))


def _name(said: Any) -> GivenName | None:
    if isinstance(said, str):
        return GivenName(said)
    if not isinstance(said, dict):
        return None
    name, type, aliases = said.get("name"), said.get("type") or "", said.get("aliases") or []
    texts = [name, type, *(aliases if isinstance(aliases, list) else [None])]
    if not all(isinstance(text, str) for text in texts):
        return None
    return GivenName(str(name), str(type), tuple(aliases))


def made_of(paper: StoredPaper, lines: Iterable[Given]) -> Made:
    """Return what is given of a paper: where its chunks name each entity, in the first chunk where none does.

    A name that is empty or longer than 500 characters is left out, and so is a triple with one, or of an entity with
    itself.
    """
    found: dict[str, list[FoundEntity]] = {chunk.id: [] for chunk in paper.chunks}
    related: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for line in lines:
        chunks = [chunk for chunk in paper.chunks if line.chunk in (None, chunk.ordinal)]
        if not chunks:
            continue
        names = {normalise(one.name): one for one in (GivenName(end) for s, _, o in line.triples for end in (s, o))}
        names |= {normalise(one.name): one for one in line.entities}
        standing: dict[str, list[str]] = {}
        for key, one in names.items():
            name = " ".join(one.name.split())
            if not key or len(name) > LONGEST_NAME:
                continue
            type = one.type or kind_of(name)
            here = {chunk.id: places(chunk.text, name, type=type, by=BY_GIVEN) for chunk in chunks}
            named = {id: spans for id, spans in here.items() if spans[0].start >= 0}
            for id, spans in (named or {chunks[0].id: here[chunks[0].id]}).items():
                found[id] += [FoundEntity(s.start, s.end, s.name, s.type, s.by, one.aliases) for s in spans]
                standing.setdefault(key, []).append(id)
        for subject, relation, object in line.triples:
            ends, word = (normalise(subject), normalise(object)), " ".join(relation.split())
            if ends[0] == ends[1] or not 0 < len(word) <= LONGEST_RELATION or not set(ends) <= standing.keys():
                continue
            both = [id for id in standing[ends[0]] if id in standing[ends[1]]]
            ids = entity_id(paper.collection, ends[0]), entity_id(paper.collection, ends[1])
            related[*ids, word] += both or standing[ends[0]]
    order = {chunk.id: number for number, chunk in enumerate(paper.chunks)}
    return Made(
        tuple(mention for id, spans in found.items() for mention in mentions_of(id, paper.collection, spans)),
        tuple(
            Relation(start, end, type, tuple(sorted(set(ids), key=order.__getitem__)), BY_GIVEN)
            for (start, end, type), ids in sorted(related.items())
        ),
    )


async def load_given(
    database: Database,
    path: Path,
    resources: EnrichmentContext,
    *,
    collection: str,
    prefix: str = "",
    progress: Progress = silent,
) -> Loaded:
    """Write the entities and relations in a file to the papers of a collection; each paper is one transaction.

    They replace those of an earlier file. The call is idempotent.

    Args:
        database: A prepared store.
        path: The file.
        resources: Embeds the names of new entities.
        collection: Collection of the papers.
        prefix: Prefix of the papers' keys before the keys in the file.
        progress: Receives the progress.

    Raises:
        InputError: The file is malformed, or the collection's name is invalid.
        DatabaseError: Neo4j failed; the same call continues.
    """
    check_collection(collection)
    given: dict[str, list[Given]] = defaultdict(list)
    for line in read_given(path):
        given[prefix + line.paper].append(line)
    n_mentions = n_relations = n_done = 0
    missing: list[str] = []
    wanted = sorted(given)
    for first in range(0, len(wanted), PAPERS_AT_ONCE):
        batch = wanted[first : first + PAPERS_AT_ONCE]
        keys = await _keys(database, collection, batch)
        papers = {paper.key: paper for paper in await read_papers(database, collection, sorted(set(keys.values())))}
        for name in batch:
            paper = papers.get(keys.get(name, ""))
            if paper is None:
                missing.append(name)
                continue
            made = made_of(paper, given[name])
            await _write(database, paper, made, resources)
            n_done += 1
            n_mentions, n_relations = n_mentions + len(made.mentions), n_relations + len(made.relations)
        progress.advance("papers", min(first + PAPERS_AT_ONCE, len(wanted)), len(wanted))
    n_lines = sum(map(len, given.values()))
    n_left_out = sum(line.n_left_out for lines in given.values() for line in lines)
    return Loaded(n_lines, n_done, n_mentions, n_relations, n_left_out, len(missing), tuple(missing[:100]))


async def _keys(database: Database, collection: str, names: Sequence[str]) -> dict[str, str]:
    """Return the first key of each paper that is named by one of its keys or by its id."""
    records = await database.read(cypher.load("enrichments/named_papers"), collection=collection, names=list(names))
    return {record["name"]: record["key"] for record in records}


async def _write(database: Database, paper: StoredPaper, made: Made, resources: EnrichmentContext) -> None:
    async def work(transaction: Transaction) -> None:
        model = await hold_model(transaction)
        if model.sha256 != resources.embedder.card.sha256:
            raise ModelChangedError(active=model.identity)
        records = await transaction.run(cypher.load("enrichments/lock_paper"), id=paper.id)
        if not records or records[0]["content"] != paper.content_hash:
            return
        marks, mark_of_it = records[0]["enrichments"], MARK + sha256(repr(made))
        if mark_of_it in marks:
            return
        if any(
            mark.startswith(MARK) for mark in marks
        ):  # the enrichment's results were replaced and must be recomputed
            marks = [mark for mark in marks if not mark.startswith(ENRICHMENT_MARK)]
        await transaction.run(cypher.load("enrichments/outdate"), ids=[paper.id])
        await write_rows(transaction, paper.id, paper.collection, made, resources, model.slot, given=True)
        kept = [mark for mark in marks if not mark.startswith(MARK)]
        enrichments = sorted([*kept, mark_of_it] if made.mentions else kept)
        await transaction.run(cypher.load("enrichments/mark"), rows=[{"id": paper.id, "enrichments": enrichments}])

    await database.transact_until_known(f"write what is given of {paper.key}", work, deadline_s=DEADLINE_S)


# Train a pipeline that finds entities on a user's own data: spaCy's training with the configuration that we ship.
#
# Three formats, recognised by the file's content. JSONL of spaCy: ``text`` and ``spans`` (or ``entities``), each with
# ``start``, ``end`` in characters and ``label``. CoNLL: a token a line with its tag last, IOB1 or IOB2, sentences apart
# by an empty line. JSONL of DyGIE++ as SciERC has it: ``sentences`` of tokens and ``ner`` with first token, last token
# and label, counted over the document.


CONFIG = Path(__file__).with_name("train_ner.cfg")
MOST_TRAINING_BYTES = 500_000_000
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
    """Result of training: path of the pipeline, and its quality on other data than the training set.

    The best step was chosen on ``dev``; quote the figure of ``test``.
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
        if path.stat().st_size > MOST_TRAINING_BYTES:
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
    """Train a pipeline and save the best one on ``dev``; takes minutes of processor time.

    Args:
        data: Training set.
        dev: Set on which the best step is chosen.
        folder: New folder of the pipeline.
        test: Optional test set.
        steps: Number of batches.
        seed: Of the random numbers.
        log: Receives the lines of spaCy's table.

    Raises:
        InputError: The data are unusable, or the folder exists.
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
    """Stream that passes on spaCy's output by line."""

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
