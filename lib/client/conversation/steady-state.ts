import type { TurnView } from "@/lib/client/run/messages-to-turns";
import type { RunView } from "@/lib/client/run/run-view";
import type { ConversationState } from "./conversation-state";

/**
 * `after`, or `before` where only the words and times inside the loops of a running answer differ. Whoever shows a state
 * kept by this renders when something begins, is asked or ends, and not with each piece of text.
 */
export function steady(before: ConversationState, after: ConversationState): ConversationState {
  const last = after.turns.length - 1;
  const same =
    before.turns.length === after.turns.length &&
    sameBut(before, after, "turns") &&
    after.turns.every(
      (turn, at) => turn === before.turns[at] || (at === last && grew(before.turns[at], turn)),
    );
  return same ? before : after;
}

function grew(before: TurnView | undefined, after: TurnView): boolean {
  const [old, now] = [before?.answer, after.answer];
  if (!before || !old || !now) return false;
  return (
    sameBut(before, after, "answer") &&
    sameBut({ ...old, siblings: "" }, { ...now, siblings: "" }, "view") &&
    sameIds(old.siblings, now.siblings) &&
    grewInside(old.view, now.view)
  );
}

/** A view that waits shows what is asked about, so there every change counts. */
function grewInside(before: RunView, after: RunView): boolean {
  return (
    before.status === "running" &&
    after.status === "running" &&
    before.pending.length + after.pending.length === 0 &&
    before.runId === after.runId &&
    before.iteration === after.iteration &&
    before.limit === after.limit &&
    before.loops.length === after.loops.length &&
    before.steering.length === after.steering.length
  );
}

const sameIds = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((id, at) => id === b[at]);

function sameBut<T extends object>(a: T, b: T, but: keyof T): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]) as Set<keyof T>;
  for (const key of keys) if (key !== but && a[key] !== b[key]) return false;
  return true;
}
