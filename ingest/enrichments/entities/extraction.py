"""Extraction of entities from papers, with an installed spaCy pipeline where there is one."""

import json
import re
import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from papergraph.errors import InputError
from papergraph.ingest.enrichments.entities.gazetteer import Entry, is_excluded, known_names
from papergraph.ingest.enrichments.entities.term_extraction import (
    Abbreviation,
    EntityType,
    abbreviations,
    c_values,
    is_proper,
    kind_of,
    made_up_names,
    terms,
)
from papergraph.model_hub.spacy_pipelines import META, installed_folders
from papergraph.schema.ids import entity_key, normalise
from papergraph.settings import Settings
from papergraph.text.language import ENGLISH, function_words_of, language_of

if TYPE_CHECKING:
    from spacy.language import Language


# Trained spaCy pipelines that are here, and which of them finds entities of research papers


LANGUAGE = "en"
FINDERS = frozenset({"ner", "entity_ruler", "span_ruler"})
GENERAL_LABELS = frozenset(
    {"PER", "PERSON", "NORP", "FAC", "ORG", "GPE", "LOC", "LAW", "LANGUAGE", "MISC"}
    | {"DATE", "TIME", "PERCENT", "MONEY", "QUANTITY", "ORDINAL", "CARDINAL"}
)
"""Labels of news text, by OntoNotes and CoNLL: people, places and figures are no entities here."""


def installed_pipeline() -> str | None:
    """Return the name of a suitable package, or the folder of one that ``papergraph models get`` fetched; else None.

    A suitable pipeline is English and has labels beyond those of news text. The one with the fewest news labels is
    chosen, then the first by name. spaCy itself is not loaded.
    """
    packaged: list[tuple[str, Path]] = []
    for name in sorted({entry.name for entry in entry_points(group="spacy_models")}):
        with suppress(ImportError, ValueError, LookupError):
            spec = find_spec(name)
            packaged += [(name, Path(folder)) for folder in (spec.submodule_search_locations or () if spec else ())][:1]
    found = []
    for name, folder in (*packaged, *((str(folder), folder) for folder in installed_folders(Settings()))):
        for labels in _labels(folder):
            if labels - GENERAL_LABELS:
                found.append((len(labels & GENERAL_LABELS), name))
    return min(found)[1] if found else None


def _labels(folder: Path) -> Iterator[frozenset[str]]:
    """Yield the labels of an English pipeline's entities, if its metadata are readable."""
    with suppress(OSError, ValueError, LookupError, TypeError, AttributeError):
        meta = json.loads((folder / META).read_text(encoding="utf-8"))
        if meta["lang"] == LANGUAGE:
            of_parts = (of_part for part, of_part in dict(meta["labels"]).items() if part in FINDERS)
            yield frozenset(label for of_part in of_parts for label in of_part)


# Find the entities of a paper: gazetteers and a pipeline by spaCy, explained abbreviations, and terms by statistics.
#
# Nothing of it is trained unless a pipeline is named. What a paper gives depends on its own text and the options
# alone.


BY_GAZETTEER, BY_ABBREVIATION, BY_TERMS = "gazetteer", "abbreviation", "terms"
LONGEST_TEXT = 10_000_000
_ONE_AT_A_TIME = threading.Lock()
"""Pipelines are not made for several threads."""
SHORTEST_ANY_CASE = 5
"""Names of a gazetteer with fewer letters are found in their own spelling only."""
_DATA_AFTER = re.compile(
    r"\s+(?:datasets?|data\s+sets?|corpus|corpora|benchmarks?|databases?|treebank|challenge|"
    r"(?:test|dev|development|validation|training|train|val)\s+(?:set|split|data)s?)\b"
)
_ON_BEFORE = re.compile(r"\bon\s+(?:the\s+)?$")
ON_SHARE = 0.4
"""Share of its uses that follow the word on, from which a made-up name is taken for that of a data set."""
_SENTENCE = re.compile(r"[^\W\d_]{2}[.!?]\s+[^\W\d_]")
FEWEST_SENTENCES, LEAST_ENGLISH = 2, 0.08
"""Ends of sentences, and the share of English function words, from which text of no known language is English."""
LONGEST_SYMBOL, SYMBOL_SHARE = 3, 0.5
"""Most letters of the name of a variable, and the share of its uses that are in formulas."""
_SIGN_BEFORE = re.compile(r"[=+−×÷·∈≤≥≈∼∑∏∫∂√∥|<>/^*~≡→⊤′]\s?$")
_SIGN_AFTER = re.compile(r"\s?(?:[+−×÷·∈∼∑∏∫∂√∥|/^*~≡→⊤′]|[=≤≥≈<>](?!\s*[-−]?\.?\d))")
"""A figure after a sign of equality is that of a measure: OR = 1.5."""
_HEADS_AFTER_NAMES = frozenset(
    [
        "dataset",
        "datasets",
        "corpus",
        "corpora",
        "benchmark",
        "benchmarks",
        "task",
        "tasks",
        "model",
        "models",
        "method",
        "methods",
        "algorithm",
        "algorithms",
        "architecture",
        "architectures",
        "network",
        "networks",
        "framework",
        "approach",
        "layer",
        "layers",
        "module",
        "modules",
        "system",
        "classifier",
    ]
)


