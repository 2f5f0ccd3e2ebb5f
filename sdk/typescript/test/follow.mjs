// Follow a job: node follow.mjs URL KEY JOB; writes its states, and the error that ends the stream.
import { Papergraph } from "../dist/index.js";

const [, , url, key, id] = process.argv;
try {
  for await (const job of (await new Papergraph({ url, key }).job(id)).follow()) console.log(job.state);
} catch (error) {
  console.log(error.code, error.requestId);
}
