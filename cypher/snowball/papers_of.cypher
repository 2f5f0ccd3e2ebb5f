// Papers of some collections that are some works, by DOI, arXiv id or title.
//
// Parameters  $works        LIST<MAP>     {number, doi, arxiv_id, title_key}; all but the number may be null
//             $collections  LIST<STRING>  for example ['main']
// Returns     id      STRING   of a paper
//             number  INTEGER  of the work
// Index       source_doi, source_arxiv, source_title (schema/model.py)
// Try it      :param {collections: ['main']}
//             :param works => COLLECT { MATCH (p:Paper) RETURN {number: 0, title_key: p.titleKey} LIMIT 2 }
CYPHER 25
UNWIND $works AS work
UNWIND $collections AS collection
CALL (work, collection) {
  MATCH (source:Source {collection: collection, doi: work.doi})
  RETURN source
  UNION
  MATCH (source:Source {collection: collection, arxivId: work.arxiv_id})
  RETURN source
  UNION
  MATCH (source:Source {collection: collection, titleKey: work.title_key})
  RETURN source
}
MATCH (paper:Paper)-[:HAS_SOURCE]->(source)
RETURN DISTINCT paper.id AS id, work.number AS number
ORDER BY number, id
