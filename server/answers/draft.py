r"""Draft of a paper: each sentence with a citation, compared with the cited paper of the library.

Formats are those of the parsers for Markdown, LaTeX and docx, in their sandbox. A citation is found by its key
(``[@smith2019]``, ``\cite{smith2019}``), a number in brackets, or author and year. Its paper is the one with this
citation key, or with the DOI, arXiv id or title of the entry.
"""

import asyncio
import hashlib
import re
from base64 import b64decode
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from typing import Annotated

from papergraph import cypher
from papergraph.concurrency import gather_or_cancel
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import InputError, SourceError
from papergraph.ingest.parsers.common.citations import KEY, find_citations, listed_references
from papergraph.ingest.parsers.common.markdown import plain_line
from papergraph.ingest.parsers.document import CitedAt, Document, Reference
from papergraph.ingest.parsers.latex.bibliography import cited_keys
from papergraph.ingest.parsers.sandboxed import parse_sandboxed
from papergraph.ingest.sources import Format, RawDocument
from papergraph.ingest.sources.tex import OWN_BIB, whole_text
from papergraph.records import Id, Record, described
from papergraph.requests import NOT_IN_MCP, request
from papergraph.schema.ids import title_key
from papergraph.schema.records import Paper
from papergraph.server.answers.claims import Claim, Mark
from papergraph.server.answers.comparison import Difference, difference
from papergraph.server.answers.facts import is_negation
from papergraph.server.answers.quotes import Quote, sentences_of_source
from papergraph.server.answers.records import Source
from papergraph.server.answers.second_check import SecondCheck
from papergraph.server.answers.sources import sources_of
from papergraph.server.answers.tokens import tokens_of
from papergraph.server.answers.verify import Verifier
from papergraph.server.retrieval.filters import Filter
from papergraph.server.retrieval.request import MAX_QUERY_CHARS, InCollection, SearchRequest
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.scope import AllowedCollections, refuse_unknown_collection, within
from papergraph.server.retrieval.search import run_search
from papergraph.text.sentences import sentence_starts
from papergraph.text.words import n_words

FORMATS = {".md": Format.MARKDOWN, ".markdown": Format.MARKDOWN, ".tex": Format.LATEX, ".docx": Format.DOCX}
MOST_CHARS = 1_000_000
MOST_CHECKED = 200
"""Citations and uncited sentences of one draft that are checked."""
AT_ONCE = 4
K, K_SUGGESTED = 10, 5
TOKENS = 20_000
LEAST_WORDS = 4
LEAST_CONTENT = 4
"""Words of content of a sentence or clause that can be supported."""
LEAST_WORDS_SUGGESTED = 8
"""Words of an uncited sentence for which a citation is suggested."""

MARK = "\ufffc"
"""Stands in the place of a citation."""
LONGEST_SENTENCE = 2_000
"""In characters; citations of longer ones, such as tables without rules, are unchecked."""
BRACKETS = re.compile(r"\s{0,9}[\[(]([^\[\]()]{1,400})[\])]")
BETWEEN_CITATIONS = re.compile(rf"(?:[\s,;:.&–]|{MARK})+")
WITH_YEAR = re.compile(rf"{MARK}|\b(?:19|20)\d\d")
PART_OF_CITATION = re.compile(
    r"\d+[a-z]?(?:-\d+[a-z]?)?|@.+|[A-Z][\w'’-]*|-"
    r"|see|cf|eg?|ie?|g|and|also|in|of|refs?|or|by|for|example|reviewed|review|therein|et|al|de|van|von|der|pp?"
    r"|sec|chap|fig|eq|theorem|section|chapter|table"
)
BEHIND = re.compile(r"\[@[^\]\n]*\]\.?\s*")
"""Keys behind the full stop of a sentence."""
LEADING = re.compile(rf"\A(?:As|In|According to|Following|Like|Similar to)\b[^,]{{0,80}}?{MARK}[^,]{{0,20}},\s+")
"""Words such as "As shown in [3],"."""
REPORT = re.compile(
    r"\A(?P<before>(?:al\.|[^.;:]){0,90}?)\b(?:show|demonstrat|f(?:i|ou)nd|report|observ|conclud|argu|suggest|propos|not|prov|claim"
    r"|establish|confirm|reveal|indicat|stat)(?:s|e|es|ed|d|n|ing)?\s+that\s+",
    re.IGNORECASE,
)
"""Words that report a statement of others, such as "Smith et al. found that"."""
CLAUSE_END = re.compile(r";\s|:\s|,\s(?:and|but|while|whereas|although|which|however)\s|\s(?:whereas|while)\s")


