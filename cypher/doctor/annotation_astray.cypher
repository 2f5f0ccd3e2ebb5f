// Annotations that are of no source, or of several.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      look at them in papergraph db shell: papergraph keeps what people wrote
// Order       407
// Try it      :param {limit: 10}
CYPHER 25
MATCH (annotation:Annotation|PrivateAnnotation)
WITH annotation, COUNT { (annotation)-[:ANNOTATES|ANNOTATES_PRIVATELY]->(:Source) } AS n_sources
WHERE n_sources <> 1
RETURN coalesce(annotation.id, elementId(annotation)) AS id, null AS paper_id,
       annotation.kind + ' is of ' + n_sources + ' sources' AS problem
ORDER BY id LIMIT $limit
