import type { MessageChunk } from "@/lib/agent/execute-with-tools-stream";
import type { Chunk } from "@/lib/protocol/chunk";
import type { UserMessage } from "@/lib/protocol/message";
import type { RunRow } from "@/lib/store/types";
import type { LiveRun } from "./live-run";
import type { RunDeps } from "./run-deps";

type Deps = Pick<RunDeps, "store" | "log">;

/**
 * What people have said to a run since its model was asked last. Each is taken in the store before it goes into the log; the
 * log alone says whether the model got it. Nothing is asked of the store when nobody has said anything.
 */
export function takeSaid(deps: Deps, run: LiveRun): Promise<MessageChunk[]> | undefined {
  if (!run.mayBeSteered) return undefined;
  run.mayBeSteered = false;
  return claim(deps, run);
}

/** A store that refuses costs the message this turn, not the run its answer. */
async function claim({ store, log }: Deps, run: LiveRun): Promise<MessageChunk[]> {
  try {
    const taken = await store.queue.claim(run.chainId, run.row.id);
    return taken.map(({ id, message }) => ({ type: "message", id, message }));
  } catch (err) {
    run.mayBeSteered = true;
    log.error({ err, runId: run.row.id }, "what was said to a run could not be taken; it waits");
    return [];
  }
}

/** A message of a person in the log of a run. */
export const isSaid = (
  chunk: Chunk,
): chunk is Extract<Chunk, { type: "message" }> & { message: UserMessage } =>
  chunk.type === "message" && chunk.message.role === "user";

/**
 * Stores what became of the messages that a live run has taken: what its log holds is delivered, the rest waits again. Gives
 * whether anything waits. Tried again as its end is.
 */
export async function settleQueue(deps: Deps, run: LiveRun): Promise<boolean> {
  const { row, chainId, chunks, endedAs } = run;
  let isWaiting = false;
  const onFault = (err: unknown) =>
    deps.log.error({ err, runId: row.id }, "what waits behind a run is not settled yet; it is tried again");
  await run.retry.untilStored(async () => {
    isWaiting = await deps.store.queue.settle(chainId, {
      runIds: [row.id],
      delivered: deliveredIn(chunks),
      isOver: endedAs !== "waiting",
    });
  }, onFault);
  return isWaiting;
}

/** Ids of the messages that this log holds. */
export const deliveredIn = (log: Iterable<Chunk>): string[] =>
  [...log].flatMap((chunk) => (isSaid(chunk) && chunk.id !== undefined ? chunk.id : []));

/** A message that begins a turn of the conversation; one that was said into a run has the run's id. */
export const isQuestion = ({ message, runId }: { message: { role: string }; runId: RunRow["id"] | null }) =>
  message.role === "user" && runId === null;
