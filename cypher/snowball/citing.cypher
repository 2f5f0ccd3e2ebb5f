// Papers of some collections that cite some works, by DOI, arXiv id or title in their lists of references.
//
// Parameters  $works        LIST<MAP>     {number, doi, arxiv_id, title_key}; a work has a row for each combination
//             $collections  LIST<STRING>  for example ['main']
// Returns     doi        STRING   of the paper; may be null, as the next two
//             arxiv_id   STRING
//             title_key  STRING
//             n_links    INTEGER  its references to the works
//             id         STRING   its id
// Index       reference_doi, reference_arxiv, reference_title_key (schema/model.py)
// Try it      :param {collections: ['main']}
//             :param works => COLLECT { MATCH (p:Paper) RETURN {number: 0, doi: p.doi} LIMIT 2 }
CYPHER 25
UNWIND $works AS work
UNWIND $collections AS collection
CALL (work, collection) {
  MATCH (reference:Reference {collection: collection, doi: work.doi})
  RETURN reference
  UNION
  MATCH (reference:Reference {collection: collection, arxivId: work.arxiv_id})
  RETURN reference
  UNION
  MATCH (reference:Reference {collection: collection, titleKey: work.title_key})
  RETURN reference
}
WITH DISTINCT work.number AS number, reference
WITH reference.paperId AS id, count(*) AS n_links
MATCH (paper:Paper {id: id})
RETURN paper.doi AS doi, paper.arxivId AS arxiv_id, paper.titleKey AS title_key, n_links, id
