import { setTimeout as sleep } from "node:timers/promises";
import type { McpAnswer } from "@/lib/mcp/gateway/offer";
import type { ToolResult } from "@/lib/protocol/message";
import type { LiveRun } from "@/lib/server/loop/live-run";
import { messagesOf, readWholeLog } from "@/lib/server/loop/stored-run";
import { stopRun } from "@/lib/server/runs/stop-run";
import type { RunRow } from "@/lib/store/types";
import { type AwaitedAnswer, awaitPerson, openQuestions } from "./await-person";
import type { CallDeps } from "./begin-call";
import { errorAnswer, toAnswer } from "./to-answer";

/** How often a run that goes on in another process is looked at. */
const lookMs = 500;

/** Sees a call to its end: over the run that makes it, and those that go on from it when a person has answered. */
export async function followCall(
  deps: CallDeps,
  call: AwaitedAnswer,
  first: LiveRun | RunRow,
): Promise<McpAnswer> {
  let at = first;
  const { signal } = call.follow;
  const cancel = () =>
    void cancelRun(deps, rowOf(at)).catch((err) =>
      deps.log.warn({ err }, "a call that was cancelled goes on"),
    );
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    for (;;) {
      const next = "row" in at ? await seeLive(deps, call, at) : await seeRow(deps, call, at);
      if ("content" in next) return next;
      at = next;
    }
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

type Next = LiveRun | RunRow | McpAnswer;

const rowOf = (at: LiveRun | RunRow): RunRow => ("row" in at ? at.row : at);

/** What a person has said yes to stays for the next call; what nobody has answered is taken back. */
export async function cancelRun(deps: CallDeps, row: RunRow): Promise<void> {
  const now = await deps.store.runs.get(row.userId, row.id);
  if (now?.status === "waiting" && (await openQuestions(deps, row)).length === 0) return;
  await stopRun(deps, row);
}

async function seeLive(deps: CallDeps, call: AwaitedAnswer, run: LiveRun): Promise<Next> {
  const end = await call.outcome.read(run);
  // What is read of it then, another instance may ask as well.
  if (end === "broke" && deps.store.members.mayBeMany) await run.ended;
  if (typeof end === "object") return toAnswer(end.result, call.outcome.raw, fileReader(deps));
  return end === "waits" ? awaitPerson(deps, call, run.row) : afterwards(deps, run.row);
}

async function seeRow(deps: CallDeps, call: AwaitedAnswer, row: RunRow): Promise<Next> {
  const live = deps.runs.get(row.id);
  if (live) return live;
  switch (row.status) {
    case "waiting":
      return awaitPerson(deps, call, row);
    case "running":
      await sleep(lookMs);
      return (await deps.store.runs.get(row.userId, row.id)) ?? gone();
    case "completed":
    case "stopped":
    case "failed":
    case "interrupted":
      return afterwards(deps, row);
  }
}

/** Of a run that has ended, or goes on as another one. */
async function afterwards(deps: CallDeps, row: RunRow): Promise<Next> {
  const runs = await deps.store.runs.ofMessage(row.conversationId, row.messageId);
  const next = runs.find(({ continues }) => continues === row.id);
  if (next) return deps.runs.get(next.id) ?? next;
  const log = await readWholeLog(deps, row.id);
  const logged = log.flatMap(({ data }) => (data.type === "tool_result" ? data.result : [])).at(-1);
  if (logged) return toAnswer(logged, undefined, fileReader(deps));
  const now = await deps.store.runs.get(row.userId, row.id);
  if (!now) return gone();
  if (now.status === "stopped") return errorAnswer("Not run: a person has stopped it in Meguri.");
  const stored = await storedResult(deps, now);
  return stored
    ? toAnswer(stored, undefined, fileReader(deps))
    : errorAnswer(`Not run: ${now.result?.error?.message ?? "it broke off in Meguri."}`);
}

/** The log of a run that has just ended in another process may lack it for a moment. */
const storedResult = async (deps: CallDeps, row: RunRow): Promise<ToolResult | undefined> =>
  (await messagesOf(deps, row))
    .flatMap(({ message }) => (message.role === "tool" ? message.results : []))
    .at(-1);

const gone = () => errorAnswer("The call was deleted in Meguri.");

const fileReader =
  ({ files }: CallDeps) =>
  async (id: string) =>
    (await files.read(id).catch(() => undefined))?.toString("base64");
