import type { Progress } from "@/lib/mcp/connection/calls";
import type { Connection } from "@/lib/mcp/connection/connection";
import type { OnMessage } from "@/lib/mcp/connection/exchanges";
import type { ServerTool } from "@/lib/mcp/connection/server-tool";
import type { InputRequired, Resume } from "@/lib/mcp/questions/input-required";
import type { Question, QuestionAnswer } from "@/lib/mcp/questions/pending-questions";
import { startDeadline } from "./deadline";
import { errorOutcome, type Outcome } from "./read-result";
import { type Reason, sendOnce, unknownOutcome } from "./send-call";

/** How a call ended, or with which questions. */
export type CallOutcome = Outcome | { inputRequired: InputRequired };

export interface ToolRequest {
  server: string;
  tool: ServerTool;
  /** Hash of the definition that the call was judged by; to another one it is not sent. */
  definition: string;
  args: Record<string, unknown>;
  timeoutMs: number;
  /** In all, whatever progress there is; 10 minutes unless told. */
  longestMs?: number | undefined;
  signal: AbortSignal;
  /** The definition is pinned and says that doing it twice is the same as doing it once. */
  repeatable: boolean;
  onProgress(progress: Progress): void;
  /** Told of the call and its answer as they go over the wire. */
  onMessage?: OnMessage;
  /** Puts a question of the server to a person; absent where there is none. */
  ask?: ((question: Question, signal: AbortSignal) => Promise<QuestionAnswer>) | undefined;
  /** The call goes on as a task of the server, which is to be kept in mind. */
  onTask?: ((taskId: string) => Promise<void>) | undefined;
  /** The same object for all calls of a run, of which one person is asked. */
  run?: object | undefined;
  /** Names the questions of this call. */
  callId: string;
  /** The call ended in questions, which are answered now; or it is a task. */
  resume?: Resume | undefined;
  /** W3C trace context, sent along in `_meta`. */
  traceparent: string | undefined;
  /** The live connection; waits a moment for one that is coming back. */
  connection(signal: AbortSignal): Promise<Connection | undefined>;
}

/** How often a call is sent again for the same reason. */
const mostTimes: Readonly<Record<Reason, number>> = {
  /** The connection broke, and the call may be repeated. */
  broken: 1,
  /** The connection broke, and the task may well go on. */
  brokenTask: 5,
  /** The server refused, and has got more rights. */
  rights: 3,
  /** It only wanted to know what we can say ourselves, or to be asked once more. */
  asked: 3,
  /** It has become a task, which is looked after from here. */
  task: 1,
};

/** Sends a call and answers with what is known of it; never throws. A call that broke is repeated once, if that is safe. */
export async function callTool(request: ToolRequest): Promise<CallOutcome> {
  const deadline = startDeadline(request.timeoutMs, request.signal, request.longestMs);
  const times = new Map<Reason, number>();
  let { resume } = request;
  try {
    while (true) {
      const connection = await request.connection(deadline.signal);
      await connection?.relisting.underWay;
      // A task runs already: its server is told.
      if (deadline.signal.aborted && times.size === 0 && !resume?.taskId)
        return errorOutcome("Not run: stopped before it was sent.");
      if (!connection) return notConnected(request.server, resume);
      if (!resume?.taskId && !connection.offers(request.tool.name, request.definition))
        return changedOutcome();
      const step = await sendOnce(connection, { ...request, resume }, deadline);
      // A change that the server told of on the way is known before anybody decides what to call next.
      await connection.relisting.underWay;
      if ("outcome" in step) return step.outcome;
      const count = (times.get(step.again) ?? 0) + 1;
      if (count > mostTimes[step.again] || deadline.signal.aborted) return step.otherwise;
      times.set(step.again, count);
      resume = step.resume ?? resume;
    }
  } finally {
    deadline.clear();
  }
}

const notConnected = (server: string, resume: Resume | undefined) =>
  resume?.taskId
    ? unknownOutcome(`${server} is not connected any more; what became of the task is not known.`)
    : errorOutcome(`Not run: ${server} is not connected.`);

export const changedOutcome = () =>
  errorOutcome("Not run: its definition changed after it was judged; ask again.");
