import { sveltekit } from "@sveltejs/kit/vite";
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
  build: {
    target: "es2022",
    chunkSizeWarningLimit: 2000,
    reportCompressedSize: false,
    // a package that does not say so itself, and whose unused parts are half of a page
    rolldownOptions: { treeshake: { moduleSideEffects: [{ test: /graphql-language-service/, sideEffects: false }] } },
  },
});
