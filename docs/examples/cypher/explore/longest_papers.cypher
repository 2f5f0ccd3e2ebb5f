// Which papers are longest? Papers by the length of their text.
//
// Parameters  $collection  STRING   collection to search
//             $limit       INTEGER  number of papers
// Returns     title    STRING
//             n_chars  INTEGER  length of the text in characters
// Try it      :param {collection: 'main', limit: 10}
CYPHER 25
MATCH (paper:Paper {collection: $collection})
RETURN paper.title AS title, paper.nChars AS n_chars
ORDER BY n_chars DESC, paper.id
LIMIT $limit
