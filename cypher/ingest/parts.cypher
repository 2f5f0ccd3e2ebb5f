// What the ids of a paper's sections and chunks are made of.
//
// Parameters  $id  STRING  id of the paper
// Returns     label, id, text  STRING  text is a section's title or a chunk's text
//             section  STRING  id of a chunk's section, null for a section
//             ordinal  INTEGER
// Try it      :param {id: 'a1'}
CYPHER 25
MATCH (part:Section {paperId: $id})
RETURN 'Section' AS label, part.id AS id, part.ordinal AS ordinal, part.title AS text,
       null AS section
UNION ALL
MATCH (part:Chunk {paperId: $id})
RETURN 'Chunk' AS label, part.id AS id, part.ordinal AS ordinal, part.text AS text,
       part.sectionId AS section