@request(kw_only=True)
class DraftRequest:
    """Draft of a paper, and where its cited papers are."""

    name: Annotated[
        str, described("File name, whose ending tells the format: .md, .tex or .docx.", min_length=1, max_length=200)
    ]
    text: Annotated[str, described("Text of the draft.", max_length=MOST_CHARS)] = ""
    data: Annotated[
        str, described("Instead of the text: the file in base64, as a docx needs.", max_length=MOST_CHARS), NOT_IN_MCP
    ] = ""
    bibliography: Annotated[str, described("BibTeX, beside the references of the draft.", max_length=MOST_CHARS)] = ""
    collection: InCollection = None
    suggest: Annotated[
        bool, described("Report uncited sentences that a paper of the collection supports, with that paper.")
    ] = False

    @property
    def content(self) -> bytes:
        """The file.

        Raises:
            InputError: Both or neither text and data are given, or data is not base64.
        """
        if bool(self.text.strip()) == bool(self.data):
            raise InputError("Pass either the text or the data of the draft.", field="text")
        try:
            return b64decode(self.data, validate=True) if self.data else self.text.encode()
        except ValueError as error:
            raise InputError("data is not base64.", field="data") from error


class DraftVerdict(StrEnum):
    """Result for a citation: what the cited paper says of the sentence."""

    SUPPORTED = "supported"
    PARTLY = "partly"
    CONTRADICTS = "contradicts"
    NOT_SAID = "not_said"
    UNCHECKED = "unchecked"
    SUGGESTED = "suggested"


@dataclass(frozen=True)
class DraftQuote(Record):
    """Sentence of a paper of the library."""

    chunk_id: Annotated[Id, described("Id of the chunk.")]
    text: Annotated[str, described("The words of the chunk.")]
    page: Annotated[int | None, described("Page, from 1, if there are pages.")]


@dataclass(frozen=True)
class DraftCitation(Record):
    """Sentence of a draft with one of its citations, or an uncited one with a suggested citation."""

    number: Annotated[int, described("Number of the sentence in the draft, from 1.")]
    section: Annotated[str, described("Heading above the sentence.")]
    sentence: Annotated[str, described("The sentence as written.")]
    cited: Annotated[str, described("Citation key or number; empty for a suggestion.")]
    reference: Annotated[str, described("Entry of the bibliography; may be empty.")]
    paper_id: Annotated[Id | None, described("Id of the paper in the library; null if it is absent.")]
    paper_title: Annotated[str | None, described("Title of the paper.")]
    verdict: Annotated[DraftVerdict, described("Result; suggested: an uncited sentence that this paper supports.")]
    detail: Annotated[str, described("Reason as text; empty if supported.")]
    quotes: Annotated[tuple[DraftQuote, ...], described("Sentences that support or contradict it, or the nearest one.")]


@dataclass(frozen=True)
class DraftReport(Record):
    """Check of all citations of a draft."""

    name: Annotated[str, described("Name of the file.")]
    collection: Annotated[str, described("Collection of the cited papers.")]
    n_sentences: Annotated[int, described("Number of sentences in the draft.")]
    citations: Annotated[tuple[DraftCitation, ...], described("Checked citations, in the order of the draft.")]
    left_out: Annotated[int, described("Number of citations beyond the limit of one check.")]
    warnings: Annotated[tuple[str, ...], described("Warnings about skipped checks.")] = ()


@dataclass(frozen=True)
class DraftSentence:
    """Sentence of a draft.

    Attributes:
        number: Its number, from 1.
        section: Heading above it.
        text: As written, in one line.
        claim: Without its citations; empty if the sentence is too long.
        cited: Cited entries, each with the clause of its mark, which may be the whole claim.
    """

    number: int
    section: str
    text: str
    claim: str
    cited: tuple[tuple[Reference, str], ...]


# Reading


