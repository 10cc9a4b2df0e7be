import type { Chunk } from "@/lib/protocol/chunk";
import type { ConversationDetail } from "@/lib/protocol/http";
import { markdownCost } from "@/lib/protocol/markdown-cost";
import { drawnTurns, type OpenedConversation, type OpenedRun } from "@/lib/protocol/opened-conversation";
import { redact } from "@/lib/protocol/redact";
import { Frame, mergePieces } from "@/lib/server/loop/frames";
import type { LiveRun } from "@/lib/server/loop/live-run";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { isQuestion } from "@/lib/server/loop/steering";
import { toRunEvent } from "@/lib/server/runs/run-event";
import { readConversation } from "./conversations";

/** Messages that come with the page: as many as it would fetch, or the last few where those are long. */
const [manyMessages, fewMessages] = [50, 8];
/** Of everything that a page brings along, in characters, about: what is longer would keep the page itself waiting. */
const maxChars = 200_000;
/** Of the Markdown that the server draws, as `markdownCost` counts: others wait meanwhile. */
const maxCost = 30_000;
/** Of a run. One with more is read from its stream, which yields between pages. */
const maxEvents = 20_000;

/**
 * What the page of a conversation draws before any of its scripts has come; null where that would take long, or where it
 * changes at this moment. The page fetches it then, and draws it itself.
 */
export async function openConversation(
  deps: RunDeps,
  userId: string,
  id: string,
): Promise<OpenedConversation | null> {
  const before = deps.runs.ofConversation(id).at(-1);
  if (before && !isShort(before.chunks)) return null;
  // First the few, so that a conversation of long results is not read in vain.
  const few = await read(deps, userId, id, fewMessages);
  if (!few?.detail.hasMore) return few;
  return (await read(deps, userId, id, manyMessages)) ?? beginningAtQuestion(few);
}

async function read(
  deps: RunDeps,
  userId: string,
  id: string,
  limit: number,
): Promise<OpenedConversation | null> {
  const readAt = Date.now();
  const detail = await readConversation(deps, userId, id, { limit });
  const run = detail.activeRunId === null ? undefined : deps.runs.get(detail.activeRunId);
  // It has ended while its messages were read, and its last ones may be missing.
  if (run === undefined && (detail.activeRunId !== null || detail.status === "running")) return null;
  if (charsOf(detail, maxChars) >= maxChars || (run && !isShort(run.chunks))) return null;
  const opened = { detail, live: run ? openRun(run) : null, readAt };
  return costOf(opened) <= maxCost ? opened : null;
}

const isShort = (chunks: readonly Chunk[]): boolean =>
  chunks.length <= maxEvents && charsOf(chunks, maxChars) < maxChars;

/** About how long it is as JSON, as far as `most`: of what is longer no more is looked at. */
function charsOf(value: unknown, most: number): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 4;
  let sum = 2;
  for (const key in value) {
    sum +=
      (Array.isArray(value) ? 1 : key.length + 4) +
      charsOf((value as Record<string, unknown>)[key], most - sum);
    if (sum >= most) break;
  }
  return sum;
}

function openRun({ row, chunks }: LiveRun): OpenedRun {
  const frames = mergePieces(chunks.map((chunk, at) => new Frame(at + 1, chunk)));
  const seq = chunks.length;
  return { run: toRunEvent(row, seq), chunks: frames.map(({ chunk }) => redact(chunk)), seq };
}

/** Without the end of an answer whose question is not among them: a turn is known by its question, now and later. */
function beginningAtQuestion(opened: OpenedConversation): OpenedConversation | null {
  const { messages, runs } = opened.detail;
  const first = messages.findIndex(isAsked);
  if (first < 0) return null;
  const kept = messages.slice(first);
  const ids = new Set(kept.map(({ id }) => id));
  return {
    ...opened,
    detail: { ...opened.detail, messages: kept, runs: runs.filter(({ messageId }) => ids.has(messageId)) },
  };
}

function costOf({ detail: { messages }, live }: OpenedConversation): number {
  const questions = messages.flatMap((message, at) => (isAsked(message) ? at : []));
  const texts = messages
    .slice(questions.at(-drawnTurns) ?? 0)
    .flatMap((message) => (message.role === "assistant" ? message.parts : []))
    .map((part) => (part.type === "text" ? part.text : ""));
  const words = live?.chunks.map((chunk) => (chunk.type === "text" ? chunk.content : "")).join("");
  return [...texts, words ?? ""].reduce((sum, text) => sum + markdownCost(text), 0);
}

const isAsked = (message: ConversationDetail["messages"][number]): boolean =>
  isQuestion({ message, runId: message.runId });
