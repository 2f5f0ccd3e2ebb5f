"""Types of nodes: their fields, of papers and of the service."""

from dataclasses import dataclass
from typing import Literal

# Labels of the graph and their properties, as data


Type = Literal["STRING", "INTEGER", "FLOAT", "BOOLEAN", "DATETIME", "LIST<STRING>", "LIST<INTEGER>", "LIST<FLOAT>"]


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


_OF_TYPE: tuple[tuple[Type, tuple[str, ...]], ...] = (
    ("STRING", ("doi", "arxivId", "license", "primaryCategory", "comment", "journalRef", "url", "citeKey", "record")),
    ("INTEGER", ("year", "arxivVersion")),
    ("DATETIME", ("published", "updated")),
    ("LIST<STRING>", ("categories", "affiliations", "affiliationIds", "venueIds", "keywords")),
)
COLLECTION = (
    Property("collection", "STRING", "the collection that it stands in"),
    Property("collectionTerm", "STRING", "the collection as one word that no analyzer changes"),
)
STATED = (
    Property("authorIds", "LIST<STRING>", "ids of these persons, such as orcid:…, where it states any"),
    *(
        Property(name, type, "value of the paper's property of this name, as it says")
        for type, names in _OF_TYPE
        for name in names
    ),
)
"""Properties from a source beside title, abstract and names of authors."""

PERSON = (
    Property("name", "STRING", "the first of the spellings in use: by alphabet, with a key the longest"),
    Property("key", "STRING", "orcid:…, openalex:…, arxiv:…, or as was decided; missing where it is the name"),
    Property("aliases", "LIST<STRING>", "with a key, the other spellings in use"),
)
"""Properties of an author."""

PLACE = (
    Property("name", "STRING", "the spelling that most of its papers use, the first by alphabet among equals"),
    Property("key", "STRING", "issn:…, ror:… or openalex:…, otherwise small letters and digits of the name"),
    Property("aliases", "LIST<STRING>", "the other spellings in use, by alphabet"),
)
"""Properties of a venue or an affiliation."""

ANNOTATION = (
    Property("id", "STRING", "64 hexadecimal digits, random; of a tag, star or state, sha-256 of what it says"),
    COLLECTION[0],
    Property("kind", "STRING", "tag, note, star, state or highlight"),
    Property("owner", "STRING", "account that made it; empty where no keys are asked for"),
    Property("text", "STRING", "name of a tag, text of a note, comment of a highlight, or state; may be empty"),
    Property("colour", "STRING", "of a highlight: yellow, green, blue, pink or purple"),
    Property("quote", "STRING", "of a highlight: the marked words"),
    Property("prefix", "STRING", "of a highlight: up to 100 characters before or after it"),
    Property("suffix", "STRING", "of a highlight: up to 100 characters before or after it"),
    Property("startChar", "INTEGER", "of a highlight: its place in the paper's text; missing if that lacks the words"),
    Property("endChar", "INTEGER", "of a highlight: its place in the paper's text; missing if that lacks the words"),
    Property("boxes", "LIST<FLOAT>", "of a highlight drawn on a page: page and edges of each rectangle, as shares"),
    Property("createdAt", "DATETIME", "when it was made", derived=True),
    Property("changedAt", "DATETIME", "when a person changed it last", derived=True),
)
"""Properties of an annotation, shared or private."""


# Labels of data about the service and its users, excluded from the checksum