def read_draft(name: str, data: bytes, bibliography: str = "") -> list[DraftSentence]:
    """Return the sentences of a draft with the entries that they cite.

    Args:
        name: File name, whose ending tells the format.
        data: The file; LaTeX may have its parts in place already.
        bibliography: BibTeX, beside the references of the draft.

    Raises:
        InputError: The format is unknown, or the draft cannot be read.
    """
    ending = f".{name.lower().rpartition('.')[2]}"
    if (format := FORMATS.get(ending)) is None:
        raise InputError(f"{name[:80]!r} is no draft: its name must end with {', '.join(FORMATS)}.", field="name")
    try:
        if format == Format.LATEX:
            document = _parsed(name, _with_entries(data.decode("utf-8", "replace"), bibliography), format)
            entries: Sequence[Reference] = ()
        else:
            document = _parsed(name, data, format)
            entries = _entries(bibliography) if bibliography.strip() else ()
    except SourceError as error:
        raise InputError(f"The draft cannot be read: {error}", field="text") from error
    references, cited_at = _citations(document, entries)
    return list(_sentences(document, references, cited_at))


def _parsed(name: str, data: bytes, format: str) -> Document:
    return parse_sandboxed(RawDocument(name, data, format, hashlib.sha256(data).hexdigest()))


def _with_entries(text: str, bibliography: str) -> bytes:
    """Return LaTeX with its bibliography in place, and an entry for each cited key that has none."""
    if OWN_BIB not in text:
        text = whole_text("draft", text, lambda _: None, max_chars=MOST_CHARS)
    added = f"\\begin{{filecontents}}{{{OWN_BIB}}}\n{bibliography}\n\\end{{filecontents}}\n" if bibliography else ""
    keys = dict.fromkeys(cited_keys(text))
    if keys and "\\endentry" not in text:  # the last list counts least
        items = "".join(f"\\bibitem[{key[:1].upper()}{key[1:]}()]{{{key}}} {key}\n" for key in keys)
        added += f"\\begin{{thebibliography}}{{9}}\n{items}\\end{{thebibliography}}\n"
    head, end, tail = text.rpartition("\\end{document}")
    return f"{head}{added}{end}{tail}".encode() if end else f"{text}\n{added}".encode()


def _entries(bibliography: str) -> Sequence[Reference]:
    """Return the entries of BibTeX, read by the LaTeX parser in its sandbox."""
    source = "\\documentclass{article}\\begin{document}x\\nocite{*}\n\\end{document}"
    return _parsed("bibliography.tex", _with_entries(source, bibliography), Format.LATEX).references


def _citations(document: Document, entries: Sequence[Reference]) -> tuple[list[Reference], list[CitedAt]]:
    """Return the entries that a draft can cite, and where it does: its own, those of BibTeX, and bare keys."""
    own = document.references or listed_references(document.text, document.sections)
    found = document.cited_at or find_citations(document.text, document.sections, own)
    labels = {one.label for one in own}
    further = [one for one in entries if one.label not in labels]
    if document.format != Format.LATEX:
        keys = dict.fromkeys(match["key"] for match in KEY.finditer(document.text))
        known = labels | {one.label for one in further}
        further += [Reference(key, "") for key in keys if key not in known]
    also = find_citations(document.text, document.sections, further)
    taken = {(one.start, one.end) for one in found}
    shifted = [replace(one, reference=one.reference + len(own)) for one in also if (one.start, one.end) not in taken]
    return [*own, *further], sorted((*found, *shifted), key=lambda one: (one.start, one.reference))


def _sentences(
    document: Document, references: Sequence[Reference], cited_at: Sequence[CitedAt]
) -> Iterable[DraftSentence]:
    number, format = 0, document.format
    elements = sorted((one.start, one.end) for one in document.elements)
    places = [one.start for one in cited_at]
    for section in document.sections:
        if section.kind == "references":
            continue
        for start, end in _spans(document.text, section.start, section.end):
            text = document.text[start:end]
            before = bisect_left(elements, (end, 0))  # elements lie apart
            if (before and start < elements[before - 1][1]) or n_words(text) < LEAST_WORDS:
                continue
            number += 1
            own = cited_at[bisect_left(places, start) : bisect_left(places, end)]
            if len(text) > LONGEST_SENTENCE:
                cited = tuple((references[one.reference], "") for one in own)
                yield DraftSentence(number, section.title, _line(text[:LONGEST_SENTENCE], format), "", cited)
                continue
            inside = [(one.start - start, one.end - start, one.reference) for one in own]
            marks = sorted({(first, last) for first, last, _ in inside})
            clauses = dict(zip(marks, _clauses(text, marks, format), strict=True))
            cited = tuple((references[at], clauses[first, last]) for first, last, at in inside)
            yield DraftSentence(number, section.title, _line(text, format), _plain(text, marks, format), cited)


