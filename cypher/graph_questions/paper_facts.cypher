// Who wrote these papers, when and where did they appear? One row for each, with the number of references.
//
// Parameters  $collection  STRING        where to look, for example 'main'
//             $paper_ids   LIST<STRING>  ids of papers
// Returns     id, title    STRING        the paper, in the order of the ids
//             authors      LIST<STRING>  in the paper's order
//             year         INTEGER       or null
//             venue, doi, arxiv_id, url  STRING  or null
//             n_pages      INTEGER       or null
//             n_references, n_citing  INTEGER  entries of its list of references; papers of the collection that cite it
// Index       paper_id (schema/model.py)
// Try it      :param {collection: 'main'}
//             :param paper_ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 3 }
CYPHER 25
UNWIND range(0, size($paper_ids) - 1) AS place
MATCH (paper:Paper {id: $paper_ids[place]})
WHERE paper.collection = $collection
RETURN paper.id AS id, paper.title AS title,
       COLLECT { MATCH (paper)<-[w:WROTE]-(author:Author) RETURN author.name ORDER BY w.position } AS authors,
       paper.year AS year, paper.journalRef AS venue, paper.doi AS doi, paper.arxivId AS arxiv_id, paper.url AS url,
       paper.nPages AS n_pages, COUNT { (paper)-[:HAS_REFERENCE]->() } AS n_references,
       COUNT { (paper)<-[:CITES]-(:Paper) } AS n_citing, place
ORDER BY place
