import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import type { Chunk } from "@/lib/protocol/chunk";
import { getDeps } from "@/lib/server/entry/deps";
import { directRoutes } from "@/lib/server/entry/direct-routes";
import type { NextHandler } from "@/lib/server/entry/route";
import { localUser } from "@/lib/server/ids";
import { applicationDir, databaseEnv, host } from "@/lib/server/testing/database-env";

/** Each route by its file below the project. */
export const modules = import.meta.glob<Record<string, NextHandler>>([
  "/app/api/**/route.ts",
  "/app/mcp/route.ts",
  "/app/v1/**/route.ts",
]);
const findRoute = directRoutes(modules);
const token = "token-for-tests-only";

/** Opens the real application (store, pool, providers) in a new folder around the tests of a file. */
export function withApplication(mcpServers: Record<string, unknown>, env: Record<string, string> = {}): void {
  let dir = "";
  let database: Awaited<ReturnType<typeof databaseEnv>>;
  beforeAll(async () => {
    database = await databaseEnv();
    dir = await applicationDir();
    await writeFile(
      join(dir, "mcp-servers.json"),
      JSON.stringify({ mcpServers: entriesFor(mcpServers, database) }),
    );
    Object.assign(process.env, {
      PORT: "3999",
      DATA_DIR: join(dir, "data"),
      MCP_CONFIG: join(dir, "mcp-servers.json"),
      LAUNCH_TOKEN: token,
      LOG_LEVEL: "error",
      DEFAULT_MODEL: "demo/demo",
      // What a test file before this one has set.
      ...{ PUBLIC_URL: "", MCP_CONFIG_MODE: "" },
      ...database.env,
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
    const { pool, store, temporary } = await getDeps();
    await temporary.close();
    await pool.close();
    await store.close();
    await database.drop();
    await rm(dir, { recursive: true });
  });
}

/** Where instances could share them, local servers are off unless they say that they can be there several times. */
const entriesFor = (servers: Record<string, unknown>, { env }: { env: Record<string, string> }) =>
  env.DATABASE_URL === undefined
    ? servers
    : Object.fromEntries(
        Object.entries(servers).map(([name, entry]) => [name, { perInstance: true, ...(entry as object) }]),
      );

/** One request to its route, as the server before Next.js hands it over. */
export async function callApi(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) {
  const answer = await find(method, path);
  const request = new Request(`http://${host}${path}`, {
    method,
    headers: {
      host,
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: isRaw(body) ? body : JSON.stringify(body), duplex: "half" }),
  });
  return answer(request);
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

/** What has no route of its own is the catch-all's, and 405 where a route lacks the method, as with Next.js. */
async function find(method: string, path: string): Promise<(request: Request) => Promise<Response>> {
  const finding = findRoute(method, path);
  if (finding) return (await finding)?.answer ?? (async () => new Response(null, { status: 405 }));
  const room = path.startsWith("/v1/") ? "v1" : "api";
  const handler = (await modules[`/app/${room}/[...path]/route.ts`]?.())?.[method];
  if (!handler) throw new Error(`There is no route ${path}.`);
  return (request) => handler(request, { params: Promise.resolve({}) });
}