def _spans(text: str, first: int, last: int) -> list[tuple[int, int]]:
    """Return the sentences of a section; brackets behind a full stop belong to the sentence before."""
    starts = [first + start for start in sentence_starts(text[first:last])]
    bounds = starts[:1]
    for start in starts[1:]:
        behind = BEHIND.match(text, start, last)
        is_moved = (
            behind is not None
            and not text.endswith("\n\n", 0, start)
            and not text[behind.end() : min(last, behind.end() + 1)].islower()
        )
        bounds.append(behind.end() if behind is not None and is_moved else start)
    return [one for one in pairwise([*bounds, last]) if one[0] < one[1]]


def _clauses(text: str, marks: Sequence[tuple[int, int]], format: str) -> list[str]:
    """Return the clause of each mark, without citations."""
    ends = [match.span() for match in CLAUSE_END.finditer(text) if not _is_in_brackets(text, match.start())]
    found, clauses = [], dict[tuple[int, int], str]()
    for mark in marks:
        begin = max((end for _, end in ends if end <= mark[0]), default=0)
        stop = min((start for start, _ in ends if start >= mark[1]), default=len(text))
        if (begin, stop) not in clauses:
            own = [(first - begin, last - begin) for first, last in marks if begin <= first < stop]
            clauses[begin, stop] = _plain(text[begin:stop], own, format)
        found.append(clauses[begin, stop])
    return found


def _is_citation(inside: str) -> bool:
    """Return whether brackets have citations and nothing else."""
    parts = filter(None, BETWEEN_CITATIONS.split(inside))
    return WITH_YEAR.search(inside) is not None and all(PART_OF_CITATION.fullmatch(part) for part in parts)


def _is_in_brackets(text: str, at: int) -> bool:
    return any(text.count(opening, 0, at) > text.count(closing, 0, at) for opening, closing in ("[]", "()"))


def _plain(text: str, marks: Sequence[tuple[int, int]], format: str) -> str:
    """Return a sentence without its citations."""
    pieces, reached = [], 0
    for start, end in marks:
        pieces += [text[reached : max(reached, start)], MARK]
        reached = max(reached, end)
        if text.count("(", start, end) > text.count(")", start, end) and text[reached : reached + 1] == ")":
            reached += 1
    bare = BRACKETS.sub(lambda found: MARK if _is_citation(found[1]) else found[0], "".join((*pieces, text[reached:])))
    found = _line(LEADING.sub("", bare).replace(MARK, ""), format)
    found = re.sub(r"\s+(?=[.,;:!?])", "", found).strip(" ,;")
    return found[:1].upper() + found[1:]


def _line(text: str, format: str) -> str:
    line = " ".join(text.split())
    return " ".join(plain_line(line).split()) if format == Format.MARKDOWN else line


# Checking


async def check_draft(
    resources: Resources,
    name: str,
    sentences: Sequence[DraftSentence],
    collection: str,
    *,
    suggest: bool = False,
    collections: AllowedCollections = None,
) -> DraftReport:
    """Compare each citation of a draft with its paper.

    Args:
        resources: Resources of the pipelines; their language model is that of the second check.
        name: Name of the draft.
        sentences: From :func:`read_draft`.
        collection: Collection of the cited papers.
        suggest: True to report uncited sentences that a paper supports, with that paper.
        collections: Allowed collections; None for all.

    Raises:
        NotFoundError: There is no such collection.
        DatabaseError: Neo4j failed.
    """
    references = list(dict.fromkeys(reference for one in sentences for reference, _ in one.cited))
    looked_in = within(collection, collections)
    papers = await _papers(resources.database, references, looked_in)
    if not papers:
        await refuse_unknown_collection(resources.database, looked_in, asked=collection)
    library = _Library(resources, collection, collections)
    work: list[tuple[DraftSentence, Reference | None, str]] = []
    for one in sentences:
        work += [(one, reference, clause) for reference, clause in dict(one.cited).items()]
        if suggest and one.claim and not one.cited and n_words(one.text) >= LEAST_WORDS_SUGGESTED:
            work.append((one, None, ""))
    found = await gather_or_cancel(
        library.suggested(one) if reference is None else library.checked(one, reference, clause, papers.get(reference))
        for one, reference, clause in work[:MOST_CHECKED]
    )
    checked = tuple(one for one in found if one is not None)
    left_out = max(0, len(work) - MOST_CHECKED)
    warnings = () if library.second.warning is None else (library.second.warning,)
    return DraftReport(name, collection, len(sentences), checked, left_out, warnings)


