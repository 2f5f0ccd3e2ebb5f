// Of each paper the source that annotations belong to: the one that gives its text, or else its record.
//
// Parameters  $ids          LIST<STRING>  ids of papers
//             $collections  LIST<STRING>  collections that are reached; null for all
// Returns     paper_id, source, collection  STRING
// Index       paper_id (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 1 }
//             :param {collections: null}
CYPHER 25
UNWIND $ids AS id
MATCH (paper:Paper {id: id})-[:HAS_SOURCE]->(source:Source)
WHERE ($collections IS NULL OR paper.collection IN $collections) AND source.name = paper.sources[0]
RETURN paper.id AS paper_id, source.id AS source, paper.collection AS collection
