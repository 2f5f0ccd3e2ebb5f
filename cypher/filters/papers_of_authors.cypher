// What authors wrote.
//
// Parameters  $collections  LIST<STRING>  where to look, for example ['main']
//             $author_ids   LIST<STRING>  ids of authors; ids of none are left out
// Returns     id  STRING               of each author
//             paper_ids  LIST<STRING>  papers
// Index       author_id (schema/model.py)
// Try it      :param {collections: ['main']}
//             :param author_ids => COLLECT { MATCH (a:Author) RETURN a.id LIMIT 3 }
CYPHER 25
UNWIND $author_ids AS author_id
MATCH (author:Author {id: author_id})
WHERE author.collection IN $collections
MATCH (author)-[:WROTE]->(paper:Paper)
RETURN author.id AS id, collect(paper.id) AS paper_ids
