import type { RunItem, StoredMessage } from "@/lib/protocol/http";

/** A question, and the messages that answer it. */
export interface AnsweredQuestion {
  question: (StoredMessage & { role: "user" }) | null;
  rest: StoredMessage[];
}

/** Messages of one branch, oldest first, by their questions; null where a page of them begins in the middle of an answer. */
export function byQuestion(messages: readonly StoredMessage[]): AnsweredQuestion[] {
  const questions: AnsweredQuestion[] = [];
  for (const message of messages) {
    const last = questions.at(-1);
    if (isQuestion(message)) questions.push({ question: message, rest: [] });
    else if (last) last.rest.push(message);
    else questions.push({ question: null, rest: [message] });
  }
  return questions;
}

/** A message that the model read inside a run belongs to that run; a question belongs to none. */
export const isQuestion = (message: StoredMessage): message is StoredMessage & { role: "user" } =>
  message.role === "user" && message.runId === null;

/** The runs that answer each turn, in the order of `byQuestion`; without those that have no log here, as of an import. */
export function runsOfTurns(messages: readonly StoredMessage[], runs: readonly RunItem[]): RunItem[][] {
  const byId = new Map(runs.map((run) => [run.id, run]));
  return byQuestion(messages).map(({ question, rest }) => chainOf(question, rest, runs, byId));
}

/** The runs of an answer in order: those that wrote its messages, and those that continue them and have no message yet. */
export function chainOf(
  question: StoredMessage | null,
  rest: readonly StoredMessage[],
  runs: readonly RunItem[],
  byId: ReadonlyMap<string, RunItem>,
): RunItem[] {
  const ids = new Set(rest.flatMap(({ runId }) => (runId ? [runId] : [])));
  const chain = [...ids].flatMap((id) => byId.get(id) ?? []);
  if (chain.length === 0 && rest.length === 0) {
    const silent = runs.findLast((run) => run.messageId === question?.id);
    if (silent) chain.push(...runsBefore(silent, byId), silent);
  }
  for (;;) {
    const last = chain.at(-1);
    const next = runs.find((run) => !chain.includes(run) && follows(run, last, rest));
    if (!next) return chain;
    chain.push(next);
  }
}

/** Whether a run continues the last one, or the messages of another answer that were kept for it. */
const follows = (run: RunItem, last: RunItem | undefined, rest: readonly StoredMessage[]): boolean =>
  (last !== undefined && run.continues === last.id) ||
  (run.parentId !== undefined && run.parentId === rest.at(-1)?.id);

/** The runs that this one continues, oldest first. */
export function runsBefore(first: RunItem | undefined, byId: ReadonlyMap<string, RunItem>): RunItem[] {
  const before: RunItem[] = [];
  for (let run = byId.get(first?.continues ?? ""); run; run = byId.get(run.continues ?? ""))
    before.unshift(run);
  return before;
}
