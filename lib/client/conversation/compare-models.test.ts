import { afterEach, beforeEach, expect, it } from "vitest";
import { ChatStore } from "./chat-store";

const realFetch = globalThis.fetch;
let answers: ((body: Record<string, unknown>) => Response | Promise<Response>)[];
let asked: [path: string, body: Record<string, unknown>][];

beforeEach(() => {
  asked = [];
  globalThis.fetch = async (path, init) => {
    const body = init?.body === undefined ? {} : JSON.parse(String(init.body));
    asked.push([`${init?.method ?? "GET"} ${path}`, body]);
    if (init?.method === "POST") return (await answers.shift()?.(body)) ?? Response.json({});
    return Response.json(detail);
  };
});
afterEach(() => {
  globalThis.fetch = realFetch;
});

const models = ["openai/one", "openai/two"];
const runs = models.map((model, at) => ({ runId: `r${at}`, model, messageId: `m${at}` }));
const begun = () => Response.json({ conversationId: "c1", runs }, { status: 202 });
const refused = (status: number) => () =>
  Response.json({ error: { code: "busy", message: "Not now." } }, { status });
const comparison = runs.map(({ messageId, model }) => ({ messageId, model }));
const detail = {
  id: "c1",
  title: "t",
  messages: [
    {
      ...{ id: "m0", role: "user", parts: [{ type: "text", text: "Which?" }], parentId: null, runId: null },
      ...{ model: null, createdAt: "2026-11-21T00:00:00.000Z", siblings: ["m0", "m1"] },
    },
  ],
  ...{ runs: [], comparison, choice: null, hasMore: false, activeRunId: "r0", projectId: null },
};
const posts = () => asked.filter(([path]) => path.startsWith("POST /api/chat")).map(([, body]) => body);
const options = { model: "openai/three", effort: "high", servers: null } as const;

function comparing(): ChatStore {
  const chat = new ChatStore(null);
  chat.conversation.set({ comparing: models });
  return chat;
}

it("asks all of them once, without the conversation's own model, and shows each question in its column", async () => {
  answers = [refused(503), begun];
  const chat = comparing();
  const created: string[] = [];
  chat.conversation.onCreated = (id) => created.push(id);
  const sent = chat.send("Which?", options);
  await expect
    .poll(() => chat.conversation.getState().comparison)
    .toEqual(models.map((model) => ({ messageId: "", model })));
  expect(await sent).toBe(true);
  const [first, second] = posts();
  expect(second).toEqual(first);
  expect(first).toMatchObject({ compare: models, message: { text: "Which?" }, servers: null });
  expect(first).not.toHaveProperty("model");
  expect(first).not.toHaveProperty("options");
  const state = chat.conversation.getState();
  expect(state).toMatchObject({ id: "c1", comparison, comparing: null, sending: false, failure: null });
  // What runs is read in the columns, and not a second time by the conversation.
  expect([created, chat.conversation.live]).toEqual([["c1"], null]);
});

it("what was refused is as it was before, and sent again unchanged it counts once", async () => {
  answers = [refused(409), begun];
  const chat = comparing();
  expect(await chat.send("Which?", options)).toBe(false);
  expect(chat.conversation.getState()).toMatchObject({
    ...{ turns: [], comparing: models, comparison: null, sending: false },
    failure: { code: "busy" },
  });
  await chat.send("Which?", options);
  const [first, again] = posts();
  expect(again?.clientMessageId).toBe(first?.clientMessageId);
});

it("nothing goes on before one is chosen, and what is said meanwhile is for all", async () => {
  answers = [begun];
  const chat = comparing();
  await chat.send("Which?", options);
  expect(await chat.send("And now?", options)).toBe(false);
  expect(posts()).toHaveLength(1);
  chat.conversation.set({ liveRunId: "r1" });
  answers = [() => Response.json({ id: "q1", when: "next_turn" }, { status: 202 })];
  expect(await chat.say("after", "Shorter.", async () => options)).toBe(true);
  expect(asked.find(([path]) => path === "POST /api/runs/r1/messages")?.[1]).toMatchObject({
    text: "Shorter.",
    when: "next_turn",
  });
});

it("Stop that is pressed while it is being sent ends all of them", async () => {
  answers = [
    async () => {
      await chat.stop();
      return begun();
    },
  ];
  const chat = comparing();
  await chat.send("Which?", options);
  expect(asked.map(([path]) => path)).toEqual(
    expect.arrayContaining(["POST /api/runs/r0/stop", "POST /api/runs/r1/stop"]),
  );
});