async def _papers(database: Database, references: Sequence[Reference], looked_in: str) -> dict[Reference, Paper]:
    """Return the papers of entries in a collection: by key, DOI, arXiv id or title, in this order."""
    entries = [
        {"number": at, "citeKey": one.label, "doi": one.doi, "arxivId": one.arxiv_id, "titleKey": title_key(one.title)}
        for at, one in enumerate(references)
    ]
    records = await database.read(cypher.load("papers/cited"), collection=looked_in, entries=entries)
    return {references[record["number"]]: Paper.of(record["paper"]) for record in records}


class _Library:
    """Collection that a draft is checked against."""

    def __init__(self, resources: Resources, collection: str, collections: AllowedCollections) -> None:
        self._resources, self._collection, self._collections = resources, collection, collections
        self._embedder = resources.model.searched.embedder
        self._turns = asyncio.Semaphore(AT_ONCE)
        self.second = SecondCheck(resources, resources.language_model)

    async def checked(
        self, sentence: DraftSentence, reference: Reference, clause: str, paper: Paper | None
    ) -> DraftCitation:
        """Return the verdict on one citation of a sentence."""
        verdict, quotes = DraftVerdict.UNCHECKED, tuple[Quote, ...]()
        if paper is None:
            detail = "the paper is not in the collection"
        elif not paper.n_chunks:
            detail = "the text of the paper is not in the collection"
        elif not sentence.claim:
            detail = f"the sentence has more than {LONGEST_SENTENCE:,} characters"
        else:
            async with self._turns, self._resources.turn():
                sources = await self._sources(sentence.claim, K, Filter(papers=(paper.id,)))
                context = f"{reference.text} {' '.join(reference.authors)}"
                own = clause if len({clause for _, clause in sentence.cited}) > 1 else ""
                verdict, detail, quotes = await asyncio.to_thread(
                    verdict_on, sentence.claim, sources, clause=own, context=context, embedder=self._embedder
                )
            denial = await self._denial(own or sentence.claim, quotes) if verdict is DraftVerdict.SUPPORTED else None
            if denial is not None:
                verdict, detail = DraftVerdict.NOT_SAID, denial
            elif verdict is DraftVerdict.NOT_SAID and paper.format == "record":
                verdict, detail = DraftVerdict.UNCHECKED, "only the abstract of the paper is in the collection"
        return _citation(sentence, reference, paper, (verdict, detail, quotes))

    async def suggested(self, sentence: DraftSentence) -> DraftCitation | None:
        """Return a citation of a paper that supports an uncited sentence, or None."""
        async with self._turns, self._resources.turn():
            sources = await self._sources(sentence.claim, K_SUGGESTED, None)
            quotes = await asyncio.to_thread(_support, sentence.claim, sources, "", self._embedder)
        if not quotes or await self._denial(sentence.claim, quotes) is not None:
            return None
        paper = quotes[0].source.hit.paper
        key = f"@{paper.cite_key}" if paper.cite_key else paper.key
        return _citation(sentence, Reference("", ""), paper, (DraftVerdict.SUGGESTED, f"cite {key}", quotes))

    async def _denial(self, claim: str, quotes: Sequence[Quote]) -> str | None:
        """Return why the second check denies a claim that the rules accept, or None."""
        denial = await self.second.denial(_core(claim), quotes)
        return None if denial is None else f"the rules accept it, but {denial}"

    async def _sources(self, claim: str, k: int, filter: Filter | None) -> tuple[Source, ...]:
        """Return the passages that are nearest to a claim."""
        asked = SearchRequest(query=claim[:MAX_QUERY_CHARS], k=k, collection=self._collection, filter=filter)
        found = await run_search(self._resources, asked.planned(), collections=self._collections, tolerant=True)
        return sources_of(found.hits, token_budget=TOKENS)


