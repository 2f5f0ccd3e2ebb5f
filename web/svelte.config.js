import adapter from "@sveltejs/adapter-static";
import { readFileSync } from "node:fs";

const target = process.env.PAPERGRAPH_WEB_BUILD ?? "../server/web/static";
const { version } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));

/** @type {import('@sveltejs/kit').Config} */
export default {
  compilerOptions: { runes: true },
  kit: {
    adapter: adapter({
      pages: target,
      assets: target,
      fallback: "index.html", // server/web/pages.py answers every route with it
    }),
    appDir: "assets",
    alias: { $lib: "src/lib" },
    version: { name: version }, // not the time: the same source gives the same files
  },
};
