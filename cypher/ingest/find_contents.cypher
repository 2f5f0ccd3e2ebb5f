// Contents that a collection holds already, each made by the configuration asked for, with every key and source they arrived under.
//
// Parameters  $collection  STRING     where to look, for example 'main'
//             $rows        LIST<MAP>  {content, config_hash}: the sha-256 hex of a source's bytes, once, and that over
//                                     parser, chunker and tokenizer
// Returns     content  STRING  of one of $rows
//             keys, sources  LIST<STRING>  in pairs
//             title  STRING
//             n_sections, n_chunks  INTEGER
// Index       paper_content (schema/migrations/0001_constraints.cypher)
// Try it      :param {collection: 'main'}
//             :param rows => [{content: 'e3b0c44298fc1c14', config_hash: 'a7ffc6f8bf1ed766'}]
CYPHER 25
UNWIND $rows AS row
MATCH (paper:Paper {collection: $collection, contentHash: row.content})
WHERE paper.configHash = row.config_hash
RETURN row.content AS content, paper.keys AS keys, paper.sources AS sources, paper.title AS title, paper.nSections AS n_sections,
       paper.nChunks AS n_chunks
ORDER BY content
