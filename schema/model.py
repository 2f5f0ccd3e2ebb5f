"""Model of the graph: labels, relationships, constraints and indexes, as data.

The schema of a store, the start-up check, the picture in ``docs/graph-model.md`` and the checksum are derived from it.
Names must be plain identifiers: they become part of statements.
"""

from dataclasses import dataclass

from papergraph.schema.nodes import _ID as _ID
from papergraph.schema.nodes import _SPAN as _SPAN
from papergraph.schema.nodes import _VECTOR as _VECTOR
from papergraph.schema.nodes import NODES as NODES
from papergraph.schema.nodes import PAPER_ID as PAPER_ID
from papergraph.schema.nodes import NodeType as NodeType
from papergraph.schema.nodes import Property as Property
from papergraph.schema.nodes import Type as Type


@dataclass(frozen=True)
class RelationshipType:
    """A relationship from any of ``starts`` to any of ``ends``."""

    type: str
    starts: tuple[str, ...]
    ends: tuple[str, ...]
    meaning: str
    properties: tuple[Property, ...] = ()


@dataclass(frozen=True)
class Constraint:
    """A uniqueness constraint: Community Edition has no other kind."""

    name: str
    label: str
    properties: tuple[str, ...]


@dataclass(frozen=True)
class RangeIndex:
    """An index for look-ups and keyset paging."""

    name: str
    label: str
    properties: tuple[str, ...]


@dataclass(frozen=True)
class VectorIndex:
    """A cosine index on ``embedding``; ``filters`` are the scalars that a search can narrow by inside the index.

    While models are being changed each has a partner on ``secondEmbedding`` (:mod:`papergraph.vector_slots`).
    """

    name: str
    label: str
    filters: tuple[str, ...]


@dataclass(frozen=True)
class FulltextIndex:
    """A Lucene index; ``collectionTerm`` is among its properties so that a query can narrow by it.

    One with the analyzer ``english`` has that of the store, if another was chosen (:mod:`papergraph.schema.fulltext`).
    """

    name: str
    labels: tuple[str, ...]
    properties: tuple[str, ...]
    analyzer: str


