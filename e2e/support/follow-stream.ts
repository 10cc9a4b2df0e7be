import { EventSourceParserStream } from "eventsource-parser/stream";
import type { Chunk } from "@/lib/protocol/chunk";
import type { StreamEvent } from "@/lib/protocol/sse";

/** An event stream of a run as it comes in. */
export interface Following {
  response: Response;
  runId: string;
  /** All that has come until now. */
  events: StreamEvent[];
  /** Resolves when the stream has ended, or broke. */
  closed: Promise<void>;
  /** Resolves as soon as the events so far fulfil the condition; rejects when the stream ends before. */
  until(condition: (events: readonly StreamEvent[]) => boolean): Promise<void>;
  /** Hangs up, as a closed tab does. */
  leave(): void;
}

/** Begins to read a stream that was answered with 200; fails with the body's text otherwise. */
export async function followStream(response: Response): Promise<Following> {
  if (response.status !== 200 || !response.body)
    throw new Error(`No stream: ${response.status} ${await response.text()}`);
  const events: StreamEvent[] = [];
  const abort = new AbortController();
  const waiting = new Set<{ condition: (events: readonly StreamEvent[]) => boolean; done: () => void }>();
  const closed = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .pipeTo(
      new WritableStream({
        write({ id, event, data }) {
          events.push({ event, data: JSON.parse(data), ...(id && { id: Number(id) }) } as StreamEvent);
          for (const one of waiting) if (one.condition(events)) one.done();
        },
      }),
      { signal: abort.signal },
    )
    .catch(() => {}); // a killed server breaks it off
  return {
    ...{ response, events, closed, runId: response.headers.get("x-run-id") ?? "" },
    until: (condition) =>
      new Promise((resolve, reject) => {
        if (condition(events)) return resolve();
        waiting.add({ condition, done: resolve });
        void closed.then(() =>
          reject(new Error(`The stream ended before: ${JSON.stringify(events.slice(-5))}`)),
        );
      }),
    leave: () => abort.abort(),
  };
}

/** A stream to its end. */
export async function readStream(response: Response): Promise<Following> {
  const following = await followStream(response);
  await following.closed;
  return following;
}

/** The numbered events: what stands in the run log. */
export const logged = (events: readonly StreamEvent[]) =>
  events.flatMap((event) => (event.event === "chunk" || event.event === "result" ? [event] : []));

export const chunksOf = (events: readonly StreamEvent[]): Chunk[] => logged(events).map(({ data }) => data);

export const textOf = (events: readonly StreamEvent[]): string =>
  chunksOf(events)
    .map((chunk) => (chunk.type === "text" ? chunk.content : ""))
    .join("");

/** The one result and the status of a stream that was read to its end; fails when there is not exactly one of each, last. */
export function endOf(events: readonly StreamEvent[]) {
  const last = events.at(-1);
  const results = chunksOf(events).filter((chunk) => chunk.type === "result");
  const [result] = results;
  if (last?.event !== "end" || events.at(-2)?.event !== "result" || results.length !== 1 || !result)
    throw new Error(`Not one result and then the end: ${JSON.stringify(events.slice(-3))}`);
  return { status: last.data.status, ...result.result };
}
