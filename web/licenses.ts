// Writes LICENSES.txt: the licence of each package of which the build holds a part.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

const ALLOWED = ["MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "0BSD"];

export function bundledLicenses(): Plugin {
  return {
    name: "bundled-licenses",
    applyToEnvironment: (environment) => environment.name === "client",
    generateBundle(_, bundle) {
      const folders = new Set<string>();
      for (const chunk of Object.values(bundle)) {
        for (const id of chunk.type === "chunk" ? chunk.moduleIds : (chunk.originalFileNames ?? [])) {
          const found = /^(?:.*\/)?(node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id.replace(/^\0/, ""));
          if (found) folders.add(found[1]!);
        }
      }
      const texts = [...folders].sort().map((folder) => {
        const about = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
        if (!ALLOWED.includes(about.license)) this.error(`${about.name} has licence ${about.license}`);
        const file = readdirSync(folder).find((name) => /^licen[cs]e(\.|$)/i.test(name));
        const text = file && existsSync(join(folder, file)) ? readFileSync(join(folder, file), "utf8").trim() : "";
        return `${about.name} ${about.version}\n${about.license}\n\n${text}`;
      });
      this.emitFile({ type: "asset", fileName: "assets/LICENSES.txt", source: texts.join(`\n\n${"-".repeat(72)}\n\n`) + "\n" });
    },
  };
}
