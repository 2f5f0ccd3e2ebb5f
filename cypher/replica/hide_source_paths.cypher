// Replace paths of files by their names in the sources of papers; run hide_paths first.
//
// Parameters  none
// Returns     nothing
// Revises     itself
// Index       none: all sources are read
// Try it      paste as it is
CYPHER 25
MATCH (paper:Paper)-[:HAS_SOURCE]->(source:Source)
WHERE source.name STARTS WITH '/' OR source.kind = 'edit' OR source.key STARTS WITH 'file:/' OR source.file STARTS WITH '/'
WITH paper, source ORDER BY source.name
WITH paper, collect(source) AS sources
CALL (paper, sources) {
  SET paper.revision = randomUUID()
  WITH paper, sources
  UNWIND range(0, size(sources) - 1) AS position
  WITH paper, position, sources[position] AS source, substring(paper.id, 0, 16) AS digits
  SET source.id = paper.collection + ' ' + paper.id + '#' + position,
      source.name = CASE WHEN source.name STARTS WITH '/' OR source.name CONTAINS 'file:/'
                    THEN split(source.name, '/')[-1] ELSE source.name END,
      source.file = CASE WHEN source.file STARTS WITH '/' THEN split(source.file, '/')[-1] ELSE source.file END,
      source.key = CASE WHEN source.key STARTS WITH 'file:/'
                   THEN 'file:' + split(source.key, '/')[-1] + '#' + digits ELSE source.key END,
      source.aliases = CASE WHEN source.aliases IS NULL THEN null
                       ELSE [key IN source.aliases | CASE WHEN key STARTS WITH 'file:/'
                       THEN 'file:' + split(key, '/')[-1] + '#' + digits ELSE key END] END
} IN TRANSACTIONS OF 1000 ROWS
