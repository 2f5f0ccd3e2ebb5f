// Give authors the first of the spellings in use, by alphabet; with a key the longest, and the others as aliases.
//
// Parameters  $ids  LIST<STRING>  ids of authors
// Returns     n_repaired  INTEGER
// Action      named again
// Try it      :param {ids: ['p1']}
CYPHER 25
UNWIND $ids AS id
MATCH (author:Author {id: id})
CALL (author) {
  MATCH (author)-[wrote:WROTE]->(:Paper)
  WITH DISTINCT author.key IS NOT NULL AS keyed, wrote.name AS name
  ORDER BY CASE WHEN keyed THEN -size(name) ELSE 0 END, name
  RETURN collect(name) AS names
}
WITH author, names WHERE author.name <> names[0]
SET author.name = names[0],
    author.aliases = CASE WHEN author.key IS NOT NULL AND size(names) > 1 THEN names[1..] END
RETURN count(*) AS n_repaired
