// `node persisted.mjs URL` sends a named query as Apollo Client's and urql's persisted queries do, by POST and GET, twice
// each: the first request registers it, the second has its hash only. Prints one line of JSON for each client and method.
import { ApolloClient, ApolloLink, gql as apolloGql, HttpLink, InMemoryCache } from "@apollo/client";
import { PersistedQueryLink } from "@apollo/client/link/persisted-queries";
import { Client, fetchExchange, gql as urqlGql } from "@urql/core";
import { persistedExchange } from "@urql/exchange-persisted";
import { createHash } from "node:crypto";

const [url] = process.argv.slice(2);
const endpoint = `${url}/graphql`;
const queryOf = (client, method) => `query Collections${client}${method} { collections { name } }`;
const sha256 = (text) => createHash("sha256").update(text).digest("hex");

/** Returns fetch, and the texts of queries that were sent by it. */
function counting() {
  const texts = [];
  const counted = (address, options) => {
    const sent = options?.body ? JSON.parse(options.body).query : new URL(address).searchParams.get("query");
    texts.push(sent ? "text" : "hash");
    return fetch(address, options);
  };
  return [counted, texts];
}

async function apollo(method) {
  const [fetch, sent] = counting();
  const persisted = new PersistedQueryLink({ sha256, useGETForHashedQueries: method === "GET" });
  const link = ApolloLink.from([persisted, new HttpLink({ uri: endpoint, fetch })]);
  const client = new ApolloClient({ link, cache: new InMemoryCache() });
  const query = apolloGql(queryOf("Apollo", method));
  const ask = async () => (await client.query({ query, fetchPolicy: "no-cache" })).data.collections.length;
  return { results: [await ask(), await ask()], sent };
}

async function urql(method) {
  const [fetch, sent] = counting();
  const preferGetForPersistedQueries = method === "GET" ? "force" : false;
  const exchanges = [persistedExchange({ preferGetForPersistedQueries }), fetchExchange];
  const client = new Client({ url: endpoint, exchanges, fetch, requestPolicy: "network-only", preferGetMethod: false });
  const query = urqlGql(queryOf("Urql", method));
  const ask = async () => {
    const { data, error } = await client.query(query, {}).toPromise();
    if (error) throw error;
    return data.collections.length;
  };
  return { results: [await ask(), await ask()], sent };
}

for (const [client, run] of Object.entries({ "@apollo/client": apollo, "@urql/core": urql })) {
  for (const method of ["POST", "GET"]) {
    const found = await run(method).catch((error) => ({ failed: String(error?.stack ?? error) }));
    console.log(JSON.stringify({ client, method, ...found }));
  }
}
process.exit(0);
