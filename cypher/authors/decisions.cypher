// What a person decided of the authors of a collection.
//
// Parameters  $collection  STRING  the collection, for example 'main'
// Returns     kind, text  STRING  authors or author; the key of the author from then on
//             about  LIST<STRING>  keys of both authors, or of the author and a source of the paper; in order of ids
// Index       review_kind (schema/model.py)
// Try it      :param {collection: 'main'}
CYPHER 25
UNWIND ['authors', 'author'] AS kind
MATCH (review:Review {collection: $collection, kind: kind})
RETURN review.kind AS kind, review.about AS about, review.text AS text
ORDER BY review.id
