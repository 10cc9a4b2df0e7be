import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { checkAppSecret, loadSecrets } from "@/lib/server/secrets";
import { openStore } from "@/lib/store/open-store";
import { ask } from "@/lib/store/testing/postgres-server";
import { conversation, events, message, run } from "@/lib/store/testing/rows";
import { createDatabase, tempDir } from "@/lib/store/testing/temp-store";
import { moveToPostgres } from "./move-to-postgres";

const attachment = (id: string) => ({
  ...{ id, userId: "ann", conversationId: "c1", projectId: null, name: `${id}.bin`, mediaType: "text/plain" },
  ...{ size: 1, characters: null, createdAt: 1 },
});

/** A folder of an application that was killed in the middle of an answer. */
async function killedFolder() {
  const dataDir = tempDir();
  const store = await openStore({ dataDir });
  const { appSecret } = loadSecrets(dataDir, {});
  await checkAppSecret({ env: {}, store, secrets: { appSecret } });
  await store.conversations.create(conversation());
  await store.messages.append("c1", [message("q", null)]);
  await store.runs.create(run("r1"));
  await store.log.append("r1", events(1, 3), true);
  for (const id of ["large", "empty", "lost"]) await store.attachments.add(attachment(id), 1_000);
  await store.close();
  const files = {
    large: Buffer.alloc(700_000, "長い"),
    "large.txt": "text",
    empty: "",
    nobodys: "x",
    "cut.part": "x",
  };
  mkdirSync(join(dataDir, "attachments"));
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(dataDir, "attachments", name), bytes);
  mkdirSync(join(dataDir, "pins"));
  writeFileSync(join(dataDir, "pins", "ann%40x.lock.json"), '{"version":1,"servers":{}}');
  const config = join(dataDir, "mcp.json");
  writeFileSync(config, '{"mcpServers":{}}');
  return { dataDir, config, files };
}

test("what a crash cut short is ended, and files and documents are there byte for byte", async () => {
  const { dataDir, config, files } = await killedFolder();
  const url = await createDatabase();
  const lines = await moveToPostgres(
    { MCP_CONFIG: config, AUTH: "accounts" },
    ["--from", dataDir, "--to", url],
    () => {},
  );
  expect(lines.join("\n")).toMatch(
    /2 attached files and 2 documents .*\n.*\n1 runs .* ended as interrupted\.\n1 attachments had no file/,
  );
  expect(lines.join("\n")).not.toContain("LAUNCH_TOKEN");
  expect(await ask(url, "select id, status from run")).toEqual([{ id: "r1", status: "interrupted" }]);
  const names = await ask(
    url,
    "select name, count(*)::int as parts from attachment_blob group by name order by name",
  );
  expect(names).toEqual([
    { name: "empty", parts: 1 },
    { name: "large", parts: 3 },
    { name: "large.txt", parts: 1 },
  ]);
  const store = await openStore({ dataDir: tempDir(), databaseUrl: url });
  onTestFinished(() => store.close());
  const parts = await Promise.all([0, 1, 2].map((part) => store.blobs?.read("large", part)));
  expect(Buffer.concat(parts.map((part) => part?.bytes ?? Buffer.alloc(0))).equals(files.large)).toBe(true);
  expect((await store.documents.read("mcp-servers"))?.text).toBe('{"mcpServers":{}}');
  expect(await store.documents.names("mcp-servers.lock:")).toEqual(["mcp-servers.lock:ann@x"]);
  expect(await store.log.read("r1", 3, 1)).toMatchObject([{ data: { type: "result" } }]);
  expect(readdirSync(join(dataDir, "attachments")).toSorted()).toEqual(Object.keys(files).toSorted());
});

test("an MCP file that cannot be read, or a folder without its secret, moves nothing and says what to do", async () => {
  const { dataDir, config } = await killedFolder();
  const url = await createDatabase();
  const move = (env = {}) =>
    moveToPostgres({ MCP_CONFIG: config, DATA_DIR: dataDir, DATABASE_URL: url, ...env }, [], () => {});
  writeFileSync(join(dataDir, "pins", "ann%40x.lock.json"), "{");
  await expect(move()).rejects.toThrow(
    /ann%40x\.lock\.json cannot be read\. Fix or delete it.*Nothing was moved\.$/,
  );
  writeFileSync(config, '{"mcpServers": {"a": 1}}');
  await expect(move()).rejects.toThrow(/mcp\.json says of MCP servers, .* Nothing was moved\.$/);
  writeFileSync(join(dataDir, "secrets.json"), '{"appSecret":"another","launchToken":"one"}');
  await expect(move()).rejects.toThrow(/is not the one that the stored data was written with/);
  expect(await ask(url, "select count(*)::int as rows from conversation")).toEqual([{ rows: 0 }]);
});

test.each([
  [{}, [], /^Say where to: npm run move-to-postgres -- --from DATA_DIR --to DATABASE_URL/],
  [{ DATABASE_URL: "mysql://x" }, [], /^DATABASE_URL must be a postgres:\/\/ address\.$/],
  [{ DATABASE_URL: "postgres://x", DATA_DIR: "/nowhere" }, [], /^\/nowhere holds no data of Meguri: npm run/],
  [{ DATABASE_URL: "postgres://x" }, ["--force"], /--force.* npm run move-to-postgres/],
])("%o with %o is refused in one sentence", async (env, args, message) => {
  await expect(moveToPostgres(env, args, () => {})).rejects.toMatchObject({
    name: "StartError",
    message: expect.stringMatching(message),
  });
});
