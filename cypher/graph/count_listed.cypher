// How many entries a list of a collection has.
//
// Parameters  $list        STRING        entities, venues, affiliations, clusters or questions: the name of the query that reads it page by page
//             $collection  STRING        where to look, for example 'main'
//             $text        STRING        of entities and places, what a name holds, in small letters; '' for all
//             $types       LIST<STRING>  of entities, only those of one of these types, or null for all
//             $kind        STRING        of clusters: metadata, topic or community; null for all
//             $level       INTEGER       of clusters: 0 for the finest; null for all
//             $field       STRING        of clusters of metadata: the field; null for all
//             $generator   STRING        of questions: model, template or extractive; null for all
//             $review      STRING        of questions: accepted, edited or none; null for all
// Returns     n  INTEGER
// Index       entity_name, cluster_kind (schema/model.py)
// Index       venue_name, affiliation_name (schema/model.py)
// Try it      :param {list: 'entities', collection: 'main', text: '', types: null, kind: null, level: null}
//             :param {field: null, generator: null, review: null}
CYPHER 25
RETURN CASE $list
  WHEN 'entities' THEN COUNT {
    MATCH (entity:Entity {collection: $collection})
    WHERE entity.name IS NOT NULL AND ($types IS NULL OR entity.type IN $types)
      AND ($text = '' OR toLower(entity.name) CONTAINS $text
           OR any(alias IN entity.aliases WHERE toLower(alias) CONTAINS $text))
  }
  WHEN 'venues' THEN COUNT {
    MATCH (venue:Venue {collection: $collection})
    WHERE venue.name IS NOT NULL
      AND ($text = '' OR any(name IN [venue.name] + coalesce(venue.aliases, []) WHERE toLower(name) CONTAINS $text))
  }
  WHEN 'affiliations' THEN COUNT {
    MATCH (affiliation:Affiliation {collection: $collection})
    WHERE affiliation.name IS NOT NULL AND ($text = ''
      OR any(name IN [affiliation.name] + coalesce(affiliation.aliases, []) WHERE toLower(name) CONTAINS $text))
  }
  WHEN 'clusters' THEN COUNT {
    MATCH (cluster:Cluster {collection: $collection})
    WHERE ($kind IS NULL OR cluster.kind = $kind) AND ($level IS NULL OR cluster.level = $level)
      AND ($field IS NULL OR cluster.field = $field)
  }
  WHEN 'questions' THEN COUNT {
    MATCH (question:Question)
    WHERE question.collection = $collection AND ($generator IS NULL OR question.generator = $generator)
      AND ($review IS NULL OR coalesce(question.review, 'none') = $review)
  }
END AS n
