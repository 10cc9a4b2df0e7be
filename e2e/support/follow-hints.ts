import { EventSourceParserStream } from "eventsource-parser/stream";

/** What `GET /api/events` tells. */
export interface Hints {
  /** All that has been told until now. */
  told: string[];
  /** By the server, in order; one that broke off has not ended. */
  hasEnded: boolean;
}

/** Begins to read; fails with the body's text where that is refused. It ends with the application. */
export async function followHints(response: Response): Promise<Hints> {
  if (response.status !== 200 || !response.body)
    throw new Error(`No stream: ${response.status} ${await response.text()}`);
  const hints: Hints = { told: [], hasEnded: false };
  void response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .pipeTo(new WritableStream({ write: ({ event = "" }) => void hints.told.push(event) }))
    .then(
      () => (hints.hasEnded = true),
      () => {},
    );
  return hints;
}
