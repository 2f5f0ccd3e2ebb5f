// `node node.mjs URL JOB` prints one line of JSON for each client.
import WebSocket from "ws";
import { results } from "./clients.mjs";

const [url, job] = process.argv.slice(2);
for (const result of await results({ url, job, webSocketImpl: WebSocket })) console.log(JSON.stringify(result));
process.exit(0);
