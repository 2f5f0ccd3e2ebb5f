// Indexes of this store with their options and state.
//
// Parameters  none
// Returns     id  INTEGER  of the folder that its files are in
//             name, type, state, failure  STRING
//             percent  FLOAT  how much of it is built
//             labels, properties  LIST<STRING>
//             options  MAP  configuration
// Try it      paste as it is
SHOW INDEXES YIELD id, name, type, state, failureMessage, populationPercent, labelsOrTypes, properties, options
RETURN id, name, type, state, failureMessage AS failure, populationPercent AS percent, labelsOrTypes AS labels, properties,
       options.indexConfig AS options
