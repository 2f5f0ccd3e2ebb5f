export * from "./client.js";
export * from "./errors.js";
export { RawResponse, type RequestOptions, VERSION } from "./http.js";
export * from "./lists.js";
export type * from "./types.js";
