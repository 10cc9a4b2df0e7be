import { expect, it } from "vitest";
import type { ConversationDetail } from "@/lib/protocol/http";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { callTools, hang, say } from "@/lib/providers/testing/steps";
import { callApi, readStream, withApplication } from "./testing/call-api";

const model = await startOpenAiServer([]);
withApplication(
  { plain: { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] } },
  { OPENAI_BASE_URL: model.url, AGENTS_DIR: "agents" },
);

const ask = async (text: string, agent: string, more: object = {}) =>
  readStream(await callApi("POST", "/api/chat", { message: { text }, model: "demo/demo", agent, ...more }));
const detail = async (id: string): Promise<ConversationDetail> =>
  (await callApi("GET", `/api/conversations/${id}`)).json();

it("lists the agents in both languages", async () => {
  const { items, errors } = await (await callApi("GET", "/api/agents")).json();
  expect(errors).toEqual([]);
  expect(items.map(({ id }: { id: string }) => id)).toEqual(["counter", "document", "plan", "review"]);
  expect(items[1].name).toEqual({ en: "Write and refine a document", ja: "文書を書いて推敲する" });
});

it("counts to three without a model, and stores each round with its agent", async () => {
  const run = await ask("Go", "counter");
  const texts = run.chunks.flatMap((chunk) => (chunk.type === "text" ? chunk.content : []));
  expect(texts).toEqual(["Counter: 1", "Counter: 2", "Counter: 3"]);
  const { messages, runs } = await detail(run.conversationId);
  expect(messages.slice(1).map(({ agent }) => agent)).toEqual([
    "count.1/counter",
    "count.2/counter",
    "count.3/counter",
  ]);
  expect(runs[0]).toMatchObject({ agent: "counter", status: "completed", stopReason: "end_turn" });
  expect(runs[0]?.steps?.at(-1)).toMatchObject({ event: "escalate", rounds: 3, by: "counter" });
});

it("writes and refines a document with the demo, until the critic has nothing left to say", async () => {
  const run = await ask("A note about tea", "document");
  const ends = run.chunks.flatMap((chunk) =>
    chunk.type === "agent" && chunk.event !== "start" ? `${chunk.agent} ${chunk.event}` : [],
  );
  expect(ends).toEqual([
    "document/writer end",
    "document/refine.1/critic end",
    "document/refine.1/refiner end",
    "document/refine.2/critic end",
    "document/refine.2/refiner end",
    "document/refine.3/critic end",
    "document/refine.3/refiner escalate",
    "document/refine escalate",
    "document/result end",
  ]);
  expect(run.status).toBe("completed");
  const result = run.chunks.at(-1);
  expect(result?.type === "result" && result.result.finalText).toMatch(/Settings → Models and ask again\.$/);
});

it("gives a scripted model each instruction with the state filled in, and goes on in the conversation", async () => {
  const before = model.requests.length;
  const script = ["Draft.", "Shorter.", "Short draft.", "No major issues found."];
  const steps = [...script.map((text) => [say(text)]), [callTools({ name: "exit_loop" })], [say("Thanks.")]];
  const server = await startOpenAiServer(steps);
  await callApi("PATCH", "/api/settings", { providers: { openai: { baseURL: server.url } } });
  const run = await ask("A poem", "document", { model: "openai/test-model" });
  expect(run.status).toBe("completed");
  const systems = server.requests.map(({ body }) => JSON.stringify((body.messages as unknown[])[0]));
  expect(systems[2]).toMatch(/Document to refine:\\nDraft\..*Critique:\\nShorter\./);
  expect(server.requests.map(({ tools }) => tools)).toEqual([[], [], ["exit_loop"], [], ["exit_loop"]]);
  const { leafId } = await detail(run.conversationId);
  const next = await readStream(
    await callApi("POST", "/api/chat", {
      conversationId: run.conversationId,
      message: { text: "Thank you" },
      model: "openai/test-model",
    }),
  );
  expect(next.status).toBe("completed");
  expect(leafId).not.toBeNull();
  expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toContain("Short draft.");
  await callApi("PATCH", "/api/settings", { providers: { openai: null } });
  await server.close();
  expect(model.requests.length).toBe(before);
});

