import { setTimeout as sleep } from "node:timers/promises";
import type { CallFollower, McpAnswer } from "@/lib/mcp/gateway/offer";
import { defaultWaitMs } from "@/lib/protocol/api-tokens";
import type { Chunk } from "@/lib/protocol/chunk";
import { publicUrl } from "@/lib/server/env";
import type { LiveRun } from "@/lib/server/loop/live-run";
import { wholeResult } from "@/lib/server/loop/stored-run";
import { stopRun } from "@/lib/server/runs/stop-run";
import type { RunRow } from "@/lib/store/types";
import type { CallingClient } from "./call-tool";
import { type OwnDeps, tell } from "./own-tool";
import { errorAnswer } from "./to-answer";

/** How often an answer that waits, or is written elsewhere, is looked at, and how often progress is told. */
const [lookMs, tellMs] = [500, 500];
/** Of the answer so far. */
const maxTold = 200;

/** The answer of a run that a client has begun, told while it grows; what needs a person is waited for. */
export async function awaitAnswer(
  deps: OwnDeps,
  { person }: CallingClient,
  first: RunRow,
  follow: CallFollower,
): Promise<McpAnswer> {
  let at = first;
  const url = `${publicUrl(deps.env)}/c/${first.conversationId}`;
  const cancel = () =>
    void stopRun(deps, at).catch((err) => deps.log.warn({ err }, "an answer that was cancelled goes on"));
  follow.signal.addEventListener("abort", cancel, { once: true });
  const told = new ToldAnswer(follow);
  try {
    for (;;) {
      const live = deps.runs.get(at.id);
      if (live) await told.read(live);
      const now = (await deps.store.runs.get(at.userId, at.id)) ?? at;
      if (now.status === "running") await sleep(lookMs);
      else if (now.status === "waiting") {
        const isAnswered = await awaitPerson(deps, now, { url, follow, person });
        if (!isAnswered)
          return errorAnswer(
            `The answer waits for a person in Meguri: ${url}. Look there, or read it later with read_conversation.`,
          );
      } else {
        const next = (await deps.store.runs.ofMessage(now.conversationId, now.messageId)).find(
          ({ continues }) => continues === now.id,
        );
        if (!next) return toAnswer(deps, now, url);
        at = next;
      }
    }
  } finally {
    follow.signal.removeEventListener("abort", cancel);
  }
}

/** False when nobody has answered in time, or nobody is to be waited for. */
async function awaitPerson(
  { store, runs }: OwnDeps,
  row: RunRow,
  { url, follow, person }: { url: string; follow: CallFollower } & Pick<CallingClient, "person">,
): Promise<boolean> {
  const { onApproval = "wait", waitMs = defaultWaitMs } = person.token ?? {};
  if (onApproval === "fail") return false;
  follow.onProgress({ progress: 0, message: `Waiting for you in Meguri: ${url}` });
  const end = Date.now() + waitMs;
  while (Date.now() < end && !follow.signal.aborted && !follow.gone.aborted) {
    if (runs.get(row.id) || (await store.runs.get(row.userId, row.id))?.status !== "waiting") return true;
    await sleep(lookMs);
  }
  return false;
}

/** Tells the client how its answer grows. */
class ToldAnswer {
  private text = "";
  private toldAt = 0;

  constructor(private readonly follow: Pick<CallFollower, "onProgress">) {}

  /** Resolves when the run has ended. */
  read(run: LiveRun): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    let at = 0;
    const reader = {
      wake: () => {
        for (; at < run.chunks.length; at++) this.take(run.chunks[at] as Chunk);
        if (!run.tail.isClosed && !run.isLost) return;
        run.tail.leave(reader);
        resolve();
      },
    };
    run.tail.join(reader);
    reader.wake();
    return promise;
  }

  private take(chunk: Chunk): void {
    if (chunk.type === "tool_call") this.tell(`Calls ${chunk.call.name}`);
    if (chunk.type === "agent" && chunk.event === "start") this.tell(`Now: ${chunk.name}`);
    if (chunk.type === "iteration") this.text = "";
    if (chunk.type !== "text" || chunk.agent !== undefined) return;
    this.text += chunk.content;
    if (Date.now() - this.toldAt >= tellMs) this.tell(this.text.slice(-maxTold));
  }

  private tell(message: string): void {
    this.toldAt = Date.now();
    this.follow.onProgress({ progress: 0, message });
  }
}

async function toAnswer(deps: OwnDeps, row: RunRow, url: string): Promise<McpAnswer> {
  const end = row.result && (await wholeResult(deps, row, row.result));
  const answer = end?.finalText ?? "";
  if (row.status !== "completed")
    return errorAnswer(`No answer: ${end?.error?.message ?? `it was ${row.status}.`} ${url}`);
  const said = tell(answer, { answer, conversationId: row.conversationId, url });
  return { ...said, content: [...said.content, { type: "text", text: `In Meguri: ${url}` }] };
}
