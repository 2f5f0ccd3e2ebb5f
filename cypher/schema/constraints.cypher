// Constraints of this store.
//
// Parameters  none
// Returns     name, type  STRING
//             labels, properties  LIST<STRING>
// Try it      paste as it is
SHOW CONSTRAINTS YIELD name, type, labelsOrTypes, properties
RETURN name, type, labelsOrTypes AS labels, properties
