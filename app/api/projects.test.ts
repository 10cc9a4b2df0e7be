import { afterAll, beforeEach, expect, test } from "vitest";
import type { ConversationItem, Page } from "@/lib/protocol/http";
import type { ProjectDetail, ProjectItem } from "@/lib/protocol/projects";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { say } from "@/lib/providers/testing/steps";
import { callApi, readStream, withApplication } from "./testing/call-api";

const model = await startOpenAiServer(() => [say("Fine.")], {});
afterAll(() => model.close());
withApplication({}, { OPENAI_BASE_URL: model.url });

const path = "/api/projects";
const call = async (method: string, where: string, body?: unknown) => {
  const response = await callApi(method, where, body);
  return { status: response.status, body: await response.json() };
};
const list = async (query = "") => (await call("GET", path + query)).body as Page<ProjectItem>;
const add = async (body: object = {}): Promise<ProjectDetail> => {
  const { status, body: made } = await call("POST", path, { name: "Refunds", ...body });
  expect(status).toBe(201);
  return made;
};
const upload = async (name: string, text: string): Promise<string> => {
  const headers = { "content-type": "text/plain", "x-filename": name };
  const response = await callApi("POST", "/api/attachments", text, headers);
  expect(response.status).toBe(201);
  return (await response.json()).id;
};
const ask = async (more: object) => {
  const response = await callApi("POST", "/api/chat", { message: { text: "count to 1" }, ...more });
  expect(response.status).toBe(200);
  return readStream(response);
};
const inProject = async (id: string) =>
  ((await call("GET", `/api/conversations?project=${id}`)).body as Page<ConversationItem>).items;

beforeEach(async () => {
  for (const { id } of (await list()).items) await callApi("DELETE", `${path}/${id}?conversations=delete`);
});

test("a project is made, read, listed, changed and deleted", async () => {
  const made = await add({ name: " Refunds ", instructions: "Amounts in yen.", servers: ["one", "one"] });
  expect(made).toEqual({
    id: expect.any(String),
    name: "Refunds",
    instructions: "Amounts in yen.",
    files: [],
    servers: ["one"],
    conversations: { all: 0, archived: 0, waiting: 0, failed: 0 },
    attachments: [],
  });
  const where = `${path}/${made.id}`;
  const { attachments: _, ...item } = made;
  expect(await call("GET", where)).toEqual({ status: 200, body: made });
  expect((await list()).items).toEqual([item]);
  const { servers: __, ...bare } = made;
  expect((await call("PATCH", where, { name: "返金", servers: null })).body).toEqual({
    ...bare,
    name: "返金",
  });
  expect((await call("DELETE", where)).status).toBe(200);
  for (const method of ["GET", "PATCH", "DELETE"])
    expect(await call(method, where, method === "PATCH" ? {} : undefined)).toMatchObject({
      status: 404,
      body: { error: { code: "not_found", message: "There is no such project." } },
    });
});

test("the list comes in pages, newest first", async () => {
  for (const name of ["A", "B", "C"]) await add({ name });
  const first = await list("?limit=2");
  expect(first.items.map(({ name }) => name)).toEqual(["C", "B"]);
  const second = await list(`?limit=2&cursor=${first.nextCursor}`);
  expect(second).toMatchObject({ items: [{ name: "A" }], nextCursor: null });
  expect((await call("GET", `${path}?cursor=x`)).status).toBe(400);
});

test("bad input is refused by the name of its field, and nothing is kept", async () => {
  for (const [body, message] of [
    [{ name: " " }, "name: must not be empty."],
    [{ name: "a\u202eb" }, "name: must not hold characters that cannot be seen."],
    [{ name: "x".repeat(101) }, /^name: /],
    [{ instructions: "訳".repeat(34_134) }, "instructions: must have at most 100 KB; shorten it."],
    [{ instructions: "a\u{e0041}b" }, "instructions: must not hold characters that cannot be seen."],
    [{ files: Array(51).fill("x") }, /^files: /],
    [{ files: "x" }, /^files: /],
    [{ servers: [""] }, /^servers.0: /],
    [{ icon: "R" }, /^icon: /],
  ] as const) {
    const answer = await call("POST", path, { name: "Refunds", ...body });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringMatching(message) } },
    });
  }
  expect(await call("POST", path, { name: "x", files: ["gone"] })).toMatchObject({
    status: 404,
    body: { error: { message: "files.0: this file is no longer there; add it again." } },
  });
  expect((await list()).items).toEqual([]);
});

test("all of them together have at most 2 MB, and no change goes beyond", async () => {
  const instructions = "x".repeat(99_000);
  for (let at = 0; at < 20; at++) await add({ instructions });
  expect(await call("POST", path, { name: "x", instructions })).toMatchObject({
    status: 400,
    body: { error: { code: "too_many" } },
  });
  const small = await add();
  expect((await call("PATCH", `${path}/${small.id}`, { instructions })).status).toBe(400);
  expect((await call("GET", `${path}/${small.id}`)).body).toEqual(small);
});

