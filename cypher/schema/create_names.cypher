// Create the names of properties and relationship types, so that queries can mention them without a warning.
//
// Parameters  $properties  LIST<STRING>  names of properties
//             $types       LIST<STRING>  relationship types
// Returns     nothing
// Revises     nothing
// Try it      :param {properties: ['title'], types: ['CITES']}
CYPHER 25
CALL () { UNWIND $properties AS name CALL db.createProperty(name) }
CALL () { UNWIND $types AS type CALL db.createRelationshipType(type) }
