// Papers of a collection that entries of a bibliography tell: by citation key, DOI, arXiv id or title, in this order.
//
// Parameters  $collection  STRING     for example 'main'
//             $entries     LIST<MAP>  {number, citeKey, doi, arxivId, titleKey}; all but the number may be null
// Returns     number  INTEGER  that of the entry; entries without a paper are left out
//             paper   MAP      properties, the embedding left out
// Index       source_cite_key, source_doi, source_arxiv, source_title (schema/model.py)
// Try it      :param {collection: 'main'}
//             :param entries => COLLECT { MATCH (p:Paper) RETURN {number: 0, titleKey: p.titleKey} LIMIT 1 }
CYPHER 25
UNWIND $entries AS entry
CALL (entry) {
  MATCH (source:Source {collection: $collection, citeKey: entry.citeKey})
  RETURN source, 0 AS place
  UNION
  MATCH (source:Source {collection: $collection, doi: entry.doi})
  RETURN source, 1 AS place
  UNION
  MATCH (source:Source {collection: $collection, arxivId: entry.arxivId})
  RETURN source, 2 AS place
  UNION
  MATCH (source:Source {collection: $collection, titleKey: entry.titleKey})
  RETURN source, 3 AS place
}
MATCH (paper:Paper)-[:HAS_SOURCE]->(source)
WITH entry, paper ORDER BY place, paper.key
WITH entry, head(collect(paper)) AS paper
RETURN entry.number AS number, paper { .*, embedding: null, secondEmbedding: null } AS paper
