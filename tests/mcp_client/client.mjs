// Calls tools with the stock client of MCP: `node client.mjs URL QUESTION` prints what they answer as JSON.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [url, question] = process.argv.slice(2);
const client = new Client({ name: "test", version: "1.0.0" });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));

async function call(name, args) {
  const result = await client.callTool({ name, arguments: args });
  return result.isError ? result.content[0].text : result.structuredContent;
}

const { tools } = await client.listTools();
const { collections } = await call("collections", {});
const { papers, next } = await call("papers", { collection: "many", first: 3 });
const { passages } = await call("search", { query: question, k: 2 });
const refused = await call("paper", { id: "0".repeat(64) });
console.log(JSON.stringify({ tools: tools.map((tool) => tool.name), collections, papers, next, passages, refused }));
await client.close();
