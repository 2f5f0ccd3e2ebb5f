// What is missing here? Works that several papers list and that do not stand in the collection, by DOI, arXiv id or title.
//
// Parameters  $collection  STRING   where to look
//             $least       INTEGER  papers that list it, at least
//             $limit       INTEGER  how many works
// Returns     work      STRING  its DOI, arXiv id or title
//             entry     STRING  how a list of references prints it
//             year      INTEGER  where known
//             n_papers  INTEGER  papers that list it; most first
//             papers    LIST<STRING>  up to ten of their titles, by name
// Index       paper_doi, paper_arxiv (schema/migrations/0004_citations.cypher)
// Try it      :param {collection: 'main', least: 2, limit: 20}
CYPHER 25
MATCH (citation:Citation {collection: $collection})
WHERE coalesce(citation.doi, citation.arxivId, citation.titleKey) IS NOT NULL
  AND NOT EXISTS { (:Paper {collection: $collection, doi: citation.doi}) }
  AND NOT EXISTS { (:Paper {collection: $collection, arxivId: citation.arxivId}) }
  AND NOT EXISTS { (:Paper {collection: $collection, titleKey: citation.titleKey}) }
MATCH (paper:Paper)-[:HAS_CITATION]->(citation)
WITH coalesce(citation.titleKey, 'doi:' + citation.doi, 'arxiv:' + citation.arxivId) AS key, citation, paper
ORDER BY paper.title, paper.id, citation.ordinal
WITH key, collect(citation) AS entries, collect(DISTINCT paper.title) AS titles, count(DISTINCT paper) AS n_papers
WHERE n_papers >= $least
WITH head(entries) AS entry, head([e IN entries WHERE e.doi IS NOT NULL | 'doi:' + e.doi]) AS doi,
     head([e IN entries WHERE e.arxivId IS NOT NULL | 'arxiv:' + e.arxivId]) AS arxiv, titles, n_papers
RETURN coalesce(doi, arxiv, entry.title) AS work, entry.text AS entry, entry.year AS year, n_papers, titles[..10] AS papers
ORDER BY n_papers DESC, work
LIMIT $limit
