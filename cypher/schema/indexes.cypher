// Indexes of this store with their options and state.
//
// Parameters  none
// Returns     name, type, state, failure  STRING
//             labels, properties  LIST<STRING>
//             options  MAP  configuration
// Try it      paste as it is
SHOW INDEXES YIELD name, type, state, failureMessage, labelsOrTypes, properties, options
RETURN name, type, state, failureMessage AS failure, labelsOrTypes AS labels, properties,
       options.indexConfig AS options
