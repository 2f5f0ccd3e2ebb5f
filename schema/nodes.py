"""The labels of the graph with their properties, as data."""

from dataclasses import dataclass
from typing import Literal

Type = Literal["STRING", "INTEGER", "FLOAT", "DATETIME", "LIST<STRING>", "LIST<INTEGER>", "LIST<FLOAT>"]


@dataclass(frozen=True)
class Property:
    """A property of a node or relationship; ``derived`` ones change without the content changing."""

    name: str
    type: Type
    meaning: str
    derived: bool = False


@dataclass(frozen=True)
class NodeType:
    """A label with its properties; ``also`` are labels that each such node has beside it."""

    label: str
    meaning: str
    properties: tuple[Property, ...]
    also: tuple[str, ...] = ()


_ID = Property("id", "STRING", "sha-256 hex of what identifies the node, collection included")
_COLLECTION = (
    Property("collection", "STRING", "the collection that it stands in"),
    Property("collectionTerm", "STRING", "the collection as one word that no analyzer changes"),
)
_VECTOR = (
    Property("embedding", "LIST<FLOAT>", "vector of length 1"),
    Property("embeddingModel", "STRING", "sha-256 of the weights of the model that made the vector"),
    Property("embeddingHash", "STRING", "sha-256 over the model and the text that was embedded"),
    Property("secondEmbedding", "LIST<FLOAT>", "vector of another model, while models are being changed"),
    Property("secondEmbeddingModel", "STRING", "sha-256 of the weights of that model"),
    Property("secondEmbeddingHash", "STRING", "sha-256 over that model and the text that was embedded"),
)
PAPER_ID = Property("paperId", "STRING", "id of the paper that it is part of")
_SPAN = (
    Property("startChar", "INTEGER", "first character in the source text, from 0"),
    Property("endChar", "INTEGER", "character after the last one in the source text"),
    Property("startPage", "INTEGER", "first page that it stands on, from 1, where the source has pages"),
    Property("endPage", "INTEGER", "last page that it stands on, where the source has pages"),
)
NODES = (
    NodeType(
        "Paper",
        "a research paper, once per collection",
        (
            _ID,
            *_COLLECTION,
            Property("key", "STRING", "doi:…, arxiv:… without version, or file:… or another URL; the first of keys"),
            Property("keys", "LIST<STRING>", "every key under which this content arrived, in order of arrival"),
            Property("sources", "LIST<STRING>", "where the content came from, one for each of keys"),
            Property("nKeys", "INTEGER", "length of keys"),
            Property("title", "STRING", "title, or the first words where none was found"),
            Property("abstract", "STRING", "the abstract, or the text before the first heading; may be empty"),
            Property("year", "INTEGER", "year of publication, where known"),
            Property("doi", "STRING", "DOI in lower case, where known"),
            Property("arxivId", "STRING", "arXiv id without version, where known"),
            Property("titleKey", "STRING", "letters and digits of the title, where it has at least 20", derived=True),
            Property("categories", "LIST<STRING>", "subject categories, as the source gives them"),
            Property("license", "STRING", "licence of the text, where known"),
            Property("arxivVersion", "INTEGER", "version at arXiv, from 1, where known"),
            Property("primaryCategory", "STRING", "the first of its categories, where the source says so"),
            Property("published", "DATETIME", "when it, or its first version, was published, where known"),
            Property("updated", "DATETIME", "when this version was published, where known"),
            Property("comment", "STRING", "the authors' comment at arXiv, such as the number of pages"),
            Property("journalRef", "STRING", "where else it was published, as arXiv or a bibliography says it"),
            Property("url", "STRING", "a page that tells of it, where known"),
            Property("contentHash", "STRING", "sha-256 of the source's bytes, and of what it says beside them"),
            Property("configHash", "STRING", "sha-256 over parser, chunker and tokenizer: what made the graph of it"),
            Property("format", "STRING", "markdown, text, pdf, jats, tei, latex, docx, html or record"),
            Property(
                "headingSource",
                "STRING",
                "what found its headings: markup, outline, fonts, keywords, a service or none",
            ),
            Property(
                "bodyCoverage",
                "FLOAT",
                "share of the source's body characters, dropped sections aside, that its chunks hold",
            ),
            Property(
                "chunker",
                "STRING",
                "how it was cut: default, sentence, markdown, hierarchical, topic, quim or tokens256",
            ),
            Property("cleaning", "LIST<STRING>", "what was cleaned: drop-back-matter, mask-urls, trim-stops"),
            Property("nPages", "INTEGER", "number of pages, where the source has pages"),
            Property("nPagesWithoutText", "INTEGER", "how many of them are blank or an image"),
            Property("nChars", "INTEGER", "length of the source text in characters"),
            Property("nSections", "INTEGER", "number of its sections"),
            Property("nChunks", "INTEGER", "number of its chunks, parents aside"),
            Property("nParents", "INTEGER", "number of parents above them, where a hierarchy was cut"),
            Property("nReferences", "INTEGER", "number of entries of its list of references"),
            Property("enrichments", "LIST<STRING>", "enrichments that it has, each as name=configHash, in order"),
            Property("linksConfigHash", "STRING", "sha-256 over how its links were found", derived=True),
            Property("pageRank", "FLOAT", "PageRank by citations and links, 1 on average", derived=True),
            Property("structure", "LIST<FLOAT>", "FastRP vector of its place among papers", derived=True),
            Property("ingestedAt", "DATETIME", "when it was written last", derived=True),
            *_VECTOR,
        ),
    ),
    NodeType(
        "Author",
        "a person, by name within a collection",
        (_ID, *_COLLECTION, Property("name", "STRING", "the alphabetically first of the spellings in use")),
    ),
    NodeType(
        "Section",
        "a heading with the text up to the next one",
        (
            _ID,
            *_COLLECTION,
            PAPER_ID,
            Property("title", "STRING", "the heading; the paper's title for the text before the first one"),
            Property("level", "INTEGER", "depth in the section tree, from 1"),
            Property("ordinal", "INTEGER", "position within the paper, from 0"),
            Property("kind", "STRING", "front, abstract, body, references, acknowledgements or appendix"),
            *_SPAN,
            *_VECTOR,
        ),
    ),
    NodeType(
        "Chunk",
        "a piece of a section's own text: what is embedded, searched and shown",
        (
            _ID,
            *_COLLECTION,
            PAPER_ID,
            Property("sectionId", "STRING", "id of its section"),
            Property("ordinal", "INTEGER", "position within the paper, from 0; parents follow after all others"),
            Property("level", "INTEGER", "0, or height above the chunks of a hierarchy: 1 and 2 for their parents"),
            Property("kind", "STRING", "table, equation, caption or parent; of running text, the kind of its section"),
            Property("year", "INTEGER", "year of its paper, where known"),
            Property("context", "STRING", "title of the paper and headings above it, embedded with the text"),
            Property("text", "STRING", "the source text between startChar and endChar, to the letter"),
            Property("nTokens", "INTEGER", "length of the text in tokens of the embedding model that it was cut for"),
            Property(
                "nTokensEmbedded", "INTEGER", "how many of these that model reads: fewer where the text is longer"
            ),
            Property("contentHash", "STRING", "sha-256 of text"),
            Property("nSimilar", "INTEGER", "how many SIMILAR it had when all were compared", derived=True),
            *_SPAN,
            *_VECTOR,
        ),
        also=("__Node__",),
    ),
    NodeType(
        "Reference",
        "an entry of a paper's list of references",
        (
            _ID,
            *_COLLECTION,
            PAPER_ID,
            Property("ordinal", "INTEGER", "position in the list, from 0"),
            Property("label", "STRING", "what the paper's text calls it, unique within the paper"),
            Property("text", "STRING", "the entry as it is printed"),
            Property("title", "STRING", "title of the cited work, where it is told apart"),
            Property("authors", "LIST<STRING>", "names in the entry's order, where they are told apart"),
            Property("year", "INTEGER", "year of publication, where known"),
            Property("doi", "STRING", "DOI in lower case, where known"),
            Property("arxivId", "STRING", "arXiv id without version, where known"),
            Property("titleKey", "STRING", "letters and digits of the title, where it has at least 20", derived=True),
            Property("citedAt", "LIST<INTEGER>", "first characters of where the source text cites it, in order"),
        ),
    ),
    NodeType(
        "Question",
        "a question that a passage or a paper answers",
        (
            _ID,
            *_COLLECTION,
            PAPER_ID,
            Property("text", "STRING", "the question"),
            Property("answer", "STRING", "its answer, where one was made with it"),
            Property("generator", "STRING", "what made it: model, template or extractive"),
            Property("model", "STRING", "name of the language model, where one made it"),
            Property("promptVersion", "STRING", "sha-256 of the prompt that asked for it"),
            Property("review", "STRING", "accepted or edited, where somebody reviewed it"),
            Property("original", "STRING", "the question as it was made, where it was edited"),
            Property(
                "comparisonConfigHash", "STRING", "sha-256 over how it was compared with all others", derived=True
            ),
            Property("year", "INTEGER", "year of its paper, where known"),
            *_VECTOR,
        ),
    ),
    NodeType(
        "Entity",
        "a method, data set, measure or other thing that papers speak of",
        (
            _ID,
            *_COLLECTION,
            Property("name", "STRING", "the spelling that most chunks use, the first by alphabet among equals"),
            Property("aliases", "LIST<STRING>", "its other spellings, abbreviations and long forms, by alphabet"),
            Property("type", "STRING", "kind of thing, as most of its mentions say"),
            Property("pageRank", "FLOAT", "PageRank among what papers mention together, 1 on average", derived=True),
            *_VECTOR,
        ),
        also=("__Node__", "__Entity__"),
    ),
    NodeType(
        "Name",
        "a name that passages use, or a paper's title, by which they are linked; without a type or a vector",
        (
            _ID,
            Property("collection", "STRING", "the collection that it stands in"),
            Property("key", "STRING", "its words in small letters, without accents and a possessive s"),
        ),
    ),
    NodeType(
        "Cluster",
        "a group of papers or passages",
        (
            _ID,
            *_COLLECTION,
            Property("name", "STRING", "its value, or the words that set it apart"),
            Property("kind", "STRING", "metadata: papers of one value; topic: chunks alike; community: papers linked"),
            Property("level", "INTEGER", "level in the hierarchy, 0 for the finest"),
            Property("field", "STRING", "of metadata: the field, such as task"),
            Property("value", "STRING", "of metadata: the value, one of the field's list, or other"),
            Property("keywords", "LIST<STRING>", "terms that set it apart from the others of its kind and level"),
            Property("nMembers", "INTEGER", "how many papers or chunks belong to it, or to clusters below it"),
            *_VECTOR,
        ),
    ),
    NodeType(
        "Prototype",
        "a point that stands for the vectors of questions or chunks nearest to it: an index, not in the digest",
        (
            _ID,
            Property("collection", "STRING", "the collection whose questions or chunks it stands for"),
            Property("kind", "STRING", "question or chunk"),
            Property("ordinal", "INTEGER", "its number among those of its kind, from 0"),
            Property("centroid", "LIST<FLOAT>", "direction of the mean of vectors, of length 1"),
            Property("model", "STRING", "sha-256 of the weights of the model whose vectors these are"),
            Property("trainingConfigHash", "STRING", "sha-256 over that model and how they were grouped"),
            Property("nTrained", "INTEGER", "how many vectors the prototypes of its kind were made of, all together"),
        ),
    ),
    NodeType(
        "Summary",
        "a Meta Knowledge Summary of the papers of a cluster or of a combination: kept on demand, not in the digest",
        (
            _ID,
            Property("collection", "STRING", "the collection"),
            Property("text", "STRING", "the summary"),
            Property("keywords", "LIST<STRING>", "terms that set its papers apart"),
            Property("generator", "STRING", "what made it: model or extractive"),
            Property("model", "STRING", "name of the language model, where one made it"),
            Property("promptVersion", "STRING", "sha-256 of the prompt that asked for it"),
            Property(
                "fingerprint", "STRING", "sha-256 over its papers and questions: with another one it is out of date"
            ),
            Property("nPapers", "INTEGER", "how many papers it is made of"),
            Property("nQuestions", "INTEGER", "how many of their questions it is made of"),
            Property("createdAt", "DATETIME", "when it was made"),
        ),
    ),
    NodeType(
        "Review",
        "what a person decided of a question or of two entities; it holds when these are made again",
        (
            _ID,
            Property("collection", "STRING", "the collection"),
            Property("kind", "STRING", "question or entities"),
            Property("about", "LIST<STRING>", "the question as it was made, or both entities' ids"),
            Property("decision", "STRING", "accepted, edited or rejected; of entities same or different"),
            Property("text", "STRING", "the question as it was edited"),
            Property("reviewedAt", "DATETIME", "when it was decided", derived=True),
        ),
    ),
    NodeType(
        "EnrichmentState",
        "how far an enrichment over a whole collection is; no content, and not in the digest",
        (
            _ID,
            Property("collection", "STRING", "the collection"),
            Property("name", "STRING", "name of the enrichment"),
            Property("configHash", "STRING", "sha-256 over all that decides what it makes"),
            Property("inputHash", "STRING", "sha-256 over what it was made of"),
            Property("updatedAt", "DATETIME", "when it was made"),
        ),
    ),
    NodeType(
        "IngestJob",
        "what one call asked to ingest, and how far it is; the ledger is no content, and not in the digest",
        (
            Property("id", "STRING", "a random name"),
            Property("kind", "STRING", "documents, or enrichments: what its tasks are about"),
            Property("collection", "STRING", "where the papers go, or stand"),
            Property("specs", "LIST<STRING>", "the files, folders or addresses, or the enrichments, that were named"),
            Property("request", "STRING", "sha-256 over what is asked for: the same call again goes on with the job"),
            Property("settings", "STRING", "how documents are read and cut, or how enrichments are made, as JSON"),
            Property("configHash", "STRING", "configuration hash of the papers, as the call began"),
            Property("state", "STRING", "queued, running, paused, done or cancelled"),
            Property("detail", "STRING", "why it is paused"),
            Property("nDocuments", "INTEGER", "documents that were found"),
            Property("nUnchanged", "INTEGER", "how many of them stood in the graph; they have no task"),
            Property("createdAt", "DATETIME", "when it was opened"),
            Property("finishedAt", "DATETIME", "when it was done or cancelled"),
        ),
    ),
    NodeType(
        "IngestTask",
        "a document of a job that is new or changed, or a paper that enrichments are to be made of",
        (
            Property("id", "STRING", "sha-256 over job and source"),
            Property("jobId", "STRING", "id of its job"),
            Property("ordinal", "INTEGER", "place among the documents that the job found, from 0"),
            Property("source", "STRING", "where the document is from"),
            Property("contentHash", "STRING", "sha-256 of its bytes when the job was opened, where they were there"),
            Property(
                "configHash", "STRING", "versions of the stages: configuration hash of the paper, as the call began"
            ),
            Property(
                "stage", "STRING", "how far it came: fetch, parse, chunk, embed or write, or the name of an enrichment"
            ),
            Property("state", "STRING", "queued, running, done, failed, quarantined or cancelled"),
            Property("attempts", "INTEGER", "how often it was tried"),
            Property("owner", "STRING", "the process that works on it, or saw to it"),
            Property("leaseUntil", "DATETIME", "until when no other process takes it"),
            Property("nextTryAt", "DATETIME", "when it may be tried again"),
            Property("reason", "STRING", "why it was refused, one of a closed list"),
            Property("detail", "STRING", "the same in words"),
            Property("key", "STRING", "key of the paper that it became"),
            Property("outcome", "STRING", "added, replaced, joined, unchanged or superseded"),
            Property("title", "STRING", "title of that paper"),
            Property("nSections", "INTEGER", "number of its sections"),
            Property("nChunks", "INTEGER", "number of its chunks"),
            Property("nCutShort", "INTEGER", "how many of them the embedding model read the beginning of only"),
        ),
    ),
    NodeType(
        "ApiKey",
        "a key that requests to the server carry; who may ask is no content, and not in the digest",
        (
            Property("id", "STRING", "the part of the key that is no secret: 8 letters and digits"),
            Property("sha256", "STRING", "sha-256 of the secret, which stands nowhere"),
            Property("name", "STRING", "what it was made for, in words"),
            Property("scopes", "LIST<STRING>", "what it is good for: read, ask, ingest, cypher, admin"),
            Property("collections", "LIST<STRING>", "the collections that it reaches; missing where it reaches all"),
            Property("createdAt", "DATETIME", "when it was made"),
            Property("expiresAt", "DATETIME", "from when it is no longer valid; missing where it does not expire"),
            Property("revokedAt", "DATETIME", "when it was revoked"),
            Property("lastUsedAt", "DATETIME", "when it was used last, to the minute"),
        ),
    ),
    NodeType(
        "Collection",
        "what an operator says of a collection, which has this node only then; no content, and not in the digest",
        (
            Property("id", "STRING", "the collection's name"),
            Property("subject", "STRING", "what its papers are about, in words; other questions are refused"),
        ),
    ),
    NodeType(
        "Spending",
        "what a key's questions took of a language model on a day; no content, and not in the digest",
        (
            Property("id", "STRING", "who asked, and the day in UTC"),
            Property("asker", "STRING", "id of the key, or the address where no keys are asked for"),
            Property("day", "STRING", "the day in UTC, such as 2026-11-22"),
            Property("nRequests", "INTEGER", "requests that were sent to the model"),
            Property("tokens", "INTEGER", "tokens of input and output"),
            Property("cost", "FLOAT", "in the currency of the prices that are set"),
        ),
    ),
    NodeType(
        "EmbeddingModel",
        "a model that the store has vectors of, one beside another while models are being changed",
        (
            Property("id", "STRING", "where its vectors stand: first (embedding) or second (secondEmbedding)"),
            Property("name", "STRING", "name as configured"),
            Property("sha256", "STRING", "checksum of the weights; of a served model, of its name and probe vectors"),
            Property("probes", "STRING", "of a served model: vectors of the probe texts, base64 of float16"),
            Property("dimension", "INTEGER", "length of its vectors"),
            Property("state", "STRING", "active: in use; or filling, kept or dropping"),
        ),
    ),
    NodeType(
        "SchemaVersion",
        "a migration that was applied, a lock that processes hold, or what a copy for researchers says of itself",
        (
            _ID,
            Property("checksum", "STRING", "sha-256 of the migration's file"),
            Property("appliedAt", "DATETIME", "when it was applied", derived=True),
            Property("owner", "STRING", "of the lock: the process that holds it", derived=True),
            Property("touched", "STRING", "of the lock: the process that asked for it last", derived=True),
            Property("leaseUntil", "DATETIME", "of the lock: when it expires", derived=True),
            Property("copiedAt", "DATETIME", "of a copy: as of when it is", derived=True),
            Property("collections", "LIST<STRING>", "of a copy: what it holds, by name", derived=True),
        ),
    ),
)