@dataclass(frozen=True)
class FoundEntity:
    """A place where a text names an entity.

    Attributes:
        start, end: Where, in characters.
        name: The spelling, with single spaces.
        type: Kind of thing.
        by: What found it: gazetteer, abbreviation, terms, or the pipeline's name.
        aliases: Other names that the paper or a gazetteer gives it.
    """

    start: int
    end: int
    name: str
    type: str
    by: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class ExtractionLimits:
    """Largest number of entities of a chunk and of a paper; the most frequent ones in the paper are kept."""

    per_chunk: int = 40
    per_paper: int = 300


def find(
    texts: Sequence[str],
    *,
    gazetteer: tuple[Entry, ...] = (),
    pipeline: str | None = None,
    left_out: frozenset[str] = frozenset(),
    limits: ExtractionLimits = ExtractionLimits(),
    people: frozenset[str] = frozenset(),
    functions: frozenset[str] = frozenset(),
) -> list[list[FoundEntity]]:
    """Return for each text of a paper where it names entities, in its order; none overlaps another.

    Terms are those of English text; of a text in another language only words of a made-up shape are taken.
    Where several say something of one place, a gazetteer goes before the pipeline, and that before abbreviations and
    terms.

    Args:
        texts: The prose of the paper's chunks in order; see :func:`papergraph.ingest.enrichments.prose.prose`.
        gazetteer: Names to be found beside the widely known ones.
        pipeline: Name or path of a spaCy pipeline whose entities are taken.
        left_out: Labels of it that are not taken; with some it reads English text alone.
        limits: Bounds of what is returned.
        people: Surnames that are no entities by themselves.
        functions: Names of functions of programs that are none.

    Raises:
        InputError: The pipeline cannot be loaded.
    """
    explained = _explained(texts)
    with _ONE_AT_A_TIME:
        taken = [list(spans) for spans in _by_spacy(texts, gazetteer, pipeline, left_out)]
    found = []
    for text, spans in zip(texts, taken, strict=True):
        spans += _definitions(text, explained, spans)
        spans += [one for one in _terms(text, spans, explained) if not is_excluded(one.name, people, functions)]
        found.append(sorted(spans, key=lambda one: one.start))
    return _bounded(_typed(texts, _without_symbols(texts, found)), limits)


def _by_spacy(
    texts: Sequence[str], gazetteer: tuple[Entry, ...], pipeline: str | None, left_out: frozenset[str]
) -> Iterable[list[FoundEntity]]:
    ruler, entries = _ruler(gazetteer)
    trained = load_pipeline(pipeline) if pipeline else None
    by = str(trained.meta.get("name") or "pipeline") if trained is not None else ""
    trained_docs = trained.pipe(texts) if trained is not None else [None] * len(texts)
    for doc, other in zip(ruler.pipe(texts), trained_docs, strict=True):
        spans = []
        for span in doc.ents:
            entry = entries.get(normalise(span.text), Entry(span.text, span.label_))
            others = tuple(
                sorted(name for name in (entry.name, *entry.aliases) if normalise(name) != normalise(span.text))
            )
            start, end = span.start_char, span.end_char
            spans.append(FoundEntity(start, end, _name(span.text), span.label_, BY_GAZETTEER, others))
        for span in other.ents if other is not None and (not left_out or _is_english(doc.text)) else ():
            if span.label_ in left_out:
                continue
            if span.text.strip() and not any(_overlap(span.start_char, span.end_char, one) for one in spans):
                spans.append(FoundEntity(span.start_char, span.end_char, _name(span.text), span.label_, by))
        yield spans


