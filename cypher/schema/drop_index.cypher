// Drop an index, if it is there.
//
// Parameters  $name  STRING  its name
// Returns     nothing
// Try it      :param {name: 'second_chunk_embedding'}
DROP INDEX $name IF EXISTS
