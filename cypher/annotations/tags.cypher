// Tags of a collection that a reader may see, with the number of papers, the most frequent first.
//
// Parameters  $collection  STRING   a collection
//             $owner       STRING   account whose private ones are seen; null for those of all
//             $limit       INTEGER  most rows
// Returns     tag  STRING  the spelling that comes first by alphabet
//             n_papers  INTEGER
// Index       annotation_kind, private_annotation_kind (schema/model.py)
// Try it      :param {collection: 'main', owner: null, limit: 10}
CYPHER 25
MATCH (tag:Annotation|PrivateAnnotation {collection: $collection, kind: 'tag'})
WHERE $owner IS NULL OR tag:Annotation OR tag.owner = $owner
MATCH (tag)-[:ANNOTATES|ANNOTATES_PRIVATELY]->(:Source)<-[:HAS_SOURCE]-(paper:Paper)
RETURN min(tag.text) AS tag, count(DISTINCT paper) AS n_papers, toLower(tag.text) AS name
ORDER BY n_papers DESC, name LIMIT $limit
