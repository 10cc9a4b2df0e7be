import { afterAll, expect, test } from "vitest";
import type { ConversationDetail, RunItem } from "@/lib/protocol/http";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { callTools, type Step, say } from "@/lib/providers/testing/steps";
import { callApi, readStream, withApplication } from "./testing/call-api";

let script: (model: string, results: number) => Step[];
const server = await startOpenAiServer(({ toolResults, body }) =>
  script(body.model as string, toolResults.length),
);
afterAll(() => server.close());

withApplication(
  { plain: { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] } },
  { OPENAI_BASE_URL: server.url, TOOL_APPROVAL: "allow" },
);

interface Compared {
  conversationId: string;
  runs: { runId: string; model: string; messageId: string }[];
}

const models = ["openai/one", "openai/two", "openai/three"];
const post = (body: object) => callApi("POST", "/api/chat", { message: { text: "Which?" }, ...body });
async function compare(body: object = {}): Promise<Compared> {
  const response = await post({ compare: models, ...body });
  expect(response.status).toBe(202);
  return response.json();
}
const get = async <Value>(path: string): Promise<Value> => (await callApi("GET", path)).json();
const detail = (id: string) => get<ConversationDetail>(`/api/conversations/${id}`);
const runOf = (id: string) => get<RunItem>(`/api/runs/${id}`);
const end = async (id: string) => readStream(await callApi("GET", `/api/runs/${id}/stream`));
const errorOf = async (response: Response) => {
  const { error } = await response.json();
  return [response.status, error.code, error.message];
};

