import { PendingQuestions } from "@/lib/mcp/questions/pending-questions";

interface InFlightCall {
  result: Promise<unknown>;
  abort: AbortController;
  questions: PendingQuestions;
}

/** Calls that were started and have no result yet, of every run of the process, by call id. They outlive the run that started them. */
export class InFlightCalls {
  private readonly calls = new Map<string, InFlightCall>();

  has(id: string): boolean {
    return this.calls.has(id);
  }

  /** What the server of a call in flight asks a person. */
  questions(id: string): PendingQuestions | undefined {
    return this.calls.get(id)?.questions;
  }

  /** The result that a call in flight will have. */
  join<Result>(id: string): Promise<Result> | undefined {
    return this.calls.get(id)?.result as Promise<Result> | undefined;
  }

  /** Starts a call. It is in flight until `send` has ended, or until it is released, which fires the signal. */
  start<Result>(
    id: string,
    send: (signal: AbortSignal, questions: PendingQuestions) => Promise<Result>,
  ): Promise<Result> {
    const abort = new AbortController();
    const questions = new PendingQuestions();
    const result = send(abort.signal, questions).finally(() => {
      if (this.calls.get(id)?.abort === abort) this.calls.delete(id);
    });
    this.calls.set(id, { result, abort, questions });
    return result;
  }

  /** The call has been answered from elsewhere, or nobody will answer it: its server is told to stop. */
  release(id: string): void {
    this.calls.get(id)?.abort.abort(new Error("The call was given up."));
    this.calls.delete(id);
  }
}
