// Relate papers to those of their collection that they cite and that cite them, by DOI, arXiv id or title, and to no others.
//
// Ids and titles of all sources count, so that those of a merged paper do; a person's edit replaces those of the documents
// that it is about. One transaction at a time does this, until it ends: of two papers that arrive together, the later one
// sees the other.
//
// Parameters  $ids  LIST<STRING>  ids of papers
// Returns     nothing
// Revises     papers $ids, and itself those that cite them, or no longer do
// Index       source_doi, source_arxiv, source_title (schema/model.py)
//             reference_doi, reference_arxiv (schema/model.py)
//             reference_title_key (schema/model.py)
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
  CALL (paper) {
    MATCH (paper)-[:HAS_REFERENCE]->(reference:Reference)
    MATCH (source:Source {collection: paper.collection, doi: reference.doi})
    RETURN paper AS citing, source, 'doi' AS field
    UNION
    MATCH (paper)-[:HAS_REFERENCE]->(reference:Reference)
    MATCH (source:Source {collection: paper.collection, arxivId: reference.arxivId})
    RETURN paper AS citing, source, 'arxivId' AS field
    UNION
    MATCH (paper)-[:HAS_REFERENCE]->(reference:Reference)
    MATCH (source:Source {collection: paper.collection, titleKey: reference.titleKey})
    RETURN paper AS citing, source, 'titleKey' AS field
    UNION
    MATCH (paper)-[:HAS_SOURCE]->(source:Source)
    MATCH (reference:Reference {collection: paper.collection, doi: source.doi})
    MATCH (citing:Paper {id: reference.paperId})
    RETURN citing, source, 'doi' AS field
    UNION
    MATCH (paper)-[:HAS_SOURCE]->(source:Source)
    MATCH (reference:Reference {collection: paper.collection, arxivId: source.arxivId})
    MATCH (citing:Paper {id: reference.paperId})
    RETURN citing, source, 'arxivId' AS field
    UNION
    MATCH (paper)-[:HAS_SOURCE]->(source:Source)
    MATCH (reference:Reference {collection: paper.collection, titleKey: source.titleKey})
    MATCH (citing:Paper {id: reference.paperId})
    RETURN citing, source, 'titleKey' AS field
  }
  MATCH (cited:Paper)-[:HAS_SOURCE]->(source)
  WHERE NOT EXISTS {
    MATCH (cited)-[:HAS_SOURCE]->(edit:Source {kind: 'edit'})
    WHERE edit <> source AND source.key IN edit.aliases AND (edit[field] IS NOT NULL OR field IN edit.cleared)
  }
  RETURN DISTINCT citing, cited, null AS old
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
