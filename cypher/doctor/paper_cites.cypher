// Papers that are not related to just those of their collection that their references name by DOI, arXiv id or title.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Index       paper_doi, paper_arxiv (schema/model.py)
//             paper_title_key (schema/model.py)
// Advice      papergraph doctor --fix
// Repair      cite_papers
// Order       160
// Try it      :param {limit: 10}
CYPHER 25
CALL () {
  MATCH (citing:Paper)-[:CITES]->(cited:Paper)
  WHERE citing = cited OR citing.collection <> cited.collection OR NOT EXISTS {
    MATCH (citing)-[:HAS_REFERENCE]->(reference:Reference)
    WHERE reference.doi = cited.doi OR reference.arxivId = cited.arxivId OR reference.titleKey = cited.titleKey
  }
  RETURN citing, 'cites ' + cited.key + ', which is none of its references' AS problem
  UNION
  MATCH (reference:Reference)
  MATCH (cited:Paper {collection: reference.collection, doi: reference.doi})
  MATCH (citing:Paper {id: reference.paperId})
  WHERE citing <> cited AND NOT EXISTS { (citing)-[:CITES]->(cited) }
  RETURN citing, 'is not related to ' + cited.key + ', which its references name' AS problem
  UNION
  MATCH (reference:Reference)
  MATCH (cited:Paper {collection: reference.collection, arxivId: reference.arxivId})
  MATCH (citing:Paper {id: reference.paperId})
  WHERE citing <> cited AND NOT EXISTS { (citing)-[:CITES]->(cited) }
  RETURN citing, 'is not related to ' + cited.key + ', which its references name' AS problem
  UNION
  MATCH (reference:Reference)
  MATCH (cited:Paper {collection: reference.collection, titleKey: reference.titleKey})
  MATCH (citing:Paper {id: reference.paperId})
  WHERE citing <> cited AND NOT EXISTS { (citing)-[:CITES]->(cited) }
  RETURN citing, 'is not related to ' + cited.key + ', which its references name' AS problem
}
RETURN citing.id AS id, citing.id AS paper_id, min(problem) AS problem
ORDER BY id LIMIT $limit
