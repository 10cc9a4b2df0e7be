import { AsyncLocalStorage } from "node:async_hooks";
import type { ProgressNotification } from "@modelcontextprotocol/client";
import { z } from "zod";
import type { QuestionAnswer } from "@/lib/mcp/questions/pending-questions";
import type { ServerRequest } from "@/lib/mcp/questions/questions";
import type { OnMessage } from "./exchanges";

/** Who is told of a call that is in flight, and asked what its server wants to know. */
export interface CallListener {
  /** The same object for all calls of one run; undefined for a call that no run makes. */
  run?: object | undefined;
  /** The call has to wait for its turn before it is sent; returns what is called when its turn comes. */
  onWait(): () => void;
  onProgress(progress: Progress): void;
  /** Called with the call and its answer as they go over the wire. */
  onMessage?: OnMessage;
  /** The server asks for something of a person, or for text of the model. */
  onRequest(request: ServerRequest): Promise<QuestionAnswer>;
}

export type Progress = Omit<ProgressNotification["params"], "progressToken" | "_meta">;

/** Calls that wait for their turn at a server that gets one at a time. */
const maxWaiting = 100;
/** How long a question waits until only the calls of one run are left that it can be about. */
const unclearMs = 20_000;

/** The call whose stream is being read. Only over Streamable HTTP does each call have one. */
const streamOf = new AsyncLocalStorage<string>();

interface InFlightCall {
  listener: CallListener;
  /** A task is followed beside other calls, as its questions name it. */
  taskId?: string | undefined;
}

/** The call has not been sent, and will not be. */
export class NotSentError extends Error {}

/** The server does not say which of the calls on their way it asks for. */
export class UnclearCallError extends Error {}

const metaSchema = z.object({
  _meta: z.object({
    progressToken: z.union([z.string(), z.number()]).optional(),
    "io.modelcontextprotocol/related-task": z.object({ taskId: z.string() }).optional(),
  }),
});

/**
 * The calls of one connection that are on their way, and which of them a question of the server is about. It says so by
 * the stream it comes on, a progress token or a task. A server that once has not said so gets one call at a time from
 * then on: its question must not reach the person of another run.
 */
export class AskingCalls {
  /** By progress token, the oldest first. */
  private readonly inFlight = new Map<string, InFlightCall>();
  /** Each sends its call. */
  private readonly waiting = new Set<() => void>();
  private oneAtATime = false;
  private readonly unclear = new Set<PromiseWithResolvers<CallListener>>();

  get isIdle(): boolean {
    return this.inFlight.size === 0 && this.waiting.size === 0;
  }

  listener(token: string): CallListener | undefined {
    return this.inFlight.get(token)?.listener;
  }

  /** `work` sends the call and reads its answer, over a stream of its own if `hasStream`. */
  async run<Value>(
    token: string,
    call: InFlightCall,
    { signal, hasStream }: { signal: AbortSignal; hasStream: boolean },
    work: () => Promise<Value>,
  ): Promise<Value> {
    await this.enter(token, call, signal);
    try {
      return await (hasStream ? streamOf.run(token, work) : work());
    } finally {
      this.inFlight.delete(token);
      // Who asked may be the one that was given up, so that the question must not go to who is left.
      if (signal.aborted) this.refuse();
      this.decide();
      this.grant();
    }
  }

  /**
   * Who looks after the call that the server asks for: called from where its message is read. Undefined when there is no
   * call; rejects with `UnclearCallError` when it cannot be told.
   */
  async asker(params: unknown): Promise<CallListener | undefined> {
    const named = this.named(params);
    if (named) return named.listener;
    if (this.inFlight.size === 0) return undefined;
    this.oneAtATime = true;
    const asked = Promise.withResolvers<CallListener>();
    this.unclear.add(asked);
    const timer = setTimeout(() => this.refuse(), unclearMs).unref();
    this.decide();
    return asked.promise.finally(() => clearTimeout(timer));
  }

  private named(params: unknown): InFlightCall | undefined {
    const stream = this.inFlight.get(streamOf.getStore() ?? "");
    if (stream) return stream;
    const meta = metaSchema.safeParse(params).data?._meta;
    const taskId = meta?.["io.modelcontextprotocol/related-task"]?.taskId;
    return (
      this.inFlight.get(String(meta?.progressToken ?? "")) ??
      (taskId === undefined ? undefined : [...this.inFlight.values()].find((call) => call.taskId === taskId))
    );
  }

  /** Hands the open questions to the one run that they can be about; where every call may wait for an answer, to nobody. */
  private decide(): void {
    if (this.unclear.size === 0) return;
    const all = [...this.inFlight.values()];
    const calls = all.filter(({ taskId }) => taskId === undefined);
    const possible = calls.length > 0 ? calls : all;
    const newest = possible.at(-1)?.listener;
    if (newest && possible.every(({ listener }) => listener.run === newest.run)) {
      for (const asked of this.unclear) asked.resolve(newest);
      this.unclear.clear();
    } else if (this.unclear.size >= possible.length) this.refuse();
  }

  private refuse(): void {
    for (const asked of this.unclear)
      asked.reject(
        new UnclearCallError(
          "Several calls are on their way, and the question does not say which it is for. From now on one call is sent at a time: end this one, it may be sent again.",
        ),
      );
    this.unclear.clear();
  }

  /** Whether a call is on its way that its questions do not name. */
  private get isTaken(): boolean {
    return [...this.inFlight.values()].some(({ taskId }) => taskId === undefined);
  }

  /** Takes the call among those on their way as soon as it is its turn. */
  private async enter(token: string, call: InFlightCall, signal: AbortSignal): Promise<void> {
    if (call.taskId !== undefined || !this.oneAtATime || !this.isTaken) {
      this.inFlight.set(token, call);
      return;
    }
    if (this.waiting.size >= maxWaiting)
      throw new NotSentError(
        `Not run: the server takes one call at a time, and ${maxWaiting} wait already. Call it again later.`,
      );
    const goOn = call.listener.onWait();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const begin = () => {
      this.inFlight.set(token, call);
      resolve();
    };
    const stop = () => {
      if (this.waiting.delete(begin)) reject(new NotSentError("Not run: stopped before it was sent."));
    };
    this.waiting.add(begin);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      await promise;
    } finally {
      signal.removeEventListener("abort", stop);
      goOn();
    }
  }

  private grant(): void {
    const [next] = this.waiting;
    // Of the calls that went before its first question, several may still be on their way.
    if (!next || this.isTaken) return;
    this.waiting.delete(next);
    next();
  }
}
