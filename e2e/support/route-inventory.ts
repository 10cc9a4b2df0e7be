import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";

export interface RouteEntry {
  /** As its folder is called: `/api/runs/[id]/stop`. */
  path: string;
  methods: string[];
}

const folder = join(import.meta.dirname, "..", "..", "app", "api");
const known = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Every route of the API with the methods that its file exports, read from the sources. */
export function routeInventory(): RouteEntry[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => file.endsWith(`${sep}route.ts`))
    .map((file) => {
      const text = readFileSync(join(folder, file), "utf8");
      const exported = [...text.matchAll(/^export (?:const|async function|function) (\w+)|\bas (\w+)\b/gm)];
      return {
        path: `/api/${file.split(sep).slice(0, -1).join("/")}`,
        methods: exported.flatMap(([, name, alias]) => known.filter((method) => method === (name ?? alias))),
      };
    })
    .toSorted((a, b) => a.path.localeCompare(b.path));
}
