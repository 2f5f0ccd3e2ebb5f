var e=`query NamesLike($collection: String!, $text: String!) {
  suggest(collection: $collection, text: $text, first: 20) { nodeId label text }
}
`;export{e as t};