// Venues and affiliations of no paper, or without the spelling that most of their papers use.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      papergraph doctor --fix
// Repair      name_places
// Order       185
// Try it      :param {limit: 10}
CYPHER 25
MATCH (place:Venue|Affiliation)
CALL (place) {
  MATCH (:Paper)-[at:PUBLISHED_IN|AFFILIATED_WITH]->(place)
  WITH at.name AS name, count(*) AS n
  ORDER BY n DESC, name
  RETURN collect(name) AS names
}
WITH place, names
WHERE names = [] OR place.name IS NULL OR place.name <> names[0]
RETURN place.id AS id, null AS paper_id,
       CASE names WHEN [] THEN 'no paper is of ' + coalesce(place.name, place.key)
       ELSE coalesce(place.name, '') + ' instead of ' + names[0] END AS problem
ORDER BY id LIMIT $limit
