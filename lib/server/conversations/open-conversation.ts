import { markdownCost } from "@/lib/protocol/markdown-cost";
import { drawnTurns, type OpenedConversation, type OpenedRun } from "@/lib/protocol/opened-conversation";
import { redact } from "@/lib/protocol/redact";
import { Frame, mergePieces } from "@/lib/server/loop/frames";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { isQuestion } from "@/lib/server/loop/steering";
import { toRunEvent } from "@/lib/server/runs/run-reader";
import { readConversation } from "./conversations";

/** Messages that come with the page: as many as it would fetch, or the last few where those are long. */
const [manyMessages, fewMessages] = [50, 8];
/** Of everything that a page brings along, in characters of JSON: what is longer would keep the page itself waiting. */
const maxChars = 200_000;
/** Of the Markdown that the server draws, as `markdownCost` counts: others wait meanwhile. */
const maxCost = 30_000;
/** Of a run. One with more is read from its stream, which yields between pages. */
const maxEvents = 20_000;

/**
 * What the page of a conversation draws before any of its scripts has come; null where that would take long. The page
 * fetches it then, and draws it itself.
 */
export async function openConversation(
  deps: RunDeps,
  userId: string,
  id: string,
): Promise<OpenedConversation | null> {
  // First the few, so that a conversation of long results is not read in vain.
  const few = await read(deps, userId, id, fewMessages);
  if (!few?.detail.hasMore) return few;
  return (await read(deps, userId, id, manyMessages)) ?? few;
}

async function read(
  deps: RunDeps,
  userId: string,
  id: string,
  limit: number,
): Promise<OpenedConversation | null> {
  const readAt = Date.now();
  const detail = await readConversation(deps, userId, id, { limit });
  const live = detail.activeRunId === null ? null : openRun(deps, detail.activeRunId);
  if (live === undefined) return null;
  const opened = { detail, live, readAt };
  return JSON.stringify(opened).length <= maxChars && costOf(opened) <= maxCost ? opened : null;
}

/** Null for one that has ended meanwhile, undefined for one that is too long. */
function openRun({ runs }: RunDeps, id: string): OpenedRun | null | undefined {
  const run = runs.get(id);
  if (!run) return null;
  if (run.chunks.length > maxEvents) return undefined;
  const frames = mergePieces(run.chunks.map((chunk, at) => new Frame(at + 1, chunk)));
  const seq = run.chunks.length;
  return { run: toRunEvent(run.row, seq), chunks: frames.map(({ chunk }) => redact(chunk)), seq };
}

function costOf({ detail: { messages }, live }: OpenedConversation): number {
  const questions = messages.flatMap((message, at) =>
    isQuestion({ message, runId: message.runId }) ? at : [],
  );
  const texts = messages
    .slice(questions.at(-drawnTurns) ?? 0)
    .flatMap((message) => (message.role === "assistant" ? message.parts : []))
    .map((part) => (part.type === "text" ? part.text : ""));
  const words = live?.chunks.map((chunk) => (chunk.type === "text" ? chunk.content : "")).join("");
  return [...texts, words ?? ""].reduce((sum, text) => sum + markdownCost(text), 0);
}
