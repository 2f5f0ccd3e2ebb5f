// Drop a constraint with its index, if it is there.
//
// Parameters  $name  STRING  its name
// Returns     nothing
// Try it      :param {name: 'no_such_constraint'}
DROP CONSTRAINT $name IF EXISTS
