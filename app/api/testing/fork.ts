import { rm } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect } from "vitest";
import type { Chunk } from "@/lib/protocol/chunk";
import type { ConversationDetail, RunItem, StoredMessage } from "@/lib/protocol/http";
import { callTools, type Step, say } from "@/lib/providers/testing/steps";
import { callApi, readStream } from "./call-api";
import { withFolder } from "./with-folder";

/* The application round the tests of a file that imports this, with a scripted model and a folder that its tools work in. */

export const { folder, script, model } = await withFolder();
beforeEach(async () => {
  script.turns = [];
  await rm(join(folder, "late"), { recursive: true, force: true });
  await rm(join(folder, "note.md"), { force: true });
});

export const list = (name: string) => ({
  name: "filesystem__list_directory",
  args: { path: join(folder, name) },
});
export const note = join(folder, "note.md");
export const write = { name: "filesystem__write_file", args: { path: note, content: "hi" } };

const json = async (method: string, path: string, body?: object) =>
  (await callApi(method, path, body)).json();
export const detail = (id: string): Promise<ConversationDetail> => json("GET", `/api/conversations/${id}`);
export const run = (id: string): Promise<RunItem> => json("GET", `/api/runs/${id}`);
export const chat = (body: object) => callApi("POST", "/api/chat", { model: "openai/test", ...body });
export const ask = async (...turns: Step[][]) => {
  script.turns = turns;
  return readStream(await chat({ message: { text: "Look" } }));
};
export const follow = async (id: string) => readStream(await callApi("GET", `/api/runs/${id}/stream`));
export const fork = (id: string, body: object) => callApi("POST", `/api/runs/${id}/fork`, body);
/** Forks a run and follows the fork to its end. */
export async function forked(id: string, body: object, ...turns: Step[][]) {
  script.turns = turns;
  const response = await fork(id, body);
  const answer = await response.json();
  expect([response.status, answer]).toEqual([
    202,
    { runId: expect.any(String), conversationId: expect.any(String) },
  ]);
  return follow(answer.runId);
}
export const refused = async (id: string, body: unknown) => {
  const response = await callApi("POST", `/api/runs/${id}/fork`, body);
  const { error } = await response.json();
  return [response.status, error.code, error.message, error.details];
};
export const answer = async (runId: string, decision: string) => {
  const [asked] = (await run(runId)).pending;
  return (await json("POST", `/api/runs/${runId}/answer`, { requestId: asked?.requestId, decision })).runId;
};
/** Where the nth chunk of this kind stands in the log, from 1. */
export const seqOf = (chunks: readonly (Chunk & { id: number })[], type: Chunk["type"], nth = 1): number =>
  chunks.filter((chunk) => chunk.type === type)[nth - 1]?.id ?? 0;
export const callsIn = (message: StoredMessage | undefined) =>
  message?.role === "assistant" ? message.parts.filter((part) => part.type === "tool_call") : [];
export const resultsIn = (messages: readonly StoredMessage[]) =>
  messages.flatMap((message) => (message.role === "tool" ? message.results : []));
export const rolesOf = (messages: readonly StoredMessage[]) => messages.map(({ role }) => role).join(" ");
export const withoutSiblings = (all: StoredMessage[]) => all.map(({ siblings: _, ...message }) => message);
export const byHand = (text: string) => ({ status: "ok", content: [{ type: "text", text }] });
export const inWords = expect.any(String);

/** A question whose answer is: one round of two calls, then words. */
export const twoCalls = () =>
  ask([say("Both."), callTools(list("."), list("late"))], [say("Only one is there.")]);
