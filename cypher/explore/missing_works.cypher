// What is missing here? Works with a DOI or arXiv id that several papers list and that do not stand in the collection.
//
// Parameters  $collection  STRING   where to look
//             $least       INTEGER  papers that list it, at least
//             $limit       INTEGER  how many works
// Returns     work      STRING  its DOI or arXiv id
//             entry     STRING  how a list of references prints it
//             year      INTEGER  where known
//             n_papers  INTEGER  papers that list it; most first
//             papers    LIST<STRING>  up to ten of their titles, by name
// Index       paper_doi, paper_arxiv (schema/migrations/0004_citations.cypher)
// Try it      :param {collection: 'main', least: 2, limit: 20}
CYPHER 25
MATCH (reference:Reference {collection: $collection})
WHERE (reference.doi IS NOT NULL OR reference.arxivId IS NOT NULL)
  AND NOT EXISTS { (:Paper {collection: $collection, doi: reference.doi}) }
  AND NOT EXISTS { (:Paper {collection: $collection, arxivId: reference.arxivId}) }
MATCH (paper:Paper)-[:HAS_REFERENCE]->(reference)
WITH coalesce('doi:' + reference.doi, 'arxiv:' + reference.arxivId) AS work, reference, paper
ORDER BY paper.title, paper.id, reference.ordinal
WITH work, head(collect(reference)) AS entry, collect(DISTINCT paper.title) AS titles, count(DISTINCT paper) AS n_papers
WHERE n_papers >= $least
RETURN work, entry.text AS entry, entry.year AS year, n_papers, titles[..10] AS papers
ORDER BY n_papers DESC, work
LIMIT $limit