test("each model answers a question of its own; the first is shown, the others stand beside it", async () => {
  script = (model) => [say(`I am ${model}.`)];
  const { conversationId, runs } = await compare();
  expect(runs.map(({ model }) => model)).toEqual(models);
  const ended = await Promise.all(runs.map(({ runId }) => end(runId)));
  expect(ended.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
  const { messages, choice } = await detail(conversationId);
  expect(messages).toMatchObject([
    { id: runs[0]?.messageId, role: "user", siblings: runs.map(({ messageId }) => messageId) },
    { role: "assistant", parts: [{ type: "text", text: "I am one." }] },
  ]);
  expect(choice?.model).toBe("openai/one");
  const items = await Promise.all(runs.map(({ runId }) => runOf(runId)));
  expect(items.map(({ comparison }) => comparison)).toEqual(models.map(() => runs[0]?.messageId));
});

test("in a conversation that goes on, what is chosen goes on, and its choice of a model stays", async () => {
  script = (model) => [say(`I am ${model}.`)];
  const first = await readStream(await post({ model: "openai/two" }));
  const before = await detail(first.conversationId);
  const { conversationId, runs } = await compare({ conversationId: first.conversationId });
  expect(conversationId).toBe(first.conversationId);
  await Promise.all(runs.map(({ runId }) => end(runId)));
  const shown = await detail(conversationId);
  expect(shown.choice?.model).toBe("openai/two");
  expect(shown.messages.map(({ id }) => id).slice(0, 3)).toEqual([
    ...before.messages.map(({ id }) => id),
    runs[0]?.messageId,
  ]);
  const chosen = runs[2]?.messageId;
  expect((await callApi("PATCH", `/api/conversations/${conversationId}`, { leafId: chosen })).status).toBe(
    200,
  );
  const next = await readStream(
    await post({ conversationId, model: "openai/three", message: { text: "Go on" } }),
  );
  expect(next.status).toBe("completed");
  const sent = server.requests.at(-1)?.body as unknown as { messages: { role: string; content: unknown }[] };
  expect(sent.messages.filter(({ role }) => role === "assistant").map(({ content }) => content)).toEqual([
    "I am two.",
    "I am three.",
  ]);
});

test("sent again, even when only the first was begun, it begins what is missing and no more", async () => {
  script = (model) => [say(`I am ${model}.`)];
  const clientMessageId = crypto.randomUUID();
  const alone = await readStream(await post({ model: "openai/one", clientMessageId }));
  const asked = server.requests.length;
  const [one, other] = await Promise.all([compare({ clientMessageId }), compare({ clientMessageId })]);
  expect(one.runs[0]?.runId).toBe(alone.runId);
  expect(other).toEqual(one);
  await Promise.all(one.runs.map(({ runId }) => end(runId)));
  expect(await compare({ clientMessageId })).toEqual(one);
  const wire = server.requests.slice(asked).map(({ body }) => (body as unknown as { model: string }).model);
  expect(wire.filter((model) => model !== "one").sort()).toEqual(["three", "two"]);
});

test("what is said meanwhile reaches all that are still at it", async () => {
  const held = Promise.withResolvers<void>();
  script = (model, results) => {
    if (model === "one") return [say("Done at once.")];
    if (results > 0) return [say("Noted.")];
    return [{ type: "until", done: held.promise }, callTools({ name: "plain__echo", args: { text: "x" } })];
  };
  const { runs } = await compare();
  const [one, two, three] = runs.map(({ runId }) => runId) as [string, string, string];
  await end(one);
  const note = { text: "Shorter.", when: "next_turn", clientMessageId: crypto.randomUUID() };
  const said = await callApi("POST", `/api/runs/${two}/messages`, note);
  expect(said.status).toBe(202);
  // Sent again, as after a lost answer.
  expect(await (await callApi("POST", `/api/runs/${two}/messages`, note)).json()).toEqual(await said.json());
  held.resolve();
  for (const id of [two, three]) {
    const { chunks } = await end(id);
    const heard = chunks.filter((chunk) => chunk.type === "message");
    expect(heard).toMatchObject([{ message: { role: "user", parts: [{ type: "text", text: "Shorter." }] } }]);
  }
  expect(await get(`/api/runs/${one}/messages`)).toMatchObject({ items: [] });
});

test("what came too late for an answer is not asked before one is chosen, and then behind that one alone", async () => {
  const held = Promise.withResolvers<void>();
  script = (model, results) =>
    results > 0
      ? [say("Never.")]
      : [...(model === "one" ? [] : [{ type: "until" as const, done: held.promise }]), say(`I am ${model}.`)];
  const { conversationId, runs } = await compare();
  const [one, two, three] = runs.map(({ runId }) => runId) as [string, string, string];
  await end(one);
  const note = { text: "Shorter.", when: "next_turn", clientMessageId: crypto.randomUUID() };
  expect((await callApi("POST", `/api/runs/${two}/messages`, note)).status).toBe(202);
  held.resolve();
  for (const id of [two, three]) expect((await end(id)).status).toBe("completed");
  const waiting = { items: [{ text: "Shorter.", when: "after" }] };
  for (const id of [two, three]) expect(await get(`/api/runs/${id}/messages`)).toMatchObject(waiting);
  const open = await detail(conversationId);
  expect(open.comparison?.map(({ messageId }) => messageId)).toEqual(runs.map(({ messageId }) => messageId));
  expect(open.activeRunId).toBeNull();

  script = () => [say("Short.")];
  await callApi("PATCH", `/api/conversations/${conversationId}`, { leafId: runs[2]?.messageId });
  const chosen = await detail(conversationId);
  const asked = chosen.messages.find((_, at, all) => all[at - 1]?.role === "assistant");
  expect(asked).toMatchObject({ role: "user", parts: [{ text: "Shorter." }] });
  const next = chosen.activeRunId ?? chosen.messages.at(-1)?.runId ?? "";
  expect((await end(next)).status).toBe("completed");
  expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toContain("I am three.");
  expect(await get(`/api/runs/${three}/messages`)).toEqual({ items: [], nextCursor: null });
  expect(await get(`/api/runs/${two}/messages`)).toMatchObject(waiting);
});

test("what is said too late to one that goes on when another is chosen is not asked at all", async () => {
  const held = Promise.withResolvers<void>();
  script = (model) => [
    ...(model === "two" ? [{ type: "until" as const, done: held.promise }] : []),
    say(`I am ${model}.`),
  ];
  const { conversationId, runs } = await compare();
  const [one, two, three] = runs.map(({ runId }) => runId) as [string, string, string];
  await Promise.all([end(one), end(three)]);
  const note = { text: "Shorter.", when: "next_turn", clientMessageId: crypto.randomUUID() };
  await callApi("POST", `/api/runs/${two}/messages`, note);
  await callApi("PATCH", `/api/conversations/${conversationId}`, { leafId: runs[2]?.messageId });
  const asked = server.requests.length;
  held.resolve();
  expect((await end(two)).status).toBe("completed");
  expect(await get(`/api/runs/${two}/messages`)).toMatchObject({ items: [{ text: "Shorter." }] });
  expect((await detail(conversationId)).messages.at(-1)).toMatchObject({ parts: [{ text: "I am three." }] });
  expect(server.requests).toHaveLength(asked);
});

test("an export keeps them together, and a fork is none of them", async () => {
  script = (model) => [say(`I am ${model}.`)];
  const { conversationId, runs } = await compare();
  await Promise.all(runs.map(({ runId }) => end(runId)));
  const file = await (await callApi("GET", `/api/conversations/${conversationId}/export?format=json`)).text();
  const response = await callApi(
    "POST",
    "/api/conversations/import",
    file.replaceAll(conversationId, crypto.randomUUID()),
    {
      "content-type": "application/json",
    },
  );
  const [imported = ""] = (await response.json()).conversationIds;
  const { messages, runs: copies } = await detail(imported);
  expect(copies[0]).toMatchObject({ comparison: messages[0]?.id });
  const lastSeq = (await end(runs[1]?.runId ?? "")).chunks.findLast(({ type }) => type === "usage")?.id;
  const forked = await callApi("POST", `/api/runs/${runs[1]?.runId}/fork`, {
    afterSeq: lastSeq,
    edit: { text: "Else." },
  });
  expect(forked.status).toBe(202);
  expect(await runOf((await forked.json()).runId)).not.toHaveProperty("comparison");
});

test("in a temporary chat nothing of it is kept", async () => {
  script = (model) => [say(`I am ${model}.`)];
  const { conversationId, runs } = await compare({ temporary: true });
  const ended = await Promise.all(runs.map(({ runId }) => end(runId)));
  expect(ended.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
  expect((await detail(conversationId)).messages[0]).toMatchObject({
    siblings: runs.map(({ messageId }) => messageId),
  });
  const { items } = await get<{ items: { id: string }[] }>("/api/conversations");
  expect(items.map(({ id }) => id)).not.toContain(conversationId);
});

test("what cannot be compared is refused by the name of its field, and nothing is stored", async () => {
  const asked = server.requests.length;
  const count = async () => (await get<{ items: unknown[] }>("/api/conversations")).items.length;
  const before = await count();
  for (const [body, message] of [
    [{ compare: ["openai/one"] }, "compare: "],
    [{ compare: [...models, "openai/four"] }, "compare: "],
    [{ compare: ["openai/one", "openai/one"] }, "compare: must name each model once"],
    [{ compare: models, model: "openai/one" }, "compare: goes without model and agent: it names who answers"],
    [{ compare: models, agent: "critic" }, "compare: goes without model and agent: it names who answers"],
    [
      {
        compare: models,
        message: undefined,
        conversationId: crypto.randomUUID(),
        regenerate: crypto.randomUUID(),
      },
      "compare: goes with message only: each model gets a question of its own",
    ],
  ] as const)
    expect(await errorOf(await post(body))).toEqual([400, "invalid_input", expect.stringContaining(message)]);
  expect(await errorOf(await post({ compare: ["openai/one", "gone/model"] }))).toEqual([
    400,
    "unknown_model",
    expect.stringContaining("gone"),
  ]);
  expect([await count(), server.requests.length]).toEqual([before, asked]);
});

test("until one is chosen the conversation names them all; then no more, also when another is looked at", async () => {
  script = (model) => [say(`I am ${model}.`)];
  const { conversationId, runs } = await compare();
  await Promise.all(runs.map(({ runId }) => end(runId)));
  expect((await detail(conversationId)).comparison).toEqual(
    runs.map(({ messageId, model }) => ({ messageId, model })),
  );
  // One that is made anew stands in the place of the one before.
  await readStream(await post({ conversationId, message: undefined, regenerate: runs[1]?.messageId }));
  const again = await detail(conversationId);
  expect(again.messages[0]?.id).toBe(runs[1]?.messageId);
  expect(again.comparison?.map(({ model }) => model)).toEqual(models);
  const change = (body: object) => callApi("PATCH", `/api/conversations/${conversationId}`, body);
  await change({ leafId: runs[0]?.messageId, choice: { model: "openai/three" } });
  const chosen = await detail(conversationId);
  expect(chosen).not.toHaveProperty("comparison");
  expect(chosen.choice).toEqual({ model: "openai/three" });
  await change({ leafId: runs[2]?.messageId });
  expect(await detail(conversationId)).not.toHaveProperty("comparison");
  const file = await (await callApi("GET", `/api/conversations/${conversationId}/export?format=json`)).text();
  expect(file).not.toContain('"compared"');
});

test("a message that goes on with the first ends it as well", async () => {
  script = (model) => [say(`I am ${model}.`)];
  const { conversationId, runs } = await compare();
  await Promise.all(runs.map(({ runId }) => end(runId)));
  await readStream(await post({ conversationId, message: { text: "Go on" } }));
  expect(await detail(conversationId)).not.toHaveProperty("comparison");
});

test("one connection brings the runs of all of them, each from where its reader was", async () => {
  const held = Promise.withResolvers<void>();
  script = (model) =>
    model === "one" ? [{ type: "until", done: held.promise }, say("At last.")] : [say(`I am ${model}.`)];
  const { runs } = await compare();
  const [one, two, three] = runs.map(({ runId }) => runId) as [string, string, string];
  await Promise.all([end(two), end(three)]);
  const joined = callApi("GET", `/api/runs/${one}/stream?with=${two},${three}:1`);
  const text = (await joined).text();
  held.resolve();
  const byRun = new Map<string, string>();
  let of = "";
  for (const block of (await text).split("\n\n")) {
    const named = /^event: of\ndata: (.*)$/m.exec(block)?.[1];
    if (named) of = JSON.parse(named).runId;
    else byRun.set(of, `${byRun.get(of) ?? ""}${block}\n\n`);
  }
  expect([...byRun.keys()].filter(Boolean).sort()).toEqual([one, two, three].sort());
  for (const [id, events] of byRun) {
    if (id === "") continue;
    const read = await readStream(new Response(events));
    expect([read.runId, read.status]).toEqual([id, "completed"]);
    expect(read.chunks[0]?.id).toBe(id === three ? 2 : 1);
    expect(read.chunks.at(-1)).toMatchObject({ type: "result" });
  }
  // One that is named twice would be read from one of two places.
  const twice = [`?with=${two},${two}:1`, `?with=${one}`];
  const errors = ["?with=a:b", `?with=${"a,".repeat(6)}a`, ...twice, `?with=${crypto.randomUUID()}`];
  const answers = await Promise.all(errors.map((query) => callApi("GET", `/api/runs/${one}/stream${query}`)));
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 404]);
});

