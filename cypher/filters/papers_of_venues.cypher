// Papers of a collection that appeared in one of some journals or conferences, case aside.
//
// Parameters  $collections  LIST<STRING>  where to look, for example ['main']
//             $names        LIST<STRING>  names or other spellings in lower case
// Returns     found      LIST<STRING>  names of the venue, of those asked for
//             paper_ids  LIST<STRING>  papers of the venue
// Index       venue_name (schema/model.py)
// Try it      :param {collections: ['main']}
//             :param names => COLLECT { MATCH (v:Venue) RETURN toLower(v.name) LIMIT 1 }
CYPHER 25
MATCH (venue:Venue)
WHERE venue.collection IN $collections
WITH venue, [name IN [venue.name] + coalesce(venue.aliases, []) WHERE toLower(name) IN $names | toLower(name)] AS found
WHERE size(found) > 0
MATCH (venue)<-[:PUBLISHED_IN]-(paper:Paper)
RETURN found, collect(paper.id) AS paper_ids
