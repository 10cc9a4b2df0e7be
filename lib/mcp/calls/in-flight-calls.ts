import { Inputs } from "@/lib/mcp/questions/pending-questions";

/** Calls that are on their way, by call id; outlives the run that started them. */
export interface Flights {
  has(id: string): boolean;
  /** What the server of a call in flight wants to know of a person. */
  inputs(id: string): Inputs | undefined;
  /** The result that a call in flight will have. */
  join<Result>(id: string): Promise<Result> | undefined;
  /** Starts a call; it is in flight until `fly` has ended, or until it is released, which fires the signal. */
  launch<Result>(id: string, fly: (signal: AbortSignal, inputs: Inputs) => Promise<Result>): Promise<Result>;
  /** The call has been answered from elsewhere, or nobody will: the server is told to stop. */
  release(id: string): void;
}

/** Calls on their way, of every run of the process. */
export function createFlights(): Flights {
  const flying = new Map<string, { result: Promise<unknown>; abort: AbortController; inputs: Inputs }>();
  return {
    has: (id) => flying.has(id),
    inputs: (id) => flying.get(id)?.inputs,
    join: <Result>(id: string) => flying.get(id)?.result as Promise<Result> | undefined,
    launch: (id, fly) => {
      const abort = new AbortController();
      const inputs = new Inputs();
      const result = fly(abort.signal, inputs).finally(() => {
        if (flying.get(id)?.abort === abort) flying.delete(id);
      });
      flying.set(id, { result, abort, inputs });
      return result;
    },
    release: (id) => {
      flying.get(id)?.abort.abort(new Error("The call was given up."));
      flying.delete(id);
    },
  };
}
