// Holds a server to the GraphQL over HTTP specification: `node audit.mjs URL` prints one line of JSON for each audit.
import { serverAudits } from "graphql-http";

for (const audit of serverAudits({ url: process.argv[2], fetchFn: fetch })) {
  const { id, name, status, reason } = await audit.fn();
  console.log(JSON.stringify({ id, name, status, reason }));
}
