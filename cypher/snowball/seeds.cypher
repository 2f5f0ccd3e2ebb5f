// Identities that the sources of each paper of a collection state.
//
// Parameters  $collection  STRING  for example 'main'
// Returns     paper_id   STRING
//             doi        STRING  may be null, as the others
//             arxiv_id   STRING
//             title_key  STRING
// Index       source_key (schema/model.py)
// Try it      :param {collection: 'main'}
CYPHER 25
MATCH (source:Source {collection: $collection})
MATCH (paper:Paper)-[:HAS_SOURCE]->(source)
RETURN DISTINCT paper.id AS paper_id, source.doi AS doi, source.arxivId AS arxiv_id, source.titleKey AS title_key
ORDER BY paper_id
