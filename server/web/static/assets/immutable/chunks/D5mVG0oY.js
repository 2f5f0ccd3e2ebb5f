var e=`mutation UndoPaper($id: ID!) {
  undoPaper(id: $id) {
    ... on DecidedPaper { paperId nUndone }
    ... on UserError { message code }
  }
}
`;export{e as t};