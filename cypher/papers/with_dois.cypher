// One page of the DOIs of a collection's papers, with the editorial notices that are known.
//
// Parameters  $collection  STRING   for example 'main'
//             $after       STRING   the last DOI of the page before, '' at the start
//             $limit       INTEGER  DOIs on the page
// Returns     id      STRING     DOI, in lower case, in order
//             papers  LIST<MAP>  id, title, status and notices of its papers
// Index       paper_doi (schema/model.py)
// Try it      :param {collection: 'main', after: '', limit: 100}
CYPHER 25
MATCH (paper:Paper)
WHERE paper.collection = $collection AND paper.doi > $after
WITH paper ORDER BY paper.collection, paper.doi
WITH paper.doi AS id,
     collect({
       id: paper.id, title: paper.title, status: paper.editorialStatus, notices: coalesce(paper.editorialNotices, [])
     }) AS papers
RETURN id, papers
ORDER BY id LIMIT $limit
