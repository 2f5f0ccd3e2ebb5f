import { graphql } from "relay-runtime";

export const NODE = graphql`
  query operationsNodeQuery($id: ID!) {
    node(id: $id) {
      __typename
      id
      displayName
    }
  }
`;
export const PAPERS = graphql`
  query operationsPapersQuery($first: Int!, $after: String) {
    ...operationsPapers @arguments(first: $first, after: $after)
  }
`;
export const LIST = graphql`
  fragment operationsPapers on Query
  @argumentDefinitions(first: { type: "Int!" }, after: { type: "String" })
  @refetchable(queryName: "operationsMorePapersQuery") {
    papers(first: $first, after: $after) @connection(key: "operations_papers") {
      edges {
        node {
          id
          title
        }
      }
    }
  }
`;
export const PAPERS_IN = graphql`
  query operationsPapersInQuery($collection: String!) {
    papers(collection: $collection) {
      nodes {
        id
      }
    }
  }
`;
export const SEARCH = graphql`
  query operationsSearchQuery($input: SearchInput!) {
    search(input: $input) {
      hits {
        score
        chunk { id text }
        paper { id title authors { id name } }
        explanation { via { __typename } }
      }
    }
  }
`;
export const CANCEL = graphql`
  mutation operationsCancelMutation($id: ID!) {
    cancelJob(id: $id) {
      __typename
      ... on Job {
        id
        state
      }
      ... on UserError {
        code
        message
      }
    }
  }
`;
export const PROGRESS = graphql`
  subscription operationsProgressSubscription($id: ID!) {
    jobProgress(id: $id) {
      id
      state
    }
  }
`;