@lru_cache(maxsize=4)
def _ruler(gazetteer: tuple[Entry, ...]) -> "tuple[Language, dict[str, Entry]]":
    """Return a blank English pipeline that finds the user's names, then those widely known; and all by their names."""
    import spacy

    nlp = spacy.blank("en")
    nlp.max_length = LONGEST_TEXT
    exact = nlp.add_pipe("entity_ruler", name="exact")
    any_case = nlp.add_pipe("entity_ruler", name="any_case", config={"phrase_matcher_attr": "LOWER"})
    entries: dict[str, Entry] = {}
    patterns: dict[bool, list[dict[str, str]]] = {True: [], False: []}
    for entry in (*gazetteer, *known_names()):
        for name in (entry.name, *entry.aliases):
            if entries.setdefault(normalise(name), entry) is entry:
                is_exact = len(name) < SHORTEST_ANY_CASE or name.isupper()
                patterns[is_exact].append({"label": entry.type, "pattern": name})
    exact.add_patterns(patterns[True])  # type: ignore[attr-defined]
    any_case.add_patterns(patterns[False])  # type: ignore[attr-defined]
    return nlp, entries


@lru_cache(maxsize=2)
def load_pipeline(name: str) -> "Language":
    """Load a spaCy pipeline by the name of its package or the path of its folder.

    Raises:
        InputError: The pipeline is missing, or has no entity recogniser.
    """
    import spacy

    try:
        nlp = spacy.load(name)
    except (OSError, ValueError, ImportError) as error:
        raise InputError(
            f"{name!r} is no spaCy pipeline that can be loaded here: {str(error)[:300]}; name an installed package, or "
            "the folder that papergraph entities train wrote",
            field="pipeline",
        ) from error
    if not {"ner", "entity_ruler", "span_ruler"} & set(nlp.pipe_names):
        raise InputError(f"the pipeline {name!r} finds no entities: it has {nlp.pipe_names}", field="pipeline")
    return nlp


def _explained(texts: Sequence[str]) -> dict[str, Abbreviation]:
    """Return for each name of an abbreviation that the paper explains, plain, the pair; the first one counts."""
    known: dict[str, Abbreviation] = {}
    for text in texts:
        for pair in abbreviations(text):
            known.setdefault(normalise(pair.short), pair)
            known.setdefault(normalise(pair.long), pair)
    return known


def _definitions(text: str, explained: dict[str, Abbreviation], taken: Sequence[FoundEntity]) -> list[FoundEntity]:
    spans: list[FoundEntity] = []
    for pair in abbreviations(text):
        for name, other in ((pair.long, pair.short), (pair.short, pair.long)):
            pattern = r"\s+".join(map(re.escape, name.split()))
            match = re.compile(pattern).search(text, pair.start)
            if match and not any(_overlap(*match.span(), one) for one in (*taken, *spans)):
                spans.append(_abbreviation(*match.span(), name, other))
    return spans


def _abbreviation(start: int, end: int, name: str, other: str) -> FoundEntity:
    return FoundEntity(start, end, name, kind_of(other if len(other) > len(name) else name), BY_ABBREVIATION, (other,))


def _terms(text: str, taken: Sequence[FoundEntity], explained: dict[str, Abbreviation]) -> Iterable[FoundEntity]:
    find_terms = terms if _is_english(text) else made_up_names
    for term in find_terms(text, [(one.start, one.end) for one in taken]):
        pair = explained.get(normalise(term.name))
        if pair is not None:
            other = pair.long if normalise(pair.short) == normalise(term.name) else pair.short
            yield _abbreviation(term.start, term.end, term.name, other)
            continue
        parts = term.name.split()
        kind = kind_of(term.name)
        if len(parts) > 1 and parts[-1] in _HEADS_AFTER_NAMES and is_proper(parts[:-1]):
            end = term.start + text[term.start : term.end].rstrip().rfind(parts[-1])
            name = text[term.start : end].rstrip()
            yield FoundEntity(term.start, term.start + len(name), _name(name), kind, BY_TERMS)
        else:
            yield FoundEntity(term.start, term.end, term.name, kind, BY_TERMS)


