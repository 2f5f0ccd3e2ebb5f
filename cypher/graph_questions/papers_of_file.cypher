// Papers of a collection that were read from a file of this name, whatever its folder.
//
// Parameters  $collection  STRING   where to look, for example 'main'
//             $file        STRING   name of the file, for example 'a.pdf'
// Returns     id           STRING   ids of the papers, in order
// Index       paper_listing (schema/model.py)
// Try it      :param {collection: 'main', file: 'leiden-topic-maps.md'}
CYPHER 25
MATCH (paper:Paper {collection: $collection})
WHERE any(source IN paper.sources WHERE source = $file OR source ENDS WITH '/' + $file)
RETURN paper.id AS id
ORDER BY id