SERVICE_NODES = (
    NodeType(
        "ApiKey",
        "API key",
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
            Property("creators", "LIST<STRING>", "ids of the keys that it was made with, from the first one"),
            Property("signedUpBy", "STRING", "id of the invitation that it was signed up with"),
            Property("requestsPerMinute", "INTEGER", "its own limit, beside that of the server; missing without one"),
            Property("costPerMinute", "INTEGER", "its own limit, beside that of the server; missing without one"),
            Property("commonTokensPerDay", "INTEGER", "budget of its invitation; missing without one"),
            Property("roles", "LIST<STRING>", "roles of the account in collections, such as reading=edit"),
        ),
    ),
    NodeType(
        "Invitation",
        "invitation: its holder can create an API key",
        (
            Property("id", "STRING", "the part of the invitation that is no secret: 8 letters and digits"),
            Property("sha256", "STRING", "sha-256 of the secret, which stands nowhere"),
            Property("name", "STRING", "whom it is for, in words"),
            Property("scopes", "LIST<STRING>", "those of its keys: read, ask, ingest, cypher"),
            Property("collections", "LIST<STRING>", "those of its keys; missing where they reach all"),
            Property("requestsPerMinute", "INTEGER", "limit of each of its keys; missing without one"),
            Property("costPerMinute", "INTEGER", "limit of each of its keys; missing without one"),
            Property(
                "commonTokensPerDay",
                "INTEGER",
                "tokens of a language model for all its keys together per day; missing without a limit",
            ),
            Property(
                "keyTermS", "INTEGER", "how long its keys are valid, in seconds; missing where they do not expire"
            ),
            Property("maxUses", "INTEGER", "how many keys it is good for"),
            Property("nUses", "INTEGER", "how many keys were signed up with it"),
            Property("createdAt", "DATETIME", "when it was made"),
            Property("expiresAt", "DATETIME", "from when it is no longer valid"),
            Property("revokedAt", "DATETIME", "when it was revoked"),
            Property("creators", "LIST<STRING>", "ids of the keys that it was made with, from the first one"),
        ),
    ),
    NodeType(
        "Session",
        "session of a browser that exchanged a key for a cookie; in no backup",
        (
            Property("id", "STRING", "the part of the session that is no secret: 16 letters and digits"),
            Property("sha256", "STRING", "sha-256 of the secret, which stands nowhere"),
            Property("keyId", "STRING", "id of its key, without which it is not valid"),
            Property("createdAt", "DATETIME", "when it began"),
            Property("expiresAt", "DATETIME", "when it ends"),
        ),
    ),
    NodeType(
        "Collection",
        "title, description and subject of a collection that has any",
        (
            Property("id", "STRING", "the collection's name"),
            Property("subject", "STRING", "what its papers are about, in words; other questions are refused"),
            Property("title", "STRING", "what people call it; missing where that is its name"),
            Property("description", "STRING", "what it is for, in words"),
            Property("createdAt", "DATETIME", "when it was created empty; missing where its first paper created it"),
        ),
    ),
    NodeType(
        "Spending",
        "use of a language model by an account on one day",
        (
            Property("id", "STRING", "who asked, and the day in UTC"),
            Property("account", "STRING", "first key of a chain of keys, an invitation, or an address"),
            Property("day", "STRING", "the day in UTC, such as 2026-11-22"),
            Property("nRequests", "INTEGER", "requests that were sent to the model"),
            Property("tokens", "INTEGER", "tokens of input and output"),
            Property("cost", "FLOAT", "in the currency of the prices that are set"),
        ),
    ),
    NodeType(
        "Watch",
        "folder or source that is looked at again and again",
        (
            Property("id", "STRING", "watch-, and 8 hex digits"),
            Property("collection", "STRING", "the collection that it belongs to"),
            Property("kind", "STRING", "folder, site, retractions, versions, query, author, cites, snowball or zotero"),
            Property("subject", "STRING", "path of the folder, words, ORCID, DOI or options; may be empty"),
            Property("everyS", "INTEGER", "seconds from one run to the next"),
            Property("isPaused", "BOOLEAN", "whether it runs only when it is named"),
            Property("createdAt", "DATETIME", "when it was made"),
            Property("nextAt", "DATETIME", "when it is due"),
            Property("holder", "STRING", "process that runs it"),
            Property("heldUntil", "DATETIME", "until when the process holds it, unless it says so again"),
            Property("nFailures", "INTEGER", "failed runs in a row"),
            Property("state", "STRING", "what it saw, as JSON"),
            Property("feedSha256", "STRING", "sha-256 of the key of its feed, which is stored nowhere"),
            Property("log", "LIST<STRING>", "its last 100 runs, the newest first, each as: time | outcome | words"),
        ),
    ),
    NodeType(
        "PaperVersion",
        "earlier text of a document, which another text replaced",
        (
            Property("id", "STRING", "sha-256 hex of source and content hash"),
            Property("collection", "STRING", "the collection of its paper"),
            Property("contentHash", "STRING", "sha-256 hex of the bytes that it was read from"),
            Property("title", "STRING", "title that the paper had"),
            Property("format", "STRING", "format of the document"),
            Property("arxivVersion", "INTEGER", "version at arXiv, from 1, where known"),
            Property("replacedAt", "DATETIME", "when another text took its place"),
            Property("text", "STRING", "sections, authors and references as compressed JSON in base64"),
        ),
    ),
    NodeType(
        "InboxItem",
        "work that a watch found, with what was decided of it",
        (
            Property("id", "STRING", "sha-256 hex of collection and first key"),
            Property("collection", "STRING", "the collection that it was found for"),
            Property("keys", "LIST<STRING>", "its identities: doi:…, arxiv:…, openalex:… and title:…"),
            Property("state", "STRING", "new, accepted, rejected or never"),
            Property("title", "STRING", "title"),
            Property("authors", "LIST<STRING>", "names in order"),
            Property("year", "INTEGER", "year of publication, where known"),
            Property("doi", "STRING", "DOI in lower case, where known"),
            Property("arxivId", "STRING", "arXiv id without version, where known"),
            Property("openalexId", "STRING", "id at OpenAlex, where known"),
            Property("journalRef", "STRING", "where it was published, where known"),
            Property("abstract", "STRING", "the abstract; may be empty"),
            Property("sources", "LIST<STRING>", "ids of the watches that found it"),
            Property("foundAt", "DATETIME", "when it was found first"),
            Property("decidedAt", "DATETIME", "when it was decided"),
            Property("score", "FLOAT", "how likely it is accepted, in [0, 1]; orders the inbox"),
            Property("words", "LIST<STRING>", "words that moved the score most, each as +word or -word"),
            Property("nearness", "FLOAT", "mean cosine to the three nearest papers when it was found"),
            Property("vector", "LIST<FLOAT>", "vector of title and abstract, of length 1"),
            Property("vectorModel", "STRING", "sha-256 of the model that made the vector"),
        ),
    ),
    NodeType(
        "StoredAnswer",
        "answer stored on request, readable at its address",
        (
            Property("id", "STRING", "answer-, and 16 hex digits"),
            Property("collection", "STRING", "the collection that was asked"),
            Property("principal", "STRING", "id of the key, or the address where no keys are asked for"),
            Property("account", "STRING", "first key of the principal's chain of keys, or an address"),
            Property("askedAt", "DATETIME", "when it was answered"),
            Property("question", "STRING", "the question as it was asked"),
            Property("content", "STRING", "the answer or refusal with its citations, as JSON"),
        ),
    ),
    NodeType(
        "AnswerRating",
        "rating of a stored answer by a reader",
        (
            Property("id", "STRING", "id of the answer, and who rates it"),
            Property("collection", "STRING", "that of the answer"),
            Property("rater", "STRING", "account of the reader: first key of a chain of keys, or an address"),
            Property("verdict", "STRING", "up or down"),
            Property("comment", "STRING", "the reason, in words; may be empty"),
            Property("ratedAt", "DATETIME", "when it was rated"),
        ),
    ),
    NodeType("PrivateAnnotation", "annotation that only its owner reads; in the checksum and in backups", ANNOTATION),
)


