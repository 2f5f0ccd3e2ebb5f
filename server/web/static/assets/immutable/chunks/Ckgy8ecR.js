var e=`query Regions($id: ID!, $start: Int!, $end: Int) {
  node(id: $id) { ... on Chunk { startPage regions(start: $start, end: $end) { page x y width height } } }
}
`;export{e as t};