import type { ConversationItem } from "@/lib/protocol/http";

/** What a person can be told of. A run that somebody has stopped is no news to anybody. */
export const endedKinds = ["finished", "waiting", "failed"] as const;
export type EndedKind = (typeof endedKinds)[number];

/** The newest run of a conversation, which does not go on by itself. */
export interface EndedRun {
  conversationId: string;
  title: string;
  kind: EndedKind;
  /** Failed because the server stopped. */
  isInterrupted: boolean;
  /** On the clock of the server. With the conversation it names this end and no other. */
  at: string;
}

/** Ends that this browser has dealt with: they were seen, or told, or are older than `floor`. */
export interface HandledRuns {
  floor: string;
  /** Conversation and time, newest first. */
  runs: readonly (readonly [string, string])[];
}

/** More than a list of conversations shows at first. */
const maxHandled = 200;

/** How the conversation stands, as far as a person may want to know. */
export function endedRun({ id, title, status, updatedAt }: ConversationItem): EndedRun | null {
  const kind = status && kindOf[status];
  return kind
    ? { conversationId: id, title, kind, isInterrupted: status === "interrupted", at: updatedAt }
    : null;
}

const kindOf = {
  running: null,
  stopped: null,
  completed: "finished",
  waiting: "waiting",
  failed: "failed",
  interrupted: "failed",
} as const satisfies Record<NonNullable<ConversationItem["status"]>, EndedKind | null>;

/** Those that nobody has dealt with, newest first. */
export function findUnhandled(items: readonly ConversationItem[], handled: HandledRuns): readonly EndedRun[] {
  const known = new Map(handled.runs);
  return items
    .flatMap((item) => endedRun(item) ?? [])
    .filter(({ conversationId, at }) => at > handled.floor && known.get(conversationId) !== at)
    .toSorted((a, b) => b.at.localeCompare(a.at));
}

/** With these as well. What no longer fits raises the floor, so that nothing is told twice. */
export function addHandled(handled: HandledRuns, runs: readonly EndedRun[]): HandledRuns {
  const all = new Map(handled.runs);
  for (const { conversationId, at } of runs) all.set(conversationId, at);
  const newest = [...all].toSorted(([, a], [, b]) => b.localeCompare(a));
  const dropped = newest.slice(maxHandled).map(([, at]) => at);
  return { floor: latest([handled.floor, ...dropped]), runs: newest.slice(0, maxHandled) };
}

/** What a browser begins with: everything that is there is old. */
export function allHandled(items: readonly ConversationItem[]): HandledRuns {
  return { floor: latest(items.map(({ updatedAt }) => updatedAt)), runs: [] };
}

const latest = (times: readonly string[]) => times.toSorted().at(-1) ?? "";

/** What was stored, if it still can be read. */
export function parseHandled(text: string | null): HandledRuns | null {
  try {
    const { floor, runs } = JSON.parse(text ?? "null") as HandledRuns;
    const isRun = (run: unknown) =>
      Array.isArray(run) && run.length === 2 && run.every((part) => typeof part === "string");
    return typeof floor === "string" && runs.every(isRun) ? { floor, runs } : null;
  } catch {
    return null;
  }
}
