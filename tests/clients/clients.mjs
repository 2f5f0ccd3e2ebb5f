// Runs stock GraphQL clients against a server, in Node.js (node.mjs) and in pages (page.mjs). Each client sends a query,
// a mutation, a query that the server refuses, and follows a subscription to its end, with its default options.
import { ApolloClient, ApolloLink, gql as apolloGql, HttpLink, InMemoryCache } from "@apollo/client";
import { Client, fetchExchange, gql as urqlGql } from "@urql/core";
import { createClient as createSse } from "graphql-sse";
import { createClient as createWs } from "graphql-ws";

const QUERY = "query Collections { collections { name } }";
const MUTATION = "mutation Cancel($id: ID!) { cancelJob(id: $id) { __typename } }";
const REFUSED = "query Refused { nonsense }";
const SUBSCRIPTION = "subscription Progress($id: ID!) { jobProgress(id: $id) { state } }";

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

async function urql({ endpoint, variables, headers }) {
  const options = { url: endpoint, exchanges: [fetchExchange], fetchSubscriptions: true, fetchOptions: { headers } };
  const client = new Client(options);
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
    setTimeout(() => resolve(seen), 15_000);
  });
  return {
    client: "@urql/core",
    query: await ask(client.query(urqlGql(QUERY), {})),
    mutation: await ask(client.mutation(urqlGql(MUTATION), variables)),
    refused: await ask(client.query(urqlGql(REFUSED), {})),
    states,
  };
}

async function apollo({ endpoint, variables, headers }) {
  const client = new ApolloClient({
    link: ApolloLink.from([new HttpLink({ uri: endpoint, headers })]),
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

async function iterating(name, client, { variables }) {
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

/**
 * Return what each client got. `job` is the id of a finished job, `key` an API key or null, `webSocketImpl` the class of
 * sockets where there is no global one, and `retryAttempts` how often graphql-sse and graphql-ws try again.
 */
export async function results({ url, job, key = null, webSocketImpl, retryAttempts }) {
  const headers = key === null ? {} : { authorization: `Bearer ${key}` };
  const given = { endpoint: `${url}/graphql`, variables: { id: job }, headers };
  const sockets = { url: given.endpoint.replace(/^http/, "ws"), webSocketImpl, retryAttempts, connectionParams: headers };
  const runs = {
    "@urql/core": () => urql(given),
    "@apollo/client": () => apollo(given),
    "graphql-sse": () => iterating("graphql-sse", createSse({ url: given.endpoint, headers, retryAttempts }), given),
    "graphql-ws": () => iterating("graphql-ws", createWs(sockets), given),
  };
  const found = [];
  for (const [client, run] of Object.entries(runs)) {
    const result = await run().catch((error) => ({ client, failed: String(error?.stack ?? error) }));
    found.push({ ...result, warnings: warnings.splice(0) });
  }
  return found;
}
