// How many things of each kind each of several collections holds beside papers, sections and chunks.
//
// Parameters  $ids  LIST<STRING>  names of collections
// Returns     collection  STRING
//             n_authors, n_references, n_questions, n_entities, n_clusters  INTEGER
// Index       entity_name, cluster_kind (schema/model.py)
// Try it      :param {ids: ['main']}
CYPHER 25
UNWIND $ids AS collection
RETURN collection,
       COUNT { (:Author {collection: collection}) } AS n_authors,
       COUNT { (:Reference {collection: collection}) } AS n_references,
       COUNT { (:Question {collection: collection}) } AS n_questions,
       COUNT { (:Entity {collection: collection}) } AS n_entities,
       COUNT { (:Cluster {collection: collection}) } AS n_clusters
ORDER BY collection
