import type { Contestant, Outcome, Task } from "./tasks";

const task = (question: string, maxTurns = 3): Task => ({ question, history: [], maxTurns });
const giveUpMs = 20_000;
const untilStopMs = 300;

/** What every loop meets sooner or later; see docs/benchmarks.md for what each does then. */
export const questions = {
  limit: { title: "the limit of 3 turns is reached", task: task("forever") },
  length: { title: "the model stops at its length", task: task("length") },
  invalid: { title: "arguments do not fit the schema", task: task("invalid") },
  malformed: { title: "arguments are broken JSON", task: task("malformed") },
  unknown: { title: "the tool is unknown", task: task("unknown") },
  cancel: { title: "cancelled while a tool runs", task: task("sleep 5") },
  pending: {
    title: "the history ends in an open call",
    task: { ...task("pending"), pending: true } satisfies Task,
  },
  approval: { title: "approval, then resume", task: task("echo") },
} as const;
export type Question = keyof typeof questions;

/** What the caller of the loop sees. */
export interface Seen {
  outcome?: Outcome;
  /** Name and text of what it threw. */
  error?: string;
  /** From the cancellation to the end, ms. */
  ms?: number;
  /** It has no approval of its own. */
  none?: true;
  /** What it had done when it waited. */
  asked?: Outcome;
}

export async function ask(contestant: Contestant, question: Question): Promise<Seen> {
  const { task } = questions[question];
  try {
    const timer = new Promise<never>((_, reject) => {
      setTimeout(() => reject(new Error(`No end after ${giveUpMs / 1_000} s`)), giveUpMs).unref();
    });
    return await Promise.race([timer, look(contestant, question, task)]);
  } catch (cause) {
    return { error: cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause) };
  }
}

async function look(contestant: Contestant, question: Question, task: Task): Promise<Seen> {
  if (question === "approval") {
    if (!contestant.approve) return { none: true };
    const { asked, resumed } = await contestant.approve(task);
    return { asked, outcome: resumed };
  }
  if (question !== "cancel") return { outcome: await contestant.run(task) };
  const stop = new AbortController();
  let since = 0;
  setTimeout(() => {
    since = performance.now();
    stop.abort();
  }, untilStopMs);
  const passed = () => Math.round(performance.now() - since);
  try {
    return { outcome: await contestant.run({ ...task, signal: stop.signal }), ms: passed() };
  } catch (cause) {
    return { error: cause instanceof Error ? cause.name : String(cause), ms: passed() };
  }
}
