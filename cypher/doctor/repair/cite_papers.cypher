// Relate papers to those of their collection that their references name by DOI, arXiv id or title, and to no others.
//
// Parameters  $ids  LIST<STRING>  ids of papers
// Returns     n_repaired  INTEGER
// Index       paper_doi, paper_arxiv (schema/migrations/0004_citations.cypher)
// Index       paper_title_key (schema/migrations/0011_title_keys.cypher)
// Action      related to the papers that their references name
// Try it      :param {ids: ['a1']}
CYPHER 25
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
CALL (paper) {
  MATCH (paper)-[wrong:CITES]->(cited:Paper)
  WHERE paper = cited OR paper.collection <> cited.collection OR NOT EXISTS {
    MATCH (paper)-[:HAS_CITATION]->(citation:Citation)
    WHERE citation.doi = cited.doi OR citation.arxivId = cited.arxivId OR citation.titleKey = cited.titleKey
  }
  DELETE wrong
}
CALL (paper) {
  MATCH (paper)-[:HAS_CITATION]->(citation:Citation)
  MATCH (cited:Paper {collection: paper.collection, doi: citation.doi})
  WHERE cited <> paper
  MERGE (paper)-[:CITES]->(cited)
}
CALL (paper) {
  MATCH (paper)-[:HAS_CITATION]->(citation:Citation)
  MATCH (cited:Paper {collection: paper.collection, arxivId: citation.arxivId})
  WHERE cited <> paper
  MERGE (paper)-[:CITES]->(cited)
}
CALL (paper) {
  MATCH (paper)-[:HAS_CITATION]->(citation:Citation)
  MATCH (cited:Paper {collection: paper.collection, titleKey: citation.titleKey})
  WHERE cited <> paper
  MERGE (paper)-[:CITES]->(cited)
}
RETURN count(*) AS n_repaired
