// Give a paper and its parts the ids that belong to another of its keys.
//
// Parameters  $old   STRING     id of the paper now
//             $new   STRING     id of the paper from now on
//             $key   STRING     key that it belongs to from now on
//             $rows  LIST<MAP>  {old, new, section} for each section, chunk and reference; section is a chunk's new section id
// Returns     nothing
// Revises     papers $old, papers $new, and itself those related to them
// Try it      :param {old: 'a1', new: 'b1', key: 'doi:10.1000/182'}
//             :param rows => [{old: 's1', new: 't1', section: null}, {old: 'c1', new: 'd1', section: 't1'}]
CYPHER 25
MATCH (paper:Paper {id: $old})
CALL (paper) {
  CALL (paper) {
    MATCH (other:Paper|Question)-[:CITES|ANSWERED_BY]->(paper)
    RETURN coalesce(other.paperId, other.id) AS id
    UNION
    UNWIND $rows AS row
    MATCH (other:Chunk|Question)-[:SIMILAR|ANSWERED_BY]->(:Chunk {id: row.old})
    WHERE other.paperId <> $old
    RETURN other.paperId AS id
  }
  MATCH (related:Paper {id: id})
  WITH DISTINCT related ORDER BY elementId(related)
  SET related.revision = randomUUID()
}
SET paper.id = $new, paper.key = $key
WITH count(*) AS one
UNWIND $rows AS row
CALL (row) {
  MATCH (part:Section {id: row.old})
  SET part.id = row.new, part.paperId = $new
  UNION ALL
  MATCH (part:Chunk {id: row.old})
  SET part.id = row.new, part.paperId = $new, part.sectionId = row.section
  UNION ALL
  MATCH (part:Reference {id: row.old})
  SET part.id = row.new, part.paperId = $new
}
