import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import type { Chunk } from "@/lib/protocol/chunk";
import { getDeps } from "@/lib/server/entry/deps";
import { localUser } from "@/lib/server/ids";

type Handler = (request: Request, context: { params: Promise<unknown> }) => Promise<Response>;

const modules = import.meta.glob<Record<string, Handler>>("../**/route.ts");
const token = "token-for-tests-only";

/** Opens the real application (store, pool, providers) in a new folder around the tests of a file. */
export function withApplication(mcpServers: Record<string, unknown>, env: Record<string, string> = {}): void {
  let dir = "";
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "meguri-api-"));
    await writeFile(join(dir, "mcp-servers.json"), JSON.stringify({ mcpServers }));
    Object.assign(process.env, {
      PORT: "3999",
      DATA_DIR: join(dir, "data"),
      MCP_CONFIG: join(dir, "mcp-servers.json"),
      LAUNCH_TOKEN: token,
      LOG_LEVEL: "error",
      DEFAULT_MODEL: "demo/demo",
      ...env,
    });
    const { pool, store } = await getDeps();
    // Else each first answer would be followed by one more request to the model.
    await store.settings.set(localUser, "titles", "words");
    const names = Object.keys(mcpServers);
    const deadline = Date.now() + 20_000;
    while (names.some((name) => pool.server(name)?.status === "connecting") && Date.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 20));
  });
  afterAll(async () => {
    const { pool, store } = await getDeps();
    await pool.close();
    await store.close();
    await rm(dir, { recursive: true });
  });
}

/** One request to a route as Next.js would hand it over. */
export async function callApi(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) {
  const { handler, params } = await find(method, path);
  const request = new Request(`http://127.0.0.1:3999${path}`, {
    method,
    headers: {
      host: "127.0.0.1:3999",
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: isRaw(body) ? body : JSON.stringify(body), duplex: "half" }),
  });
  // As Next does.
  return handler(request, { params: Promise.resolve(Object.keys(params).length > 0 ? params : undefined) });
}

const isRaw = (body: unknown): body is string | Uint8Array<ArrayBuffer> | ReadableStream =>
  typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream;

export interface ReadStream {
  runId: string;
  conversationId: string;
  messageId: string;
  chunks: (Chunk & { id: number })[];
  status: string;
}

/** Reads an event stream to its end. */
export async function readStream(response: Response): Promise<ReadStream> {
  const read: ReadStream = { runId: "", conversationId: "", messageId: "", chunks: [], status: "" };
  for (const block of (await response.text()).split("\n\n")) {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
    const data = JSON.parse(field("data") ?? "null");
    if (field("event") === "run") Object.assign(read, data);
    else if (field("event") === "end") read.status = data.status;
    else if (data && field("event") !== "reset") read.chunks.push({ ...data, id: Number(field("id")) });
  }
  return read;
}

export const kinds = (chunks: readonly Chunk[]): string =>
  chunks
    .map(({ type }) => type)
    .filter((type) => type !== "request")
    .filter((type, index, all) => type !== all[index - 1] && type !== "usage")
    .join(" ");

/** As Next.js finds it: a name before a parameter, the catch-all last, and 405 where the route lacks the method. */
async function find(method: string, path: string) {
  const asked = partsOf(path.split("?")[0]?.replace(/^\/api\//, "") ?? "");
  const byNames = Object.keys(modules).toSorted((a, b) => parametersOf(a) - parametersOf(b));
  for (const file of byNames) {
    const parts = partsOf(file.replace("../", "").replace(/\/route\.ts$/, ""));
    const isCatchAll = parts[0] === "[...path]";
    if (parts.length !== asked.length && !isCatchAll) continue;
    const params: Record<string, string> = {};
    const fits = parts.every((part, index) => {
      const name = /^\[(\w+)\]$/.exec(part)?.[1];
      if (name) params[name] = decodeURIComponent(asked[index] ?? "");
      return name || part === asked[index];
    });
    if (!fits && !isCatchAll) continue;
    const handler = (await modules[file]?.())?.[method] ?? (async () => new Response(null, { status: 405 }));
    return { handler, params };
  }
  throw new Error(`There is no route ${path}.`);
}

const partsOf = (path: string): string[] => path.split("/");

const parametersOf = (file: string): number =>
  file.includes("[...") ? Number.POSITIVE_INFINITY : file.split("[").length;
