import { beforeEach, expect, test } from "vitest";
import type { ChatMessage } from "@/lib/protocol/message";
import type { SearchItem } from "@/lib/protocol/search";
import { getDeps } from "@/lib/server/entry/deps";
import { newConversation, newMessage } from "@/lib/server/new-rows";
import { callApi, readStream, withApplication } from "./testing/call-api";

withApplication({ plain: { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] } });

const call = async (method: string, path: string, body?: unknown) => {
  const response = await callApi(method, path, body);
  return { status: response.status, body: await response.json() };
};

const find = async (q: string, rest = ""): Promise<SearchItem[]> => {
  const { status, body } = await call("GET", `/api/search?q=${encodeURIComponent(q)}${rest}`);
  expect([status, body.error]).toEqual([200, undefined]);
  return body.items;
};
/** What was found, with what was hit in brackets. */
const found = async (q: string, rest = "") =>
  (await find(q, rest)).map(({ snippet }) =>
    snippet.map(({ text, hit }) => (hit ? `[${text}]` : text)).join(""),
  );

const user = (text: string): ChatMessage => ({ role: "user", parts: [{ type: "text", text }] });
const says = (text: string): ChatMessage => ({ role: "assistant", parts: [{ type: "text", text }] });

let at = 1_000_000;
/** A conversation with these messages, one after the other. */
async function add(
  messages: readonly ChatMessage[],
  told: Parameters<typeof newConversation>[1] = {},
  userId = "local",
) {
  const { store } = await getDeps();
  const conversation = newConversation(userId, told);
  await store.conversations.create(conversation);
  let parentId: string | null = null;
  const rows = messages.map((message) => {
    const row = newMessage({ conversationId: conversation.id, parentId }, message, { createdAt: at++ });
    parentId = row.id;
    return row;
  });
  await store.messages.append(conversation.id, rows);
  return { id: conversation.id, messages: rows.map(({ id }) => id) };
}

beforeEach(async () => {
  const { store } = await getDeps();
  const { items } = await store.conversations.list("local", { limit: 200 });
  for (const { id } of items) await store.conversations.delete(id);
});

test("a question and its answer are found as soon as they are stored, and say where they are", async () => {
  const asked = await readStream(
    await callApi("POST", "/api/chat", { message: { text: "Where do the Kamo herons nest?" } }),
  );
  const [item, ...others] = await find("heron kamo");
  expect(others.map(({ role }) => role)).toEqual([]);
  expect(item).toEqual({
    conversationId: asked.conversationId,
    title: expect.any(String),
    messageId: asked.messageId,
    role: "user",
    at: expect.stringMatching(/^20\d\d-.*Z$/),
    snippet: [
      { text: "Where do the ", hit: false },
      { text: "Kamo", hit: true },
      { text: " ", hit: false },
      { text: "heron", hit: true },
      { text: "s nest?", hit: false },
    ],
  });
});

test.each([
  ["天気", ["京都の[天気]はどうですか"]],
  ["花", ["[花]が咲く", "お[花]見"]],
  ["見", ["お花[見]"]],
  ["京都の天気", ["[京都の天気]はどうですか"]],
  ["都天", []],
  ["元気温", []],
  ["京都　どう", ["[京都]の天気は[どう]ですか"]],
  ["カタカナ", ["半角[ｶﾀｶﾅ]とガ"]],
  ["ｶﾀｶﾅ", ["半角[ｶﾀｶﾅ]とガ"]],
  ["GPT4を", ["[ＧＰＴ４を]使う"]],
  ["gpt", ["[ＧＰＴ]４を使う"]],
  ["STRASSE", []],
  ["straße", ["Die [Straße] ist lang"]],
  ["str", ["Die [Str]aße ist lang"]],
  ["raße", []],
  ["lang die", ["[Die] Straße ist [lang]"]],
  ["lang weg", []],
  ["한국", ["[한국]어를 배운다"]],
  ["국어", ["한[국어]를 배운다"]],
  ["d", []],
])("%s finds what has it", async (q, expected) => {
  for (const text of [
    "京都の天気はどうですか",
    "お花見",
    "半角ｶﾀｶﾅとガ",
    "ＧＰＴ４を使う",
    "Die Straße ist lang",
    "한국어를 배운다",
    "花が咲く",
    "元気と気温",
  ])
    await add([user(text)]);
  expect(await found(q)).toEqual(expected);
});

test("calls are found by the tool's name and its arguments under the message that makes them, results are not", async () => {
  const call = {
    type: "tool_call" as const,
    id: "a" as never,
    name: "filesystem__read_file",
    args: { path: "/srv/notes/kyoto.md", lines: [12, { from: "灯台" }] },
  };
  const results = [
    { id: call.id, status: "ok" as const, content: [{ type: "text" as const, text: "seagull" }] },
  ];
  const { messages } = await add([
    user("Read it"),
    { role: "assistant", parts: [{ type: "reasoning", text: "pelican" }, call] },
    { role: "tool", results },
    { role: "summary", text: "albatross", keep: 1 },
  ]);
  for (const q of ["read_file", "filesystem__read_file", "kyoto", "/srv/notes/kyoto.md", "灯", "lines 12"])
    expect((await find(q)).map(({ messageId, role }) => [messageId, role])).toEqual([
      [messages[1], "assistant"],
    ]);
  for (const q of ["seagull", "pelican", "albatross"]) expect(await find(q)).toEqual([]);
});

