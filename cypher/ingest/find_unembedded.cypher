// Papers without vectors that show the text of one of the sources.
//
// Parameters  $collection  STRING        where they stand, for example 'main'
//             $names       LIST<STRING>  names of the sources
// Returns     id, content  STRING  of the paper
//             title, abstract  STRING  as the source says them
//             chunks  LIST<MAP>  {id, level, context, text} of each in order
// Index       source_id, chunk_position (schema/model.py)
// Slots       embedding
// Try it      :param {collection: 'main', names: ['/papers/library.bib#smith2019']}
CYPHER 25
UNWIND $names AS name
MATCH (source:Source {id: $collection + ' ' + name})
MATCH (paper:Paper)-[:HAS_SOURCE]->(source)
WHERE paper.embedding IS NULL AND paper.contentHash = source.contentHash
WITH paper, head(collect(source)) AS source
RETURN paper.id AS id, paper.contentHash AS content, source.title AS title, source.abstract AS abstract,
       COLLECT {
         MATCH (chunk:Chunk {paperId: paper.id})
         WHERE chunk.ordinal >= 0
         WITH chunk ORDER BY chunk.ordinal
         RETURN chunk {.id, .level, .context, .text}
       } AS chunks
ORDER BY id
