import { afterAll, expect, test } from "vitest";
import type { ConversationDetail, QueuedMessage, RunItem } from "@/lib/protocol/http";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { callTools, type Step, say } from "@/lib/providers/testing/steps";
import { callApi, kinds, readStream, withApplication } from "./testing/call-api";

let script: ((lastUserText: string, results: number) => Step[]) | undefined;
const model = await startOpenAiServer(({ lastUserText, toolResults }) => {
  if (!script) throw new Error("Nothing is scripted.");
  return script(lastUserText, toolResults.length);
});
afterAll(() => model.close());

withApplication(
  { plain: { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] } },
  { OPENAI_BASE_URL: model.url, TOOL_APPROVAL: "allow" },
);

const echo = callTools({ name: "plain__echo", args: { text: "x" } });
const chat = (body: object) => callApi("POST", "/api/chat", { model: "openai/test-model", ...body });
const post = (run: string, body: object) =>
  callApi("POST", `/api/runs/${run}/messages`, { clientMessageId: crypto.randomUUID(), ...body });
const queued = async (run: string): Promise<QueuedMessage[]> =>
  (await (await callApi("GET", `/api/runs/${run}/messages`)).json()).items;
const errorOf = async (response: Response) => ({ status: response.status, ...(await response.json()).error });
const detail = async (id: string): Promise<ConversationDetail> =>
  (await callApi("GET", `/api/conversations/${id}`)).json();
const runOf = async (id: string): Promise<RunItem> => (await callApi("GET", `/api/runs/${id}`)).json();
const textOf = (message: object) =>
  "parts" in message ? (message.parts as { text?: string }[]).map(({ text }) => text ?? "").join("") : "";

/** A run whose model is in the middle of its first turn, and asks for a tool when it may go on. */
async function askHeld(text = "Do it.") {
  const held = Promise.withResolvers<void>();
  const reached = model.request(model.requests.length);
  script = (last, results) => {
    if (results === 0 && last === text) return [{ type: "until", done: held.promise }, echo];
    return [say(`Answer to ${last}`)];
  };
  const response = await chat({ message: { text } });
  const runId = response.headers.get("x-run-id") ?? "";
  const read = readStream(response);
  await reached;
  return { runId, read, go: held.resolve };
}

/** What comes after the end of a run, as the stream names it. */
async function nextOf(runId: string): Promise<string | undefined> {
  const text = await (await callApi("GET", `/api/runs/${runId}/stream`)).text();
  return JSON.parse(/event: end\ndata: (.*)/.exec(text)?.[1] ?? "{}").next;
}

test("a message for the next turn is read between the calls, stands in the answer, and is nobody's question", async () => {
  const { runId, read, go } = await askHeld();
  const sent = { text: "Shorter.", when: "next_turn", clientMessageId: "c-1" };
  const response = await post(runId, sent);
  expect(response.status).toBe(202);
  const { id } = await response.json();
  expect(await (await post(runId, sent)).json()).toEqual({ id, when: "next_turn" });
  expect(await queued(runId)).toMatchObject([{ id, text: "Shorter.", attachments: [], when: "next_turn" }]);
  go();
  const { chunks, conversationId, messageId, status } = await read;
  expect(status).toBe("completed");
  expect(kinds(chunks)).toBe(
    "iteration tool_input tool_call tool_start tool_result message iteration text result",
  );
  expect(chunks.find(({ type }) => type === "message")).toMatchObject({
    id: expect.any(Number),
    message: { role: "user", parts: [{ type: "text", text: "Shorter." }] },
  });
  const { messages } = await detail(conversationId);
  expect(messages.map(({ role, runId: by }) => [role, by === null])).toEqual([
    ["user", true],
    ["assistant", false],
    ["tool", false],
    ["user", false],
    ["assistant", false],
  ]);
  expect(messages[3]?.id).toBe(id);
  expect(textOf(messages[4] ?? {})).toBe("Answer to Shorter.");
  expect(await queued(runId)).toEqual([]);
  const change = await callApi("PATCH", `/api/runs/${runId}/messages/${id}`, { text: "Late" });
  expect(await errorOf(change)).toMatchObject({ status: 409, code: "delivered" });
  const back = await callApi("DELETE", `/api/runs/${runId}/messages/${id}`);
  expect(await errorOf(back)).toMatchObject({ status: 409, code: "delivered" });
  expect(await errorOf(await post(runId, { text: "More", when: "after" }))).toMatchObject({
    status: 409,
    code: "run_ended",
  });
  // Sent again, it is the one that was read.
  expect(await (await post(runId, sent)).json()).toMatchObject({ id });
  // Made anew, the answer knows nothing of it.
  const again = await readStream(await chat({ conversationId, regenerate: messages[4]?.id }));
  expect(again.messageId).toBe(messageId);
  expect((await detail(conversationId)).messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "tool",
    "assistant",
  ]);
});

