// Which papers appeared in a venue? Papers of a journal or conference, the newest first.
//
// Parameters  $collection  STRING   where to look
//             $venue       STRING   name of the venue, any of its spellings
//             $limit       INTEGER  how many papers
// Returns     venue    STRING   its most frequent spelling
//             title    STRING
//             year     INTEGER  where known
//             authors  LIST<STRING>  in the paper's order
// Index       venue_name (schema/model.py)
// Try it      :param venue => head(COLLECT { MATCH (v:Venue {collection: 'main'})<-[:PUBLISHED_IN]-(p:Paper) WITH v, count(p) AS n ORDER BY n DESC, v.name, v.id LIMIT 1 RETURN v.name })
//             :param {collection: 'main', limit: 20}
CYPHER 25
MATCH (venue:Venue {collection: $collection})
WHERE venue.name = $venue OR $venue IN venue.aliases
MATCH (venue)<-[:PUBLISHED_IN]-(paper:Paper)
RETURN venue.name AS venue, paper.title AS title, paper.year AS year,
       COLLECT { MATCH (paper)<-[wrote:WROTE]-(author:Author) RETURN author.name ORDER BY wrote.position } AS authors
ORDER BY year DESC, title, paper.id
LIMIT $limit
