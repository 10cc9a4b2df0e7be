// Lets a script import the application's TypeScript: `node --experimental-transform-types --import ./scripts/typescript.mjs <script>`.
import { existsSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

registerHooks({
  resolve(specifier, context, next) {
    const path = specifier.startsWith("@/")
      ? new URL(`../${specifier.slice(2)}.ts`, import.meta.url)
      : specifier.startsWith("./") && new URL(`${specifier}.ts`, context.parentURL);
    return next(path && existsSync(fileURLToPath(path)) ? path.href : specifier, context);
  },
});
