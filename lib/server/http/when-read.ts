/** Whether the answer is one of events, which goes on for as long as its reader stays. */
export const isEvents = ({ headers, body }: Response): boolean =>
  body !== null && (headers.get("content-type")?.startsWith("text/event-stream") ?? false);

/** The same answer; `then` is called once, when it has ended or its reader has left. */
export function whenRead(answer: Response, then: () => void): Response {
  const reader = answer.body?.getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const next = await reader?.read();
          if (next?.value) return controller.enqueue(next.value);
          controller.close();
        } catch (cause) {
          controller.error(cause);
        }
        then();
      },
      async cancel(reason) {
        then();
        await reader?.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, answer);
}
