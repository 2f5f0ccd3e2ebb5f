import { sveltekit } from "@sveltejs/kit/vite";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { bundledLicenses } from "./licenses.ts";

const server = process.env.PAPERGRAPH_URL ?? "http://127.0.0.1:8000";

export default defineConfig({
  plugins: [sveltekit(), bundledLicenses()],
  server: {
    proxy: {
      "/graphql": { target: server, bypass: (request) => (request.headers.accept?.includes("text/html") ? request.url : undefined) },
      ...Object.fromEntries(["/v1", "/readyz", "/openapi.json"].map((path) => [path, server])),
    },
  },
  resolve: { alias: { "vscode-languageserver-types": fileURLToPath(new URL("src/lib/languageServerTypes.ts", import.meta.url)) } },
  build: { target: "es2022", chunkSizeWarningLimit: 2000, reportCompressedSize: false },
});
