// Note what a person decided; what was decided of the same before gives way.
//
// Parameters  $id          STRING        made of collection, kind and what it is about
//             $collection  STRING        the collection, for example 'main'
//             $kind        STRING        question, entities, authors, author, papers or correction
//             $about       LIST<STRING>  the question as made, ids of entities, keys of authors, papers and sources, a field
//             $decision    STRING        accepted, edited or rejected; of entities, authors and papers same or different
//             $text        STRING        the question as it was edited, or the key of an author; else null
// Returns     nothing
// Revises     nothing
// Index       review_id (schema/model.py)
// Try it      :param {id: 'v1', collection: 'main', kind: 'question', about: ['Why?'], decision: 'rejected', text: null}
CYPHER 25
MERGE (review:Review {id: $id})
SET review.collection = $collection, review.kind = $kind, review.about = $about, review.decision = $decision,
    review.text = $text, review.reviewedAt = datetime()
