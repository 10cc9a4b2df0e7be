import { Inputs } from "@/lib/mcp/questions/pending-questions";
import type { Flights } from "@/lib/mcp/types";

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
