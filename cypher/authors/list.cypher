// Authors of a collection with their papers, those with most first.
//
// Parameters  $collection  STRING   where to look, for example 'main'
//             $words       STRING   letters that a spelling contains, in small letters; '' for all
//             $ids         LIST<STRING>  ids of the authors, or null for all
//             $limit       INTEGER  most rows
// Returns     id, name, key  STRING  key is null where the author is known by name only
//             aliases  LIST<STRING>  other spellings
//             papers  LIST<MAP>  {id, key, title} by title
// Try it      :param {collection: 'main', words: '', ids: null, limit: 10}
CYPHER 25
MATCH (author:Author)
WHERE author.collection = $collection AND ($ids IS NULL OR author.id IN $ids)
  AND any(name IN [author.name] + coalesce(author.aliases, []) WHERE toLower(name) CONTAINS $words)
WITH author, COUNT { (author)-[:WROTE]->(:Paper) } AS n_papers
ORDER BY n_papers DESC, author.name, author.id LIMIT $limit
RETURN author.id AS id, author.name AS name, author.key AS key, coalesce(author.aliases, []) AS aliases,
       COLLECT {
         MATCH (author)-[:WROTE]->(paper:Paper)
         RETURN {id: paper.id, key: paper.key, title: paper.title} ORDER BY paper.title, paper.id
       } AS papers
ORDER BY n_papers DESC, name, id