# The labels of the graph with their properties, as data


_ID = Property("id", "STRING", "sha-256 hex of what identifies the node, collection included")
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
            *COLLECTION,
            Property("key", "STRING", "doi:…, arxiv:… without version, or file:… or another URL; the first of keys"),
            Property("keys", "LIST<STRING>", "keys of its sources, first that of its text, then by name"),
            Property("sources", "LIST<STRING>", "names of its documents, one for each of keys; the first has the text"),
            Property("nKeys", "INTEGER", "length of keys"),
            Property("title", "STRING", "title, or the first words where none was found"),
            Property("abstract", "STRING", "the abstract, or the text before the first heading; may be empty"),
            Property("year", "INTEGER", "year of publication, where known"),
            Property("doi", "STRING", "DOI in lower case, where known"),
            Property("arxivId", "STRING", "arXiv id without version, where known"),
            Property("titleKey", "STRING", "letters and digits of the title, where it has at least 20", derived=True),
            Property("categories", "LIST<STRING>", "subject categories, as the source gives them"),
            Property("keywords", "LIST<STRING>", "keywords, as its bibliography or PDF has them"),
            Property("affiliations", "LIST<STRING>", "institutions and addresses, as its record or PDF prints them"),
            Property("affiliationIds", "LIST<STRING>", "ids with names, such as ror:05f950310 KU Leuven, where stated"),
            Property("venueIds", "LIST<STRING>", "ids of its venue, such as issn:1548-7660, where stated"),
            Property("orcids", "LIST<STRING>", "ORCIDs on the first page of its PDF, in its order"),
            Property("license", "STRING", "licence of the text, where known"),
            Property("arxivVersion", "INTEGER", "version at arXiv, from 1, where known"),
            Property("primaryCategory", "STRING", "the first of its categories, where the source says so"),
            Property("published", "DATETIME", "when it, or its first version, was published, where known"),
            Property("updated", "DATETIME", "when this version was published, where known"),
            Property("comment", "STRING", "the authors' comment at arXiv, such as the number of pages"),
            Property("journalRef", "STRING", "where else it was published, as arXiv or a bibliography says it"),
            Property("url", "STRING", "a page that tells of it, where known"),
            Property("citeKey", "STRING", "citation key in a bibliography, where it has one"),
            Property("record", "STRING", "the record of a bibliography as it was written, as JSON: bibtex, ris or csl"),
            Property("contentHash", "STRING", "sha-256 of the source's bytes, and of what it says beside them"),
            Property("configHash", "STRING", "sha-256 over parser, chunker and tokenizer: what made the graph of it"),
            Property("language", "STRING", "ISO 639-1 code of what most of its text is in, if certain", derived=True),
            Property(
                "format", "STRING", "markdown, text, pdf, jats, tei, latex, docx, odt, epub, pptx, rtf, html or record"
            ),
            Property(
                "headingSource", "STRING", "what found its headings: markup, outline, fonts, keywords, service, none"
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
            Property("lineBoxes", "STRING", "where the lines stand on the pages of a PDF, packed (docs/design/pdf.md)"),
            Property("notes", "LIST<STRING>", "what was lost or mended when its source was read, with numbers"),
            Property(
                "isPartial", "BOOLEAN", "true if more of its pages or letters were lost than `partial_share` allows"
            ),
            Property("nChars", "INTEGER", "length of the source text in characters"),
            Property("nSections", "INTEGER", "number of its sections"),
            Property("nChunks", "INTEGER", "number of its chunks, parents aside"),
            Property("nParents", "INTEGER", "number of parents above them, where a hierarchy was cut"),
            Property("nReferences", "INTEGER", "number of entries of its list of references"),
            Property("enrichments", "LIST<STRING>", "enrichments that it has, each as name=configHash, in order"),
            Property("linksConfigHash", "STRING", "sha-256 over how its links were found", derived=True),
            Property("pageRank", "FLOAT", "PageRank by citations and links, 1 on average", derived=True),
            Property("mapPlace", "LIST<FLOAT>", "[x, y] on the map of its collection, each in [-1, 1]", derived=True),
            Property("placedBy", "STRING", "what gave the place: umap, pca or neighbours", derived=True),
            Property("mapTopic", "STRING", "id of the topic that most of its chunks belong to", derived=True),
            Property(
                "editorialStatus", "STRING", "retracted, concern, corrected or reinstated, by its notices", derived=True
            ),
            Property("editorialDate", "STRING", "day of the notice that decides, 2010-02-06, if known", derived=True),
            Property(
                "editorialNotices",
                "LIST<STRING>",
                "notices about it, each as: status | day | source | DOI of the notice | reason",
                derived=True,
            ),
            Property("ingestedAt", "DATETIME", "when it was written last", derived=True),
            Property("revision", "STRING", "random, another after each change of what belongs to it", derived=True),
            *_VECTOR,
        ),
    ),
    NodeType(
        "Source",
        "document, record or manual edit that states fields of a paper",
        (
            Property("id", "STRING", "collection, a space and name"),
            Property("collection", "STRING", "the collection that it stands in"),
            Property("name", "STRING", "where it is from: path, URL, arxiv:…, path#record; edit:… for an edit"),
            Property("key", "STRING", "doi:…, arxiv:…, file:… or another URL: its key as if it stood alone"),
            Property("kind", "STRING", "text, record or edit"),
            Property("provider", "STRING", "who says it: person, publisher, arxiv or document"),
            Property("contentHash", "STRING", "sha-256 of its bytes, and of what is said beside them"),
            Property("configHash", "STRING", "sha-256 over parser, chunker and tokenizer when it was read"),
            Property("nChars", "INTEGER", "length of its text in characters"),
            Property("file", "STRING", "of a record: the file that it describes, if it names one"),
            Property("aliases", "LIST<STRING>", "of an edit: keys of the paper that it belongs to"),
            Property("cleared", "LIST<STRING>", "of an edit: fields that it empties"),
            Property("title", "STRING", "title, as it says"),
            Property("titleKey", "STRING", "letters and digits of the title, in small letters without accents"),
            Property("abstract", "STRING", "abstract, as it says"),
            Property("authors", "LIST<STRING>", "names in order, as it says"),
            *STATED,
            Property("parts", "STRING", "its text and vectors, packed, while another text is shown", derived=True),
        ),
    ),
    NodeType(
        "Author",
        "person within a collection, identified by an id of a source, a manual decision, or the name",
        (_ID, *COLLECTION, *PERSON),
    ),
    NodeType("Venue", "a journal, conference or book series in which papers appeared", (_ID, *COLLECTION, *PLACE)),
    NodeType("Affiliation", "an institution where authors of papers work", (_ID, *COLLECTION, *PLACE)),
    NodeType(
        "Section",
        "a heading with the text up to the next one",
        (
            _ID,
            *COLLECTION,
            PAPER_ID,
            Property("title", "STRING", "the heading; the paper's title for the text before the first one"),
            Property("level", "INTEGER", "depth in the section tree, from 1"),
            Property("ordinal", "INTEGER", "position within the paper, from 0"),
            Property("kind", "STRING", "front, abstract, body, references, acknowledgements or appendix"),
            *_SPAN,
        ),
    ),
    NodeType(
        "Chunk",
        "piece of a section's text, embedded, searched and shown",
        (
            _ID,
            *COLLECTION,
            PAPER_ID,
            Property("sectionId", "STRING", "id of its section"),
            Property("ordinal", "INTEGER", "position within the paper, from 0; parents follow after all others"),
            Property("level", "INTEGER", "0, or height above the chunks of a hierarchy: 1 and 2 for their parents"),
            Property("kind", "STRING", "table, equation, caption or parent; of running text, the kind of its section"),
            Property("year", "INTEGER", "year of its paper, where known"),
            Property("context", "STRING", "title of the paper and headings above it, embedded with the text"),
            Property("text", "STRING", "the source text between startChar and endChar, to the letter"),
            Property("nTokens", "INTEGER", "length of the text in tokens of the embedding model that it was cut for"),
            Property("nTokensEmbedded", "INTEGER", "how many of these that model reads: fewer of a longer text"),
            Property("contentHash", "STRING", "sha-256 of text"),
            Property("figure", "LIST<FLOAT>", "of a caption in a PDF: page of its picture, and edges as shares of it"),
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
            *COLLECTION,
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
            *COLLECTION,
            PAPER_ID,
            Property("text", "STRING", "the question"),
            Property("answer", "STRING", "its answer, where one was made with it"),
            Property("generator", "STRING", "what made it: model, written, template or extractive"),
            Property("model", "STRING", "name of the language model, where one made it"),
            Property("promptVersion", "STRING", "sha-256 of the prompt that asked for it"),
            Property("metadata", "LIST<STRING>", "metadata that it was made from, each as field: value"),
            Property("groupId", "STRING", "sha-256 of the group of papers across which it was made"),
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
            *COLLECTION,
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
        "name in passages, or title of a paper, that links them; without type or vector",
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
            *COLLECTION,
            Property("name", "STRING", "its value, or the words that set it apart"),
            Property("kind", "STRING", "metadata: papers of one value; topic: chunks alike; community: papers linked"),
            Property("level", "INTEGER", "height in the hierarchy: 0 without finer clusters"),
            Property("field", "STRING", "of metadata: the field, such as task"),
            Property("value", "STRING", "of metadata: the value, one of the field's list, or other"),
            Property("keywords", "LIST<STRING>", "terms that set it apart from the others of its kind and level"),
            Property("nMembers", "INTEGER", "how many papers or chunks belong to it, or to clusters below it"),
            *_VECTOR,
        ),
    ),
    NodeType(
        "Prototype",
        "centre of a group of question or chunk vectors, used as an index",
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
        "summary of the papers of a cluster or combination of metadata, made on request",
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
        "manual decision on a question, entities or authors that survives new runs",
        (
            _ID,
            Property("collection", "STRING", "the collection"),
            Property("kind", "STRING", "question, entities, authors or author"),
            Property("about", "LIST<STRING>", "the question as made, ids of entities, or keys of authors and sources"),
            Property("decision", "STRING", "accepted, edited or rejected; of entities and authors same or different"),
            Property("text", "STRING", "the question as it was edited; the key of an author from then on"),
            Property("reviewedAt", "DATETIME", "when it was decided", derived=True),
        ),
    ),
    NodeType(
        "EnrichmentState",
        "state of an enrichment over a whole collection",
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
        "job of ingestion or enrichment with its progress",
        (
            Property("id", "STRING", "a random name"),
            Property("kind", "STRING", "documents, or enrichments: what its tasks are about"),
            Property("collection", "STRING", "where the papers go, or stand"),
            Property("specs", "LIST<STRING>", "the files, folders or addresses, or the enrichments, that were named"),
            Property("request", "STRING", "sha-256 over what is asked for: the same call again goes on with the job"),
            Property("settings", "STRING", "how documents are read and cut, or how enrichments are made, as JSON"),
            Property("account", "STRING", "account that opened it; empty for the command line"),
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
        "task of a job: a new or changed document, or a paper to enrich",
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
            Property("state", "STRING", "queued, stored, running, done, failed, quarantined or cancelled"),
            Property("attempts", "INTEGER", "how often it was tried"),
            Property("owner", "STRING", "the process that works on it, or saw to it"),
            Property("leaseUntil", "DATETIME", "until when no other process takes it"),
            Property("nextTryAt", "DATETIME", "when it may be tried again"),
            Property("reason", "STRING", "why it was refused, one of a closed list"),
            Property("detail", "STRING", "the same in words; while it is running, the scanned page that is read"),
            Property("key", "STRING", "key of the paper that it became"),
            Property("outcome", "STRING", "added, replaced, joined, unchanged or superseded"),
            Property("title", "STRING", "title of that paper"),
            Property("nSections", "INTEGER", "number of its sections"),
            Property("nChunks", "INTEGER", "number of its chunks"),
            Property("nCutShort", "INTEGER", "how many of them the embedding model read the beginning of only"),
            Property("language", "STRING", "language of that paper, as Paper.language has it"),
            Property("warning", "STRING", "why searches may miss that paper, if its language is not supported"),
            Property("nEmbedded", "INTEGER", "how many of its chunks have a vector, while it is being embedded"),
            Property("secondsLeft", "FLOAT", "how long embedding it takes from when its lease was renewed, if known"),
            Property("changedAt", "DATETIME", "when its state, stage or number of embedded chunks changed"),
        ),
    ),
    NodeType(
        "EvidenceTable",
        "table of papers by questions, whose cells have quotes",
        (
            Property("id", "STRING", "64 hexadecimal digits, random"),
            COLLECTION[0],
            Property("name", "STRING", "unique in the collection"),
            Property("owner", "STRING", "account that made it; empty where no keys are asked for"),
            Property("sources", "LIST<STRING>", "ids of sources of its papers; missing for all papers"),
            Property("filter", "STRING", "filter of its papers, as JSON; empty for none"),
            Property("createdAt", "DATETIME", "when it was made, and when it or its columns changed", derived=True),
            Property("changedAt", "DATETIME", "when it was made, and when it or its columns changed", derived=True),
        ),
    ),
    NodeType(
        "TableColumn",
        "question of an evidence table to each of its papers",
        (
            Property("id", "STRING", "64 hexadecimal digits, sha-256 of table and name"),
            COLLECTION[0],
            Property("tableId", "STRING", "id of the table"),
            Property("position", "INTEGER", "place in the table, from 0"),
            Property("name", "STRING", "its name, question and type, such as number"),
            Property("question", "STRING", "its name, question and type, such as number"),
            Property("type", "STRING", "its name, question and type, such as number"),
            Property("words", "LIST<STRING>", "phrases to look for; choices, each with its synonyms"),
            Property("choices", "LIST<STRING>", "phrases to look for; choices, each with its synonyms"),
            Property("unit", "STRING", "of a number; of a direction the groups that are compared"),
            Property("intervention", "STRING", "of a number; of a direction the groups that are compared"),
            Property("comparator", "STRING", "of a number; of a direction the groups that are compared"),
            Property("answeredBy", "STRING", "rules or person"),
        ),
    ),
    NodeType(
        "TableCell",
        "what rules or a person found in a paper for a column; never changed, a later one counts",
        (
            Property("id", "STRING", "sha-256 of what it was made from; random for a person's"),
            COLLECTION[0],
            Property("tableId", "STRING", "ids of table and column"),
            Property("columnId", "STRING", "ids of table and column"),
            Property(
                "state", "STRING", "value, not_reported, contradicts, unchecked, or open: a person's was withdrawn"
            ),
            Property("value", "STRING", "value as text; empty without one"),
            Property("number", "FLOAT", "value of a number, and its interval"),
            Property("low", "FLOAT", "value of a number, and its interval"),
            Property("high", "FLOAT", "value of a number, and its interval"),
            Property("unit", "STRING", "unit of a number, as the paper writes it"),
            Property("quotes", "STRING", "1 to 3 quotes of a value with section, page and place, as JSON"),
            Property("read", "STRING", "passages, best score and words that were read, as JSON; empty for a person's"),
            Property("note", "STRING", "remark, such as the reason why it is unchecked"),
            Property("maker", "STRING", "rules with version, or person"),
            Property("byPerson", "BOOLEAN", "whether a person set it"),
            Property("owner", "STRING", "account of the person; else empty"),
            Property("textHash", "STRING", "sha-256 of the text and the column that it was made of"),
            Property("columnHash", "STRING", "sha-256 of the text and the column that it was made of"),
            Property("madeAt", "DATETIME", "when it was made", derived=True),
        ),
    ),
    NodeType(
        "Screening",
        "systematic review whose search results are screened",
        (
            Property("id", "STRING", "64 hexadecimal digits, random"),
            COLLECTION[0],
            Property("name", "STRING", "unique in the collection"),
            Property("owner", "STRING", "account that made it; empty where no keys are asked for"),
            Property("reasons", "LIST<STRING>", "reasons for which records are excluded, in order of precedence"),
            Property("raters", "INTEGER", "people who decide each record: 1 or 2"),
            Property(
                "imports", "LIST<STRING>", "its imported files as JSON: source, file, sha256, records, refused, time"
            ),
            Property("nRanked", "INTEGER", "number of decided records when its order was computed last", derived=True),
            Property("createdAt", "DATETIME", "when it was made", derived=True),
        ),
    ),
    NodeType(
        "ScreeningRecord",
        "record of a search result, as its file has it",
        (
            Property("id", "STRING", "sha-256 hex of screening, source, file and place in the file"),
            COLLECTION[0],
            Property("screeningId", "STRING", "id of the screening"),
            Property("source", "STRING", "database that was searched, such as PubMed"),
            Property("file", "STRING", "sha-256 of the file, which the screening's imports name"),
            Property("line", "INTEGER", "line of the record in the file, from 1; of JSON, its number"),
            Property("title", "STRING", "title; may be empty"),
            Property("abstract", "STRING", "the abstract; may be empty"),
            Property("authors", "LIST<STRING>", "names in order"),
            Property("year", "INTEGER", "year of publication, where known"),
            Property("doi", "STRING", "DOI in lower case, where known"),
            Property("pmid", "STRING", "id at PubMed, where known"),
            Property("arxivId", "STRING", "arXiv id without version, where known"),
            Property("journalRef", "STRING", "where it was published, where known"),
            Property("url", "STRING", "a page that tells of it, where known"),
            Property("record", "STRING", "the record as it was written, as JSON: bibtex, ris or csl"),
            Property("score", "FLOAT", "how likely it is included, in [0, 1], before it was decided", derived=True),
            Property("words", "LIST<STRING>", "words that moved the score most, as +word or -word", derived=True),
            Property("vector", "LIST<FLOAT>", "vector of title and abstract, of length 1", derived=True),
            Property("vectorModel", "STRING", "sha-256 of the model that made the vector", derived=True),
        ),
    ),
    NodeType(
        "ScreeningDecision",
        "decision on a record; never changed, the last one of its rater and stage counts",
        (
            Property("id", "STRING", "64 hexadecimal digits, random"),
            COLLECTION[0],
            Property("screeningId", "STRING", "id of the screening"),
            Property("stage", "STRING", "abstract or text"),
            Property("rater", "STRING", "account or name of who decided; empty where no keys are asked for"),
            Property("verdict", "STRING", "include, exclude, maybe, or open: the decision was withdrawn"),
            Property("reason", "STRING", "reason of an exclusion; may be empty"),
            Property("note", "STRING", "remark; may be empty"),
            Property("resolves", "BOOLEAN", "whether it settles what raters disagree on"),
            Property("decidedAt", "DATETIME", "when it was made", derived=True),
        ),
    ),
    NodeType("Annotation", "what a reader added to a paper and shares with its collection", ANNOTATION),
    *SERVICE_NODES,
    NodeType(
        "EmbeddingModel",
        "embedding model of vectors in the store; two while models are switched",
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
        "state of the store by `id`: schema version, lock, analyzer, notes of a replica or restore, common revision",
        (
            _ID,
            Property("version", "INTEGER", "version of the schema"),
            Property("appliedAt", "DATETIME", "when the store got it", derived=True),
            Property(
                "owner",
                "STRING",
                "of the lock: the process that holds it; of a restore: root of the snapshot",
                derived=True,
            ),
            Property(
                "touched",
                "STRING",
                "of the lock: the process that asked for it last; of a restore: number of steps done; of that "
                "revision: random",
                derived=True,
            ),
            Property("leaseUntil", "DATETIME", "of the lock: when it expires", derived=True),
            Property(
                "analyzer", "STRING", "of a choice: analyzer of the full-text indexes of texts and titles", derived=True
            ),
            Property("quantization", "STRING", "of a choice: quantization of the vector indexes", derived=True),
            Property("waiting", "LIST<STRING>", "of revisions: writers", derived=True),
            Property("copiedAt", "DATETIME", "of a replica: time of its content", derived=True),
            Property("collections", "LIST<STRING>", "of a replica: its collections, by name", derived=True),
        ),
    ),
)
