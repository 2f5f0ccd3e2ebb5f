// Which enrichments a collection has anything of.
//
// Parameters  $collection  STRING  the collection, for example 'main'
// Returns     questions, prototypes, entities, clusters  BOOLEAN
// Index       prototype_kind, entity_name, cluster_kind (schema/model.py)
// Try it      :param {collection: 'main'}
CYPHER 25
RETURN EXISTS { MATCH (:Question {collection: $collection}) } AS questions,
       EXISTS { MATCH (:Prototype {collection: $collection}) } AS prototypes,
       EXISTS { MATCH (:Entity {collection: $collection}) } AS entities,
       EXISTS { MATCH (:Cluster {collection: $collection}) } AS clusters
