import { createParser, type EventSourceMessage } from "eventsource-parser";
import type { StreamEvent } from "@/lib/protocol/sse";

/** No event is longer: a result carries the whole delta, whose tool content is bounded by the server. */
const maxEventChars = 32 * 1024 * 1024;

/** The events of a run's stream. Throws when an event is too long or not JSON. */
export async function* decodeEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<StreamEvent> {
  for await (const message of decodeMessages(body)) {
    const event = toEvent(message);
    if (event) yield event;
  }
}

/** The events of a body as they arrive, for any split of its bytes. Throws when an event is too long. */
export async function* decodeMessages(body: AsyncIterable<Uint8Array>): AsyncGenerator<EventSourceMessage> {
  const ready: EventSourceMessage[] = [];
  let failure: Error | undefined;
  const parser = createParser({
    maxBufferSize: maxEventChars,
    onEvent: (message) => ready.push(message),
    onError: (error) => {
      if (error.type === "max-buffer-size-exceeded") failure = error;
    },
  });
  const text = new TextDecoder();
  for await (const bytes of body) {
    parser.feed(text.decode(bytes, { stream: true }));
    if (failure) throw failure;
    yield* ready.splice(0);
  }
}

/** Events of a newer server that this page does not know are ignored. */
function toEvent({ event, id, data }: EventSourceMessage): StreamEvent | undefined {
  switch (event) {
    case "chunk":
    case "result":
      return { event, id: Number(id), data: JSON.parse(data) };
    case "run":
    case "end":
      return { event, data: JSON.parse(data) };
    case "reset":
      return { event };
    case undefined:
      break;
  }
  return undefined;
}
