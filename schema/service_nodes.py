"""Labels of what tells of the service and of those who use it: no content of papers, and not in the digest."""

from schema.node_types import NodeType, Property

SERVICE_NODES = (
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
            Property("creators", "LIST<STRING>", "ids of the keys that it was made with, from the first one"),
            Property("signedUpBy", "STRING", "id of the invitation that it was signed up with"),
            Property("requestsPerMinute", "INTEGER", "its own limit, beside that of the server; missing without one"),
            Property("costPerMinute", "INTEGER", "its own limit, beside that of the server; missing without one"),
        ),
    ),
    NodeType(
        "Invitation",
        "what whoever has it signs up with, for a key; no content, and not in the digest",
        (
            Property("id", "STRING", "the part of the invitation that is no secret: 8 letters and digits"),
            Property("sha256", "STRING", "sha-256 of the secret, which stands nowhere"),
            Property("name", "STRING", "whom it is for, in words"),
            Property("scopes", "LIST<STRING>", "those of its keys: read, ask, ingest, cypher"),
            Property("collections", "LIST<STRING>", "those of its keys; missing where they reach all"),
            Property("requestsPerMinute", "INTEGER", "limit of each of its keys; missing without one"),
            Property("costPerMinute", "INTEGER", "limit of each of its keys; missing without one"),
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
        "a browser that logged in with a key, for some hours; no content, in no backup, and not in the digest",
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
        "what an operator says of a collection, which has this node only then; no content, and not in the digest",
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
        "StoredAnswer",
        "an answer that its asker stored, to be read again at its address; no content, and not in the digest",
        (
            Property("id", "STRING", "answer-, and 16 hex digits"),
            Property("collection", "STRING", "the collection that was asked"),
            Property("asker", "STRING", "id of the key, or the address where no keys are asked for"),
            Property("askedAt", "DATETIME", "when it was answered"),
            Property("question", "STRING", "the question as it was asked"),
            Property("content", "STRING", "the answer or refusal with its citations, as JSON"),
        ),
    ),
    NodeType(
        "AnswerRating",
        "what a reader thinks of a stored answer; no content, and not in the digest",
        (
            Property("id", "STRING", "id of the answer, and who rates it"),
            Property("collection", "STRING", "that of the answer"),
            Property("rater", "STRING", "id of the key, or the address where no keys are asked for"),
            Property("verdict", "STRING", "up or down"),
            Property("comment", "STRING", "the reason, in words; may be empty"),
            Property("ratedAt", "DATETIME", "when it was rated"),
        ),
    ),
)
