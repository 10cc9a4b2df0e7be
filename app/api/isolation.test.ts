import { beforeAll, expect, test, vi } from "vitest";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { say } from "@/lib/providers/testing/steps";
import { getDeps } from "@/lib/server/entry/deps";
import { newId, newTemporaryId } from "@/lib/server/ids";
import { addPasskey } from "./testing/authenticator";
import { readStream, withApplication } from "./testing/call-api";
import { join, signUp, type TestPerson, toPerson } from "./testing/people";

const model = await startOpenAiServer([[say("An answer.")]], { models: ["test-model"] });
withApplication({}, { AUTH: "accounts", OPENAI_BASE_URL: model.url });

const modules = import.meta.glob<Record<string, { [key: symbol]: unknown }>>("./**/route.ts", {
  eager: true,
});
const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;

let admin: TestPerson;
let owner: TestPerson;
let other: TestPerson;
/** Of the owner, by the folder whose `[id]` it is. */
let ids: Record<string, string>;
let temporary: { conversationId: string; runId: string };

const json = async (answer: Promise<Response>) => (await answer).json();
const ask = async (person: TestPerson, more: object = {}) =>
  readStream(
    await person.call("POST", "/api/chat", {
      message: { text: "Hello." },
      model: "openai/test-model",
      ...more,
    }),
  );
const upload = async (person: TestPerson) =>
  (
    await json(
      person.call("POST", "/api/attachments", "words", { "content-type": "text/plain", "x-filename": "a" }),
    )
  ).id;

beforeAll(async () => {
  admin = await toPerson(await signUp("Aiko"));
  [owner, other] = [await join(admin, "Ben"), await join(admin, "Cleo")];
  await owner.call("PATCH", "/api/settings", { titles: "words", instructions: "Of Ben." });
  await other.call("PATCH", "/api/settings", { titles: "words" });
  const { conversationId, runId, messageId } = await ask(owner);
  temporary = await ask(owner, { temporary: true });
  const make = async (path: string, body: object) =>
    (await json(owner.call("POST", path, body))).id as string;
  const session = (await json(owner.call("GET", "/api/sessions"))).items[0].id;
  const text = { name: "Of Ben", instructions: "Be kind." };
  ids = {
    conversations: conversationId,
    runs: runId,
    messages: messageId,
    attachments: await upload(owner),
    assistants: await make("/api/assistants", text),
    projects: await make("/api/projects", text),
    prompts: await make("/api/prompts", { name: "Of Ben", text: "Kindly." }),
    hooks: await make("/api/hooks", { url: "https://hooks.example/ben", events: ["run.waiting"] }),
    presets: await make("/api/mcp/presets", { name: "Of Ben", servers: [] }),
    shares: await make(`/api/conversations/${conversationId}/shares`, {}),
    matrix: await make("/api/matrix", {
      ...{ runIds: [runId], models: ["openai/test-model"], tape: "live" },
      ...{ budget: { tokens: 100_000 }, unpriced: "run" },
    }),
    schedules: await make("/api/schedules", {
      ...{ name: "Of Ben", text: "Kindly.", cron: "0 0 1 1 *", budget: { tokens: 100_000 } },
    }),
    triggers: await make("/api/triggers", {
      ...{ name: "Of Ben", text: "Kindly.", budget: { tokens: 100_000 } },
    }),
    sessions: session,
    passkeys: await addPasskey(owner),
    tokens: await make("/api/tokens", { name: "Of Ben", scopes: ["read"], expiresAt: null }),
  };
  // What still runs would change what is read before and after.
  await vi.waitFor(
    async () => expect((await json(owner.call("GET", `/api/matrix/${ids.matrix}`))).status).toBe("completed"),
    { timeout: 15_000 },
  );
});

