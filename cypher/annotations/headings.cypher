// Headings of a paper, which its chunks lack.
//
// Parameters  $id  STRING  id of the paper
// Returns     title  STRING
// Index       section_position (schema/model.py)
// Try it      :param id => head(COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 1 })
CYPHER 25
MATCH (section:Section {paperId: $id})
WHERE section.ordinal >= 0 AND section.title <> ''
RETURN section.title AS title
ORDER BY section.ordinal
