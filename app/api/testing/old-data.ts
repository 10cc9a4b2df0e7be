import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { getDeps } from "@/lib/server/entry/deps";
import { callApi, readStream } from "./call-api";
import { dumpFile, restoreFile } from "./dump-file";

/** Under which everything here is sealed. */
export const oldSecret = "a secret for old data, in tests alone";

/** What a version has left: a dump of each database, and what the API read out of them then, a line each. */
const folder = join(import.meta.dirname, "old-data");
const databases = ["meguri.db", "run-log.db"];

/** The versions that are kept, by the newest migration that they knew. */
export const keptVersions = (): string[] => readdirSync(folder);

/** What is read out of the application, by path. */
export type Read = [path: string, body: unknown][];

/** What the API read when that version was kept. */
export function readKept(version: string): Read {
  const lines = readFileSync(join(folder, version, "read.jsonl"), "utf8")
    .trim()
    .split("\n");
  return lines.map((line) => JSON.parse(line) as Read[number]);
}

/** Makes a data folder as that version has left it. */
export function restoreKept(version: string, dataDir: string): void {
  mkdirSync(dataDir, { recursive: true });
  for (const name of databases)
    restoreFile(join(dataDir, name), readFileSync(join(folder, version, `${name}.sql`), "utf8"));
}

/** Keeps a closed data folder and what was read out of it. */
export function keep(dataDir: string, read: Read): void {
  const dumps = databases.map((name) => [name, dumpFile(join(dataDir, name))] as const);
  const versions = dumps.flatMap(([, dump]) => [
    ...dump.matchAll(/^insert into "schema_version" values \((\d+),/gm),
  ]);
  const to = join(folder, String(Math.max(...versions.map(([, version]) => Number(version)))));
  mkdirSync(to, { recursive: true });
  for (const [name, dump] of dumps) writeFileSync(join(to, `${name}.sql`), dump);
  writeFileSync(join(to, "read.jsonl"), read.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

/** Conversations with branches, tools, a run that waits, a link, and one of each setting; an endpoint answers by `model`. */
export async function fillApplication(model: { url: string }): Promise<void> {
  await call("PATCH", "/api/settings", {
    endpoints: [
      {
        ...{ id: "lab", name: "研究室", baseURL: model.url, api: "chat", models: ["small", "big"] },
        ...{ apiKey: "sk-lab-4321", headers: { "X-Team": "a-secret-team" } },
      },
    ],
    providers: { google: { apiKey: "g-key-1234" } },
    models: { "lab/big": { contextWindow: 9_000, effort: "low" } },
    prices: { "lab/small": { input: 1, output: 2 } },
    rules: [{ pattern: "mcp:files:*", effect: "allow" }],
    ...{ defaultModel: "lab/small", limits: { maxIterations: 7 }, retention: { days: 3_650 } },
  });
  const first = await ask({ message: { text: "What is 回り?" }, model: "lab/small" });
  await ask({ conversationId: first.conversationId, regenerate: first.messageId, model: "lab/big" });
  await ask({ conversationId: first.conversationId, message: { text: "And then?" }, model: "lab/small" });
  const { store } = await getDeps();
  await store.conversations.update(first.conversationId, { choice: { servers: ["plain"], deferred: {} } });
  await call("PATCH", `/api/conversations/${first.conversationId}`, { title: "回り道", pinned: true });
  await call("POST", `/api/conversations/${first.conversationId}/shares`, {});
  await ask({ message: { text: "count to 3" }, model: "demo/demo" });
  await ask({ message: { text: "Dear?" }, model: "lab/big", options: { budget: { cost: 1 } } });
}

const ask = async (body: object) => readStream(await callApi("POST", "/api/chat", body));

async function call(method: string, path: string, body?: object) {
  const response = await callApi(method, path, body);
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
  return response.json();
}

const statuses = ["completed", "failed", "waiting"] as const;

/** Every conversation with its branch, every run with its log, the links, and what a person has set. */
export async function readEverything(): Promise<Read> {
  const read: Read = [];
  const take = async (path: string) => {
    const body = await call("GET", path);
    read.push([path, body]);
    return body;
  };
  const { items } = await take("/api/conversations");
  for (const { id } of items as { id: string }[]) await take(`/api/conversations/${id}`);
  const { store } = await getDeps();
  for (const status of statuses)
    for (const { id } of await store.runs.withStatus(status)) {
      await take(`/api/runs/${id}`);
      const path = `/api/runs/${id}/events`;
      const log = (await (await callApi("GET", path)).text()).trim().split("\n");
      read.push([path, log.map((line) => JSON.parse(line) as unknown)]);
    }
  await take("/api/shares");
  // The rest of the settings is what a version brings along.
  const { endpoints, providers, prices, rules, defaultModel, limits, retention } = await call(
    "GET",
    "/api/settings",
  );
  const own = <Item extends { source: string | null }>(list: Item[], source: string) =>
    list.filter((item) => item.source === source);
  read.push([
    "/api/settings",
    {
      ...{ endpoints, rules, defaultModel, limits, retention, prices: own(prices, "yours") },
      providers: own<{ id: string; source: string; keyEnd: string }>(providers, "settings").map(
        ({ id, keyEnd }) => ({ id, keyEnd }),
      ),
    },
  ]);
  read.push(["settings.models", await store.settings.get("system", "models")]);
  return read;
}
