// Items of an inbox that have one of some identities.
//
// Parameters  $collection  STRING        for example 'main'
//             $keys        LIST<STRING>  identities, such as 'doi:10.1000/182'
// Returns     id       STRING
//             keys     LIST<STRING>  its identities
//             sources  LIST<STRING>  what found it
//             state    STRING        new, accepted, rejected or never
// Index       inbox_order (schema/model.py)
// Try it      :param {collection: 'main', keys: ['doi:10.1000/182']}
CYPHER 25
MATCH (item:InboxItem)
WHERE item.collection = $collection AND item.state IN ['new', 'accepted', 'rejected', 'never']
  AND item.score IS NOT NULL AND any(key IN item.keys WHERE key IN $keys)
RETURN item.id AS id, item.keys AS keys, item.sources AS sources, item.state AS state
ORDER BY id
