// Procedures of Graph Data Science that clusters use and the server lacks.
//
// Parameters  none
// Returns     name  STRING  of each one that is missing
// Try it      paste as it is
SHOW PROCEDURES YIELD name
WITH collect(name) AS names
UNWIND ['gds.graph.drop', 'gds.leiden.stream', 'gds.pageRank.stream'] AS wanted
WITH wanted, names WHERE NOT wanted IN names
RETURN wanted AS name ORDER BY name
