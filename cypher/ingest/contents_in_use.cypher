// Which contents papers, their sources or earlier texts of any collection have.
//
// Parameters  $hashes  LIST<STRING>  content hashes, sha-256 in hex
// Returns     hash  STRING  each that is in use, once
// Index       none: deletion and workers look through all papers at once, seldom
// Try it      :param hashes => COLLECT { MATCH (p:Paper) RETURN p.contentHash LIMIT 3 }
CYPHER 25
MATCH (node:Paper|Source|PaperVersion)
WHERE node.contentHash IN $hashes
RETURN DISTINCT node.contentHash AS hash
