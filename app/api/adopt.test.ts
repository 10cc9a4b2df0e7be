import { afterAll, expect, test } from "vitest";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { hang, say } from "@/lib/providers/testing/steps";
import { getDeps } from "@/lib/server/entry/deps";
import { localUser } from "@/lib/server/ids";
import { onSqlite } from "@/lib/server/testing/on-sqlite";
import { ownedRows } from "@/lib/server/testing/stored-rows";
import { callApi, withApplication } from "./testing/call-api";
import { hanging, haveEverything } from "./testing/everything";
import { signUp, stranger, toPerson } from "./testing/people";
import { runCommand } from "./testing/run-command";

const model = await startOpenAiServer(
  ({ lastUserText }) => (lastUserText.startsWith(hanging) ? [say("One moment."), hang] : [say("An answer.")]),
  { models: ["test-model"] },
);
afterAll(() => model.close());
withApplication({}, { AUTH: "local", OPENAI_BASE_URL: model.url });

const dataDir = () => process.env.DATA_DIR ?? "";
const adopt = (...args: string[]) => runCommand("adopt.ts", args);

async function end(): Promise<void> {
  const { pool, store } = await getDeps();
  await pool.close();
  await store.close();
  delete (globalThis as Record<symbol, unknown>)[Symbol.for("meguri.deps")];
}

test("what was written with AUTH=local becomes one person's, all of it, and nothing is lost", async () => {
  const made = await haveEverything(callApi, "Localina", "openai/test-model");
  await callApi("POST", `/api/runs/${made.liveRun}/stop`, {});
  await made.live;
  const refused = await adopt("aiko@example.com");
  expect(refused).toEqual({
    code: 1,
    said: expect.stringMatching(/^DATA_DIR .* is in use by process \d+; stop it/),
  });
  await end();
  expect(await adopt("aiko@example.com")).toEqual({
    code: 1,
    said: expect.stringMatching(
      /^There is no account with the address aiko@example\.com\. Start with AUTH=accounts/,
    ),
  });

  process.env.AUTH = "accounts";
  const aiko = await toPerson(await signUp("Aiko"));
  await aiko.call("PATCH", "/api/settings", { instructions: "Of Aiko.", retention: { days: 30 } });
  await end();
  const before = await ownedRows(localUser);
  const empty = Object.entries(before).filter(([, rows]) => rows.length === 0);
  // Else a kind could be forgotten here.
  expect(empty.map(([table]) => table).toSorted()).toEqual([
    "account_audit",
    "account_credential",
    "account_passkey",
    "account_session",
  ]);
  expect((await adopt("aiko@example.com")).said).toMatch(/^Conversations of .* are deleted after 30 days/);
  expect(await ownedRows(localUser)).toEqual(before);
  await getDeps();
  await aiko.call("PATCH", "/api/settings", { retention: {} });
  await end();

  const count = before.conversation?.length;
  expect(await adopt("Aiko@example.com")).toEqual({
    code: 0,
    said: expect.stringMatching(
      new RegExp(
        `^${count} conversations, .* are now those of aiko@example\\.com\\.\n.*with it: .*instructions`,
      ),
    ),
  });
  const left = await ownedRows(localUser);
  const stays = left.setting as { key: string }[];
  const kept = Object.entries(left).flatMap(([table, rows]) => (rows.length > 0 ? [table] : []));
  // A token of one mode is void in the other, and so is what a program has begun with it.
  expect(kept.toSorted()).toEqual(["api_token", "gateway_session", "setting"]);
  expect(stays.map(({ key }) => key)).toContain("instructions");
  const now = await ownedRows(aiko.id);
  for (const [table, rows] of Object.entries(before))
    if (!kept.includes(table))
      expect(now[table], table).toEqual(
        expect.arrayContaining(rows.map((row) => ({ ...(row as object), user_id: aiko.id }))),
      );
  // A second time it finds nothing to do.
  expect(await adopt("aiko@example.com")).toMatchObject({
    code: 0,
    said: expect.stringMatching(/^0 conversations/),
  });
  expect(await ownedRows(aiko.id)).toEqual(now);

  await getDeps();
  const read = async (path: string) => (await aiko.call("GET", path)).json();
  expect((await read("/api/conversations")).items).toHaveLength(count ?? 0);
  expect((await read("/api/settings")).instructions).toBe("Of Aiko.");
  expect((await read("/api/mcp/presets")).items).toMatchObject([{ name: "Localina" }]);
  expect((await read("/api/search?q=Localina")).items.length).toBeGreaterThan(0);
  expect(await (await aiko.call("GET", `/api/attachments/${made.files[0]}`)).text()).toBe("File of Localina");
  expect((await callApi("GET", `/api/share/${made.token}`, undefined, stranger)).status).toBe(200);
}, 150_000);

test("without an address it says what to do", async () => {
  expect(await adopt()).toEqual({ code: 1, said: expect.stringMatching(/npm run adopt -- /) });
});

test("without data it says what to do, and makes nothing", async (context) => {
  onSqlite(context, "A database is made by the first start.");
  const there = await runCommand("adopt.ts", ["a@example.com"], { DATA_DIR: `${dataDir()}-none` });
  expect(there).toEqual({ code: 1, said: expect.stringMatching(/holds no data of Meguri; set DATA_DIR/) });
});
