import { definitionHash } from "@/lib/mcp/connection/server-tool";
import type { Resume } from "@/lib/mcp/questions/input-required";
import type { CallOptions, CallOutcome, CallTarget } from "./call-options";
import { startDeadline } from "./deadline";
import { notRunOutcome, type Outcome, unfinishedOutcome } from "./read-result";
import { type Reason, sendOnce } from "./send-once";

/** How often a call is sent again for the same reason. */
const maxRepeats: Readonly<Record<Reason, number>> = {
  broken: 1,
  brokenTask: 5,
  rights: 3,
  asked: 3,
  task: 1,
};

/**
 * Calls a tool, in the definition given, and answers with what is known of the call; never throws. A run and a call by
 * hand both come here. Starting the server takes none of the call's time.
 */
export function callTool(target: CallTarget, options: CallOptions): Promise<CallOutcome> {
  return target.use(options, (fault) =>
    fault ? Promise.resolve(notRunOutcome(`Not run: ${fault}`)) : sendUntilDone(target, options),
  );
}

/** All sendings share one deadline: being sent again gives a call no more time. */
async function sendUntilDone(target: CallTarget, options: CallOptions): Promise<CallOutcome> {
  const deadline = startDeadline(target.timeoutMs, options.signal, target.longestMs);
  const repeats = new Map<Reason, number>();
  let { resume } = options;
  /** What is known of a sending that broke and may have run the call; "not run" would not be true any more. */
  let broken: Outcome | undefined;
  const end = (outcome: CallOutcome) => (broken && hasNotRun(outcome) ? broken : outcome);
  try {
    while (true) {
      const connection = await target.connection(deadline.signal);
      await connection?.relisting.pending;
      // A task is running already, and its server has to be told of the stop.
      if (deadline.signal.aborted && repeats.size === 0 && !resume?.taskId)
        return notRunOutcome("Not run: stopped before it was sent.");
      if (!connection && target.needsSignIn) return end({ signIn: target.server });
      if (!connection) return end(notConnected(target.server, resume));
      if (!resume?.taskId && !connection.offers(target.tool.name, definitionHash(target.tool)))
        return end(changedOutcome());
      const step = await sendOnce(connection, target, { ...options, resume }, deadline);
      // A change of the tools that the server announced meanwhile is known before the next call is decided on.
      await connection.relisting.pending;
      if ("outcome" in step) return end(step.outcome);
      const count = (repeats.get(step.again) ?? 0) + 1;
      if (count > maxRepeats[step.again] || deadline.signal.aborted) return end(step.otherwise);
      if (step.again === "broken" && !hasNotRun(step.otherwise)) broken = step.otherwise;
      repeats.set(step.again, count);
      resume = step.resume ?? resume;
    }
  } finally {
    deadline.clear();
  }
}

const hasNotRun = (outcome: CallOutcome) =>
  "signIn" in outcome || ("reason" in outcome && outcome.reason === "not_run");

const notConnected = (server: string, resume: Resume | undefined) =>
  resume?.taskId
    ? unfinishedOutcome(
        "unknown",
        `${server} is not connected any more; what became of the task is not known.`,
      )
    : notRunOutcome(`Not run: ${server} is not connected.`);

export const changedOutcome = () =>
  notRunOutcome("Not run: its definition changed after it was checked; ask again.");
