/** A single message of a server, whichever way it comes; longer ones end the connection. */
export const maxMessageBytes = 10 * 1024 * 1024;

/** Fails a body that is longer than one message may be; of an event stream, each event is one. */
export function limitBody(response: Response): Response {
  if (!response.body) return response;
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  let bytes = 0;
  let endedLine = false;
  const count = (chunk: Uint8Array) => {
    bytes += chunk.length;
    // A blank line ends an event. A line end that is split over two chunks counts as well.
    const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    const blank = text.includes("\n\n") || text.includes("\r\n\r\n") || (endedLine && chunk[0] === 0x0a);
    endedLine = chunk.at(-1) === 0x0a;
    if (isStream && blank) bytes = 0;
    if (bytes > maxMessageBytes) throw new Error("The server sent a message of more than 10 MB.");
  };
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        count(chunk);
        controller.enqueue(chunk);
      },
    }),
  );
  const limited = new Response(body, {
    status: response.status,
    statusText: response.statusText,
    headers: [...response.headers],
  });
  Object.defineProperty(limited, "url", { value: response.url });
  return limited;
}
