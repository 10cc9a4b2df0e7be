import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type IncomingHttpHeaders, type RequestListener, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { packFiles } from "./pack-files.mjs";
import { withPackedFiles } from "./packed-files.mjs";

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const clean of cleanups.splice(0).reverse()) clean();
});

const script = "const words = 'said again and again';\n".repeat(200);
const security = [{ key: "X-Content-Type-Options", value: "nosniff" }];

test("a script and a style are packed beside themselves, what is small is not", async () => {
  const { dir } = await build();
  expect(readdirSync(join(dir, "dist/static/chunks")).sort()).toEqual([
    ...["a.css", "a.css.br", "a.css.gz", "a.js", "a.js.br", "a.js.gz", "small.js"],
  ]);
});

test("the scripts of every page say once that all of them is needed, and no other does", async () => {
  const { dir } = await build();
  const chunks = join(dir, "dist/static/chunks");
  writeFileSync(join(dir, "dist/build-manifest.json"), '{ "rootMainFiles": ["static/chunks/a.js"] }');
  await packFiles(dir, "dist");
  await packFiles(dir, "dist");
  const marked = `//# allFunctionsCalledOnLoad\n${script}`;
  expect(readFileSync(join(chunks, "a.js"), "utf8")).toBe(marked);
  expect(gunzipSync(readFileSync(join(chunks, "a.js.gz"))).toString()).toBe(marked);
  expect(readFileSync(join(chunks, "small.js"), "utf8")).toBe("1;");
});

test("each client gets the best that it reads, and others the file itself", async () => {
  const { get } = await serve();
  const br = await get("/_next/static/chunks/a.js?v=1", { "accept-encoding": "gzip, deflate, br, zstd" });
  expect(br.headers).toMatchObject({
    "content-encoding": "br",
    "content-type": "application/javascript; charset=utf-8",
    "cache-control": "public, max-age=31536000, immutable",
    vary: "Accept-Encoding",
    "x-content-type-options": "nosniff",
  });
  expect(brotliDecompressSync(br.body).toString()).toBe(script);
  const gzip = await get("/_next/static/chunks/a.js", { "accept-encoding": "br;q=0, gzip;q=0.5" });
  expect(gzip.headers["content-encoding"]).toBe("gzip");
  expect(gunzipSync(gzip.body).toString()).toBe(script);
  const style = await get("/_next/static/chunks/a.css", { "accept-encoding": "br" });
  expect(style.headers["content-type"]).toBe("text/css; charset=utf-8");
  for (const [path, accepted] of [
    ["/_next/static/chunks/a.js", ""],
    ["/_next/static/chunks/a.js", "identity"],
    ["/_next/static/chunks/small.js", "br"],
    ["/_next/static/chunks/gone.js", "br"],
    ["/_next/static/chunks/a.js.br", "br"],
    ["/_next/static/../server/secret.js", "br"],
    ["/_next/static/%2e%2e/server/secret.js", "br"],
    ["/other/a.js", "br"],
  ] as const)
    expect((await get(path, { "accept-encoding": accepted })).body.toString(), path).toBe("from Next.js");
});

test("who has it already gets no body, and HEAD gets its headers alone", async () => {
  const { get } = await serve();
  const path = "/_next/static/chunks/a.js";
  const { headers } = await get(path, { "accept-encoding": "br" });
  const again = await get(path, { "accept-encoding": "br", "if-none-match": headers.etag ?? "" });
  expect([again.status, again.body.length]).toEqual([304, 0]);
  const head = await get(path, { "accept-encoding": "br" }, "HEAD");
  expect([head.status, head.headers["content-length"]]).toEqual([200, headers["content-length"]]);
  expect(head.body.length).toBe(0);
  expect((await get(path, { "accept-encoding": "br" }, "POST")).body.toString()).toBe("from Next.js");
});

test("a range is not cut out of what is packed, and a file that is gone is not found", async () => {
  const { get, dir } = await serve();
  const path = "/_next/static/chunks/a.js";
  const whole = await get(path, { "accept-encoding": "br", range: "bytes=5-2" });
  expect([whole.status, brotliDecompressSync(whole.body).toString()]).toEqual([200, script]);
  unlinkSync(join(dir, "dist/static/chunks/a.js.br"));
  const gone = await get(path, { "accept-encoding": "br" });
  expect(gone).toMatchObject({ status: 404, headers: { "content-length": "0" } });
  expect(gone.headers).not.toHaveProperty("content-encoding");
});

async function build() {
  const dir = mkdtempSync(join(tmpdir(), "meguri-packed-"));
  cleanups.push(() => rmSync(dir, { recursive: true, force: true }));
  const chunks = join(dir, "dist/static/chunks");
  mkdirSync(chunks, { recursive: true });
  mkdirSync(join(dir, "dist/server"));
  writeFileSync(join(chunks, "a.js"), script);
  writeFileSync(join(chunks, "a.css"), ".a { color: red; }\n".repeat(100));
  writeFileSync(join(chunks, "small.js"), "1;");
  writeFileSync(join(dir, "dist/server/secret.js"), script);
  writeFileSync(join(dir, "dist/build-manifest.json"), '{ "rootMainFiles": [] }');
  await packFiles(dir, "dist");
  return { dir };
}

async function serve() {
  const { dir } = await build();
  const next: RequestListener = (_, response) => void response.end("from Next.js");
  const server = createServer(withPackedFiles(next, { dir, distDir: "dist", headers: () => security }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanups.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  const get = (path: string, headers: Record<string, string>, method = "GET") =>
    new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; body: Buffer }>(
      (resolve, reject) => {
        const asked = request({ port, host: "127.0.0.1", path, method, headers, agent: false }, (answer) => {
          const parts: Buffer[] = [];
          answer.on("data", (part: Buffer) => parts.push(part));
          answer.on("end", () =>
            resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(parts) }),
          );
        });
        asked.on("error", reject);
        asked.end();
      },
    );
  return { dir, get };
}
