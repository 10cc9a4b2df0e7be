import { readdirSync } from "node:fs";
import send from "send";
import { encodings, folderOf } from "./pack-files.mjs";

const prefix = "/_next/static/";

/**
 * Answers with a packed file where there is one that the client reads; all other requests go to `handle`. Next.js packs
 * each file anew for each request, and knows gzip alone. `headers`: those of every answer.
 */
export function withPackedFiles(handle, { dir, distDir, headers }) {
  const folder = folderOf(dir, distDir);
  const files = new Set(
    readdirSync(folder, { recursive: true }).map((name) => String(name).replaceAll("\\", "/")),
  );
  return (request, response) => {
    const packed = findPacked(request, files);
    if (!packed) return handle(request, response);
    for (const { key, value } of headers()) response.setHeader(key, value);
    response.setHeader("Content-Encoding", packed.encoding);
    response.setHeader(
      "Content-Type",
      packed.name.endsWith(".css") ? "text/css; charset=utf-8" : "application/javascript; charset=utf-8",
    );
    response.setHeader("Vary", "Accept-Encoding");
    // Their names say what is in them.
    send(request, packed.file, { root: folder, immutable: true, maxAge: "1y", acceptRanges: false })
      .on("error", ({ status = 500 }) => {
        // The disk has failed in the middle: what has gone out cannot be taken back.
        if (response.headersSent) return response.destroy();
        for (const name of response.getHeaderNames()) response.removeHeader(name);
        response.writeHead(status, { "content-length": 0 });
        response.end();
      })
      .pipe(response);
  };
}

function findPacked({ method, url, headers }, files) {
  if ((method !== "GET" && method !== "HEAD") || !url.startsWith(prefix)) return undefined;
  const name = url.slice(prefix.length).split("?", 1)[0];
  const accepted = readAccepted(headers["accept-encoding"] ?? "");
  const found = encodings.find(
    (encoding) => accepted.has(encoding.name) && files.has(name + encoding.ending),
  );
  return found && { name, file: `/${name}${found.ending}`, encoding: found.name };
}

/** Names of encodings, without those of weight 0. */
function readAccepted(header) {
  const entries = header.toLowerCase().split(",", 20);
  return new Set(
    entries.flatMap((entry) => {
      const [name, ...rest] = entry.split(";").map((part) => part.trim());
      return rest.some((part) => /^q=0(\.0*)?$/.test(part)) ? [] : [name];
    }),
  );
}
