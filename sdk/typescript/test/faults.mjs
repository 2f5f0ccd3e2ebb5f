// Make the calls of faults.json: node faults.mjs URL FILE GONE; writes errors and requests by case as JSON.
import { readFileSync } from "node:fs";

const { Papergraph } = await import(process.env.PAPERGRAPH_CLIENT ?? "../dist/index.js");
const [, , url, file, gone] = process.argv;
const { cases, timeoutSeconds, maxRetries } = JSON.parse(readFileSync(file, "utf8"));
const calls = {
  search: (client) => client.search("x"),
  ask: (client) => client.ask("x"),
  askStream: async (client) => {
    for await (const _ of client.askStream("x"));
  },
  upload: (client) => client.upload({ name: "a.md", content: "# A\n" }),
  openJob: (client) => client.ingest(["arxiv:2401.01234"]),
};

async function outcome(one) {
  const fault = `${one.fault}~${one.call}-typescript`;
  const base = one.fault === "gone" ? gone : `${url}/${fault}`;
  const client = new Papergraph({ url: base, key: "pg_x", timeoutMs: timeoutSeconds * 1000, maxRetries });
  const began = Date.now();
  let error = null;
  try {
    await calls[one.call](client);
  } catch (raised) {
    error = raised;
  }
  const seconds = (Date.now() - began) / 1000;
  const seen = await (await fetch(`${url}/seen/${fault}`)).json();
  const { code, retryAfter, requestId } = error ?? {};
  return { case: one, error: error?.name ?? null, code, retryAfter, requestId, seen, seconds, text: String(error) };
}

const waiting = [...cases];
const outcomes = [];
const work = async () => {
  while (waiting.length > 0) outcomes.push(await outcome(waiting.shift()));
};
await Promise.all(Array.from({ length: 6 }, work));
console.log(JSON.stringify(outcomes));
process.exit(0);