test("filters take a conversation, a project, a role, and archived ones", async () => {
  const project = (await call("POST", "/api/projects", { name: "Birds" })).body.id;
  const a = await add([user("heron one"), says("heron two")]);
  const b = await add([user("heron three")], { projectId: project });
  const c = await add([user("heron four")], { archived: true });
  const ids = async (rest: string) => (await find("heron", rest)).map(({ messageId }) => messageId);
  const all = [...c.messages, ...b.messages, ...a.messages.toReversed()];
  expect(await ids("&archived=true")).toEqual(all);
  expect(await ids("")).toEqual(all.slice(1));
  expect(await ids(`&conversation=${a.id}`)).toEqual(a.messages.toReversed());
  expect(await ids(`&conversation=${c.id}`)).toEqual(c.messages);
  expect(await ids(`&project=${project}`)).toEqual(b.messages);
  expect(await ids("&role=assistant")).toEqual(a.messages.slice(1));
  expect(await ids(`&project=${project}&role=assistant`)).toEqual([]);
  for (let n = 0; n < 101; n++) await add([], { projectId: project });
  expect(await ids(`&project=${project}`)).toEqual(b.messages);
  await call("PATCH", `/api/conversations/${b.id}`, { archived: true });
  expect(await ids("")).toEqual(a.messages.toReversed());
});

test("pages are newest first, each once, also among messages of one moment", async () => {
  const same = at;
  const texts = Array.from({ length: 7 }, (_, n) => user(`heron ${n}`));
  const made = await add(texts);
  at = same;
  const other = await add(texts);
  const seen: string[] = [];
  let cursor = "";
  for (let page = 0; page < 9; page++) {
    const { body } = await call("GET", `/api/search?q=heron&limit=4${cursor}`);
    seen.push(...body.items.map(({ messageId }: SearchItem) => messageId));
    if (body.nextCursor === null) break;
    cursor = `&cursor=${body.nextCursor}`;
  }
  // Within a second, what was stored last.
  const expected = [...made.messages, ...other.messages].toReversed();
  expect(seen).toEqual(expected);
  expect((await call("GET", "/api/search?q=heron&cursor=x")).status).toBe(400);
});

test("more messages of one moment than the index has places for are all found", async () => {
  const { store } = await getDeps();
  const { id } = newConversation("local");
  await store.conversations.create({ ...newConversation("local"), id });
  const rows = Array.from({ length: 5_000 }, (_, n) =>
    newMessage({ conversationId: id, parentId: null }, user(`heron n${n}`), { createdAt: 5_000 }),
  );
  await store.messages.append(id, rows);
  for (const n of [0, 4_094, 4_095, 4_096, 4_999]) expect(await find(`n${n} heron`)).toHaveLength(1);
  await add([user("wolf heron")]);
  expect(await find("wolf heron")).toHaveLength(1);
});

test("what is deleted is not found, comes back with its conversation, and leaves the index for ever", async () => {
  const { store } = await getDeps();
  const { id } = await add([user("heron")]);
  await call("DELETE", `/api/conversations/${id}`);
  expect(await find("heron")).toEqual([]);
  await call("POST", "/api/conversations/batch", { ids: [id], action: "restore" });
  expect(await find("heron")).toHaveLength(1);
  await store.conversations.delete(id);
  expect(await find("heron", "&archived=true")).toEqual([]);
});

test("nobody finds what is somebody else's, whatever is asked", async () => {
  const theirs = await add([user("heron u:65 eve")], {}, "eve");
  for (const rest of ["", `&conversation=${theirs.id}`, "&archived=true"]) {
    expect(await find("heron", rest)).toEqual([]);
    expect(await find("u:657665", rest)).toEqual([]);
  }
  expect(await find('heron" OR "u:657665')).toEqual([]);
});

test.each([
  '"',
  "heron*",
  "NEAR(heron nest)",
  "grams:heron",
  "heron OR wolf",
  "-heron",
  "^heron",
  "(heron",
  "heron AND",
  "{heron}",
  "heron + nest",
  "'; drop table message; --",
  "\u0000heron",
  "%_heron",
  "heron\ud800",
])("%s is looked for as words, and breaks nothing", async (q) => {
  await add([user("The heron nests.")]);
  const { status } = await call("GET", `/api/search?q=${encodeURIComponent(q.toWellFormed())}`);
  expect(status).toBe(/\w/.test(q) ? 200 : 400);
  expect(await find("heron")).toHaveLength(1);
});

test.each([
  ["", "q"],
  ["q=", "q"],
  ["q=%20%F0%9F%98%80", "q"],
  [`q=${"a".repeat(201)}`, "q"],
  [`q=${Array(17).fill("a").join("+")}`, "q"],
  ["q=a&role=tool", "role"],
  ["q=a&archived=maybe", "archived"],
  ["q=a&limit=1000", "limit"],
])("%s names the field", async (query, field) => {
  const { status, body } = await call("GET", `/api/search?${query}`);
  expect(status).toBe(400);
  expect(body.error.message).toMatch(new RegExp(`^${field}: `));
});

test("a message of megabytes, or of one line, is found by how it begins and costs no more than that", async () => {
  const { store } = await getDeps();
  const before = (await store.usage()).conversations;
  await add([user(`heron ${"x".repeat(200_000)}`), user(`wolf ${"長い文".repeat(1_000_000)} crane`)]);
  const grown = (await store.usage()).conversations - before;
  // The texts themselves have 9.2 MB.
  expect(grown).toBeLessThan(9_200_000 + 800_000);
  for (const q of ["heron", "wolf 長", "長い文長"]) {
    const [item] = await find(q);
    expect(item?.snippet.map(({ text }) => text).join("").length).toBeLessThan(200);
  }
  expect(await find("crane")).toEqual([]);
});
