// Contents that a collection holds already, made by the same recipe, with every key and source they arrived under.
//
// Parameters  $collection  STRING        where to look, for example 'main'
//             $contents    LIST<STRING>  sha-256 hex of sources' bytes
//             $recipe      STRING        sha-256 hex over parser, chunker and embedding model
// Returns     content  STRING  one of $contents
//             keys, sources  LIST<STRING>  in pairs
//             title  STRING
//             n_sections, n_chunks  INTEGER
// Index       paper_content (schema/migrations/0001_constraints.cypher)
// Try it      :param {collection: 'main', contents: ['e3b0c44298fc1c14'], recipe: 'a7ffc6f8bf1ed766'}
CYPHER 25
UNWIND $contents AS content
MATCH (paper:Paper {collection: $collection, contentHash: content})
WHERE paper.recipe = $recipe
RETURN content, paper.keys AS keys, paper.sources AS sources, paper.title AS title, paper.nSections AS n_sections,
       paper.nChunks AS n_chunks
ORDER BY content
