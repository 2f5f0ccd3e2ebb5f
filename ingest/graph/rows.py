"""A parsed document with its chunks and vectors to the rows of one paper's subgraph."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from papergraph.batches import Row
from papergraph.embedding import Floats, ModelCard, check_vectors
from papergraph.ingest.chunkers import ChunkOptions, ChunkSpan, is_left_out
from papergraph.ingest.parsers import version_of
from papergraph.ingest.parsers.document import Document, ElementKind, first_words, n_solid
from papergraph.ingest.sources import Metadata, PdfService, RawDocument
from papergraph.schema.ids import (
    author_id,
    chunk_id,
    collection_term,
    is_spoken,
    paper_id,
    reference_id,
    section_id,
    sha256,
    text_hash,
    title_key,
)
from papergraph.text.language import language_of_passages

NO_EMBEDDING: Row = {"embedding": None, "embeddingModel": None, "embeddingHash": None}


@dataclass(frozen=True)
class PaperRows:
    """All nodes and relationships of one paper, as rows of properties for writing.

    Attributes:
        paper: Properties of the paper except ``keys``, ``sources`` and ``nKeys``, which depend on the stored paper.
        source: Source of this content.
        authors: Properties of its authors, in order.
        sections: Properties of its sections in reading order, with ``parent_id``.
        chunks: Properties of its chunks in reading order, then of their parents, with ``parent_id``.
        citations: Properties of the entries of its list of references in order, with ``chunk_ids`` that cite each.
    """

    paper: Row
    source: str
    authors: list[Row]
    sections: list[Row]
    chunks: list[Row]
    citations: list[Row]

    @property
    def id(self) -> str:
        """Id of the paper."""
        return str(self.paper["id"])

    @property
    def key(self) -> str:
        """Key of the paper."""
        return str(self.paper["key"])

    @property
    def collection(self) -> str:
        """Collection that it goes to."""
        return str(self.paper["collection"])


def config_hash(
    card: ModelCard, options: ChunkOptions, read_by: PdfService | None = None, *, format: str | None = None
) -> str:
    """Return the sha-256 of the configuration of ingestion; a document with another one is written again.

    It contains the name of a parsing service but not its address, and the version of the parser of ``format``; for an
    unknown format the versions of all parsers.

    It contains the tokenizer, which measures chunks, but not the embedding model: another model changes vectors, not
    papers (:mod:`papergraph.ingest.reembed`).
    """
    return sha256(
        version_of(format),
        options.method.version,
        *(f"{name}={value}" for name, value in asdict(options).items() if name != "across_headings"),
        *(["across_headings"] if options.across_headings else []),  # hashes of other papers stay as they were
        card.tokenizer_sha256,
        str(card.max_tokens),
        *([read_by.name] if read_by else []),
    )


def paper_text(title: str, abstract: str) -> str:
    """Return what a paper's own vector is made of."""
    untitled = title == first_words(abstract)
    return abstract if untitled else f"{title}\n{abstract}".strip()


def body_coverage(document: Document, spans: Iterable[ChunkSpan], options: ChunkOptions | None = None) -> float:
    """Return the share of a document's body characters that chunks cover, blanks aside, in [0, 1]; 1 for no body.

    Sections that the ``options`` leave out do not count.
    """
    left_out = (s for s in document.sections if options is not None and is_left_out(s, options))
    n_body_chars = document.n_body_chars - sum(n_solid(document.text[s.start : s.end]) for s in left_out)
    text = _without_headings(document)
    covered = reached = 0
    for span in sorted((span for span in spans if span.level == 0), key=lambda span: span.start):
        covered += n_solid(text[max(reached, span.start) : span.end])
        reached = max(reached, span.end)
    return min(1.0, covered / n_body_chars) if n_body_chars > 0 else 1.0


def _without_headings(document: Document) -> str:
    """Return a document's text of the same length with blanks in place of what stands between sections."""
    parts, reached = [], 0
    for section in document.sections:
        parts += [" " * (section.start - reached), document.text[section.start : section.end]]
        reached = section.end
    return "".join(parts)


@dataclass(frozen=True)
class PaperKey:
    """A paper's place: its collection and its key there."""

    collection: str
    key: str

    @property
    def id(self) -> str:
        """The id of its node."""
        return paper_id(self.collection, self.key)


