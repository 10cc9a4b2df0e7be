import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { say, until } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import type { App } from "../support/app";
import { noServers } from "../support/default-servers";
import { endOf, logged, textOf } from "../support/follow-stream";
import { expect, test } from "../support/server-test";

const root = join(import.meta.dirname, "..", "..");
const story = "A line of a story that is told for as long as a backup takes. ".repeat(40);

/** The command as its own process, for the data of this application. */
const command = (name: "backup" | "restore", file: string, dataDir: string, mcpConfig: string) =>
  promisify(execFile)(process.execPath, [join(root, `scripts/${name}.mjs`), file], {
    env: { PATH: process.env.PATH, NODE_ENV: "production", DATA_DIR: dataDir, MCP_CONFIG: mcpConfig },
  });

/** What people read of all that is kept, by the path it was read from. */
async function readAll(app: App, conversations: readonly string[], shared: string) {
  const paths = [
    "/api/settings",
    "/api/conversations",
    "/api/shares",
    shared,
    ...conversations.flatMap((id) => [
      `/api/conversations/${id}?limit=200`,
      `/api/conversations/${id}/export?format=json`,
    ]),
  ];
  const bodies = [];
  for (const path of paths) {
    const response = await app.fetch(path);
    expect(response.status, path).toBe(200);
    bodies.push([path, (await response.text()).replaceAll(/"exportedAt":\s*"[^"]*"|"views":\d+/g, "")]);
  }
  return bodies;
}

test("a backup that is made while an answer is written comes up elsewhere as it was, with that answer interrupted", async ({
  startWithModel,
}) => {
  const held = Promise.withResolvers<void>();
  const secret = "a secret of the environment that is long enough";
  const { app } = await startWithModel(
    [[say("A short answer.")], [say(story, { delayMs: 15 }), until(held.promise)]],
    {
      ...noServers,
      env: { APP_SECRET: secret },
    },
  );
  const api = apiOf(app);
  const uploaded = await app.fetch("/api/attachments", {
    method: "POST",
    headers: { "content-type": "text/plain", "x-filename": encodeURIComponent("覚え書き.txt") },
    body: "What is in the attached file",
  });
  const { id: attachment } = (await uploaded.json()) as { id: string };
  await api.patch("/api/settings", { providers: { google: { apiKey: "AIza-a-sealed-key" } } });
  const first = await api.ask("What is in it?", {
    message: { text: "What is in it?", attachments: [{ id: attachment }] },
  });
  await first.closed;
  const { conversationId } = await api.run(first.runId);
  const { url } = await api.post<{ url: string }>(`/api/conversations/${conversationId}/shares`);
  const shared = `/api/share/${new URL(url).pathname.split("/").at(-1)}`;
  const before = await readAll(app, [conversationId], shared);

  const live = await api.ask("Tell me a story");
  await live.until((events) => logged(events).length >= 10);
  const acknowledged = logged(live.events);
  const home = mkdtempSync(join(tmpdir(), "meguri-e2e-backup-"));
  try {
    const [file, dataDir] = [join(home, "backup.zip"), join(home, "data")];
    await command("backup", file, app.dataDir, app.mcpConfig);
    expect(live.events.some(({ event }) => event === "end")).toBe(false);
    await app.kill9();
    held.resolve();
    await command("restore", file, dataDir, app.mcpConfig);
    await app.restart({ DATA_DIR: dataDir });

    const run = await api.run(live.runId);
    expect(run).toMatchObject({ status: "interrupted", stopReason: "interrupted" });
    const replayed = await api.replay(live.runId);
    expect(logged(replayed.events).slice(0, acknowledged.length)).toEqual(acknowledged);
    expect(endOf(replayed.events).finalText).toBe(textOf(replayed.events));
    expect(await (await app.fetch(`/api/attachments/${attachment}`)).text()).toBe(
      "What is in the attached file",
    );
    await api.send("DELETE", `/api/conversations/${run.conversationId}`);
    expect(await readAll(app, [conversationId], shared)).toEqual(before);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

test("a backup that is started with another secret says what that means", async ({ start }) => {
  const app = await start({ ...noServers, env: { APP_SECRET: "the first secret, which is long enough" } });
  const home = mkdtempSync(join(tmpdir(), "meguri-e2e-backup-"));
  try {
    const [file, dataDir] = [join(home, "backup.zip"), join(home, "data")];
    await command("backup", file, app.dataDir, app.mcpConfig);
    await command("restore", file, dataDir, app.mcpConfig);
    const other = { DATA_DIR: dataDir, APP_SECRET: "" };
    await expect(app.restart(other)).rejects.toThrow(/is not the one that the stored data was written with/);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
