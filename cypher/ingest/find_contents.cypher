// Sources that stand in a collection with the content and configuration asked for, and what their papers are like.
//
// Parameters  $collection  STRING     where to look, for example 'main'
//             $rows        LIST<MAP>  {content, config_hash}: a content hash, once, and the hash of the configuration
// Returns     content  STRING  of one of $rows
//             name, key  STRING  of the source
//             is_shown  BOOLEAN  whether its text is that of the paper, or it is a record
//             is_complete  BOOLEAN  whether its paper has its vectors, and no doctor has marked it
//             title  STRING
//             n_sections, n_chunks  INTEGER
// Index       source_content (schema/model.py)
// Try it      :param {collection: 'main'}
//             :param rows => [{content: 'e3b0c44298fc1c14', config_hash: 'a7ffc6f8bf1ed766'}]
CYPHER 25
UNWIND $rows AS row
MATCH (source:Source {collection: $collection, contentHash: row.content})
WHERE source.configHash = row.config_hash
MATCH (paper:Paper)-[:HAS_SOURCE]->(source)
WHERE paper.contentHash <> source.contentHash OR paper.configHash IN [row.config_hash, '']
RETURN row.content AS content, source.name AS name, source.key AS key,
       paper.contentHash = source.contentHash OR source.kind = 'record' AS is_shown, paper.title AS title,
       paper.contentHash <> source.contentHash OR paper.configHash <> '' AS is_complete,
       paper.nSections AS n_sections, paper.nChunks AS n_chunks
ORDER BY content, name
