// Run the calls of conformance.json: node conformance.mjs URL FILE RUN; writes what differs, by name, as JSON.
import { readFileSync } from "node:fs";
import { ApiError, Papergraph, rowObjects } from "../dist/index.js";

const [, , url, file, run] = process.argv;
const { cases, question } = JSON.parse(readFileSync(file, "utf8"));
const client = new Papergraph({ url, timeoutMs: 120_000 });
const saved = { question, run };

const calls = {
  search: ({ query, ...options }) => client.search(query, options),
  ask: ({ question, ...options }) => client.ask(question, options),
  askStream: async ({ question, ...options }) => {
    const stream = client.askStream(question, options);
    const kinds = [];
    let text = "";
    for await (const event of stream) {
      if (!kinds.includes(event.kind)) kinds.push(event.kind);
      if (event.kind === "delta") text += event.text;
    }
    return { kinds, text, result: stream.result };
  },
  summary: (options) => client.summary(options),
  createCollection: ({ name, ...texts }) => client.createCollection(name, texts),
  describeCollection: ({ name, ...texts }) => client.describeCollection(name, texts),
  deleteCollection: ({ name }) => client.deleteCollection(name),
  enrichments: () => client.enrichments(),
  estimateEnrichments: ({ names, ...options }) => client.estimateEnrichments(names, options),
  enrich: async ({ names, ...options }) => (await client.enrich(names, options)).job,
  papers: ({ first, ...filter }) => client.papers(filter, { first }),
  paper: ({ id, ...by }) => client.paper(id ?? by),
  deletePaper: ({ id }) => client.deletePaper(id),
  paperFields: ({ id }) => client.paperFields(id),
  editPaper: ({ id, ...edit }) => client.editPaper(id, edit),
  exportPapers: ({ ids, ...options }) => client.exportPapers(ids, options),
  paperFile: async ({ id }) => (await client.file(id)).text(),
  markdown: ({ id }) => client.markdown(id),
  pageImage: ({ id, page, ...options }) => client.pageImage(id, page, options),
  figureImage: ({ id, ...options }) => client.figureImage(id, options),
  mergeAuthors: ({ id, into }) => client.mergeAuthors(id, into),
  splitAuthor: ({ id, papers }) => client.splitAuthor(id, papers),
  mergeEntities: ({ id, other }) => client.mergeEntities(id, other),
  splitEntities: ({ id, other }) => client.splitEntities(id, other),
  undoAuthor: ({ id }) => client.undoAuthor(id),
  node: ({ id }) => client.node(id),
  nodes: ({ ids }) => client.nodes(ids),
  neighbours: ({ list, id }) => client.neighbours(list, id),
  facets: ({ names, ...options }) => client.facets(names, options),
  suggest: ({ text, ...options }) => client.suggest(text, options),
  neighbourhood: ({ ids, ...options }) => client.neighbourhood(ids, options),
  map: (options) => client.map(options),
  regions: ({ id, ...options }) => client.regions(id, options),
  server: () => client.server(),
  viewer: () => client.viewer(),
  related: ({ id, ...options }) => client.related(id, options),
  path: ({ from, to, ...options }) => client.path(from, to, options),
  entities: (filter) => client.entities(filter),
  clusters: (filter) => client.clusters(filter),
  questions: (filter) => client.questions(filter),
  reviewQuestion: ({ id, decision, text }) => client.reviewQuestion(id, decision, text),
  collections: () => client.collections(),
  setSubject: ({ collection, subject }) => client.setSubject(collection, subject),
  pipelines: () => client.pipelines(),
  pipeline: ({ name }) => client.pipeline(name),
  cypher: ({ query, parameters, ...options }) => client.cypher(query, parameters, options),
  cypherDicts: async ({ query, parameters }) => rowObjects(await client.cypher(query, parameters)),
  cypherGraph: ({ query, parameters }) => client.cypherGraph(query, parameters),
  graphql: ({ query, variables }) => client.graphql(query, variables),
  rawPaper: async ({ id }) => shown(await client.raw("GET", `/v1/papers/${id}`)),
  raw: async ({ method, path, ...wanted }) => shown(await client.raw(method, path, wanted)),
  estimateIngest: ({ sources, ...options }) => client.estimateIngest(sources, options),
  upload: ({ name, text }) => client.upload({ name, content: text }),
  uploads: () => client.uploads(),
  getUpload: ({ id }) => client.getUpload(id),
  deleteUpload: async ({ id }) => (await client.deleteUpload(id)) ?? null,
  ingestFiles: async ({ files, collection }) => {
    const seen = [];
    const sources = Object.entries(files).map(([name, content]) => ({ name, content }));
    const handle = await client.ingest(sources, { collection });
    const job = await handle.wait({ withinMs: 120_000, pollMs: 100, onProgress: (one) => seen.push(one) });
    return { ...job, seen };
  },
  openJob: async ({ sources, ...options }) => (await client.ingest(sources, options)).job,
  jobs: () => client.jobs(),
  job: async ({ id }) => (await client.job(id)).job,
  tasks: async ({ id }) => (await client.job(id)).tasks(),
  followJob: async ({ id }) => {
    let last;
    for await (const job of (await client.job(id)).follow()) last = job;
    return last;
  },
  cancelJob: async ({ id }) => (await client.job(id)).cancel(),
};

const shown = (answer) => ({ status: answer.status, requestId: answer.requestId, json: answer.json() });

function filled(value) {
  if (typeof value === "string") {
    if (value.startsWith("$") && value.slice(1) in saved) return saved[value.slice(1)];
    return value.replaceAll("${run}", run);
  }
  if (Array.isArray(value)) return value.map(filled);
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [filled(name), filled(one)]));
  }
  return value;
}

const at = (value, place) => (place ? place.split(".").reduce((one, part) => one?.[part] ?? null, value) : value);

function fits(found, wanted) {
  if (wanted === null || typeof wanted !== "object" || Array.isArray(wanted)) {
    return JSON.stringify(found) === JSON.stringify(wanted);
  }
  if ("min" in wanted) return (Array.isArray(found) ? found.length : found) >= wanted.min;
  if ("size" in wanted) return found?.length === wanted.size;
  return typeof found === "string" && new RegExp(wanted.matches).test(found);
}

async function differences(one) {
  let result;
  try {
    result = await calls[one.call](filled(one.args));
    if ("take" in one) result = await result.take(one.take);
    if (one.count) result = await result.count();
  } catch (error) {
    if (!(error instanceof ApiError)) return [`${error?.stack}`];
    const found = [];
    if (!fits(error.code, one.error ?? null)) found.push(String(error));
    if ("status" in one && error.status !== one.status) found.push(`status ${error.status}`);
    if (!error.requestId) found.push("no request id");
    for (const field of one.fields ?? []) if (!error.errors.some((e) => e.field === field)) found.push(`no field ${field}`);
    for (const why of one.reasons ?? []) if (!error.errors.some((e) => e.reason === why)) found.push(`no reason ${why}`);
    return found;
  }
  if ("error" in one) return ["no error"];
  for (const [name, place] of Object.entries(one.save ?? {})) saved[name] = at(result, place);
  return Object.entries(one.expect ?? {})
    .filter(([place, wanted]) => !fits(at(result, place), filled(wanted)))
    .map(([place, wanted]) => `${place}: ${JSON.stringify(at(result, place))?.slice(0, 200)} is not ${JSON.stringify(wanted)}`);
}

const faults = {};
for (const one of cases) {
  const found = await differences(one);
  if (found.length > 0) faults[one.name] = found;
}
console.log(JSON.stringify(faults));
