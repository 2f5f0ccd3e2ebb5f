// Papers that are not related to just those of their collection that their references name by DOI, arXiv id or title.
//
// Ids and titles of all sources of a paper count, unless a person's edit replaces them.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Index       source_doi, source_arxiv, source_title (schema/model.py)
// Advice      papergraph doctor --fix
// Repair      cite_papers
// Order       160
// Try it      :param {limit: 10}
CYPHER 25
CALL () {
  MATCH (citing:Paper)-[:CITES]->(cited:Paper)
  WHERE citing = cited OR citing.collection <> cited.collection OR NOT EXISTS {
    MATCH (citing)-[:HAS_REFERENCE]->(reference:Reference)
    MATCH (cited)-[:HAS_SOURCE]->(source:Source)
    UNWIND ['doi', 'arxivId', 'titleKey'] AS field
    WITH * WHERE reference[field] = source[field] AND NOT EXISTS {
      MATCH (cited)-[:HAS_SOURCE]->(edit:Source {kind: 'edit'})
      WHERE edit <> source AND source.key IN edit.aliases AND (edit[field] IS NOT NULL OR field IN edit.cleared)
    }
    RETURN source
  }
  RETURN citing, 'cites ' + cited.key + ', which is none of its references' AS problem
  UNION
  CALL () {
    MATCH (reference:Reference)
    MATCH (source:Source {collection: reference.collection, doi: reference.doi})
    RETURN reference, source, 'doi' AS field
    UNION ALL
    MATCH (reference:Reference)
    MATCH (source:Source {collection: reference.collection, arxivId: reference.arxivId})
    RETURN reference, source, 'arxivId' AS field
    UNION ALL
    MATCH (reference:Reference)
    MATCH (source:Source {collection: reference.collection, titleKey: reference.titleKey})
    RETURN reference, source, 'titleKey' AS field
  }
  MATCH (citing:Paper {id: reference.paperId})
  MATCH (cited:Paper)-[:HAS_SOURCE]->(source)
  WHERE citing <> cited AND NOT EXISTS { (citing)-[:CITES]->(cited) } AND NOT EXISTS {
    MATCH (cited)-[:HAS_SOURCE]->(edit:Source {kind: 'edit'})
    WHERE edit <> source AND source.key IN edit.aliases AND (edit[field] IS NOT NULL OR field IN edit.cleared)
  }
  RETURN citing, 'is not related to ' + cited.key + ', which its references name' AS problem
}
RETURN citing.id AS id, citing.id AS paper_id, min(problem) AS problem
ORDER BY id LIMIT $limit