Verdict = tuple[DraftVerdict, str, tuple[Quote, ...]]
"""A verdict, its reason, and the quotes that it rests on."""


def _citation(sentence: DraftSentence, reference: Reference, paper: Paper | None, found: Verdict) -> DraftCitation:
    verdict, detail, quotes = found
    return DraftCitation(
        sentence.number,
        sentence.section,
        sentence.text,
        reference.label,
        reference.text,
        paper.id if paper else None,
        paper.title if paper else None,
        verdict,
        detail,
        tuple(DraftQuote(one.chunk.id, one.sentence.strip(), one.chunk.start_page) for one in quotes),
    )


def verdict_on(
    claim: str, sources: Sequence[Source], *, clause: str = "", context: str = "", embedder: Embedder | None = None
) -> Verdict:
    """Return the verdict of the passages of a paper on a claim.

    Args:
        claim: Sentence without citations.
        sources: Passages of the paper.
        clause: Part of the sentence that cites this paper, if the sentence cites several; it is enough.
        context: Authors and title of the paper; the claim may name them.
        embedder: Embedding model for similar meanings.
    """
    if not sources:
        return DraftVerdict.NOT_SAID, "the paper has no passage near to it", ()
    if _n_content(claim) < LEAST_CONTENT:
        return DraftVerdict.UNCHECKED, "the sentence says too little", ()
    for said in filter(None, (claim, clause)):
        if quotes := _support(said, sources, context, embedder):
            return DraftVerdict.SUPPORTED, "", quotes
    core = _core(clause or claim)
    for quote in (one for source in sources for one in sentences_of_source(source)):
        if (found := difference(core, quote.sentence)) is not None:
            is_opposite = found[0] is Difference.OPPOSITE
            return DraftVerdict.CONTRADICTS if is_opposite else DraftVerdict.PARTLY, found[1], (quote,)
    parts = [part for one in CLAUSE_END.split(claim) if _n_content(part := one.strip(" ,.")) >= LEAST_CONTENT]
    held = [quotes for part in parts if (quotes := _support(part, sources, context, embedder))]
    if len(parts) > 1 and held:
        quotes = tuple(dict.fromkeys(quote for one in held for quote in one))
        if len(held) == len(parts):
            return DraftVerdict.SUPPORTED, "", quotes
        return DraftVerdict.PARTLY, f"{len(held)} of {len(parts)} clauses are supported", quotes
    checked = Verifier(context, sources, embedder).check(Claim(core, ()))
    reason = next((one.detail for one in checked.dropped), "no passage supports it")
    return DraftVerdict.NOT_SAID, reason.removeprefix("it cites nothing, and "), _nearest(core, sources)


def _support(claim: str, sources: Sequence[Source], context: str, embedder: Embedder | None) -> tuple[Quote, ...]:
    """Return the quotes of the first passage that supports a claim, with or without the words that report it."""
    if _n_content(claim) < LEAST_CONTENT:
        return ()
    verifier = Verifier(context, sources, embedder)
    for said in dict.fromkeys((_core(claim), claim)):
        for source in sources:
            checked = verifier.check(Claim(said, (Mark(source.number),)))
            if checked.passed:
                return checked.quotes
    return ()


def _nearest(claim: str, sources: Sequence[Source]) -> tuple[Quote, ...]:
    """Return the sentence with most of a claim's words of content, if any."""
    wanted = {one.key for one in tokens_of(claim) if one.is_content}
    shared = [
        (len(wanted & {one.key for one in tokens_of(quote.sentence)}), -place, quote)
        for place, quote in enumerate(quote for source in sources for quote in sentences_of_source(source))
    ]
    most, _, quote = max(shared, key=lambda one: one[:2], default=(0, 0, None))
    return (quote,) if quote is not None and most > 1 else ()


def _n_content(text: str) -> int:
    return sum(one.is_content for one in tokens_of(text))


def _core(claim: str) -> str:
    """Return the statement that a claim reports, "X rises" of "Smith et al. found that X rises"."""
    report = REPORT.match(claim)
    if report is None or any(is_negation(word.lower()) for word in report["before"].split()):
        return claim
    rest = claim[report.end() :]
    return rest[:1].upper() + rest[1:] if n_words(rest) >= LEAST_WORDS else claim
