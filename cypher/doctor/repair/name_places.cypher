// Give venues and affiliations the spelling that most of their papers use, and delete those of no paper.
//
// Parameters  $ids  LIST<STRING>  ids of venues and affiliations
// Returns     n_repaired  INTEGER
// Action      named, or deleted
// Index       venue_id, affiliation_id (schema/model.py)
// Try it      :param {ids: ['v1']}
CYPHER 25
UNWIND $ids AS id
MATCH (place:Venue|Affiliation {id: id})
CALL (place) {
  MATCH (:Paper)-[at:PUBLISHED_IN|AFFILIATED_WITH]->(place)
  WITH at.name AS name, count(*) AS n
  ORDER BY n DESC, name
  RETURN collect(name) AS names
}
SET place.name = names[0],
    place.aliases = CASE WHEN size(names) > 1 THEN COLLECT { UNWIND names[1..] AS name RETURN name ORDER BY name } END
FOREACH (unused IN CASE WHEN names = [] THEN [place] ELSE [] END | DETACH DELETE unused)
RETURN count(*) AS n_repaired
