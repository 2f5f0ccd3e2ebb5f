import { sveltekit } from "@sveltejs/kit/vite";
import { defineConfig } from "vite";
import { bundledLicenses } from "./licenses.ts";

const server = process.env.PAPERGRAPH_URL ?? "http://127.0.0.1:8000";

export default defineConfig({
  plugins: [sveltekit(), bundledLicenses()],
  server: { proxy: Object.fromEntries(["/graphql", "/v1", "/readyz"].map((path) => [path, server])) },
  build: { target: "es2022", chunkSizeWarningLimit: 2000, reportCompressedSize: false },
});
