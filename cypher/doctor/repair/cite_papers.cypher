// Relate papers to those of their collection that their references name by DOI, arXiv id or title, and to no others.
//
// Parameters  $ids  LIST<STRING>  ids of papers
// Returns     n_repaired  INTEGER
// Index       source_doi, source_arxiv, source_title (schema/model.py)
// Action      related to the papers that their references name
// Try it      :param {ids: ['a1']}
CYPHER 25
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
CALL (paper) {
  MATCH (paper)-[old:CITES]->(:Paper)
  DELETE old
}
CALL (paper) {
  CALL (paper) {
    MATCH (paper)-[:HAS_REFERENCE]->(reference:Reference)
    MATCH (source:Source {collection: paper.collection, doi: reference.doi})
    RETURN source, 'doi' AS field
    UNION
    MATCH (paper)-[:HAS_REFERENCE]->(reference:Reference)
    MATCH (source:Source {collection: paper.collection, arxivId: reference.arxivId})
    RETURN source, 'arxivId' AS field
    UNION
    MATCH (paper)-[:HAS_REFERENCE]->(reference:Reference)
    MATCH (source:Source {collection: paper.collection, titleKey: reference.titleKey})
    RETURN source, 'titleKey' AS field
  }
  MATCH (cited:Paper)-[:HAS_SOURCE]->(source)
  WHERE cited <> paper AND NOT EXISTS {
    MATCH (cited)-[:HAS_SOURCE]->(edit:Source {kind: 'edit'})
    WHERE edit <> source AND source.key IN edit.aliases AND (edit[field] IS NOT NULL OR field IN edit.cleared)
  }
  MERGE (paper)-[:CITES]->(cited)
}
RETURN count(*) AS n_repaired
