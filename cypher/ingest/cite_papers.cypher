// Relate papers to those of their collection that they cite and that cite them, by DOI, arXiv id or title, and to no others.
//
// One transaction at a time does this, until it ends: of two papers that arrive together, the later one sees the other.
//
// Parameters  $ids  LIST<STRING>  ids of papers
// Returns     nothing
// Revises     papers $ids, and itself those that cite them, or no longer do
// Index       paper_doi, paper_arxiv (schema/model.py)
//             reference_doi, reference_arxiv (schema/model.py)
//             paper_title_key, reference_title_key (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (paper:Paper) RETURN paper.id LIMIT 3 }
CYPHER 25
OPTIONAL MATCH (turn:SchemaVersion {id: 'schema'})
SET turn.version = turn.version  // takes the node's write lock
WITH count(*) AS one
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
CALL (paper) {
  MATCH (paper)-[old:CITES]-(:Paper)
  RETURN startNode(old) AS citing, endNode(old) AS cited, old
  UNION
  MATCH (paper)-[:HAS_REFERENCE]->(reference:Reference)
  MATCH (cited:Paper {collection: paper.collection, doi: reference.doi})
  RETURN paper AS citing, cited, null AS old
  UNION
  MATCH (paper)-[:HAS_REFERENCE]->(reference:Reference)
  MATCH (cited:Paper {collection: paper.collection, arxivId: reference.arxivId})
  RETURN paper AS citing, cited, null AS old
  UNION
  MATCH (reference:Reference {collection: paper.collection, doi: paper.doi})
  MATCH (citing:Paper {id: reference.paperId})
  RETURN citing, paper AS cited, null AS old
  UNION
  MATCH (reference:Reference {collection: paper.collection, arxivId: paper.arxivId})
  MATCH (citing:Paper {id: reference.paperId})
  RETURN citing, paper AS cited, null AS old
  UNION
  MATCH (paper)-[:HAS_REFERENCE]->(reference:Reference)
  MATCH (cited:Paper {collection: paper.collection, titleKey: reference.titleKey})
  RETURN paper AS citing, cited, null AS old
  UNION
  MATCH (reference:Reference {collection: paper.collection, titleKey: paper.titleKey})
  MATCH (citing:Paper {id: reference.paperId})
  RETURN citing, paper AS cited, null AS old
}
WITH citing, cited, collect(old) AS old, max(old IS NULL) AS stands
WHERE citing <> cited AND stands = (old = [])
WITH collect({citing: citing, cited: cited, old: old}) AS changes  // neighbours that stay as they are are not locked
CALL (changes) {
  UNWIND changes AS change
  UNWIND [change.citing, change.cited] AS one
  WITH DISTINCT one ORDER BY elementId(one)
  SET one.locked = true  // takes the write lock: who deletes it meanwhile waits, and sees who cites it
  REMOVE one.locked
}
UNWIND changes AS change
WITH change, change.citing AS citing, change.cited AS cited
SET citing.revision = randomUUID()
FOREACH (old IN change.old | DELETE old)
FOREACH (_ IN CASE WHEN change.old = [] THEN [1] ELSE [] END | MERGE (citing)-[:CITES]->(cited))
