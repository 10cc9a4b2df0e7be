import type { App } from "@/e2e/support/app";
import { runFileVersion } from "@/lib/protocol/run-file";

const id = (kind: number, number: number) =>
  `01a20000-0000-7000-8000-${String(kind * 100_000_000 + number).padStart(12, "0")}`;
const callsInLoop = 3;
const begin = Date.UTC(2026, 0, 1);
const gapMs = 7;

export interface RunToTell {
  /** By which its ids differ from those of others. */
  number: number;
  loops: number;
  question: string;
  /** What the last turn says, piece by piece, and how far apart they came. */
  pieces?: readonly string[];
  pieceMs?: number;
}

/** The file of a run: loops with a turn and three calls each, then one with words alone. */
export function runFile(run: RunToTell): string {
  const { number, loops, question, pieces = ["That was all."], pieceMs = gapMs } = run;
  const events: { at: number }[] = [];
  let time = begin;
  const add = (event: object, afterMs = gapMs) => {
    time += afterMs;
    events.push({ ...event, at: time });
  };
  const usage = (stopReason: string) => ({ type: "usage", stopReason, inputTokens: 900, outputTokens: 60 });
  for (let loop = 0; loop < loops; loop++) {
    const calls = Array.from({ length: callsInLoop }, (_, call) => `c${number}-${loop}-${call}`);
    add({ type: "iteration", index: loop + 1 });
    add({ type: "text", content: `Then part ${loop + 1} of the archive.` });
    for (const call of calls) {
      const args = { path: `/archive/${loop}/${call}` };
      add({ type: "tool_call", call: { type: "tool_call", id: call, name: "files__read", args } });
    }
    add(usage("tool_use"));
    for (const call of calls)
      add({ type: "tool_start", id: call, args: { path: `/archive/${loop}/${call}` } });
    for (const call of calls) {
      const content = [{ type: "text", text: `What stands in ${call}, in some words.` }];
      add({ type: "tool_result", result: { id: call, status: "ok", content }, durationMs: 20 });
    }
  }
  add({ type: "iteration", index: loops + 1 });
  for (const content of pieces) add({ type: "text", content }, pieceMs);
  add(usage("end_turn"));
  const end = { stopReason: "end_turn", iterationsUsed: loops + 1, timedOut: false };
  const total = { inputTokens: 900 * (loops + 1), outputTokens: 60 * (loops + 1) };
  add({ type: "result", result: { ...end, usage: total, historyDelta: [], finalText: pieces.join("") } });
  const asked = id(2, number);
  const header = {
    ...{ meguri: "run", version: runFileVersion, app: "bench" },
    conversation: { id: id(1, number), title: "A long run" },
    run: {
      ...{ id: id(3, number), messageId: asked, parentId: asked, model: "openai/test-model", agent: null },
      ...{ continues: null, startedAt: new Date(begin).toISOString(), options: {} },
    },
    events: events.length,
    history: [
      {
        ...{ id: asked, parentId: null, createdAt: new Date(begin).toISOString() },
        message: { role: "user", parts: [{ type: "text", text: question }] },
      },
    ],
  };
  const lines = events.map((data, index) => ({
    ...{ seq: index + 1, at: new Date(data.at).toISOString() },
    data,
  }));
  return [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** In each of the loops: the turn and its calls. */
export const stepsInLoop = 1 + callsInLoop;

/** Stores it, and returns its ids. */
export async function importRun(
  app: Pick<App, "fetch">,
  run: RunToTell,
): Promise<{ runId: string; conversationId: string }> {
  const response = await app.fetch("/api/runs/import", {
    method: "POST",
    headers: { "Content-Type": "application/x-ndjson" },
    body: runFile(run),
  });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as { runId: string; conversationId: string };
}
