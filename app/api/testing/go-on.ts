import { expect, vi } from "vitest";
import type { Chunk, PendingRequest } from "@/lib/protocol/chunk";
import type { Step } from "@/lib/providers/testing/steps";
import { getDeps } from "@/lib/server/entry/deps";
import { callApi } from "./call-api";
import { follow, run, script } from "./fork";

/* How runs of the application in `fork.ts` go on: by an answer, on their recording, and in the next process. */

export const post = (runId: string, body: object) => callApi("POST", `/api/runs/${runId}/answer`, body);

export const asked = async <Request extends PendingRequest = PendingRequest>(runId: string) =>
  (await run(runId)).pending as Request[];

/** Answers the only question of a run, and follows the run that goes on. */
export async function goOn(runId: string, body: object) {
  const [question] = await asked(runId);
  const response = await post(runId, { requestId: question?.requestId, ...body });
  const answered = await response.json();
  expect([response.status, answered]).toEqual([200, { runId: expect.any(String) }]);
  return follow(answered.runId);
}

/** Of an answer that is not taken: the status and why. */
export async function refusedAnswer(runId: string, body: object) {
  const [question] = await asked(runId);
  const response = await post(runId, { requestId: question?.requestId, ...body });
  return [response.status, (await response.json()).error?.message];
}

export const rerun = (runId: string, body: object) => callApi("POST", `/api/runs/${runId}/rerun`, body);

/** Runs it again on its recording and follows it to its end. */
export async function again(runId: string, body: object, ...turns: Step[][]) {
  script.turns = turns;
  const response = await rerun(runId, body);
  const begun = await response.json();
  expect([response.status, begun]).toEqual([
    202,
    { runId: expect.any(String), conversationId: expect.any(String) },
  ]);
  return follow(begun.runId);
}

/** The kinds of chunks in order, each by itself; without what only tells of costs and of the way. */
export const eachKind = (chunks: readonly Chunk[]): string =>
  chunks
    .flatMap(({ type }) => (["usage", "tool_input", "request", "tool_progress"].includes(type) ? [] : type))
    .join(" ");

/** The process ends well, and another one begins on the same files. */
export async function restart(): Promise<void> {
  const { pool, store } = await getDeps();
  await pool.close();
  await store.close();
  delete (globalThis as Record<symbol, unknown>)[Symbol.for("meguri.deps")];
  const started = await getDeps();
  await vi.waitFor(() => expect(started.pool.server("filesystem")?.status).not.toBe("connecting"), 20_000);
}
