// Papers with a further key that another paper of the collection has too.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Index       paper_key, paper_shared (schema/model.py)
// Advice      ingest the files of these papers again; after papergraph doctor --fix that writes them anew
// Repair      free_keys
// Order       410
// Try it      :param {limit: 10}
CYPHER 25
MATCH (paper:Paper)
WHERE size(paper.keys) > 1
UNWIND paper.keys[1..] AS key
WITH DISTINCT paper, key
WHERE EXISTS { MATCH (other:Paper {collection: paper.collection, key: key}) WHERE other <> paper }
   OR EXISTS {
     MATCH (other:Paper {collection: paper.collection})
     WHERE other.nKeys > 1 AND other <> paper AND key IN other.keys
   }
RETURN paper.id AS id, paper.id AS paper_id, 'another paper has ' + key + ' too' AS problem
ORDER BY id LIMIT $limit