test("one of them can wait for a person, be answered and go on, while another is shown", async () => {
  script = (model, results) =>
    model === "two" && results === 0
      ? [callTools({ name: "plain__echo", args: { text: "x" } })]
      : [say(`I am ${model}.`)];
  const { conversationId, runs } = await compare({ options: { step: true } });
  await Promise.all(runs.map(({ runId }) => end(runId)));
  const two = await runOf(runs[1]?.runId ?? "");
  const [request] = two.pending;
  const answered = await callApi("POST", `/api/runs/${two.id}/answer`, {
    requestId: request?.requestId,
    decision: "run_on",
  });
  const { runId } = await answered.json();
  expect((await end(runId)).status).toBe("completed");
  expect((await runOf(runId)).comparison).toBe(runs[0]?.messageId);
  const shown = await detail(conversationId);
  expect(shown.messages.map(({ id }) => id)).toEqual([runs[0]?.messageId]);
  expect(shown.comparison).toHaveLength(3);
  const column = await get<ConversationDetail>(
    `/api/conversations/${conversationId}?branch=${runs[1]?.messageId}`,
  );
  expect(column.messages.at(-1)).toMatchObject({ parts: [{ type: "text", text: "I am two." }] });
});

test("once one is chosen, those that go on are none that the page follows there", async () => {
  const held = Promise.withResolvers<void>();
  script = (model) =>
    model === "two" ? [say("I am two.")] : [{ type: "until", done: held.promise }, say("Late.")];
  const { conversationId, runs } = await compare();
  await end(runs[1]?.runId ?? "");
  await callApi("PATCH", `/api/conversations/${conversationId}`, { leafId: runs[1]?.messageId });
  expect((await detail(conversationId)).activeRunId).toBeNull();
  const next = await readStream(
    await post({ conversationId, model: "openai/two", message: { text: "Go on" } }),
  );
  expect(next.status).toBe("completed");
  held.resolve();
  await Promise.all(runs.map(({ runId }) => end(runId)));
  expect((await detail(conversationId)).messages).toHaveLength(4);
});
