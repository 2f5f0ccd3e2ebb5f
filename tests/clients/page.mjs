// A page of another origin: `results` of its window runs the clients there.
import { results } from "./clients.mjs";

window.results = results;

/** Try every way of a page to bring a cookie of `server` along; return what the page learns of each. */
window.attempts = async (server, name) => {
  const told = (attempt) => attempt().catch((error) => String(error));
  const send = (path, body, type, options = {}) =>
    fetch(server + path, { method: "POST", credentials: "include", body, headers: { "content-type": type }, ...options });
  const key = JSON.stringify({ name, scopes: ["read"] });
  const query = `mutation { createApiKey(name: "${name}", scopes: [READ]) { __typename } }`;
  const mutation = JSON.stringify({ query });
  const first = (target, event, ...failures) =>
    new Promise((resolve) => {
      for (const failure of failures) target.addEventListener(failure, () => resolve("refused"));
      target.addEventListener(event, (one) => resolve(one.data ?? event));
    });
  const socket = () => {
    const opened = new WebSocket(`${server.replace("http", "ws")}/graphql`, "graphql-transport-ws");
    opened.addEventListener("open", () => opened.send(JSON.stringify({ type: "connection_init" })));
    return first(opened, "message", "error", "close");
  };
  const image = () => {
    const shown = Object.assign(new Image(), { src: `${server}/v1/viewer` });
    return first(shown, "load", "error");
  };
  const events = () => {
    const source = new EventSource(`${server}/graphql?query={viewer{name}}`, { withCredentials: true });
    return first(source, "next", "error").finally(() => source.close());
  };
  return {
    read: await told(async () => (await fetch(`${server}/v1/viewer`, { credentials: "include" })).json()),
    query: await told(async () => (await send("/graphql", mutation, "application/json")).json()),
    create: await told(async () => (await send("/v1/keys", key, "application/json")).json()),
    simple: await told(async () => (await send("/v1/keys", key, "text/plain", { mode: "no-cors" })).type),
    form: await told(async () => (await send("/graphql", mutation, "text/plain", { mode: "no-cors" })).type),
    socket: await told(socket),
    image: await told(image),
    events: await told(events),
  };
};