def build(
    source: RawDocument,
    document: Document,
    spans: list[ChunkSpan],
    vectors: Sequence[Floats] | None,
    place: PaperKey,
    card: ModelCard,
    options: ChunkOptions,
) -> PaperRows:
    """Put one paper's rows together.

    Args:
        source: The file that was read.
        document: What the parser made of it.
        spans: Its chunks.
        vectors: Vector of the paper's own text, then one for each of ``spans`` that has one; None for a paper whose
            vectors follow, which has no configuration until then.
        place: Its collection and its key, which the ids are made of.
        card: The model that made the vectors.
        options: How the chunks were cut.

    Raises:
        EmbeddingError: A vector has the wrong length, is zero or not finite.
    """
    of_paper, of_chunks = _vectors(vectors, spans, card)
    collection, key_id = place.collection, place.id
    placed = {"collection": collection, "collectionTerm": collection_term(collection)}
    part = {**placed, "paperId": key_id}
    paper = {
        **placed,
        "id": key_id,
        "key": place.key,
        **_paper_row(source, document, spans, options),
        "configHash": "" if of_paper is None else config_hash(card, options, source.read_by, format=source.format),
        **embedding_row(of_paper, text_hash(card.sha256, paper_text(document.title, document.abstract)), card),
    }
    section_ids = [section_id(key_id, number, section.title) for number, section in enumerate(document.sections)]
    chunk_ids = [chunk_id(key_id, number, span.text) for number, span in enumerate(spans)]
    chunks = [
        {
            **part,
            "id": chunk_ids[number],
            "parent_id": None if span.parent is None else chunk_ids[span.parent],
            "sectionId": section_ids[span.section],
            "ordinal": number,
            **_chunk_row(document, span, vector, card),
        }
        for number, (span, vector) in enumerate(zip(spans, of_chunks, strict=True))
    ]
    sections = [{**part, **row} for row in _section_rows(document, section_ids)]
    authors = _author_rows(document, collection, placed)
    leaves = [row for row in chunks if row["level"] == 0]
    citations = [{**part, **row} for row in _citation_rows(document, key_id, leaves)]
    return PaperRows(paper, source.name, authors, sections, chunks, citations)


def language_of_paper(document: Document, spans: Iterable[ChunkSpan]) -> str | None:
    """Return the language of a paper by its chunks, or by its title if it has none: an ISO 639-1 code or None."""
    texts = [span.text for span in spans if is_spoken(_kind(document, span), span.level)]
    return language_of_passages(texts or [document.title])


def _vectors(
    vectors: Sequence[Floats] | None, spans: list[ChunkSpan], card: ModelCard
) -> tuple[Floats | None, list[Floats | None]]:
    """Return the vector of a paper, and that of each chunk that has one."""
    if vectors is None:
        return None, [None] * len(spans)
    n_vectors = sum(span.has_vector for span in spans)
    if len(vectors) != 1 + n_vectors:
        raise ValueError(f"{len(vectors)} vectors for a paper and {n_vectors} chunks")
    of_paper, *rest = check_vectors(vectors, dimension=card.dimension)
    remaining = iter(rest)
    return of_paper, [next(remaining) if span.has_vector else None for span in spans]


def _author_rows(document: Document, collection: str, placed: Row) -> list[Row]:
    """Return each author once, under the first of the spellings."""
    rows: dict[str, Row] = {}
    for name in document.authors:
        id = author_id(collection, name)
        rows.setdefault(id, {**placed, "id": id, "name": name})
    return list(rows.values())


def _paper_row(source: RawDocument, document: Document, spans: list[ChunkSpan], options: ChunkOptions) -> Row:
    return {
        "title": document.title,
        "abstract": document.abstract,
        "year": document.year,
        "doi": document.doi,
        "arxivId": document.arxiv_id,
        "titleKey": title_key(document.title),
        "categories": list(document.categories),
        "keywords": list(document.keywords) or None,
        "affiliations": list(document.affiliations) or None,
        "orcids": list(document.orcids) or None,
        "license": document.license,
        **_publication(source.metadata or Metadata()),
        "contentHash": source.content_hash,
        "format": str(document.format),
        "headingSource": document.heading_source.value,
        "bodyCoverage": body_coverage(document, spans, options),
        "chunker": options.chunker,
        "cleaning": list(options.cleaning),
        "nPages": document.n_pages,
        "nPagesWithoutText": document.n_pages_without_text if document.n_pages else None,
        "lineBoxes": document.line_boxes or None,
        "notes": list(document.notes) or None,
        "isPartial": document.is_partial or None,
        "nChars": len(document.text),
        "nSections": len(document.sections),
        "nChunks": sum(span.level == 0 for span in spans),
        "nParents": sum(span.level > 0 for span in spans),
        "nReferences": len(document.references),
    }


