// Relate papers to those of their collection that they cite and that cite them, by DOI, arXiv id or title, and to no others.
//
// One transaction at a time does this, until it ends: of two papers that arrive together, the later one sees the other.
//
// Parameters  $ids  LIST<STRING>  ids of papers
// Returns     nothing
// Index       paper_doi, paper_arxiv, citation_doi, citation_arxiv (schema/migrations/0004_citations.cypher)
// Index       paper_title_key, citation_title_key (schema/migrations/0011_title_keys.cypher)
// Try it      :param ids => COLLECT { MATCH (paper:Paper) RETURN paper.id LIMIT 3 }
CYPHER 25
OPTIONAL MATCH (turn:SchemaVersion {id: '0001_constraints'})
SET turn.checksum = turn.checksum  // takes the node's write lock
WITH count(*) AS one
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
OPTIONAL MATCH (paper)-[old:CITES]-(:Paper)
DELETE old
WITH DISTINCT paper
CALL (paper) {
  MATCH (paper)-[:HAS_CITATION]->(citation:Citation)
  MATCH (cited:Paper {collection: paper.collection, doi: citation.doi})
  RETURN paper AS citing, cited
  UNION
  MATCH (paper)-[:HAS_CITATION]->(citation:Citation)
  MATCH (cited:Paper {collection: paper.collection, arxivId: citation.arxivId})
  RETURN paper AS citing, cited
  UNION
  MATCH (citation:Citation {collection: paper.collection, doi: paper.doi})
  MATCH (citing:Paper {id: citation.paperId})
  RETURN citing, paper AS cited
  UNION
  MATCH (citation:Citation {collection: paper.collection, arxivId: paper.arxivId})
  MATCH (citing:Paper {id: citation.paperId})
  RETURN citing, paper AS cited
  UNION
  MATCH (paper)-[:HAS_CITATION]->(citation:Citation)
  MATCH (cited:Paper {collection: paper.collection, titleKey: citation.titleKey})
  RETURN paper AS citing, cited
  UNION
  MATCH (citation:Citation {collection: paper.collection, titleKey: paper.titleKey})
  MATCH (citing:Paper {id: citation.paperId})
  RETURN citing, paper AS cited
}
WITH DISTINCT citing, cited
WHERE citing <> cited
MERGE (citing)-[:CITES]->(cited)