test("a conversation begins in a project, is moved and taken out, and the list of one project has its own alone", async () => {
  const [one, two] = [await add({ name: "One" }), await add({ name: "Two" })];
  const { conversationId } = await ask({ projectId: one.id });
  const { body: empty } = await call("POST", "/api/conversations", { projectId: one.id });
  await ask({});
  expect((await inProject(one.id)).map(({ id, projectId }) => [id, projectId])).toEqual([
    [empty.id, one.id],
    [conversationId, one.id],
  ]);
  const move = (projectId: string | null) =>
    call("PATCH", `/api/conversations/${conversationId}`, { projectId });
  expect((await move(two.id)).body.projectId).toBe(two.id);
  expect((await list()).items.map(({ conversations }) => conversations.all)).toEqual([1, 1]);
  expect((await move(null)).body.projectId).toBeNull();
  expect(await inProject(two.id)).toEqual([]);
  const gone = { status: 404, body: { error: { message: "projectId: there is no such project." } } };
  expect(await move("gone")).toMatchObject(gone);
  expect(await call("POST", "/api/conversations", { projectId: "gone" })).toMatchObject(gone);
  expect(await call("POST", "/api/chat", { message: { text: "x" }, projectId: "gone" })).toMatchObject(gone);
  expect(
    await call("POST", "/api/chat", { message: { text: "x" }, conversationId, projectId: two.id }),
  ).toMatchObject({ status: 400, body: { error: { message: expect.stringMatching(/^projectId: /) } } });
});

test("one that has conversations is deleted with them or without them, as is said", async () => {
  const { id } = await add();
  const [kept, deleted] = [await ask({ projectId: id }), await ask({ projectId: id })];
  expect(await call("DELETE", `${path}/${id}`)).toMatchObject({
    status: 409,
    body: { error: { code: "not_empty" } },
  });
  expect((await call("DELETE", `${path}/${id}?conversations=maybe`)).status).toBe(400);
  await call("PATCH", `/api/conversations/${kept.conversationId}`, { projectId: null });
  expect((await call("DELETE", `${path}/${id}?conversations=delete`)).status).toBe(200);
  expect((await call("GET", `/api/conversations/${deleted.conversationId}`)).status).toBe(404);
  const other = await add();
  await call("PATCH", `/api/conversations/${kept.conversationId}`, { projectId: other.id });
  expect((await call("DELETE", `${path}/${other.id}?conversations=keep`)).status).toBe(200);
  expect((await call("GET", `/api/conversations/${kept.conversationId}`)).body.projectId).toBeNull();
});

test("files come and go with the project; one of a conversation or of another project comes as a copy", async () => {
  const [a, b] = [await upload("notes.md", "One."), await upload("notes.md", "Two.")];
  const { conversationId } = await ask({ message: { text: "x", attachments: [{ id: b }] } });
  const project = await add({ files: [a, b, a] });
  expect(project.files).toEqual([a, expect.any(String)]);
  expect(project.files[1]).not.toBe(b);
  expect(project.attachments).toEqual([
    { id: a, name: "notes.md", mimeType: "text/markdown", size: 4, readable: true },
    { id: project.files[1], name: "notes (2).md", mimeType: "text/markdown", size: 4, readable: true },
  ]);
  const other = await add({ files: [a] });
  expect(other.files).not.toEqual([a]);
  const asked = await ask({ message: { text: "x", attachments: [{ id: a }] } });
  expect((await callApi("DELETE", `/api/conversations/${asked.conversationId}`)).status).toBe(200);
  expect((await callApi("GET", `/api/attachments/${a}`)).status).toBe(200);
  await call("PATCH", `${path}/${project.id}`, { files: [project.files[1]] });
  expect((await callApi("GET", `/api/attachments/${a}`)).status).toBe(404);
  await callApi("DELETE", `${path}/${project.id}`);
  expect((await callApi("GET", `/api/attachments/${project.files[1]}`)).status).toBe(404);
  await callApi("DELETE", `/api/conversations/${conversationId}`);
  expect((await callApi("GET", `/api/attachments/${other.files[0]}`)).status).toBe(200);
});

test("two who add a file at the same moment lose none, and one that is removed takes no other along", async () => {
  const names = Array.from({ length: 6 }, (_, at) => `${at}.md`);
  const ids = await Promise.all(names.map((name) => upload(name, name)));
  const { id } = await add({ files: ids.slice(0, 1) });
  const change = (body: object) => call("PATCH", `${path}/${id}`, body);
  await Promise.all(ids.slice(1).map((file) => change({ addFiles: [file] })));
  const { files } = (await change({ removeFiles: [ids[0]] })).body;
  expect(files.toSorted()).toEqual(ids.slice(1).toSorted());
  const more: string[] = [];
  while (more.length < 46) more.push(await upload(`more-${more.length}.md`, "x"));
  expect(await change({ addFiles: more })).toMatchObject({
    status: 400,
    body: { error: { message: "addFiles: a project has at most 50 files; remove one first." } },
  });
  expect((await call("GET", `${path}/${id}`)).body.files).toEqual(files);
});

test("a request that names a file which is gone copies none of the others", async () => {
  const file = await upload("notes.md", "One.");
  await ask({ message: { text: "x", attachments: [{ id: file }] } });
  const taken = async () => (await call("GET", "/api/data/usage")).body.kinds.attachments as number;
  const before = await taken();
  const { id } = await add();
  for (const [method, where] of [
    ["PATCH", `${path}/${id}`],
    ["POST", path],
  ] as const)
    expect(await call(method, where, { name: "x", files: [file, "gone"] })).toMatchObject({
      status: 404,
      body: { error: { message: "files.1: this file is no longer there; add it again." } },
    });
  expect(await taken()).toEqual(before);
});
