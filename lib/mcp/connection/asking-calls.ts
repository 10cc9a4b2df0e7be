import { AsyncLocalStorage } from "node:async_hooks";
import { type ProgressNotification, SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import { z } from "zod";
import type { QuestionAnswer } from "@/lib/mcp/questions/pending-questions";
import type { ServerRequest } from "@/lib/mcp/questions/questions";
import type { OnMessage } from "./exchanges";

/** Follows a call in flight, and answers what its server asks. */
export interface CallListener {
  /** The same object for all calls of one run; undefined for a call that no run makes. */
  run?: object | undefined;
  /** Who makes the call; undefined where it is not known. */
  person?: string | undefined;
  /** The call has to wait for its turn before it is sent; returns what is called when its turn comes. */
  onWait(): () => void;
  onProgress(progress: Progress): void;
  /** Called with what the server logs for this call. */
  onLog?(message: LogMessage): void;
  /** Called with the call and its answer as they go over the wire. */
  onMessage?: OnMessage;
  /** The server asks for something of a person, or for text of the model. */
  onRequest(request: ServerRequest): Promise<QuestionAnswer>;
}

export type Progress = Omit<ProgressNotification["params"], "progressToken" | "_meta">;

/** What a server logs for its client (`notifications/message`). */
export interface LogMessage {
  level: string;
  logger?: string | undefined;
  data: unknown;
}

/** Calls waiting for their turn at a server that gets one at a time. */
const maxWaiting = 100;
const unclear =
  "Several calls are on their way, and the question does not say which it is for. From now on one call is sent at a time: end this one, it may be sent again.";
/** How long a question waits for the moment when only calls of one run are left that it can be about. */
const unclearMs = 20_000;

/** The call whose stream is being read. Only over Streamable HTTP each call has one. */
const streamOf = new AsyncLocalStorage<string>();

interface InFlightCall {
  listener: CallListener;
  /** A task: it is followed beside other calls, as its questions name it. */
  taskId?: string | undefined;
}

/** The call has not been sent, and will not be. */
export class NotSentError extends Error {}

/** The server does not say which of the calls in flight it asks for. */
export class UnclearCallError extends Error {}

const metaSchema = z.object({
  _meta: z.object({
    progressToken: z.union([z.string(), z.number()]).optional(),
    "io.modelcontextprotocol/related-task": z.object({ taskId: z.string() }).optional(),
  }),
});

/**
 * The calls in flight on one connection, and which of them a question of the server is about. The server says so by the
 * stream the question comes on, a progress token or a task. One that did not say so once gets one call at a time from
 * then on: its questions must not reach another run, and never another person.
 */
export class AskingCalls {
  /** By progress token, the oldest first. */
  private readonly inFlight = new Map<string, InFlightCall>();
  /** Calls waiting for their turn; each function sends its call. */
  private readonly waiting = new Set<() => void>();
  private oneAtATime = false;
  /** People of calls that were given up: their server may still be at one, and ask about it. */
  private readonly gaveUp = new Set<string | undefined>();
  /** People of requests that are no calls, such as one for a prompt: nobody answers for them, but a server may ask on their way. */
  private readonly beside = new Map<object, string | undefined>();
  private readonly unclear = new Set<PromiseWithResolvers<CallListener>>();

  get isIdle(): boolean {
    return this.inFlight.size === 0 && this.waiting.size === 0;
  }

  listener(token: string): CallListener | undefined {
    return this.inFlight.get(token)?.listener;
  }

  /** `work` sends the call and reads its answer; `hasStream`: over a separate stream. */
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
      if (signal.aborted) this.gaveUp.add(call.listener.person);
      // The question may have been about the call that was given up, so no other call may answer it.
      if (signal.aborted) this.refuse();
      this.decide();
      this.grant();
    }
  }

  /** Has `work` send a request that is no call. */
  async alongside<Value>(
    person: string | undefined,
    signal: AbortSignal,
    work: () => Promise<Value>,
  ): Promise<Value> {
    const request = {};
    this.beside.set(request, person);
    try {
      return await work();
    } catch (cause) {
      // Its server may still be at it.
      if (signal.aborted || isTimeout(cause)) this.gaveUp.add(person);
      throw cause;
    } finally {
      this.beside.delete(request);
    }
  }

  /**
   * The listener of the call that the server asks for; to be called where the message is read. Undefined when no call is
   * in flight; rejects with `UnclearCallError` when it is not clear which call that is.
   */
  async asker(params: unknown): Promise<CallListener | undefined> {
    const named = this.named(params);
    if (named) return named.listener;
    if (this.inFlight.size === 0) return undefined;
    this.oneAtATime = true;
    if (this.isOfSeveralPeople) throw new UnclearCallError(unclear);
    const asked = Promise.withResolvers<CallListener>();
    this.unclear.add(asked);
    const timer = setTimeout(() => this.refuse(), unclearMs).unref();
    this.decide();
    return asked.promise.finally(() => clearTimeout(timer));
  }

  /** The listener of the call that a message is about which asks for nothing; undefined where that is not sure. */
  about(params: unknown): CallListener | undefined {
    const named = this.named(params);
    if (named) return named.listener;
    const [only] = this.inFlight.values();
    return this.inFlight.size === 1 && !this.isOfSeveralPeople ? only?.listener : undefined;
  }

  /** To wait until one call is left will not do: the server may have given up the one that it asked about. */
  private get isOfSeveralPeople(): boolean {
    const people = new Set([...this.gaveUp, ...this.beside.values()]);
    for (const { listener } of this.inFlight.values()) people.add(listener.person);
    return people.size > 1;
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

  /** Gives the open questions to the one run that they can be about; refuses them once every call may be waiting for one. */
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
    for (const asked of this.unclear) asked.reject(new UnclearCallError(unclear));
    this.unclear.clear();
  }

  /** Whether a call is in flight that its questions do not name. */
  private get isTaken(): boolean {
    return [...this.inFlight.values()].some(({ taskId }) => taskId === undefined);
  }

  /** Puts the call in flight as soon as it is its turn. */
  private async enter(token: string, call: InFlightCall, signal: AbortSignal): Promise<void> {
    if (call.taskId !== undefined || !this.oneAtATime || !this.isTaken) {
      this.inFlight.set(token, call);
      return;
    }
    if (this.waiting.size >= maxWaiting)
      throw new NotSentError(
        `Not run: the server takes one call at a time, and ${maxWaiting} wait already. Call it again later.`,
      );
    const release = call.listener.onWait();
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
      release();
    }
  }

  private grant(): void {
    const [next] = this.waiting;
    // Several of the calls that were sent before its first question may still be in flight.
    if (!next || this.isTaken) return;
    this.waiting.delete(next);
    next();
  }
}

const isTimeout = (cause: unknown): boolean =>
  cause instanceof SdkError && cause.code === SdkErrorCode.RequestTimeout;