/** A body that the schema of the route takes, so that the id is what it is refused for. */
const bodies: Record<string, unknown> = {
  "PATCH assistants/[id]": { name: "Mine" },
  "PATCH conversations/[id]": { title: "Mine" },
  "PATCH conversations/[id]/ledger": { items: { "message:1": "dropped" } },
  "POST conversations/[id]/messages": { edits: "m", text: "Mine" },
  "POST conversations/[id]/shares": {},
  "POST conversations/[id]/shares/file": {},
  "PATCH hooks/[id]": { enabled: false },
  "POST hooks/[id]/deliveries/[messageId]": {},
  "POST hooks/[id]/test": {},
  "PATCH matrix/[id]": { budget: { tokens: 900_000 } },
  "POST matrix/[id]/stop": {},
  "PATCH mcp/presets/[id]": { name: "Mine" },
  "PATCH projects/[id]": { name: "Mine" },
  "PATCH prompts/[id]": { name: "Mine" },
  "PATCH schedules/[id]": { name: "Mine" },
  "POST schedules/[id]/run": {},
  "POST triggers/[id]": {},
  "PATCH triggers/[id]": { name: "Mine" },
  "POST runs/[id]/answer": { requestId: "r", decision: "approve" },
  "POST runs/[id]/cancel": { callId: "c" },
  "POST runs/[id]/fork": { afterSeq: 1 },
  "POST runs/[id]/messages": { text: "Mine", when: "after", clientMessageId: "c" },
  "PATCH runs/[id]/messages/[messageId]": { text: "Mine" },
  "POST runs/[id]/rerun": { tape: "live" },
  "POST runs/[id]/resume": {},
  "PATCH runs/[id]": { step: true },
  "POST runs/[id]/stop": {},
  "PATCH shares/[id]": { expiresAt: null },
};

/** What has a name in its path that is nobody's own: agents and servers are the operator's, a link is for who has it. */
const shared = /^(agents|mcp\/servers|providers|share|users|invitations)\//;

/** Every route with the id of something that somebody owns. */
const owned = Object.entries(modules).flatMap(([file, module]) => {
  const path = file.replace(/^\.\/|\/route\.ts$/g, "");
  if (!path.includes("[") || path.startsWith("[...") || shared.test(path)) return [];
  return methods.filter((method) => method in module).map((method) => [method, path] as const);
});

const kindOf = (path: string) => /(?:^|\/)(\w+)\/\[id\]/.exec(path)?.[1] ?? "";

const fill = (path: string, id: string) =>
  `/api/${path
    .replace("[id]", id)
    .replace("[messageId]", "m")
    .replace("[file]", "f")
    .replace("[index]", "1")}`;

/** Everything that can be seen of an answer; the id that was asked with is a name of ours for both. */
async function seen(
  person: TestPerson,
  method: string,
  path: string,
  id: string,
  body: unknown,
  accept?: string,
) {
  const answer = await person.call(method, path, body, accept ? { accept } : {});
  const headers = [...answer.headers].filter(([name]) => name !== "x-run-id");
  return { status: answer.status, headers, text: (await answer.text()).replaceAll(id, "<id>") };
}

test("there are routes to walk, and each of them has an id of somebody and a body", () => {
  expect(owned.length).toBeGreaterThan(35);
  expect(owned.filter(([, path]) => ids[kindOf(path)] === undefined)).toEqual([]);
  const named = owned.filter(([method]) => method === "POST" || method === "PATCH" || method === "PUT");
  expect(named.map((route) => route.join(" ")).filter((name) => !(name in bodies))).toEqual([]);
});

test("a foreign id is answered exactly as an unknown one, on every route and as a stream", async () => {
  const before = await read(owner);
  for (const [method, path] of owned) {
    const id = ids[kindOf(path)] ?? "";
    const body = bodies[`${method} ${path}`];
    for (const accept of method === "GET" ? [undefined, "text/event-stream"] : [undefined]) {
      const foreign = await seen(other, method, fill(path, id), id, body, accept);
      const unknown = newId();
      const none = await seen(other, method, fill(path, unknown), unknown, body, accept);
      expect(foreign, `${method} ${path}`).toEqual(none);
      expect(foreign.status, `${method} ${path}`).toBeGreaterThanOrEqual(400);
    }
  }
  expect(await read(owner)).toEqual(before);
});

