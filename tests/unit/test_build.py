import math
from dataclasses import replace

import numpy as np
import pytest

from papergraph.embedding import ModelCard
from papergraph.errors import EmbeddingError
from papergraph.ingest.chunkers import ChunkOptions, ChunkSpan
from papergraph.ingest.graph.rows import PaperKey, PaperRows, body_coverage, build, config_hash, paper_text
from papergraph.ingest.parsers import Document, HeadingSource, ParsedSection
from papergraph.ingest.parsers.document import CitedAt, ElementKind, Reference
from papergraph.ingest.sources import Format, PdfService, RawDocument
from papergraph.schema import model
from papergraph.schema.ids import paper_id, reference_id
from papergraph.vector_slots import PARTNERS

CARD = ModelCard("toy", "ab" * 32, dimension=2, max_tokens=256)
OPTIONS = ChunkOptions(64, 8)
TEXT = "Method text. Detail text. Result."
SOURCE = RawDocument("/papers/a.md", TEXT.encode(), Format.MARKDOWN, "cd" * 32)
DOCUMENT = Document(
    key="doi:10.1000/182",
    title="Paper",
    abstract="We show.",
    authors=("Ada Lovelace", "Kurt Gödel"),
    year=1931,
    doi="10.1000/182",
    arxiv_id=None,
    categories=("quant-ph",),
    license=None,
    text=TEXT,
    format=Format.MARKDOWN,
    heading_source=HeadingSource.MARKUP,
    n_body_chars=29,
    sections=(
        ParsedSection("Method", 1, "body", None, 0, 12),
        ParsedSection("Detail", 2, "body", 0, 13, 25),
        ParsedSection("Empty", 1, "body", None, 25, 25),
        ParsedSection("Appendix", 1, "appendix", None, 26, 33),
    ),
)
SPANS = [
    ChunkSpan(0, 0, 12, "Method text.", "Paper > Method", 3),
    ChunkSpan(1, 13, 25, "Detail text.", "Paper > Method > Detail", 3),
    ChunkSpan(3, 26, 33, "Result.", "Paper > Appendix", 2),
]
VECTORS = [[0.6, 0.8], [1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]
"""Of the paper, then of each chunk."""


def rows(*, document=DOCUMENT, vectors=VECTORS, key="doi:10.1000/182", collection="main", card=CARD) -> PaperRows:
    arrays = [np.asarray(vector, dtype=np.float32) for vector in vectors]
    return build(SOURCE, document, SPANS, arrays, PaperKey(collection, key), card, OPTIONS)


def ids(paper: PaperRows) -> list[str]:
    return [row["id"] for row in (paper.paper, *paper.authors, *paper.sections, *paper.chunks)]


def test_the_same_document_gives_the_same_rows():
    assert rows() == rows()


def test_no_two_nodes_of_a_paper_have_the_same_id():
    assert len(set(ids(rows()))) == 1 + 2 + 4 + 3


@pytest.mark.parametrize("other", [{"collection": "other"}, {"key": "file:/papers/a.md"}])
def test_another_collection_or_key_gives_other_ids_to_the_paper_and_its_parts(other):
    here, there = rows(), rows(**other)

    assert not {here.id, *ids(replace(here, authors=[]))} & {there.id, *ids(replace(there, authors=[]))}


def test_an_author_is_one_person_within_a_collection_and_another_one_in_the_next():
    here = [author["id"] for author in rows().authors]

    assert here == [author["id"] for author in rows(key="file:/other").authors]
    assert not set(here) & {author["id"] for author in rows(collection="other").authors}


def test_the_rows_say_where_they_belong():
    paper = rows()

    assert (paper.id, paper.key, paper.collection) == (paper_id("main", DOCUMENT.key), DOCUMENT.key, "main")
    assert paper.source == "/papers/a.md"
    parts = [*paper.sections, *paper.chunks]
    assert {(paper.id, "main")} == {(part["paperId"], part["collection"]) for part in parts}
    assert len({row["collectionTerm"] for row in (paper.paper, *paper.authors, *parts)}) == 1


def test_the_rows_hold_what_was_parsed_and_cut():
    paper = rows()

    assert {
        "title": "Paper",
        "abstract": "We show.",
        "year": 1931,
        "doi": "10.1000/182",
        "arxivId": None,
        "categories": ["quant-ph"],
        "license": None,
        "contentHash": "cd" * 32,
        "format": "markdown",
        "headingSource": "markup",
        "bodyCoverage": 1.0,
        "nPages": None,
        "keywords": None,
        "affiliations": None,
        "orcids": None,
        "nPagesWithoutText": None,
        "lineBoxes": None,
        "nChars": 33,
        "nSections": 4,
        "nChunks": 3,
    }.items() <= paper.paper.items()
    method, detail, _, appendix = paper.sections
    assert [None, method["id"], None, None] == [section["parent_id"] for section in paper.sections]
    assert [section["ordinal"] for section in paper.sections] == [0, 1, 2, 3]
    assert [method["id"], detail["id"], appendix["id"]] == [chunk["sectionId"] for chunk in paper.chunks]
    assert [chunk["kind"] for chunk in paper.chunks] == ["body", "body", "appendix"]
    assert [chunk["text"] for chunk in paper.chunks] == ["Method text.", "Detail text.", "Result."]
    assert [(chunk["ordinal"], chunk["startChar"], chunk["endChar"]) for chunk in paper.chunks] == [
        (0, 0, 12),
        (1, 13, 25),
        (2, 26, 33),
    ]


def test_pages_of_chunks_and_sections_count_from_one_where_the_source_has_pages():
    paper = rows(
        document=replace(
            DOCUMENT,
            format=Format.PDF,
            page_marks=((0, 1), (13, 2), (20, 3), (26, 2), (30, 3)),
            n_pages=4,
            n_pages_without_text=1,
        )
    )

    assert (paper.paper["nPages"], paper.paper["nPagesWithoutText"]) == (4, 1)
    assert [(chunk["startPage"], chunk["endPage"]) for chunk in paper.chunks] == [(1, 1), (2, 3), (2, 3)]
    assert [(row["startPage"], row["endPage"]) for row in paper.sections] == [(1, 1), (2, 3), (3, 3), (2, 3)]


def test_there_are_no_pages_where_the_source_has_none():
    assert {(None, None)} == {(row["startPage"], row["endPage"]) for row in (*rows().chunks, *rows().sections)}


def test_the_body_share_counts_each_character_in_a_chunk_once_and_no_blanks():
    overlapping = [*SPANS, ChunkSpan(1, 20, 25, "text.", "Paper", 1)]

    assert body_coverage(DOCUMENT, overlapping) == 1.0
    assert body_coverage(DOCUMENT, SPANS[:1]) == pytest.approx(11 / 29)
    assert body_coverage(replace(DOCUMENT, n_body_chars=0), []) == 1.0


def test_what_the_first_page_of_a_pdf_prints_and_where_its_lines_stand_is_kept():
    document = replace(
        DOCUMENT,
        keywords=("tides", "moon"),
        affiliations=("Observatory of Sea, Brest",),
        orcids=("0000-0002-1825-0097",),
        line_boxes="packed",
    )

    paper = rows(document=document).paper

    assert (paper["keywords"], paper["orcids"]) == (["tides", "moon"], ["0000-0002-1825-0097"])
    assert (paper["affiliations"], paper["lineBoxes"]) == (["Observatory of Sea, Brest"], "packed")


def test_every_property_of_the_rows_is_in_the_model_and_every_one_that_content_gives_is_in_the_rows():
    beside = set(PARTNERS.values())  # vectors of another model, which papers do not come in with
    properties = {
        node.label: {prop.name for prop in node.properties if not prop.derived} - beside for node in model.NODES
    }
    paper = rows()

    of_sources = {"keys", "sources", "nKeys", "enrichments", "affiliationIds", "venueIds", "citeKey", "record"}
    assert properties["Paper"] - of_sources | {"titleKey"} == paper.paper.keys()
    assert all(properties["Author"] - {"key", "aliases"} == author.keys() for author in paper.authors)
    assert all(properties["Section"] | {"parent_id"} == section.keys() for section in paper.sections)
    assert all(properties["Chunk"] | {"parent_id"} == chunk.keys() for chunk in paper.chunks)


def test_parents_follow_the_chunks_and_do_not_count_as_chunks():
    low = replace(SPANS[0], parent=3)
    parent = replace(SPANS[0], level=1, has_vector=False)
    vectors = [np.asarray(vector, dtype=np.float32) for vector in VECTORS]

    paper = build(
        SOURCE,
        DOCUMENT,
        [low, *SPANS[1:], parent],
        vectors,
        PaperKey("main", "k"),
        CARD,
        OPTIONS,
    )

    assert (paper.paper["nChunks"], paper.paper["nParents"], paper.paper["bodyCoverage"]) == (3, 1, 1.0)
    assert [row["ordinal"] for row in paper.chunks] == [0, 1, 2, 3]
    assert [row["kind"] for row in paper.chunks] == ["body", "body", "appendix", "parent"]
    assert [row["parent_id"] for row in paper.chunks] == [paper.chunks[3]["id"], None, None, None]
    assert (paper.chunks[3]["embedding"], paper.chunks[3]["embeddingHash"]) == (None, None)


def test_a_vector_stands_with_its_model_and_the_hash_of_what_was_embedded():
    paper = rows()

    assert paper.chunks[1]["embedding"] == [0.0, 1.0]
    assert paper.paper["embedding"] == pytest.approx([0.6, 0.8])
    assert {CARD.sha256} == {row["embeddingModel"] for row in (paper.paper, *paper.chunks)}
    assert len({row["embeddingHash"] for row in (paper.paper, *paper.chunks)}) == 4


@pytest.mark.parametrize(
    "bad", [[1.0], [1.0, 0.0, 0.0], [], [0.0, 0.0], [math.nan, 1.0], [math.inf, 0.0], [-math.inf, 0.0]], ids=str
)
@pytest.mark.parametrize("place", [0, 1, 3])
def test_a_vector_that_an_index_cannot_hold_is_refused_wherever_it_stands(bad, place):
    vectors = [bad if number == place else vector for number, vector in enumerate(VECTORS)]

    with pytest.raises(EmbeddingError, match=f"vector {place} "):
        rows(vectors=vectors)


@pytest.mark.parametrize("vectors", [VECTORS[:-1], [*VECTORS, [1.0, 0.0]], []])
def test_there_must_be_a_vector_for_the_paper_and_for_each_chunk(vectors):
    with pytest.raises(ValueError, match=f"{len(vectors)} vectors for a paper and 3 chunks"):
        rows(vectors=vectors)


def test_an_author_who_is_named_twice_stands_once_at_the_first_place():
    document = replace(DOCUMENT, authors=("Ada Lovelace", "Kurt Gödel", "ADA  LOVELACE", "Alan Turing", "Kurt Gödel"))

    assert [author["name"] for author in rows(document=document).authors] == [
        "Ada Lovelace",
        "Kurt Gödel",
        "Alan Turing",
    ]


def test_a_paper_without_sections_has_a_row_of_its_own_only():
    document = replace(DOCUMENT, sections=(), authors=())

    paper = build(
        SOURCE,
        document,
        [],
        [np.array([1.0, 0.0], dtype=np.float32)],
        PaperKey("main", "k"),
        CARD,
        OPTIONS,
    )

    assert (
        paper.paper["nSections"],
        paper.paper["nChunks"],
        paper.authors,
        paper.sections,
        paper.chunks,
    ) == (0, 0, [], [], [])


@pytest.mark.parametrize(
    ("card", "options"),
    [
        (replace(CARD, tokenizer_sha256="ef" * 32), OPTIONS),
        (replace(CARD, max_tokens=512), OPTIONS),
        (CARD, ChunkOptions(65, 8)),
        (CARD, ChunkOptions(64, 9)),
    ],
)
def test_the_config_hash_changes_with_the_tokenizer_and_the_way_of_cutting(card, options):
    assert config_hash(card, options) != config_hash(CARD, OPTIONS)


def test_the_config_hash_does_not_depend_on_which_model_makes_the_vectors():
    assert config_hash(replace(CARD, name="/models/toy", sha256="ef" * 32), OPTIONS) == config_hash(CARD, OPTIONS)


def test_the_config_hash_tells_which_service_reads_pdfs_and_not_where_it_is():
    docling, moved = PdfService("docling", "http://a:1"), PdfService("docling", "http://b:2", timeout_s=5)

    assert config_hash(CARD, OPTIONS, docling) == config_hash(CARD, OPTIONS, moved) != config_hash(CARD, OPTIONS)
    assert config_hash(CARD, OPTIONS, docling) != config_hash(CARD, OPTIONS, PdfService("marker", "http://a:1"))


@pytest.mark.parametrize(("abstract", "text"), [("We show.", "Paper\nWe show."), ("", "Paper"), ("Paper", "Paper")])
def test_a_papers_own_vector_is_made_of_title_and_abstract(abstract, text):
    assert paper_text(DOCUMENT.title, abstract) == text


def test_a_chunk_of_an_element_is_of_its_kind_and_others_of_their_sections():
    spans = [replace(SPANS[0], element=ElementKind.TABLE), *SPANS[1:]]
    arrays = [np.asarray(vector, dtype=np.float32) for vector in VECTORS]

    made = build(SOURCE, DOCUMENT, spans, arrays, PaperKey("main", "file:/a"), CARD, OPTIONS)

    assert [row["kind"] for row in made.chunks] == ["table", "body", "appendix"]
    assert {type(row["kind"]) for row in made.chunks} == {str}


def test_citations_are_cited_by_the_chunks_that_their_places_begin_in():
    entries = (Reference("1", "One.", doi="10.1000/1"), Reference("2", "Two."))
    places = (CitedAt(14, 16, 0), CitedAt(7, 14, 0), CitedAt(7, 9, 1), CitedAt(25, 26, 1))

    paper = rows(document=replace(DOCUMENT, references=entries, cited_at=places))

    method, detail, _ = (chunk["id"] for chunk in paper.chunks)
    assert paper.paper["nReferences"] == 2
    assert [(row["label"], row["doi"], row["citedAt"], row["chunk_ids"]) for row in paper.citations] == [
        ("1", "10.1000/1", [7, 14], [method, detail]),
        ("2", None, [7, 25], [method]),
    ]
    assert [row["id"] for row in paper.citations] == [reference_id(paper.id, 0), reference_id(paper.id, 1)]
