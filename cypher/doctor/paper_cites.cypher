// Papers that are not related to just those of their collection that their references name by DOI, arXiv id or title.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Index       paper_doi, paper_arxiv (schema/migrations/0004_citations.cypher)
// Index       paper_title_key (schema/migrations/0011_title_keys.cypher)
// Advice      papergraph doctor --fix
// Repair      cite_papers
// Order       160
// Try it      :param {limit: 10}
CYPHER 25
CALL () {
  MATCH (citing:Paper)-[:CITES]->(cited:Paper)
  WHERE citing = cited OR citing.collection <> cited.collection OR NOT EXISTS {
    MATCH (citing)-[:HAS_CITATION]->(citation:Citation)
    WHERE citation.doi = cited.doi OR citation.arxivId = cited.arxivId OR citation.titleKey = cited.titleKey
  }
  RETURN citing, 'cites ' + cited.key + ', which is none of its references' AS problem
  UNION
  MATCH (citation:Citation)
  MATCH (cited:Paper {collection: citation.collection, doi: citation.doi})
  MATCH (citing:Paper {id: citation.paperId})
  WHERE citing <> cited AND NOT EXISTS { (citing)-[:CITES]->(cited) }
  RETURN citing, 'is not related to ' + cited.key + ', which its references name' AS problem
  UNION
  MATCH (citation:Citation)
  MATCH (cited:Paper {collection: citation.collection, arxivId: citation.arxivId})
  MATCH (citing:Paper {id: citation.paperId})
  WHERE citing <> cited AND NOT EXISTS { (citing)-[:CITES]->(cited) }
  RETURN citing, 'is not related to ' + cited.key + ', which its references name' AS problem
  UNION
  MATCH (citation:Citation)
  MATCH (cited:Paper {collection: citation.collection, titleKey: citation.titleKey})
  MATCH (citing:Paper {id: citation.paperId})
  WHERE citing <> cited AND NOT EXISTS { (citing)-[:CITES]->(cited) }
  RETURN citing, 'is not related to ' + cited.key + ', which its references name' AS problem
}
RETURN citing.id AS id, citing.id AS paper_id, min(problem) AS problem
ORDER BY id LIMIT $limit
