import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

const folder = new URL("../node_modules/mermaid/dist/", import.meta.url);
const prefix = "/mermaid/";
/** The file that is asked for first, and those that it loads for the kinds of diagrams that are drawn. */
const path = /^(?:mermaid\.esm\.min|chunks\/mermaid\.esm\.min\/[\w-]+)\.mjs$/;
const pack = promisify(gzip);

/** Packed once each; there are about a hundred of them. */
const packed = new Map();

/** The answer with a file of Mermaid, for a page without an origin; undefined for any other address. */
export async function readMermaidFile(url) {
  const name = url.startsWith(prefix) ? url.slice(prefix.length) : "";
  if (!path.test(name)) return undefined;
  let body = packed.get(name);
  if (!body) {
    const text = await readFile(fileURLToPath(new URL(name, folder))).catch(() => undefined);
    if (!text) return undefined;
    body = await pack(text);
    packed.set(name, body);
  }
  return {
    status: 200,
    headers: {
      "Access-Control-Allow-Origin": "*",
      // The names of all but the first say what is in them.
      "Cache-Control": name.startsWith("chunks/")
        ? "public, max-age=31536000, immutable"
        : "public, max-age=600",
      "Content-Encoding": "gzip",
      "Content-Type": "text/javascript; charset=utf-8",
      "Cross-Origin-Resource-Policy": "cross-origin",
      "X-Content-Type-Options": "nosniff",
    },
    body,
  };
}
