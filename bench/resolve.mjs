// Node strips the types by itself; what it lacks is the "@/…" alias of tsconfig.json and imports without an extension.
import { existsSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = new URL("..", import.meta.url);
const nodeModules = /\/node_modules\//;

registerHooks({
  resolve(specifier, context, next) {
    const own =
      specifier.startsWith("@/") ||
      (/^\.\.?\//.test(specifier) && !nodeModules.test(context.parentURL ?? ""));
    if (!own) return next(specifier, context);
    const url = specifier.startsWith("@/")
      ? new URL(specifier.slice(2), root)
      : new URL(specifier, context.parentURL);
    const file = `${fileURLToPath(url)}.ts`;
    return next(existsSync(file) ? pathToFileURL(file).href : url.href, context);
  },
});
