import { afterAll, expect, test } from "vitest";
import type { ConversationFile } from "@/lib/protocol/conversation-file";
import type { ImportResult } from "@/lib/protocol/imports";
import { noisyPng } from "@/lib/providers/testing/files";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { callTools, say } from "@/lib/providers/testing/steps";
import { getDeps } from "@/lib/server/entry/deps";
import { callApi, readStream, withApplication } from "./testing/call-api";

const model = await startOpenAiServer(
  ({ toolResults }) =>
    toolResults.length === 0 ? [callTools({ name: "plain__echo", args: { text: "x" } })] : [say("Seen.")],
  { models: ["seer-vision"] },
);
afterAll(() => model.close());

withApplication(
  { plain: { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] } },
  { OPENAI_BASE_URL: model.url, TOOL_APPROVAL: "allow" },
);

const upload = async (bytes: Uint8Array | string, name: string, type: string): Promise<{ id: string }> => {
  const headers = { "content-type": type, "x-filename": name };
  const { id } = await (await callApi("POST", "/api/attachments", bytes, headers)).json();
  return { id };
};

async function ask(text: string): Promise<string> {
  const attachments = [
    await upload(noisyPng(40), "picture.png", "image/png"),
    await upload("a,b\n1,2\n", "table.csv", "text/csv"),
  ];
  const body = { message: { text, attachments }, model: "openai/seer-vision" };
  return (await readStream(await callApi("POST", "/api/chat", body))).conversationId;
}

const bytesOf = async (path: string) => new Uint8Array(await (await callApi("GET", path)).arrayBuffer());
const jsonOf = (id: string) => bytesOf(`/api/conversations/${id}/export`);

async function importFile(bytes: Uint8Array | string): Promise<ImportResult> {
  const response = await callApi("POST", "/api/conversations/import", bytes, {
    "content-type": "application/octet-stream",
  });
  const answer = await response.json();
  expect(response.status, JSON.stringify(answer)).toBe(200);
  return answer;
}

/** As if it had never been here: what is only hidden keeps its id. */
async function forget(id: string): Promise<void> {
  const { store, files } = await getDeps();
  const ids = await store.attachments.idsOf(id);
  await store.conversations.delete(id);
  await files.delete(ids);
}

test("a JSON and a zip bring back what they were made of, once", async () => {
  const ids = [await ask("First"), await ask("Second")];
  const before = await Promise.all(ids.map(jsonOf));
  const zip = await bytesOf(`/api/export?ids=${ids.join()}`);
  for (const id of ids) await forget(id);
  expect(await importFile(zip)).toMatchObject({ imported: 2, skippedCount: 0, leftOut: [] });
  expect(await Promise.all(ids.map(jsonOf))).toEqual(before);
  expect(await importFile(zip)).toMatchObject({
    imported: 0,
    skippedCount: 2,
    skipped: [{ code: "already_here" }, {}],
  });
  const [id = ""] = ids;
  await forget(id);
  const [json = new Uint8Array()] = before;
  expect(await importFile(json)).toMatchObject({ imported: 1, conversationIds: [id], leftOut: [] });
  expect(await jsonOf(id)).toEqual(json);
});

test("a copy of what is in the bin gets another id, with its runs and files", async () => {
  const id = await ask("Again");
  const file: ConversationFile = JSON.parse(Buffer.from(await jsonOf(id)).toString());
  await callApi("DELETE", `/api/conversations/${id}`);
  const { conversationIds } = await importFile(JSON.stringify(file));
  const [copy = ""] = conversationIds;
  expect(copy).not.toBe(id);
  const read: ConversationFile = JSON.parse(Buffer.from(await jsonOf(copy)).toString());
  expect(read.messages.map(({ message: { role } }) => role)).toEqual(
    file.messages.map(({ message: { role } }) => role),
  );
  expect(read.runs.map(({ events }) => events)).toEqual(file.runs.map(({ events }) => events));
  expect(read.files.map(({ data }) => data).toSorted()).toEqual(
    file.files.map(({ data }) => data).toSorted(),
  );
  const named = JSON.stringify(read.messages);
  for (const one of read.files) expect(named).toContain(one.id);
  const own = await (await callApi("GET", `/api/conversations/${copy}`)).json();
  expect(own.runs).toMatchObject([{ status: "completed", conversationId: copy }]);
});

test("a file of a newer version and a damaged one say so, and store nothing", async () => {
  const id = await ask("Kept");
  const file: ConversationFile = JSON.parse(Buffer.from(await jsonOf(id)).toString());
  await forget(id);
  const send = (body: object) =>
    callApi("POST", "/api/conversations/import", JSON.stringify(body), {
      "content-type": "application/json",
    });
  const newer = await send({ ...file, version: 2 });
  expect([newer.status, (await newer.json()).error.code]).toEqual([400, "newer_version"]);
  const damaged = await send({ ...file, messages: [{ id: "m" }] });
  expect(await damaged.json()).toMatchObject({ imported: 0, skipped: [{ title: "Kept", code: "broken" }] });
  expect((await callApi("GET", `/api/conversations/${id}`)).status).toBe(404);
});
