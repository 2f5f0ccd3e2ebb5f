// Relate papers to the venue and the affiliations that they have, and to no others; a place that has none goes.
//
// A place has the spelling that most papers use as name, the first by alphabet among equals; the others are aliases.
//
// Parameters  $rows  LIST<MAP>  {paper_id, venues, affiliations}: lists of {label, id, name, position, properties}
// Returns     nothing
// Revises     papers $rows.paper_id
// Index       venue_id, affiliation_id (schema/model.py)
// Try it      :param rows => [{paper_id: 'a1', affiliations: [], venues: [{id: 'w1', name: 'Notes', properties: {id: 'w1'}}]}]
CYPHER 25
UNWIND $rows AS row
MATCH (paper:Paper {id: row.paper_id})
CALL (row, paper) {
  MATCH (paper)-[old:PUBLISHED_IN|AFFILIATED_WITH]->(place:Venue|Affiliation)
  WHERE NOT place.id IN [given IN row.venues + row.affiliations | given.id]
  DELETE old
  RETURN collect(place) AS left
}
CALL (row, paper) {
  UNWIND row.venues AS given
  MERGE (place:Venue {id: given.id})
  SET place += given.properties
  MERGE (paper)-[at:PUBLISHED_IN]->(place)
  SET at.name = given.name
  RETURN collect(place) AS venues
}
CALL (row, paper) {
  UNWIND row.affiliations AS given
  MERGE (place:Affiliation {id: given.id})
  SET place += given.properties
  MERGE (paper)-[at:AFFILIATED_WITH]->(place)
  SET at.name = given.name, at.position = given.position
  RETURN collect(place) AS affiliations
}
UNWIND left + venues + affiliations AS place
WITH DISTINCT place
CALL (place) {
  MATCH (:Paper)-[at:PUBLISHED_IN|AFFILIATED_WITH]->(place)
  WITH at.name AS name, count(*) AS n
  ORDER BY n DESC, name
  RETURN collect(name) AS names
}
SET place.name = names[0],
    place.aliases = CASE WHEN size(names) > 1 THEN COLLECT { UNWIND names[1..] AS name RETURN name ORDER BY name } END
WITH place WHERE place.name IS NULL
DETACH DELETE place
