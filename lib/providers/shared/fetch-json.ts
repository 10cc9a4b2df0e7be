import { APICallError } from "@ai-sdk/provider";

const maxBytes = 8_000_000;

/** The rest of the answer is not read; `failure.ts` knows it by its name. */
class TooLargeError extends Error {
  override name = "TooLargeError";
}

/** It had begun when the time was over; `failure.ts` knows it by its name. */
class UnendingError extends Error {
  override name = "UnendingError";
}

/** The JSON at an address that the operator has configured. Throws what `toProviderError` understands. */
export async function fetchJson(
  url: string,
  init: {
    headers?: Record<string, string>;
    signal: AbortSignal;
    body?: unknown;
    fetch?: typeof globalThis.fetch | undefined;
  },
): Promise<unknown> {
  const { headers, signal, body, fetch = globalThis.fetch } = init;
  const response = await fetch(url, {
    signal,
    // A key must not follow a redirect to somewhere else.
    redirect: "error",
    headers: {
      accept: "application/json",
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
  });
  const text = await readBounded(response).catch((cause: unknown) => {
    throw isTimeout(signal.reason) ? new UnendingError(undefined, { cause }) : cause;
  });
  if (!response.ok)
    throw new APICallError({
      message: "",
      url,
      requestBodyValues: undefined,
      statusCode: response.status,
      responseHeaders: Object.fromEntries(response.headers),
      responseBody: text,
    });
  return JSON.parse(text);
}

const isTimeout = (reason: unknown): boolean => reason instanceof Error && reason.name === "TimeoutError";

async function readBounded(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const bytes of response.body ?? []) {
    size += bytes.byteLength;
    if (size > maxBytes) throw new TooLargeError(`The answer is larger than ${maxBytes / 1_000_000} MB.`);
    text += decoder.decode(bytes, { stream: true });
  }
  return text + decoder.decode();
}
