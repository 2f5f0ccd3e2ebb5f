// Runs stock GraphQL clients against a server: `node clients.mjs URL JOB` prints one line of JSON for each client.
// JOB is the id of a finished job. Each client sends a query, a mutation, a query that the server refuses, and follows
// a subscription to its end where it can, with its default options.
import { ApolloClient, ApolloLink, gql as apolloGql, HttpLink, InMemoryCache } from "@apollo/client";
import { Client, fetchExchange, gql as urqlGql } from "@urql/core";
import { createClient as createSse } from "graphql-sse";
import { createClient as createWs } from "graphql-ws";
import WebSocket from "ws";

const [url, job] = process.argv.slice(2);
const endpoint = `${url}/graphql`;
const QUERY = "query Collections { collections { name } }";
const MUTATION = "mutation Cancel($id: String!) { cancelJob(id: $id) { __typename } }";
const REFUSED = "query Refused { nonsense }";
const SUBSCRIPTION = "subscription Progress($id: String!) { jobProgress(id: $id) { state } }";
const variables = { id: job };

const warnings = [];
for (const level of ["warn", "error"]) {
  console[level] = (...texts) => warnings.push(texts.map(String).join(" "));
}

const messageOf = (errors) => (errors ?? []).map((error) => error.message).join("; ");

async function drain(iterable) {
  const states = [];
  for await (const answer of iterable) {
    if (answer.errors) throw new Error(messageOf(answer.errors));
    states.push(answer.data.jobProgress.state);
  }
  return states;
}

async function urql() {
  const client = new Client({ url: endpoint, exchanges: [fetchExchange], fetchSubscriptions: true });
  const ask = async (operation) => {
    const { data, error } = await operation.toPromise();
    return error ? { error: error.message } : data;
  };
  const states = await new Promise((resolve, reject) => {
    const seen = [];
    client.subscription(urqlGql(SUBSCRIPTION), variables).subscribe(({ data, error, hasNext }) => {
      if (error) reject(error);
      if (data && hasNext) seen.push(data.jobProgress.state);
      if (!hasNext) resolve(seen); // urql gives the last result once more when the stream has ended
    });
    setTimeout(() => resolve(seen), 15_000).unref();
  });
  return {
    client: "@urql/core",
    query: await ask(client.query(urqlGql(QUERY), {})),
    mutation: await ask(client.mutation(urqlGql(MUTATION), variables)),
    refused: await ask(client.query(urqlGql(REFUSED), {})),
    states,
  };
}

async function apollo() {
  const client = new ApolloClient({
    link: ApolloLink.from([new HttpLink({ uri: endpoint })]),
    cache: new InMemoryCache(),
  });
  const ask = async (promise) => {
    try {
      return (await promise).data;
    } catch (error) {
      return { error: error.message };
    }
  };
  const states = await new Promise((resolve, reject) => {
    const seen = [];
    client.subscribe({ query: apolloGql(SUBSCRIPTION), variables }).subscribe({
      next: ({ data, error }) => (error ? reject(error) : seen.push(data.jobProgress.state)),
      error: reject,
      complete: () => resolve(seen),
    });
  });
  return {
    client: "@apollo/client",
    query: await ask(client.query({ query: apolloGql(QUERY) })),
    mutation: await ask(client.mutate({ mutation: apolloGql(MUTATION), variables })),
    refused: await ask(client.query({ query: apolloGql(REFUSED) })),
    states,
  };
}

async function iterating(name, client) {
  const first = async (query, given = {}) => {
    try {
      for await (const answer of client.iterate({ query, variables: given })) {
        return answer.errors ? { error: messageOf(answer.errors) } : answer.data;
      }
    } catch (error) {
      return { error: Array.isArray(error) ? messageOf(error) : String(error.message ?? error) };
    }
  };
  const result = {
    client: name,
    query: await first(QUERY),
    mutation: await first(MUTATION, variables),
    refused: await first(REFUSED),
    states: await drain(client.iterate({ query: SUBSCRIPTION, variables })),
  };
  client.dispose();
  return result;
}

const socketUrl = endpoint.replace(/^http/, "ws");
const runs = [
  urql,
  apollo,
  () => iterating("graphql-sse", createSse({ url: endpoint })),
  () => iterating("graphql-ws", createWs({ url: socketUrl, webSocketImpl: WebSocket })),
];
for (const run of runs) {
  const result = await run().catch((error) => ({ client: run.name, failed: String(error?.stack ?? error) }));
  console.log(JSON.stringify({ ...result, warnings: warnings.splice(0) }));
}
process.exit(0);
