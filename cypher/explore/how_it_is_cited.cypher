// What do others say where they cite a paper? The passages of papers of the collection that cite it, in order of time.
//
// Parameters  $paper  STRING   id of the cited paper
//             $limit  INTEGER  how many passages
// Returns     paper   STRING  title of the citing one
//             year    INTEGER  its year, where known
//             section, label, passage  STRING  where it is cited, what the text calls it, and what stands there
// Index       paper_id (schema/model.py)
// Try it      :param paper => head(COLLECT { MATCH (p:Paper {collection: 'main'})<-[:CITES]-(q:Paper)-[:HAS_REFERENCE]->(r:Reference)<-[:CITES_REFERENCE]-(:Chunk) WHERE r.doi = p.doi OR r.arxivId = p.arxivId OR r.titleKey = p.titleKey WITH p, count(DISTINCT q) AS n ORDER BY n DESC, p.title, p.id LIMIT 1 RETURN p.id })
//             :param {limit: 20}
CYPHER 25
MATCH (cited:Paper {id: $paper})<-[:CITES]-(paper:Paper)
MATCH (paper)-[:HAS_REFERENCE]->(reference:Reference)
WHERE reference.doi = cited.doi OR reference.arxivId = cited.arxivId OR reference.titleKey = cited.titleKey
MATCH (section:Section)-[:HAS_CHUNK]->(chunk:Chunk)-[:CITES_REFERENCE]->(reference)
RETURN paper.title AS paper, paper.year AS year, section.title AS section, reference.label AS label, chunk.text AS passage
ORDER BY year, paper, chunk.paperId, chunk.ordinal, reference.ordinal
LIMIT $limit
