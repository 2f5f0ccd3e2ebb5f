// Papers, authors, sections, chunks and references without a property that each of them must have.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      ingest the files of these papers again; after papergraph doctor --fix that writes them anew
// Repair      mark_papers
// Order       480
// Try it      :param {limit: 10}
CYPHER 25
MATCH (node:Paper|Author|Section|Chunk|Reference)
WITH node, CASE
    WHEN node:Paper THEN [
      ['key', node.key IS NULL], ['keys', node.keys IS NULL], ['sources', node.sources IS NULL],
      ['nKeys', node.nKeys IS NULL], ['title', node.title IS NULL], ['abstract', node.abstract IS NULL],
      ['categories', node.categories IS NULL], ['contentHash', node.contentHash IS NULL],
      ['configHash', node.configHash IS NULL], ['nChars', node.nChars IS NULL], ['nSections', node.nSections IS NULL],
      ['nChunks', node.nChunks IS NULL], ['ingestedAt', node.ingestedAt IS NULL], ['format', node.format IS NULL],
      ['headingSource', node.headingSource IS NULL], ['bodyCoverage', node.bodyCoverage IS NULL],
      ['chunker', node.chunker IS NULL], ['cleaning', node.cleaning IS NULL],
      ['nParents', node.nParents IS NULL]]
    WHEN node:Section THEN [
      ['paperId', node.paperId IS NULL], ['title', node.title IS NULL], ['level', node.level IS NULL],
      ['ordinal', node.ordinal IS NULL], ['kind', node.kind IS NULL], ['startChar', node.startChar IS NULL],
      ['endChar', node.endChar IS NULL]]
    WHEN node:Chunk THEN [
      ['paperId', node.paperId IS NULL], ['sectionId', node.sectionId IS NULL], ['ordinal', node.ordinal IS NULL],
      ['kind', node.kind IS NULL], ['context', node.context IS NULL], ['nTokens', node.nTokens IS NULL],
      ['nTokensEmbedded', node.nTokensEmbedded IS NULL], ['level', node.level IS NULL],
      ['startChar', node.startChar IS NULL], ['endChar', node.endChar IS NULL]]
    WHEN node:Reference THEN [
      ['paperId', node.paperId IS NULL], ['ordinal', node.ordinal IS NULL], ['label', node.label IS NULL],
      ['text', node.text IS NULL], ['citedAt', node.citedAt IS NULL]]
    ELSE [['name', node.name IS NULL]]
  END + [['id', node.id IS NULL], ['collection', node.collection IS NULL],
         ['collectionTerm', node.collectionTerm IS NULL]] AS properties
WITH node, [property IN properties WHERE property[1] | property[0]] AS missing
WHERE missing <> []
RETURN coalesce(node.id, elementId(node)) AS id, CASE WHEN node:Paper THEN node.id ELSE node.paperId END AS paper_id,
       head(labels(node)) + ' lacks ' + reduce(text = head(missing), name IN tail(missing) | text + ', ' + name)
         AS problem
ORDER BY id LIMIT $limit