def _chunk_row(document: Document, span: ChunkSpan, vector: Floats | None, card: ModelCard) -> Row:
    hash = text_hash(card.sha256, span.embedded_text)
    return {
        "level": span.level,
        "kind": _kind(document, span),
        "year": document.year,
        "context": span.context,
        "text": span.text,
        "nTokens": span.n_tokens,
        "nTokensEmbedded": span.n_read,
        "contentHash": sha256(span.text),
        "figure": _figure(document, span),
        "startChar": span.start,
        "endChar": span.end,
        **_pages(document, span.start, span.end),
        **embedding_row(vector, hash, card),
    }


def _figure(document: Document, span: ChunkSpan) -> list[float] | None:
    """Return the place of the picture of a caption, if one was found."""
    if span.element is not ElementKind.CAPTION:
        return None
    element = document.elements[bisect_right(document.elements, span.start, key=lambda one: one.start) - 1]
    return list(element.figure) or None


def _section_rows(document: Document, ids: Sequence[str]) -> list[Row]:
    return [
        {
            "id": ids[number],
            "title": section.title,
            "level": section.level,
            "ordinal": number,
            "kind": section.kind,
            "startChar": section.start,
            "endChar": section.end,
            **_pages(document, section.start, section.end),
            "parent_id": None if section.parent is None else ids[section.parent],
        }
        for number, section in enumerate(document.sections)
    ]


def _citation_rows(document: Document, key_id: str, chunks: Sequence[Row]) -> list[Row]:
    """Return what is written of each entry of the list of references, with the ``chunks`` that cite it."""
    cited_at, citing = _cited_at(document), _citing_chunks(document, chunks)
    return [
        {
            "id": reference_id(key_id, number),
            "ordinal": number,
            "label": entry.label,
            "text": entry.text,
            "title": entry.title,
            "authors": list(entry.authors),
            "year": entry.year,
            "doi": entry.doi,
            "arxivId": entry.arxiv_id,
            "titleKey": title_key(entry.title),
            "citedAt": cited_at[number],
            "chunk_ids": citing[number],
        }
        for number, entry in enumerate(document.references)
    ]


def _cited_at(document: Document) -> list[list[int]]:
    """Return for each reference the first characters of where the text cites it, in order and each once."""
    starts: list[set[int]] = [set() for _ in document.references]
    for cited in document.cited_at:
        starts[cited.reference].add(cited.start)
    return [sorted(places) for places in starts]


def _citing_chunks(document: Document, chunks: Sequence[Row]) -> list[list[str]]:
    """Return for each reference the ids of the chunks that a citation of it begins in."""
    ids: list[dict[str, None]] = [{} for _ in document.references]
    cited_at = sorted(document.cited_at, key=lambda cited: cited.start)
    starts = [cited.start for cited in cited_at]
    for row in chunks:
        inside = slice(bisect_left(starts, row["startChar"]), bisect_left(starts, row["endChar"]))
        for cited in cited_at[inside]:
            ids[cited.reference][row["id"]] = None
    return [list(of_reference) for of_reference in ids]


def _publication(metadata: Metadata) -> Row:
    """Return what only a source's metadata tells of a paper."""
    return {
        "arxivVersion": metadata.arxiv_version,
        "primaryCategory": metadata.primary_category,
        "published": metadata.published,
        "updated": metadata.updated,
        "comment": metadata.comment,
        "journalRef": metadata.journal_ref,
        "url": metadata.url,
    }


def _pages(document: Document, start: int, end: int) -> Row:
    """Return first and last page, from 1, of characters ``start`` to ``end``; empty for a document without pages."""
    if not document.page_marks:
        return {"startPage": None, "endPage": None}
    offsets = [offset for offset, _ in document.page_marks]
    first, after = bisect_right(offsets, start) - 1, bisect_right(offsets, max(start, end - 1))
    pages = [page for _, page in document.page_marks[max(0, first) : after]]
    return {"startPage": min(pages), "endPage": max(pages)}


def _kind(document: Document, span: ChunkSpan) -> str:
    if span.level > 0:
        return "parent"
    return span.element.value if span.element else document.sections[span.section].kind


def embedding_row(vector: Floats | None, hash: str, card: ModelCard) -> Row:
    """Return the properties of a vector, empty for none."""
    if vector is None:
        return NO_EMBEDDING
    return {"embedding": vector.tolist(), "embeddingModel": card.sha256, "embeddingHash": hash}
