// Give sections, chunks and references the collection, kind and year of what they are part of.
//
// Parameters  $ids  LIST<STRING>  ids of sections, chunks and references
// Returns     n_repaired  INTEGER
// Action      copied again
// Try it      :param {ids: ['s1']}
CYPHER 25
UNWIND $ids AS id
CALL (id) {
  MATCH (part:Section {id: id})
  MATCH (paper:Paper {id: part.paperId})
  SET part.collection = paper.collection, part.collectionTerm = paper.collectionTerm
  RETURN part
  UNION ALL
  MATCH (part:Reference {id: id})
  MATCH (paper:Paper {id: part.paperId})
  SET part.collection = paper.collection, part.collectionTerm = paper.collectionTerm
  RETURN part
  UNION ALL
  MATCH (part:Chunk {id: id})
  MATCH (paper:Paper {id: part.paperId})
  MATCH (section:Section {id: part.sectionId})
  SET part.collection = paper.collection, part.collectionTerm = paper.collectionTerm, part.year = paper.year,
      part.kind = CASE WHEN part.kind IN ['table', 'equation', 'caption', 'parent'] THEN part.kind ELSE section.kind END
  RETURN part
}
RETURN count(*) AS n_repaired