it("keeps the document when the model writes words beside exit_loop", async () => {
  const server = await startOpenAiServer([
    [say("The document.")],
    [say("No major issues found.")],
    [say("Nothing is left to change, so I leave."), callTools({ name: "exit_loop" })],
  ]);
  await callApi("PATCH", "/api/settings", { providers: { openai: { baseURL: server.url } } });
  const run = await ask("A poem", "document", { model: "openai/test-model" });
  await callApi("PATCH", "/api/settings", { providers: { openai: null } });
  await server.close();
  const result = run.chunks.at(-1);
  expect(result?.type === "result" && result.result.finalText).toBe("The document.");
});

it("says of an agent that is not there which there are", async () => {
  const response = await callApi("POST", "/api/chat", { message: { text: "Go" }, agent: "nobody" });
  expect(response.status).toBe(404);
  expect((await response.json()).error.message).toBe(
    "agent: there is no agent nobody; there are counter, document, plan, review.",
  );
});

it("asks within a round when the budget is used up, and goes on there", async () => {
  const script = [
    "Draft.",
    "Shorter.",
    "Short draft.",
    "Warmer.",
    "Warm short draft.",
    "No major issues found.",
  ];
  const server = await startOpenAiServer([
    ...script.map((text) => [say(text)]),
    [callTools({ name: "exit_loop" })],
  ]);
  await callApi("PATCH", "/api/settings", { providers: { openai: { baseURL: server.url } } });
  const run = await ask("A poem", "document", {
    model: "openai/test-model",
    options: { budget: { tokens: 60 } },
  });
  expect(run.status).toBe("waiting");
  const asked = run.chunks.find((chunk) => chunk.type === "budget_request");
  expect(asked).toMatchObject({ limit: "tokens", agent: "document/refine.2/refiner" });
  const turns = server.requests.length;
  const answer = {
    requestId: asked?.type === "budget_request" && asked.requestId,
    decision: "more",
    budget: { tokens: 1_000 },
  };
  const { runId } = await (await callApi("POST", `/api/runs/${run.runId}/answer`, answer)).json();
  const rest = await readStream(await callApi("GET", `/api/runs/${runId}/stream`));
  expect(rest.status).toBe("completed");
  expect(server.requests.length - turns).toBe(3);
  const result = rest.chunks.at(-1);
  expect(result?.type === "result" && result.result.finalText).toBe("Warm short draft.");
  const { messages } = await detail(run.conversationId);
  expect(messages.map(({ agent }) => agent?.split("/").at(-1))).toEqual([
    undefined,
    ...["writer", "critic", "refiner", "critic", "refiner", "critic", "refiner", "refiner", "result"],
  ]);
  await callApi("PATCH", "/api/settings", { providers: { openai: null } });
  await server.close();
});

it("is stopped in a round, and goes on with that round", async () => {
  const server = await startOpenAiServer([
    ...["Draft.", "Shorter.", "Short draft.", "Warmer."].map((text) => [say(text)]),
    [hang],
    [say("Warm draft.")],
    [say("No major issues found.")],
    [callTools({ name: "exit_loop" })],
  ]);
  await callApi("PATCH", "/api/settings", { providers: { openai: { baseURL: server.url } } });
  const response = await callApi("POST", "/api/chat", {
    message: { text: "A poem" },
    model: "openai/test-model",
    agent: "document",
  });
  const runId = response.headers.get("x-run-id") ?? "";
  await server.request(4);
  await callApi("POST", `/api/runs/${runId}/stop`, {});
  const stopped = await readStream(response);
  expect(stopped.status).toBe("stopped");
  const ended = (run: typeof stopped) =>
    run.chunks.flatMap((chunk) =>
      chunk.type === "agent" && chunk.event !== "start" ? (chunk.agent ?? "") : [],
    );
  expect(ended(stopped)).toEqual([
    "document/writer",
    "document/refine.1/critic",
    "document/refine.1/refiner",
    "document/refine.2/critic",
  ]);
  const next = await (await callApi("POST", `/api/runs/${runId}/resume`, {})).json();
  const rest = await readStream(await callApi("GET", `/api/runs/${next.runId}/stream`));
  expect(rest.status).toBe("completed");
  expect(ended(rest)[0]).toBe("document/refine.2/refiner");
  const result = rest.chunks.at(-1);
  expect(result?.type === "result" && result.result.finalText).toBe("Warm draft.");
  await callApi("PATCH", "/api/settings", { providers: { openai: null } });
  await server.close();
});
