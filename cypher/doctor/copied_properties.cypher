// Sections, chunks and references whose collection, kind or year is not that of what they are part of.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Index       paper_id, section_id (schema/model.py)
// Advice      papergraph doctor --fix
// Repair      copy_properties
// Order       100
// Try it      :param {limit: 10}
CYPHER 25
MATCH (part:Section|Chunk|Reference)
MATCH (paper:Paper {id: part.paperId})
OPTIONAL MATCH (section:Section {id: part.sectionId})
WITH part, paper, section
WHERE part.collection <> paper.collection OR part.collectionTerm <> paper.collectionTerm
   OR part:Chunk AND (NOT part.kind IN [section.kind, 'table', 'equation', 'caption', 'parent']
                      OR coalesce(part.year, 0) <> coalesce(paper.year, 0))
RETURN part.id AS id, paper.id AS paper_id,
       'says ' + part.collection + ', ' + coalesce(part.kind, 'reference') + ', ' + coalesce(toString(part.year), 'no year') + ', its paper '
         + paper.collection + ', ' + coalesce(toString(paper.year), 'no year') AS problem
ORDER BY id LIMIT $limit
