// The state of the server that everything on the page shares: whether it is there, and its collections.
import { base } from "$app/paths";
import { ask } from "./api";
import collectionsQuery from "./queries/collections.graphql?raw";

export type Collection = { name: string; nPapers: number; nChunks: number; nEntities: number; nQuestions: number };
export type Pipeline = { name: string; about: string; needs: string[] };

type Viewer = { name: string; isLocal: boolean; scopes: string[]; roles: { collection: string; role: string }[] };

const ALIVE_S = 20;
const GONE_S = 2;

class Server {
  status = $state<"unknown" | "ready" | "degraded" | "unavailable" | "offline">("unknown");
  /** Grows by one each time the server comes back: what failed meanwhile is asked again. */
  returns = $state(0);
  collections = $state<Collection[]>([]);
  /** Collection of what a page shows, where its address does not say it. */
  shown = $state<string | null>(null);
  pipelines = $state<Pipeline[]>([]);
  needsKey = $state(false);
  /** Name of the key in use; null where the server requires none. */
  keyName = $state<string | null>(null);
  viewer = $state<Viewer | null>(null);

  async load(): Promise<void> {
    const data = await ask<{ viewer: Viewer | null; collections: Collection[]; pipelines: Pipeline[] }>(collectionsQuery);
    this.collections = data.collections ?? [];
    this.pipelines = data.pipelines ?? [];
    this.needsKey = false;
    this.viewer = data.viewer;
    this.keyName = data.viewer && !data.viewer.isLocal ? data.viewer.name : null;
  }

  /** Whether the key in use sets roles in a collection; a server without keys has none. */
  administers(collection: string): boolean {
    const { isLocal = true, scopes = [], roles = [] } = this.viewer ?? {};
    return !isLocal && (scopes.includes("ADMIN") || roles.some((one) => one.collection === collection && one.role === "ADMINISTER"));
  }

  /** Whether the key in use adds and changes papers of a collection: its role there decides, else its scopes. */
  edits(collection: string): boolean {
    const { isLocal = true, scopes = [], roles = [] } = this.viewer ?? {};
    const role = roles.find((one) => one.collection === collection)?.role;
    return isLocal || scopes.includes("ADMIN") || (role ? role === "EDIT" || role === "ADMINISTER" : scopes.includes("INGEST"));
  }

  /** Looks after the server until the function that it returns is called. */
  watch(): () => void {
    let timer: ReturnType<typeof setTimeout>;
    let stopped = false;
    const look = async () => {
      const before = this.status;
      try {
        this.status = (await (await fetch(`${base}/readyz`)).json()).status;
      } catch {
        this.status = "offline";
      }
      const isBack = ["offline", "unavailable"].includes(before) && ["ready", "degraded"].includes(this.status);
      if (isBack) this.returns += 1;
      if (!stopped) timer = setTimeout(look, 1000 * (this.isThere ? ALIVE_S : GONE_S));
    };
    this.lookNow = () => {
      clearTimeout(timer);
      void look();
    };
    void look();
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }

  lookNow: () => void = () => {};

  get isThere(): boolean {
    return this.status === "ready" || this.status === "degraded";
  }
}

export const server = new Server();