DEFAULT_ANALYZER = "english"
QUANTIZATIONS = ("none", "scalar", "binary")
"""Quantization of the vector indexes, a setting of a new store: 4 bytes, 1 byte or 1 bit for each component."""
DEFAULT_QUANTIZATION = "none"
SEARCHED_SHARE = {"none": 1.0, "scalar": 0.25, "binary": 0.1}
"""Share of a vector index that searches read: a quantised one holds the exact vectors as well, which they do not."""
VECTOR_OPTIONS: dict[str, str | int] = {
    "vector.similarity_function": "COSINE",
    "vector.quantization.type": DEFAULT_QUANTIZATION.upper(),
    "vector.hnsw.m": 32,
    "vector.hnsw.ef_construction": 200,
}
"""Options of every vector index beside its dimension, unless the store was created with another quantization.

It is stated because the server's default changed in 2026.08.
"""
_AUTHORSHIP = (
    Property("position", "INTEGER", "place in the paper's list of authors, from 0"),
    Property("name", "STRING", "name as this paper writes it"),
)
_SPELLING = (Property("name", "STRING", "name as this paper writes it"),)
_PLACED = (*_SPELLING, Property("position", "INTEGER", "place among the paper's affiliations, from 0"))
_LIKENESS = (Property("score", "FLOAT", "cosine of both vectors, to three digits"),)
_MENTION = (
    Property("names", "LIST<STRING>", "spellings that the chunk uses, by alphabet"),
    Property("aliases", "LIST<STRING>", "other names that its paper gives it, such as an abbreviation's long form"),
    Property("type", "STRING", "kind of thing, as what found it says"),
    Property(
        "extractor", "STRING", "what found it: gazetteer, abbreviation, terms, given, or a pipeline's or model's name"
    ),
    Property("offsets", "LIST<INTEGER>", "first characters of where the chunk's text names it, from 0, in order"),
)
_USE = (
    Property("offsets", "LIST<INTEGER>", "first characters of where the chunk's text uses it, from 0, in order"),
    Property("ends", "LIST<INTEGER>", "for each of them the character after its last one"),
)
_RELATION = (
    Property("type", "STRING", "how it is related, one of the schema's"),
    PAPER_ID,
    Property("chunkIds", "LIST<STRING>", "chunks that say so, in order of the paper"),
    Property("extractor", "STRING", "what found it: given, or a model's name"),
)
_SAMENESS = (
    Property("score", "FLOAT", "how sure, in [0, 1]"),
    Property("evidence", "STRING", "what speaks for it: name, abbreviation, vector or review"),
)
_REPEAT = (Property("by", "STRING", "what is equal: doi, pmid or title; person: a person said so"),)
_MEMBERSHIP = (
    Property("by", "STRING", "of metadata: what says so, arxiv, terms or a model's name"),
    Property("promptVersion", "STRING", "of metadata: sha-256 of the prompt, where a model says so"),
    Property("said", "STRING", "of metadata: what was said, where the value is other"),
)
RELATIONSHIPS = (
    RelationshipType("WROTE", ("Author",), ("Paper",), "is an author of", _AUTHORSHIP),
    RelationshipType("PUBLISHED_IN", ("Paper",), ("Venue",), "appeared there, as a source says", _SPELLING),
    RelationshipType("AFFILIATED_WITH", ("Paper",), ("Affiliation",), "an author works there", _PLACED),
    RelationshipType("HAS_SOURCE", ("Paper",), ("Source",), "says something about the paper"),
    RelationshipType("HAS_SECTION", ("Paper",), ("Section",), "every section, of any level"),
    RelationshipType("HAS_SUBSECTION", ("Section",), ("Section",), "the section tree"),
    RelationshipType("HAS_CHUNK", ("Section",), ("Chunk",), "the section's own text, without its subsections'"),
    RelationshipType("CHILD_OF", ("Chunk",), ("Chunk",), "is part of the longer one, in a hierarchy"),
    RelationshipType("NEXT_CHUNK", ("Chunk",), ("Chunk",), "the chunk after it in the paper"),
    RelationshipType("HAS_REFERENCE", ("Paper",), ("Reference",), "the list of references"),
    RelationshipType(
        "CITES_REFERENCE", ("Chunk",), ("Reference",), "the chunk cites the entry: it holds one of its citedAt"
    ),
    RelationshipType(
        "CITES", ("Paper",), ("Paper",), "a Reference of the one has a DOI, arXiv id or title of a source of the other"
    ),
    RelationshipType("ANSWERED_BY", ("Question",), ("Chunk", "Paper"), "where the answer stands"),
    RelationshipType("DUPLICATE_OF", ("Question",), ("Question",), "asks the same as that of another paper", _LIKENESS),
    RelationshipType("STANDS_FOR", ("Prototype",), ("Question", "Chunk"), "is the prototype nearest to it"),
    RelationshipType("MENTIONS", ("Chunk",), ("Entity",), "names the entity", _MENTION),
    RelationshipType("RELATED_TO", ("Entity",), ("Entity",), "is related to, as a paper says", _RELATION),
    RelationshipType("NAMES", ("Chunk",), ("Name",), "uses the name, told by its capitals", _USE),
    RelationshipType("REFERS_TO", ("Chunk",), ("Name",), "uses the title of a paper", _USE),
    RelationshipType("TITLED", ("Paper",), ("Name",), "is titled so, brackets or what a comma begins left out"),
    RelationshipType("SAME_AS", ("Entity",), ("Entity",), "is held to be the same thing", _SAMENESS),
    RelationshipType("SIMILAR", ("Chunk",), ("Chunk",), "one is among the nearest of another paper's", _LIKENESS),
    RelationshipType(
        "IN_CLUSTER",
        ("Paper", "Chunk"),
        ("Cluster",),
        "belongs to it, and to none below it",
        _MEMBERSHIP,
    ),
    RelationshipType("PARENT_OF", ("Cluster",), ("Cluster",), "holds all members of the finer one"),
    RelationshipType("SUMMARIZES", ("Summary",), ("Cluster",), "is about papers that are in the cluster"),
    RelationshipType("RATES", ("AnswerRating",), ("StoredAnswer",), "says how good the answer is"),
    RelationshipType("ANNOTATES", ("Annotation",), ("Source",), "is about the paper of the source"),
    RelationshipType(
        "ANNOTATES_PRIVATELY", ("PrivateAnnotation",), ("Source",), "is about the paper of the source, unseen by others"
    ),
    RelationshipType("HAS_COLUMN", ("EvidenceTable",), ("TableColumn",), "asks its papers"),
    RelationshipType("HAS_CELL", ("TableColumn",), ("TableCell",), "was answered by"),
    RelationshipType("CELL_OF", ("TableCell",), ("Source",), "is about the paper of the source"),
    RelationshipType("HAS_RECORD", ("Screening",), ("ScreeningRecord",), "a search found it"),
    RelationshipType("HAS_DECISION", ("ScreeningRecord",), ("ScreeningDecision",), "was decided by"),
    RelationshipType(
        "REPEATS", ("ScreeningRecord",), ("ScreeningRecord",), "is the same work as the record that is kept", _REPEAT
    ),
    RelationshipType("VERSION_OF", ("PaperVersion",), ("Source",), "is what the document said before"),
    RelationshipType("HAS_TASK", ("IngestJob",), ("IngestTask",), "has to see to the document"),
)
CONSTRAINTS = (
    Constraint("schema_version_id", "SchemaVersion", ("id",)),
    Constraint("embedding_model_id", "EmbeddingModel", ("id",)),
    Constraint("paper_id", "Paper", ("id",)),
    Constraint("paper_key", "Paper", ("collection", "key")),
    Constraint("paper_content", "Paper", ("collection", "contentHash")),
    Constraint("source_id", "Source", ("id",)),
    Constraint("author_id", "Author", ("id",)),
    Constraint("venue_id", "Venue", ("id",)),
    Constraint("affiliation_id", "Affiliation", ("id",)),
    Constraint("section_id", "Section", ("id",)),
    Constraint("section_position", "Section", ("paperId", "ordinal")),
    Constraint("chunk_id", "Chunk", ("id",)),
    Constraint("chunk_position", "Chunk", ("paperId", "ordinal")),
    Constraint("reference_id", "Reference", ("id",)),
    Constraint("reference_position", "Reference", ("paperId", "ordinal")),
    Constraint("question_id", "Question", ("id",)),
    Constraint("entity_id", "Entity", ("id",)),
    Constraint("cluster_id", "Cluster", ("id",)),
    Constraint("name_id", "Name", ("id",)),
    Constraint("prototype_id", "Prototype", ("id",)),
    Constraint("summary_id", "Summary", ("id",)),
    Constraint("review_id", "Review", ("id",)),
    Constraint("enrichment_state_id", "EnrichmentState", ("id",)),
    Constraint("ingest_job_id", "IngestJob", ("id",)),
    Constraint("ingest_task_id", "IngestTask", ("id",)),
    Constraint("api_key_id", "ApiKey", ("id",)),
    Constraint("session_id", "Session", ("id",)),
    Constraint("invitation_id", "Invitation", ("id",)),
    Constraint("collection_id", "Collection", ("id",)),
    Constraint("spending_id", "Spending", ("id",)),
    Constraint("watch_id", "Watch", ("id",)),
    Constraint("inbox_item_id", "InboxItem", ("id",)),
    Constraint("paper_version_id", "PaperVersion", ("id",)),
    Constraint("stored_answer_id", "StoredAnswer", ("id",)),
    Constraint("answer_rating_id", "AnswerRating", ("id",)),
    Constraint("annotation_id", "Annotation", ("id",)),
    Constraint("private_annotation_id", "PrivateAnnotation", ("id",)),
    Constraint("evidence_table_id", "EvidenceTable", ("id",)),
    Constraint("table_column_id", "TableColumn", ("id",)),
    Constraint("table_cell_id", "TableCell", ("id",)),
    Constraint("screening_id", "Screening", ("id",)),
    Constraint("screening_record_id", "ScreeningRecord", ("id",)),
    Constraint("screening_decision_id", "ScreeningDecision", ("id",)),
    Constraint("llama_node_id", "__Node__", ("id",)),
    Constraint("llama_entity_id", "__Entity__", ("id",)),
)
RANGE_INDEXES = (
    RangeIndex("paper_listing", "Paper", ("collection", "title", "id")),
    RangeIndex("paper_shared", "Paper", ("collection", "nKeys")),
    RangeIndex("paper_doi", "Paper", ("collection", "doi")),
    RangeIndex("paper_arxiv", "Paper", ("collection", "arxivId")),
    RangeIndex("paper_title_key", "Paper", ("collection", "titleKey")),
    RangeIndex("paper_language", "Paper", ("collection", "language")),
    RangeIndex("paper_status", "Paper", ("collection", "editorialStatus")),
    RangeIndex("source_key", "Source", ("collection", "key")),
    RangeIndex("source_content", "Source", ("collection", "contentHash")),
    RangeIndex("source_doi", "Source", ("collection", "doi")),
    RangeIndex("source_arxiv", "Source", ("collection", "arxivId")),
    RangeIndex("source_cite_key", "Source", ("collection", "citeKey")),
    RangeIndex("source_title", "Source", ("collection", "titleKey")),
    RangeIndex("source_file", "Source", ("collection", "file")),
    RangeIndex("reference_doi", "Reference", ("collection", "doi")),
    RangeIndex("reference_arxiv", "Reference", ("collection", "arxivId")),
    RangeIndex("reference_title_key", "Reference", ("collection", "titleKey")),
    RangeIndex("question_paper", "Question", ("paperId",)),
    RangeIndex("question_group", "Question", ("collection", "groupId")),
    RangeIndex("cluster_kind", "Cluster", ("collection", "kind", "level")),
    RangeIndex("prototype_kind", "Prototype", ("collection", "kind")),
    RangeIndex("review_kind", "Review", ("collection", "kind")),
    RangeIndex("venue_name", "Venue", ("collection", "name")),
    RangeIndex("affiliation_name", "Affiliation", ("collection", "name")),
    RangeIndex("entity_name", "Entity", ("collection", "name")),
    RangeIndex("name_key", "Name", ("collection", "key")),
    RangeIndex("stored_answer_account", "StoredAnswer", ("account", "askedAt")),
    RangeIndex("inbox_order", "InboxItem", ("collection", "state", "score")),
    RangeIndex("paper_version_collection", "PaperVersion", ("collection",)),
    RangeIndex("annotation_kind", "Annotation", ("collection", "kind")),
    RangeIndex("private_annotation_kind", "PrivateAnnotation", ("collection", "kind")),
    RangeIndex("evidence_table_name", "EvidenceTable", ("collection", "name")),
    RangeIndex("table_column_table", "TableColumn", ("tableId",)),
    RangeIndex("screening_name", "Screening", ("collection", "name")),
    RangeIndex("ingest_task_turn", "IngestTask", ("jobId", "state", "attempts", "ordinal")),
)
VECTOR_INDEXES = (
    VectorIndex("paper_embedding", "Paper", ("collection", "year")),
    VectorIndex("chunk_embedding", "Chunk", ("collection", "paperId", "kind", "year")),
    VectorIndex("question_embedding", "Question", ("collection", "paperId", "year")),
    VectorIndex("entity", "__Entity__", ("collection", "type")),
    VectorIndex("cluster_embedding", "Cluster", ("collection", "kind", "level")),
)
FULLTEXT_INDEXES = (
    FulltextIndex("chunk_text", ("Chunk",), ("text", "context", "collectionTerm", "kind", "paperId"), DEFAULT_ANALYZER),
    FulltextIndex("title_text", ("Paper",), ("title", "abstract", "collectionTerm"), DEFAULT_ANALYZER),
    FulltextIndex(
        "name_text", ("Author", "Entity", "Cluster"), ("name", "aliases", "collectionTerm"), "standard-folding"
    ),
)