test("what waits is asked one after the other when the answer is complete, and the stream names the next run", async () => {
  const { runId, read, go } = await askHeld();
  const ids = [];
  for (const text of ["One", "Two", "Three"])
    ids.push((await (await post(runId, { text, when: "after" })).json()).id);
  const [one, two, three] = ids;
  const path = `/api/runs/${runId}/messages`;
  expect((await callApi("PATCH", `${path}/${three}`, { before: one, text: "Third" })).status).toBe(200);
  expect((await callApi("DELETE", `${path}/${two}`)).status).toBe(200);
  expect((await queued(runId)).map(({ text }) => text)).toEqual(["Third", "One"]);
  const gone = await callApi("PATCH", `${path}/${one}`, { before: two });
  expect(await errorOf(gone)).toMatchObject({ status: 404, message: expect.stringMatching(/^before: /) });
  go();
  const { conversationId } = await read;
  const second = await nextOf(runId);
  expect(second).toEqual(expect.any(String));
  const third = await nextOf(second ?? "");
  expect(await nextOf(third ?? "")).toBeUndefined();
  const { messages } = await detail(conversationId);
  const questions = messages.filter(({ role, runId: by }) => role === "user" && by === null);
  expect(questions.map(({ id, ...message }) => [id, textOf(message)])).toEqual([
    [expect.any(String), "Do it."],
    [three, "Third"],
    [one, "One"],
  ]);
  expect((await runOf(third ?? "")).messageId).toBe(one);
});

test("stop and ask ends the run and asks this before all that waits", async () => {
  const { runId } = await askHeld();
  const waiting = await (await post(runId, { text: "Later", when: "next_turn" })).json();
  const then = { text: "Rather this", clientMessageId: "c-then" };
  const stopped = await callApi("POST", `/api/runs/${runId}/stop`, { then });
  const answer = await stopped.json();
  expect(answer).toEqual({ runId: expect.any(String), messageId: expect.any(String) });
  expect((await runOf(runId)).status).toBe("stopped");
  expect((await runOf(answer.runId)).messageId).toBe(answer.messageId);
  expect(await (await callApi("POST", `/api/runs/${runId}/stop`, { then })).json()).toEqual(answer);
  const last = await nextOf(answer.runId);
  expect((await runOf(last ?? "")).messageId).toBe(waiting.id);
});

test("what a stopped answer left waiting goes on behind the next one, or is asked at once when it is sent", async () => {
  const { runId, read } = await askHeld();
  const later = await (await post(runId, { text: "Later", when: "after" })).json();
  await post(runId, { text: "Now", when: "next_turn", clientMessageId: "c-now" });
  await callApi("POST", `/api/runs/${runId}/stop`, {});
  const { conversationId } = await read;
  expect((await queued(runId)).map(({ text, when }) => [text, when])).toEqual([
    ["Now", "after"],
    ["Later", "after"],
  ]);
  const steer = await callApi("PATCH", `/api/runs/${runId}/messages/${later.id}`, { when: "next_turn" });
  expect(await errorOf(steer)).toMatchObject({ status: 409, code: "run_ended" });
  const asked = await readStream(
    await chat({ conversationId, message: { text: "Now" }, clientMessageId: "c-now" }),
  );
  const last = await nextOf(asked.runId);
  expect((await runOf(last ?? "")).messageId).toBe(later.id);
  const { messages } = await detail(conversationId);
  expect(messages.filter(({ role }) => role === "user").map(textOf)).toEqual(["Do it.", "Now", "Later"]);
});

test("a question with the id of a message that waits elsewhere is refused, and that message stays", async () => {
  const leave = async (clientMessageId: string) => {
    const { runId, read } = await askHeld();
    await post(runId, { text: "Later", when: "after", clientMessageId });
    await callApi("POST", `/api/runs/${runId}/stop`, {});
    return { runId, conversationId: (await read).conversationId };
  };
  const here = await leave("c-here");
  const { conversationId } = await leave("c-there");
  const taken = await chat({ conversationId, message: { text: "Another" }, clientMessageId: "c-here" });
  expect(await errorOf(taken)).toMatchObject({ status: 409, code: "conflict" });
  expect((await queued(here.runId)).map(({ text }) => text)).toEqual(["Later"]);
  expect((await detail(conversationId)).messages.map(textOf)).toEqual(["Do it."]);
});

