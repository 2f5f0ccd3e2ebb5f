// Relate papers to those of their collection that their references name by DOI, arXiv id or title, and to no others.
//
// Parameters  $ids  LIST<STRING>  ids of papers
// Returns     n_repaired  INTEGER
// Index       paper_doi, paper_arxiv (schema/model.py)
//             paper_title_key (schema/model.py)
// Action      related to the papers that their references name
// Try it      :param {ids: ['a1']}
CYPHER 25
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
CALL (paper) {
  MATCH (paper)-[wrong:CITES]->(cited:Paper)
  WHERE paper = cited OR paper.collection <> cited.collection OR NOT EXISTS {
    MATCH (paper)-[:HAS_REFERENCE]->(reference:Reference)
    WHERE reference.doi = cited.doi OR reference.arxivId = cited.arxivId OR reference.titleKey = cited.titleKey
  }
  DELETE wrong
}
CALL (paper) {
  MATCH (paper)-[:HAS_REFERENCE]->(reference:Reference)
  MATCH (cited:Paper {collection: paper.collection, doi: reference.doi})
  WHERE cited <> paper
  MERGE (paper)-[:CITES]->(cited)
}
CALL (paper) {
  MATCH (paper)-[:HAS_REFERENCE]->(reference:Reference)
  MATCH (cited:Paper {collection: paper.collection, arxivId: reference.arxivId})
  WHERE cited <> paper
  MERGE (paper)-[:CITES]->(cited)
}
CALL (paper) {
  MATCH (paper)-[:HAS_REFERENCE]->(reference:Reference)
  MATCH (cited:Paper {collection: paper.collection, titleKey: reference.titleKey})
  WHERE cited <> paper
  MERGE (paper)-[:CITES]->(cited)
}
RETURN count(*) AS n_repaired
