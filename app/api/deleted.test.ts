import { beforeEach, expect, test } from "vitest";
import { purgeDeleted } from "@/lib/server/conversations/purge";
import { getDeps } from "@/lib/server/entry/deps";
import { newConversation } from "@/lib/server/new-rows";
import { callApi, readStream, withApplication } from "./testing/call-api";

withApplication({});

const dayMs = 86_400_000;

const call = async (method: string, path: string, body?: unknown) => {
  const response = await callApi(method, path, body);
  const text = await response.text();
  return { status: response.status, body: text && JSON.parse(text) };
};
const batch = (ids: string[], action: string, rest = {}) =>
  call("POST", "/api/conversations/batch", { ids, action, ...rest });
const listed = async (query = ""): Promise<string[]> =>
  (await call("GET", `/api/conversations${query}`)).body.items.map(({ id }: { id: string }) => id);

beforeEach(async () => {
  const ids = await listed("?archived=all&limit=200");
  if (ids.length > 0) await batch(ids, "delete");
});

/** A conversation with an answer, a file and a link. */
async function add() {
  const upload = await callApi("POST", "/api/attachments", "Some words.", {
    "x-filename": "words.txt",
    "content-type": "text/plain",
  });
  const file = (await upload.json()).id as string;
  const message = { text: "count to 1", attachments: [{ id: file }] };
  const asked = await readStream(await callApi("POST", "/api/chat", { message, clientMessageId: file }));
  const id = asked.conversationId;
  const { body: link } = await call("POST", `/api/conversations/${id}/shares`, {});
  return { id, file, run: asked.runId, message: asked.messageId, link: link.id, token: link.token };
}

/** One without messages. */
const addEmpty = async (): Promise<string> => (await call("POST", "/api/conversations", {})).body.id;

type Added = Awaited<ReturnType<typeof add>>;

/** Every address under which a conversation, or what belongs to it, can be asked for. */
const addresses = ({ id, file, run, link }: Added): [method: string, path: string, body?: unknown][] => [
  ["GET", `/api/conversations/${id}`],
  ["PATCH", `/api/conversations/${id}`, { title: "Mine" }],
  ["DELETE", `/api/conversations/${id}`],
  ["POST", `/api/conversations/${id}/shares`, {}],
  ["POST", "/api/chat", { conversationId: id, message: { text: "count to 2" } }],
  ["POST", "/api/chat", { message: { text: "count to 1" }, clientMessageId: file }],
  ["GET", `/api/runs/${run}`],
  ["GET", `/api/runs/${run}/events`],
  ["GET", `/api/runs/${run}/stream`],
  ["GET", `/api/runs/${run}/messages`],
  ["GET", `/api/runs/${run}/files/${file}`],
  ["POST", `/api/runs/${run}/messages`, { text: "x", clientMessageId: "x", when: "after" }],
  ["PATCH", `/api/runs/${run}/messages/x`, { text: "x" }],
  ["DELETE", `/api/runs/${run}/messages/x`],
  ["POST", `/api/runs/${run}/stop`, {}],
  ["POST", `/api/runs/${run}/cancel`, { callId: "x" }],
  ["POST", `/api/runs/${run}/answer`, { requestId: "x", decision: "approve" }],
  ["POST", `/api/runs/${run}/resume`, {}],
  ["GET", `/api/attachments/${file}`],
  ["PATCH", `/api/shares/${link}`, { refresh: true }],
  ["DELETE", `/api/shares/${link}`],
];

const statuses = async (of: ReturnType<typeof addresses>) => {
  const found: string[] = [];
  for (const [method, path, body] of of) found.push(`${(await callApi(method, path, body)).status} ${path}`);
  return found;
};

test("what is deleted is nowhere, its links are over, and all of it comes back within a day", async () => {
  const gone = await add();
  const other = await add();
  const before = await call("GET", `/api/conversations/${gone.id}`);
  const log = await (await callApi("GET", `/api/runs/${gone.run}/events`)).text();
  expect((await call("DELETE", `/api/conversations/${gone.id}`)).status).toBe(200);
  expect(await statuses(addresses(gone))).toEqual(addresses(gone).map(([, path]) => `404 ${path}`));
  for (const path of [`/api/share/${gone.token}`, `/api/share/${gone.token}/attachments/${gone.file}`])
    expect([404, 410]).toContain((await callApi("GET", path)).status);
  expect((await callApi("GET", `/api/share/${gone.token}`)).status).toBe(410);
  expect((await callApi("POST", `/api/share/${gone.token}/fork`, {})).status).toBe(410);
  expect(await listed("?archived=all")).toEqual([other.id]);
  expect((await call("GET", "/api/shares")).body.items.map(({ id }: { id: string }) => id)).toEqual([
    other.link,
  ]);
  expect(await batch([gone.id, other.id, "unknown"], "restore")).toEqual({
    status: 200,
    body: { done: [gone.id, other.id], failed: [{ id: "unknown", code: "not_found" }] },
  });
  expect(await call("GET", `/api/conversations/${gone.id}`)).toEqual(before);
  expect(await (await callApi("GET", `/api/runs/${gone.run}/events`)).text()).toBe(log);
  expect((await callApi("GET", `/api/attachments/${gone.file}`)).status).toBe(200);
  expect((await callApi("GET", `/api/share/${gone.token}`)).status).toBe(200);
});