test("what cannot be taken is refused by name, and nothing of it is stored", async () => {
  const { runId, read, go } = await askHeld();
  const other = await readStream(await chat({ message: { text: "Elsewhere" } }));
  const file = await callApi("POST", "/api/attachments", "hello", {
    "x-filename": "a.txt",
    "content-type": "text/plain",
  });
  const { id } = await file.json();
  await readStream(
    await chat({ conversationId: other.conversationId, message: { text: "With", attachments: [{ id }] } }),
  );
  const refused = async (body: object) => {
    const { status, code, message } = await errorOf(await post(runId, body));
    return `${status} ${code} ${String(message).split(/[:;]/)[0]}`;
  };
  const good = { text: "x", when: "after" };
  expect(await refused({ ...good, text: " " })).toBe("400 invalid_input text");
  expect(await refused({ text: "x" })).toBe("400 invalid_input when");
  expect(await refused({ ...good, clientMessageId: undefined })).toBe("400 invalid_input clientMessageId");
  expect(await refused({ ...good, text: "x".repeat(300_000) })).toMatch(/^413 body_too_large/);
  expect(await refused({ ...good, attachments: [{ id: "gone" }] })).toBe("404 not_found attachments.0");
  expect(await refused({ ...good, attachments: [{ id }] })).toBe("400 invalid_input attachments.0");
  expect(await queued(runId)).toEqual([]);
  for (let at = 0; at < 20; at++) expect((await post(runId, { ...good, text: `${at}` })).status).toBe(202);
  expect(await refused(good)).toBe("409 queue_full At most 20 messages wait behind an answer");
  const [first] = await queued(runId);
  const path = `/api/runs/${runId}/messages`;
  expect(await errorOf(await callApi("PATCH", `${path}/${first?.id}`, { text: "" }))).toMatchObject({
    status: 400,
    message: "text: must not be empty.",
  });
  const foreign = await callApi("DELETE", `/api/runs/${other.runId}/messages/${first?.id}`);
  expect(await errorOf(foreign)).toMatchObject({ status: 404 });
  for (const { id: each } of await queued(runId)) await callApi("DELETE", `${path}/${each}`);
  go();
  expect((await read).status).toBe("completed");
});

test("files go along, and come back with what waits", async () => {
  const { runId, read, go } = await askHeld();
  const upload = await callApi("POST", "/api/attachments", "hello", {
    "x-filename": "a.txt",
    "content-type": "text/plain",
  });
  const { id } = await upload.json();
  await post(runId, { text: "Read this", attachments: [{ id }], when: "next_turn" });
  expect((await queued(runId))[0]?.attachments).toEqual([
    { id, name: "a.txt", mimeType: "text/plain", size: 5 },
  ]);
  go();
  const { conversationId } = await read;
  expect(model.requests.at(-1)?.lastUserText).toContain("hello");
  const said = (await detail(conversationId)).messages[3];
  expect(said).toMatchObject({
    role: "user",
    parts: [{ type: "file", attachmentId: id }, { text: "Read this" }],
  });
});

test("made anew from a call, the answer keeps what was said before it; a copy of a shared one keeps all of it", async () => {
  const held = Promise.withResolvers<void>();
  const reached = model.request(model.requests.length);
  script = (last, results) => {
    if (last === "Twice" && results === 0) return [{ type: "until", done: held.promise }, echo];
    return results === 0 ? [echo] : [say(`Answer to ${last}`)];
  };
  const response = await chat({ message: { text: "Twice" } });
  const runId = response.headers.get("x-run-id") ?? "";
  await reached;
  const said = await (await post(runId, { text: "Again", when: "next_turn" })).json();
  held.resolve();
  const { conversationId } = await readStream(response);
  const { messages } = await detail(conversationId);
  expect(messages.map(({ role }) => role).join(" ")).toBe(
    "user assistant tool user assistant tool assistant",
  );
  const second = messages[4];
  const fromCall =
    second?.role === "assistant" ? second.parts.find((part) => part.type === "tool_call")?.id : undefined;
  await readStream(await chat({ conversationId, regenerate: second?.id, fromCall }));
  const anew = (await detail(conversationId)).messages;
  expect(anew.map(({ role }) => role).join(" ")).toBe("user assistant tool user assistant tool assistant");
  expect(anew[3]).toMatchObject({ role: "user", runId, parts: [{ type: "text", text: "Again" }] });
  expect(anew[3]?.id).not.toBe(said.id);
  const share = await (await callApi("POST", `/api/conversations/${conversationId}/shares`, {})).json();
  expect(share.preview.messages[3]).toMatchObject({ role: "user", runId });
  const fork = await (await callApi("POST", `/api/share/${share.token}/fork`, {})).json();
  const copy = (await detail(fork.conversationId)).messages;
  expect(copy.map(({ role }) => role)).toEqual(anew.map(({ role }) => role));
  expect([copy[0]?.runId, copy[3]?.runId === null]).toEqual([null, false]);
  expect((await detail(fork.conversationId)).runs).toEqual([]);
});
