// Lets a script import the application's TypeScript: `node --experimental-transform-types --import ./scripts/typescript.mjs <script>`.
import { existsSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

registerHooks({
  resolve(specifier, context, next) {
    const ours = specifier.startsWith("@/") && new URL(`../${specifier.slice(2)}`, import.meta.url);
    const path = ours || (specifier.startsWith("./") && new URL(specifier, context.parentURL));
    const file = path && `${path.href}.ts`;
    if (file && existsSync(fileURLToPath(file))) return next(file, context);
    return next(ours ? ours.href : specifier, context);
  },
});
