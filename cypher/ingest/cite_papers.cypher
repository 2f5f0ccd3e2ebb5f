// Relate papers to those of their collection that they cite and that cite them, by DOI, arXiv id or title, and to no others.
//
// One transaction at a time does this, until it ends: of two papers that arrive together, the later one sees the other.
//
// Parameters  $ids  LIST<STRING>  ids of papers
// Returns     nothing
// Revises     papers $ids, and itself those that cite them
// Index       paper_doi, paper_arxiv (schema/migrations/0004_citations.cypher)
//             reference_doi, reference_arxiv (schema/migrations/0011_names.cypher)
//             paper_title_key, reference_title_key (schema/migrations/0012_title_keys.cypher)
// Try it      :param ids => COLLECT { MATCH (paper:Paper) RETURN paper.id LIMIT 3 }
CYPHER 25
OPTIONAL MATCH (turn:SchemaVersion {id: '0001_constraints'})
SET turn.checksum = turn.checksum  // takes the node's write lock
WITH count(*) AS one
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
OPTIONAL MATCH (paper)-[old:CITES]-(other:Paper)
WITH paper, old, other ORDER BY elementId(other)
SET other.revision = randomUUID()
DELETE old
WITH DISTINCT paper
CALL (paper) {
  MATCH (paper)-[:HAS_REFERENCE]->(reference:Reference)
  MATCH (cited:Paper {collection: paper.collection, doi: reference.doi})
  RETURN paper AS citing, cited
  UNION
  MATCH (paper)-[:HAS_REFERENCE]->(reference:Reference)
  MATCH (cited:Paper {collection: paper.collection, arxivId: reference.arxivId})
  RETURN paper AS citing, cited
  UNION
  MATCH (reference:Reference {collection: paper.collection, doi: paper.doi})
  MATCH (citing:Paper {id: reference.paperId})
  RETURN citing, paper AS cited
  UNION
  MATCH (reference:Reference {collection: paper.collection, arxivId: paper.arxivId})
  MATCH (citing:Paper {id: reference.paperId})
  RETURN citing, paper AS cited
  UNION
  MATCH (paper)-[:HAS_REFERENCE]->(reference:Reference)
  MATCH (cited:Paper {collection: paper.collection, titleKey: reference.titleKey})
  RETURN paper AS citing, cited
  UNION
  MATCH (reference:Reference {collection: paper.collection, titleKey: paper.titleKey})
  MATCH (citing:Paper {id: reference.paperId})
  RETURN citing, paper AS cited
}
WITH DISTINCT citing, cited
WHERE citing <> cited
WITH collect([citing, cited]) AS pairs
CALL (pairs) {
  UNWIND pairs AS pair
  UNWIND pair AS one
  WITH DISTINCT one ORDER BY elementId(one)
  SET one.nKeys = one.nKeys  // takes the node's write lock: who deletes it meanwhile waits, and sees who cites it
}
UNWIND pairs AS pair
WITH pair[0] AS citing, pair[1] AS cited
SET citing.revision = randomUUID()
MERGE (citing)-[:CITES]->(cited)