def _is_english(text: str) -> bool:
    """Say whether a text is English, or has too few sentences to tell."""
    language = language_of(text)
    if language is not None or len(_SENTENCE.findall(text)) < FEWEST_SENTENCES:
        return language in (ENGLISH, None)
    text_words = text.lower().split()
    function_words = function_words_of(ENGLISH)
    return sum(word in function_words for word in text_words) >= LEAST_ENGLISH * len(text_words)


def _without_symbols(texts: Sequence[str], found: list[list[FoundEntity]]) -> list[list[FoundEntity]]:
    """Return what is found without short names that stand beside signs of formulas in half of their uses or more."""
    uses, in_formulas = Counter[str](), Counter[str]()
    for text, spans in zip(texts, found, strict=True):
        for one in spans:
            if one.by == BY_TERMS and len(one.name) <= LONGEST_SYMBOL:
                uses[one.name] += 1
                before = _SIGN_BEFORE.search(text, max(0, one.start - 2), one.start)
                in_formulas[one.name] += before is not None or _SIGN_AFTER.match(text, one.end) is not None
    symbols = {name for name, n in in_formulas.items() if n >= SYMBOL_SHARE * uses[name]}
    return [[one for one in spans if one.by != BY_TERMS or one.name not in symbols] for spans in found]


def _typed(texts: Sequence[str], found: list[list[FoundEntity]]) -> list[list[FoundEntity]]:
    """Give each name one type in the whole paper: what most of its uses say, and what stands beside them."""
    said: dict[str, Counter[str]] = defaultdict(Counter)
    uses, data, on = Counter[str](), Counter[str](), Counter[str]()
    fixed = set()
    for text, spans in zip(texts, found, strict=True):
        for one in spans:
            name = entity_key(one.name)
            said[name][one.type] += 1
            uses[name] += 1
            if one.by not in (BY_TERMS, BY_ABBREVIATION):
                fixed.add(name)
            if one.name[0].isupper() or one.name[0].isdigit():
                data[name] += _DATA_AFTER.match(text, one.end) is not None
                on[name] += _ON_BEFORE.search(text, max(0, one.start - 12), one.start) is not None
    types = {}
    for name, counts in said.items():
        types[name] = min(counts, key=lambda type: (-counts[type], type == EntityType.TERM, type))
        unsure = types[name] in (EntityType.TERM, EntityType.METHOD)
        if name not in fixed and unsure and (data[name] or (on[name] >= 2 and on[name] >= ON_SHARE * uses[name])):
            types[name] = EntityType.DATASET
    return [
        [
            one
            if entity_key(one.name) in fixed and one.by not in (BY_TERMS, BY_ABBREVIATION)
            else FoundEntity(one.start, one.end, one.name, types[entity_key(one.name)], one.by, one.aliases)
            for one in spans
        ]
        for spans in found
    ]


def _bounded(found: list[list[FoundEntity]], limits: ExtractionLimits) -> list[list[FoundEntity]]:
    """Keep the names that count most in the paper: those that were looked for, then by C-value, then by alphabet."""
    values = c_values(entity_key(one.name).split() for spans in found for one in spans)
    looked_for = {entity_key(one.name) for spans in found for one in spans if one.by != BY_TERMS}

    def rank(name: str) -> tuple[bool, float, str]:
        return name not in looked_for, -values[tuple(name.split())], name

    names = sorted({entity_key(one.name) for spans in found for one in spans}, key=rank)[: limits.per_paper]
    place = {name: number for number, name in enumerate(names)}
    bounded = []
    for spans in found:
        here = sorted({entity_key(one.name) for one in spans if entity_key(one.name) in place}, key=place.__getitem__)
        kept = set(here[: limits.per_chunk])
        bounded.append([one for one in spans if entity_key(one.name) in kept])
    return bounded


def _name(text: str) -> str:
    return " ".join(text.split())


def _overlap(start: int, end: int, other: FoundEntity) -> bool:
    return start < other.end and other.start < end
