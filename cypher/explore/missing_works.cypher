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
// Index       source_doi, source_arxiv, source_title (schema/model.py)
// Try it      :param {collection: 'main', least: 2, limit: 20}
CYPHER 25
MATCH (reference:Reference {collection: $collection})
WHERE coalesce(reference.doi, reference.arxivId, reference.titleKey) IS NOT NULL
  AND NOT EXISTS { (:Source {collection: $collection, doi: reference.doi}) }
  AND NOT EXISTS { (:Source {collection: $collection, arxivId: reference.arxivId}) }
  AND NOT EXISTS { (:Source {collection: $collection, titleKey: reference.titleKey}) }
MATCH (paper:Paper)-[:HAS_REFERENCE]->(reference)
WITH coalesce(reference.titleKey, 'doi:' + reference.doi, 'arxiv:' + reference.arxivId) AS key, reference, paper
ORDER BY paper.title, paper.id, reference.ordinal
WITH key, collect(reference) AS entries, collect(DISTINCT paper.title) AS titles, count(DISTINCT paper) AS n_papers
WHERE n_papers >= $least
WITH head(entries) AS entry, head([e IN entries WHERE e.doi IS NOT NULL | 'doi:' + e.doi]) AS doi,
     head([e IN entries WHERE e.arxivId IS NOT NULL | 'arxiv:' + e.arxivId]) AS arxiv, titles, n_papers
RETURN coalesce(doi, arxiv, entry.title) AS work, entry.text AS entry, entry.year AS year, n_papers, titles[..10] AS papers
ORDER BY n_papers DESC, work
LIMIT $limit
