// What is the collection about, from coarse to fine? Topics or communities with those that they are made of.
//
// Parameters  $collection  STRING   where to look
//             $kind        STRING   topic or community
//             $limit       INTEGER  how many steps down, those into the largest first
// Returns     way    PATH  a step down, for a drawing
//             coarse, fine  STRING  names
//             level  INTEGER  of the finer one, 0 for the finest
//             n_members  INTEGER  passages or papers of the finer one
// Index       cluster_kind (schema/model.py)
// Try it      :param {collection: 'main', kind: 'topic', limit: 30}
CYPHER 25
MATCH way = (above:Cluster {collection: $collection, kind: $kind})-[:PARENT_OF]->(below:Cluster)
RETURN way, above.name AS coarse, below.name AS fine, below.level AS level, below.nMembers AS n_members
ORDER BY level DESC, n_members DESC, coarse, fine, above.id, below.id
LIMIT $limit
