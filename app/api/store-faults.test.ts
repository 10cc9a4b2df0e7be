import { expect, test } from "vitest";
import type { ConversationDetail } from "@/lib/protocol/http";
import { DiskRoom } from "@/lib/server/disk-room";
import { getDeps } from "@/lib/server/entry/deps";
import { fillDisk } from "@/lib/server/testing/full-disk";
import { lockStored } from "@/lib/server/testing/lock-stored";
import { onSqlite } from "@/lib/server/testing/on-sqlite";
import { askStored } from "@/lib/server/testing/stored-rows";
import { callApi, readStream, withApplication } from "./testing/call-api";

withApplication({});

const codeOf = async (response: Response): Promise<string> =>
  ((await response.json()) as { error?: { code: string } }).error?.code ?? "none";
const create = () => callApi("POST", "/api/conversations", { title: "A talk".repeat(20) });
const ready = () => callApi("GET", "/api/ready");
const ask = async (text: string) =>
  readStream(await callApi("POST", "/api/chat", { message: { text }, model: "demo/demo" }));

const isOurDisk = "The disk is that of the server, which is ready for who reads.";

test("with a full disk under its log the server is not ready", async (context) => {
  onSqlite(context, isOurDisk);
  await fillDisk("log");
  const full = await ready();
  expect([full.status, await codeOf(full)]).toEqual([503, "disk_full"]);
});

test("with a full disk under its records the server is not ready, and is again once there is room", async (context) => {
  onSqlite(context, isOurDisk);
  const makeRoom = await fillDisk("records");
  const full = await ready();
  expect([full.status, await codeOf(full)]).toEqual([503, "disk_full"]);
  await makeRoom();
  await expect.poll(async () => (await ready()).status).toBe(200);
});

test("what cannot be stored because the disk is full is 507 by name, and what was stored before stays", async () => {
  await fillDisk("records");
  const kept: string[] = [];
  let refused = await create();
  for (; refused.status === 201 && kept.length < 1_000; refused = await create())
    kept.push(((await refused.json()) as { id: string }).id);
  expect([refused.status, await codeOf(refused)]).toEqual([507, "disk_full"]);
  const sent = await callApi("POST", "/api/chat", {
    message: { text: "x".repeat(9_000) },
    model: "demo/demo",
  });
  expect([sent.status, await codeOf(sent)]).toEqual([507, "disk_full"]);
  // What was acknowledged before is there.
  for (const id of kept) expect((await callApi("GET", `/api/conversations/${id}`)).status).toBe(200);
});

test("signing in while the database is locked is 503 by name, and works after it", async () => {
  const { secrets } = await getDeps();
  const signIn = () => callApi("GET", `/api/session?token=${secrets.launchToken}`);
  const unlock = await lockStored();
  const refused = await signIn();
  expect([refused.status, await codeOf(refused), refused.headers.get("set-cookie")]).toEqual([
    ...[503, "database", null],
  ]);
  await unlock();
  expect((await signIn()).headers.get("set-cookie")).toMatch(/^meguri_\w+=[\w-]{40,};/);
});

test("a database that another program has locked is 503 with a time to come back, and serves again after it", async () => {
  const unlock = await lockStored();
  const refused = await create();
  expect([refused.status, await codeOf(refused)]).toEqual([503, "database"]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  await unlock();
  expect((await create()).status).toBe(201);
});

test("a damaged event is an error by name, and what stands before it is still streamed", async () => {
  const { runId, chunks } = await ask("count to 8");
  const ofRun = `run = (select run from run_key where run_id = '${runId}')`;
  const [last] = await askStored(`select max(first) as first from event_range where ${ofRun}`);
  const damaged = Number(last?.first);
  expect(damaged).toBeGreaterThan(1);
  await askStored(`update event_range set data = '[]' where ${ofRun} and first = ${damaged}`);
  const all = await callApi("GET", `/api/runs/${runId}/events`);
  expect([all.status, await codeOf(all)]).toEqual([500, "damaged"]);
  const begun = await readStream(await callApi("GET", `/api/runs/${runId}/stream`));
  expect(begun.chunks).toEqual(chunks.slice(0, damaged - 1));
  expect(begun.status).toBe("");
  const rest = await callApi("GET", `/api/runs/${runId}/stream?after=${damaged - 1}`);
  expect([rest.status, await codeOf(rest)]).toEqual([500, "damaged"]);
});

test("a damaged message is an error by name, and not one that is missing", async () => {
  const { conversationId, messageId } = await ask("count to 2");
  const { messages } = (await (
    await callApi("GET", `/api/conversations/${conversationId}`)
  ).json()) as ConversationDetail;
  const answer = messages.at(-1)?.id ?? "";
  await askStored(`update message set body = '{}' where id = '${messageId}'`);
  const again = await callApi("POST", "/api/chat", {
    conversationId,
    regenerate: answer,
    model: "demo/demo",
  });
  expect([again.status, await codeOf(again)]).toEqual([500, "damaged"]);
  const read = await callApi("GET", `/api/conversations/${conversationId}`);
  expect([read.status, await codeOf(read)]).toEqual([500, "damaged"]);
  const missing = await callApi("POST", "/api/chat", {
    conversationId,
    regenerate: "none",
    model: "demo/demo",
  });
  expect([missing.status, await codeOf(missing)]).toEqual([404, "not_found"]);
});

test("a disk that fills up is told of while the server is ready, and to admins with what is stored", async () => {
  const deps = await getDeps();
  let free = 90_000_000_000;
  deps.disk = new DiskRoom(deps.env.DATA_DIR, deps.log, async () => ({ free, size: 100_000_000_000 }));
  expect(await (await ready()).json()).toMatchObject({ status: "ready", disk: "ok" });
  free = 1;
  const low = await ready();
  expect([low.status, await low.json()]).toEqual([200, { status: "ready", liveRuns: 0, disk: "low" }]);
  expect(await (await callApi("GET", "/api/data/usage")).json()).toMatchObject({ disk: "low" });
});
