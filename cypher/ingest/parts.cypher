// What the ids of a paper's sections, chunks and references are made of.
//
// Parameters  $id  STRING  id of the paper
// Returns     label, id, text  STRING  text is a section's title, a chunk's text or a reference's label
//             section  STRING  id of a chunk's section, else null
//             ordinal  INTEGER
// Index       section_position, chunk_position (schema/model.py),
//             reference_position (schema/model.py)
// Try it      :param {id: 'a1'}
CYPHER 25
MATCH (part:Section {paperId: $id})
WHERE part.ordinal >= 0
RETURN 'Section' AS label, part.id AS id, part.ordinal AS ordinal, part.title AS text,
       null AS section
UNION ALL
MATCH (part:Chunk {paperId: $id})
WHERE part.ordinal >= 0
RETURN 'Chunk' AS label, part.id AS id, part.ordinal AS ordinal, part.text AS text,
       part.sectionId AS section
UNION ALL
MATCH (part:Reference {paperId: $id})
WHERE part.ordinal >= 0
RETURN 'Reference' AS label, part.id AS id, part.ordinal AS ordinal, part.label AS text,
       null AS section
