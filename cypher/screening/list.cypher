// Screenings of a collection, by name.
//
// Parameters  $collection   STRING        collection to look in
//             $name         STRING        id or name of one screening; null for all
//             $collections  LIST<STRING>  collections that are reached; null for all
// Returns     screening     MAP      properties
//             n_records     INTEGER  its records, duplicates included
//             n_duplicates  INTEGER  those that repeat another one
// Index       screening_name (schema/model.py)
// Try it      :param {collection: 'main', name: null, collections: null}
CYPHER 25
MATCH (screening:Screening {collection: $collection})
WHERE ($name IS NULL OR screening.name = $name OR screening.id = $name)
  AND ($collections IS NULL OR screening.collection IN $collections)
RETURN screening {.*} AS screening,
       COUNT { (screening)-[:HAS_RECORD]->(:ScreeningRecord) } AS n_records,
       COUNT { (screening)-[:HAS_RECORD]->(:ScreeningRecord)-[:REPEATS]->(:ScreeningRecord) } AS n_duplicates
ORDER BY screening.name, screening.id
