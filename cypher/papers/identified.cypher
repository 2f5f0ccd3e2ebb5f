// One page of the papers of a collection that have a DOI or an arXiv id.
//
// Parameters  $collection  STRING   for example 'main'
//             $after       STRING   id of the last paper of the page before, '' at the start
//             $limit       INTEGER  papers on the page
// Returns     id             STRING   of the paper, in order
//             title          STRING
//             arxiv_id       STRING   without version; may be null
//             arxiv_version  INTEGER  may be null
//             dois           LIST<STRING>  those that its sources state
// Index       paper_id (schema/model.py)
// Try it      :param {collection: 'main', after: '', limit: 100}
CYPHER 25
MATCH (paper:Paper)
WHERE paper.id > $after AND paper.collection = $collection AND (paper.doi IS NOT NULL OR paper.arxivId IS NOT NULL)
WITH paper ORDER BY paper.id LIMIT $limit
RETURN paper.id AS id, paper.title AS title, paper.arxivId AS arxiv_id, paper.arxivVersion AS arxiv_version,
       COLLECT {
         MATCH (paper)-[:HAS_SOURCE]->(source:Source) WHERE source.doi IS NOT NULL
         RETURN DISTINCT source.doi ORDER BY source.doi
       } AS dois
ORDER BY id
