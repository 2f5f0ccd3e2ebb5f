import { graphql } from "./gql/index.js";

export const COLLECTIONS = graphql(`
  query Collections {
    collections {
      name
    }
  }
`);
export const CANCEL = graphql(`
  mutation Cancel($id: ID!) {
    cancelJob(id: $id) {
      __typename
    }
  }
`);
export const PAPERS_IN = graphql(`
  query PapersIn($collection: String!) {
    papers(collection: $collection) {
      nodes {
        id
      }
    }
  }
`);
