// Sources of a collection by the beginning of their names, with the paper of each and the source that leads it.
//
// Parameters  $collection  STRING  for example 'main'
//             $below       STRING  beginning of names, such as a folder
// Returns     name      STRING  of the source
//             paper_id, title  STRING  of its paper
//             leading   STRING  name of the source that annotations belong to
//             content   STRING  checksum of the file that gives the text
// Index       source_key (schema/model.py)
// Try it      :param {collection: 'main', below: '/'}
CYPHER 25
MATCH (paper:Paper)-[:HAS_SOURCE]->(source:Source {collection: $collection})
WHERE source.name STARTS WITH $below
RETURN source.name AS name, paper.id AS paper_id, paper.title AS title, paper.sources[0] AS leading,
       paper.contentHash AS content
ORDER BY name