test("so is a foreign id in a query or a body", async () => {
  const { conversations = "", runs = "", projects = "", attachments = "", assistants = "" } = ids;
  const message = { message: { text: "Mine." }, model: "openai/test-model" };
  const asked: [string, string, (id: string) => string, (id: string) => unknown][] = [
    ["GET", conversations, (id) => `/api/search?q=hello&conversation=${id}`, () => undefined],
    ["GET", conversations, (id) => `/api/runs?conversation=${id}`, () => undefined],
    ["GET", projects, (id) => `/api/conversations?project=${id}`, () => undefined],
    ["GET", runs, (id) => `/api/runs/compare?ids=${id},${id}`, () => undefined],
    ["POST", conversations, () => "/api/chat", (conversationId) => ({ ...message, conversationId })],
    ["POST", projects, () => "/api/chat", (projectId) => ({ ...message, projectId })],
    ["POST", assistants, () => "/api/chat", (assistant) => ({ ...message, assistant })],
    [
      "POST",
      attachments,
      () => "/api/chat",
      (id) => ({ ...message, message: { text: "Mine.", attachments: [{ id }] } }),
    ],
    ["POST", conversations, () => "/api/conversations/batch", (id) => ({ ids: [id], action: "delete" })],
    ["POST", projects, () => "/api/conversations", (projectId) => ({ projectId })],
    ["POST", attachments, () => "/api/projects", (id) => ({ name: "Mine", instructions: "", files: [id] })],
    [
      "POST",
      runs,
      () => "/api/matrix",
      (id) => ({ runIds: [id], models: ["openai/test-model"], tape: "live", budget: { tokens: 9 } }),
    ],
  ];
  for (const [method, id, path, body] of asked) {
    const unknown = newId();
    const foreign = await seen(other, method, path(id), id, body(id));
    expect(foreign, `${method} ${path("")}`).toEqual(
      await seen(other, method, path(unknown), unknown, body(unknown)),
    );
  }
});

test("so is the id of somebody's temporary chat, which goes on for its owner", async () => {
  for (const [path, id] of [
    ["conversations/[id]", temporary.conversationId],
    ["runs/[id]", temporary.runId],
    ["runs/[id]/stream", temporary.runId],
  ] as const) {
    const unknown = newTemporaryId();
    expect(await seen(other, "GET", fill(path, id), id, undefined)).toEqual(
      await seen(other, "GET", fill(path, unknown), unknown, undefined),
    );
  }
  expect((await owner.call("GET", `/api/conversations/${temporary.conversationId}`)).status).toBe(200);
});

test("lists, settings and exports hold what is one's own; an admin reads no contents either", async () => {
  for (const person of [other, admin]) {
    const shown = JSON.stringify(await read(person));
    for (const id of Object.values(ids)) expect(shown).not.toContain(id);
    expect(shown).not.toContain("Of Ben");
    expect((await person.call("GET", `/api/conversations/${ids.conversations}`)).status).toBe(404);
  }
});

test("a member is refused what only an admin may, before anything else is looked at", async () => {
  const guarded = Symbol.for("meguri.guarded");
  let walked = 0;
  for (const [file, module] of Object.entries(modules))
    for (const method of methods) {
      if (module[method]?.[guarded] !== "admin") continue;
      const path = fill(file.replace(/^\.\/|\/route\.ts$/g, "").replace("[name]", "none"), "none");
      const answer = await other.call(
        method,
        path,
        method === "GET" || method === "DELETE" ? undefined : "{",
      );
      expect([answer.status, (await answer.json()).error.code], `${method} ${path}`).toEqual([
        403,
        "forbidden",
      ]);
      walked += 1;
    }
  expect(walked).toBeGreaterThan(15);
  expect((await other.call("GET", "/api/data/usage")).status).toBe(403);
  expect(await json(other.call("GET", "/api/data/usage?days=30"))).toEqual({
    wouldDelete: { conversations: 0, bytes: 0, isCut: false },
  });
  for (const patch of [{ providers: { openai: null } }, { endpoints: [] }, { models: {} }])
    expect((await other.call("PATCH", "/api/settings", patch)).status).toBe(403);
  expect((await other.call("PATCH", "/api/settings", { retention: { bytes: 10_000_000 } })).status).toBe(422);
  expect((await other.call("PATCH", "/api/settings", { retention: { days: 30 } })).status).toBe(200);
  await (await getDeps()).retention.wake();
});

test("a member is not told how models are reached", async () => {
  const { providers } = await json(other.call("GET", "/api/settings"));
  expect(JSON.stringify(providers)).not.toContain(model.url);
  expect(JSON.stringify((await json(admin.call("GET", "/api/settings"))).providers)).toContain(model.url);
});

/** What a person finds without knowing an id. */
async function read(person: TestPerson) {
  const lists = [
    "conversations",
    "runs",
    "shares",
    "assistants",
    "projects",
    "prompts",
    "schedules",
    "triggers",
    "hooks",
    "tokens",
    "passkeys",
    "mcp/presets",
    "settings",
  ];
  const found = lists.map(async (list) => json(person.call("GET", `/api/${list}`)));
  return Promise.all([...found, json(person.call("GET", "/api/search?q=hello"))]);
}