test("after a day it cannot be restored, and goes with its rows, logs and files", async () => {
  const { id, file, run, token } = await add();
  const kept = await add();
  const { store, files, turns } = await getDeps();
  await store.conversations.hide(id, Date.now() - dayMs - 1);
  await store.conversations.hide(kept.id, Date.now() - dayMs + 60_000);
  expect((await batch([id], "restore")).body.failed).toEqual([{ id, code: "not_found" }]);
  expect(await purgeDeleted({ store, files, turns }, { isClosed: () => true })).toBe(0);
  expect(await purgeDeleted({ store, files, turns }, { isClosed: () => false })).toBe(1);
  expect([await store.log.lastSeq(run), await files.has(file)]).toEqual([0, false]);
  expect((await callApi("GET", `/api/share/${token}`)).status).toBe(404);
  expect((await batch([kept.id], "restore")).body.done).toEqual([kept.id]);
  expect(await files.has(kept.file)).toBe(true);
});

test("the job that runs every hour does it, and one that is restored in time stays", async () => {
  const [gone, back] = [await addEmpty(), await addEmpty()];
  const { store, retention } = await getDeps();
  for (const id of [gone, back]) await store.conversations.hide(id, Date.now() - 2 * dayMs);
  await store.conversations.restore("local", [back], 0);
  await retention.wake();
  expect(await store.conversations.restore("local", [gone], 0)).toEqual([]);
  expect(await listed()).toEqual([back]);
});

test("an archived one is in no list that does not ask for it, and all else goes on", async () => {
  const [a, b] = [await add(), await addEmpty()];
  const archived = await call("PATCH", `/api/conversations/${a.id}`, { archived: true });
  expect(archived.body).toMatchObject({ id: a.id, archived: true });
  expect(await listed()).toEqual([b]);
  expect(await listed("?archived=false")).toEqual([b]);
  expect(await listed("?archived=true")).toEqual([a.id]);
  expect((await listed("?archived=all")).toSorted()).toEqual([a.id, b].toSorted());
  expect((await call("GET", "/api/conversations?archived=maybe")).body.error.message).toMatch(/^archived: /);
  expect((await call("GET", `/api/conversations/${a.id}`)).body.archived).toBe(true);
  await readStream(
    await callApi("POST", "/api/chat", { conversationId: a.id, message: { text: "count to 2" } }),
  );
  expect(await listed()).toEqual([b]);
  expect((await callApi("GET", `/api/share/${a.token}`)).status).toBe(200);
  await batch([a.id], "unarchive");
  expect(await listed()).toEqual([a.id, b]);
});

test("the list can be of pinned ones, of a project, and of both", async () => {
  const project = (await call("POST", "/api/projects", { name: "Refunds" })).body.id;
  const [a, b, c] = [await addEmpty(), await addEmpty(), await addEmpty()];
  await call("PATCH", `/api/conversations/${a}`, { pinned: true });
  await call("PATCH", `/api/conversations/${b}`, { pinned: true });
  expect(await batch([b, c, "unknown"], "move", { projectId: project })).toMatchObject({
    body: { done: [b, c], failed: [{ id: "unknown", code: "not_found" }] },
  });
  expect(await listed("?pinned=true")).toEqual([b, a]);
  expect(await listed("?pinned=false")).toEqual([c]);
  expect(await listed(`?project=${project}`)).toEqual([b, c]);
  expect(await listed(`?project=${project}&pinned=false`)).toEqual([c]);
  await batch([c], "archive");
  expect(await listed(`?project=${project}`)).toEqual([b]);
  expect(await listed(`?project=${project}&archived=true`)).toEqual([c]);
  expect((await batch([b], "move", { projectId: null })).body.done).toEqual([b]);
  // The archived one goes with its project too.
  expect((await call("DELETE", `/api/projects/${project}?conversations=delete`)).status).toBe(200);
  expect((await call("GET", `/api/conversations/${c}`)).status).toBe(404);
  expect((await call("GET", `/api/conversations/${b}`)).status).toBe(200);
});

test("a batch that is wrong says how, and changes nothing", async () => {
  const id = await addEmpty();
  const error = async (body: unknown) => {
    const answer = await call("POST", "/api/conversations/batch", body);
    expect(answer.status).toBe(400);
    return answer.body.error.message;
  };
  expect(await error({ ids: [], action: "delete" })).toMatch(/^ids: /);
  expect(await error({ ids: Array(501).fill(id), action: "delete" })).toMatch(/^ids: .*500/);
  expect(await error({ ids: [id], action: "burn" })).toMatch(/^action: /);
  expect(await error({ ids: [id], action: "move" })).toMatch(/^projectId: /);
  expect(await error({ ids: [id], action: "delete", projectId: null })).toMatch(/^projectId: /);
  expect((await batch([id], "move", { projectId: "gone" })).status).toBe(404);
  expect(await listed()).toEqual([id]);
});

test("nobody touches what is somebody else's", async () => {
  const { store } = await getDeps();
  const theirs = newConversation("eve");
  await store.conversations.create(theirs);
  const refused = { done: [], failed: [{ id: theirs.id, code: "not_found" }] };
  for (const action of ["archive", "unarchive", "delete", "restore"])
    expect((await batch([theirs.id], action)).body).toEqual(refused);
  expect((await batch([theirs.id], "move", { projectId: null })).body).toEqual(refused);
  await store.conversations.hide(theirs.id, Date.now());
  expect((await batch([theirs.id], "restore")).body).toEqual(refused);
  expect(await store.conversations.restore("eve", [theirs.id], 0)).toEqual([theirs.id]);
  expect(await store.conversations.get("eve", theirs.id)).toMatchObject(theirs);
});
