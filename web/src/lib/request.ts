// What a page asked the server, for people who want to ask it themselves.
export type Rest = { path: string; body?: unknown };
export type Shown = { query: string; variables: unknown; rest: Rest | Rest[]; cli: string };
