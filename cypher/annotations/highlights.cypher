// Highlights of papers, with their place in the text.
//
// Parameters  $ids  LIST<STRING>  ids of papers
// Returns     paper_id  STRING
//             rows      LIST<MAP>  id, quote, prefix, suffix, start and end of each highlight
// Index       paper_id (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 1 }
CYPHER 25
UNWIND $ids AS id
MATCH (paper:Paper {id: id})-[:HAS_SOURCE]->(:Source)
      <-[:ANNOTATES|ANNOTATES_PRIVATELY]-(one:Annotation|PrivateAnnotation {kind: 'highlight'})
RETURN paper.id AS paper_id, collect({id: one.id, quote: one.quote, prefix: one.prefix, suffix: one.suffix,
                                      start: one.startChar, end: one.endChar}) AS rows
