import { join } from "node:path";

/** @type {import("next").NextConfig} */
export default {
  poweredByHeader: false,
  turbopack: { root: join(import.meta.dirname, "..", "..") },
  // Next looks in the root of Turbopack as well, where `instrumentation.ts` and `proxy.ts` are those of the application.
  pageExtensions: ["js", "jsx"],
};
