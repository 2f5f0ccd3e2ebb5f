// Runs generated clients against a server: `node built/run.js URL JOB` prints one line of JSON for each client.
// JOB is the id of a finished job. Each client sends a query, a mutation and a query that the server refuses, and
// follows the job where it can.
import { GraphQLClient } from "graphql-request";
import { createClient as createWs } from "graphql-ws";
import createRest from "openapi-fetch";
import relay from "relay-runtime";
import type { GraphQLTaggedNode, RequestParameters, Variables } from "relay-runtime";
import WebSocket from "ws";
import type { paths } from "./api.js";
import { CANCEL, COLLECTIONS, PAPERS_IN } from "./codegen/operations.js";
import cancelJob from "./relay/__generated__/operationsCancelMutation.graphql.js";
import papersIn from "./relay/__generated__/operationsPapersInQuery.graphql.js";
import papersQuery from "./relay/__generated__/operationsPapersQuery.graphql.js";
import progress from "./relay/__generated__/operationsProgressSubscription.graphql.js";
import searchQuery from "./relay/__generated__/operationsSearchQuery.graphql.js";

const [url, id] = process.argv.slice(2);
const endpoint = `${url}/graphql`;
const nowhere = { collection: "nowhere" };
const warnings: string[] = [];
for (const level of ["warn", "error"] as const) {
  console[level] = (...texts: unknown[]) => warnings.push(texts.map(String).join(" "));
}

/** Returns the message of what a call throws. */
async function refusal(call: () => Promise<unknown>): Promise<unknown> {
  try {
    return await call();
  } catch (error) {
    return { error: String((error as Error).message).slice(0, 300) };
  }
}

async function codegen() {
  const client = new GraphQLClient(endpoint);
  const cancelled = await client.request(CANCEL, { id });
  return {
    client: "graphql-codegen",
    query: (await client.request(COLLECTIONS)).collections?.map((one) => one.name),
    mutation: cancelled.cancelJob?.__typename,
    refused: await refusal(() => client.request(PAPERS_IN, nowhere)),
  };
}

async function openapi() {
  const client = createRest<paths>({ baseUrl: url });
  const { data: listed } = await client.GET("/v1/collections");
  const { data: cancelled } = await client.POST("/v1/jobs/{id}/cancel", { params: { path: { id } } });
  const { error } = await client.GET("/v1/papers", { params: { query: nowhere } });
  const { data: found } = await client.POST("/v1/search", { body: { query: "annealing", k: 1 } });
  const { data: node } = await client.GET("/v1/nodes/{id}", { params: { path: { id: found?.hits[0].paper.id ?? "" } } });
  return {
    client: "openapi-typescript",
    query: listed?.data.map((one) => one.name),
    mutation: cancelled?.id === id ? "Job" : cancelled,
    refused: { error: error?.detail },
    node: node?.label,
    title: node && "title" in node.node ? node.node.title : undefined,
  };
}

function relayEnvironment() {
  const sockets = createWs({ url: endpoint.replace(/^http/, "ws"), webSocketImpl: WebSocket });
  const send = async ({ text }: RequestParameters, variables: Variables) => {
    const body = JSON.stringify({ query: text, variables });
    const headers = { "content-type": "application/json", accept: "application/graphql-response+json" };
    return (await fetch(endpoint, { method: "POST", headers, body })).json();
  };
  const follow = ({ text }: RequestParameters, variables: Variables) =>
    relay.Observable.create<relay.GraphQLResponse>((sink) =>
      sockets.subscribe({ query: text ?? "", variables }, sink as never),
    );
  const store = new relay.Store(new relay.RecordSource());
  const environment = new relay.Environment({ network: relay.Network.create(send, follow), store });
  return { environment, store, close: () => sockets.dispose() };
}

async function relayClient() {
  const { environment, store, close } = relayEnvironment();
  const fetched = (node: unknown, variables: Variables) =>
    relay.fetchQuery(environment, node as GraphQLTaggedNode, variables).toPromise() as Promise<any>;
  const found = await fetched(searchQuery, { input: { query: "annealing", k: 3 } });
  const kept = found.search.hits.map((hit: any) => hit.paper);
  await fetched(papersQuery, { first: 2 });
  await fetched(papersQuery, { first: 100 });
  const mutation = await new Promise<any>((resolve, reject) =>
    relay.commitMutation(environment, {
      mutation: cancelJob as never,
      variables: { id },
      onCompleted: resolve,
      onError: reject,
    }),
  );
  const states: unknown[] = [];
  await new Promise<void>((resolve, reject) =>
    relay.requestSubscription(environment, {
      subscription: progress as never,
      variables: { id },
      onNext: (data: any) => states.push(data.jobProgress.state),
      onCompleted: resolve,
      onError: reject,
    }),
  );
  const records = store.getSource();
  const result = {
    client: "relay",
    query: kept.map((paper: any) => paper.title),
    stored: kept.map((paper: any) => records.get(paper.id)?.title),
    types: [...new Set(kept.map((paper: any) => records.get(paper.id)?.__typename))],
    mutation: mutation.cancelJob.__typename,
    job: records.get(id)?.state,
    refused: await refusal(() => fetched(papersIn, { collection: 7 })),
    states,
  };
  close();
  return result;
}

for (const run of [codegen, openapi, relayClient]) {
  const result = await run().catch((error: Error) => ({ client: run.name, failed: error.stack }));
  console.log(JSON.stringify({ ...result, warnings: warnings.splice(0) }));
}
process.exit(0);
