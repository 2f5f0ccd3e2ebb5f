// Whether the server has the algorithms of Graph Data Science that ranks are found with.
//
// Parameters  none
// Returns     name  STRING  those of them that it has
// Try it      paste as it is
SHOW PROCEDURES YIELD name
WHERE name IN ['gds.pageRank.stream', 'gds.graph.drop']
RETURN name
