// What the server says of its databases; the message tells of a full disk while the status is still online.
//
// Parameters  none
// Returns     name, status, message  STRING
// Try it      paste as it is
SHOW DATABASES YIELD name, currentStatus, statusMessage
RETURN name, currentStatus AS status, statusMessage AS message
ORDER BY name
