import { readdirSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import send from "send";

const prefix = "/_next/static/";
/** Best first. */
const encodings = [
  { name: "br", ending: ".br", pack: packBrotli },
  { name: "gzip", ending: ".gz", pack: (bytes) => promisify(gzip)(bytes, { level: 9 }) },
];
/** Bytes: what is smaller is no less in another form. */
const smallest = 1_024;

const folderOf = (dir, distDir) => join(dir, distDir, "static");

/** Writes beside each script and style of a build what goes over the wire in its place. */
export async function packFiles(dir, distDir) {
  const folder = folderOf(dir, distDir);
  const names = await readdir(folder, { recursive: true });
  const pack = async (name) => {
    const bytes = await readFile(join(folder, name));
    if (bytes.length < smallest) return;
    for (const { ending, pack } of encodings) await writeFile(join(folder, name + ending), await pack(bytes));
  };
  await Promise.all(names.filter((name) => /\.(js|css)$/.test(name)).map(pack));
}

/** A step below the best: two thirds less of the time that a start on somebody's machine waits, for 2 % more bytes. */
function packBrotli(bytes) {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 10,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return promisify(brotliCompress)(bytes, { params });
}

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
