import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Provider } from "@/lib/agent/ports";
import { openProviders } from "@/lib/providers/providers";

/** A server on 127.0.0.1 that answers as it is told, byte for byte, and the OpenAI adapter that asks it. */
export interface PlainServer {
  url: string;
  provider: Provider;
  /** Settles with each connection that ended before its answer did. */
  gone: Promise<void>;
  close(): Promise<void>;
}

export interface PlainAnswer {
  status?: number;
  headers?: Record<string, string>;
  body: string | Buffer;
}

export async function startPlainServer(
  answer: PlainAnswer | ((response: ServerResponse) => void),
): Promise<PlainServer> {
  const { promise: gone, resolve } = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    request.resume();
    response.on("close", () => {
      if (!response.writableFinished) resolve();
    });
    if (typeof answer === "function") {
      answer(response);
      return;
    }
    const { status = 200, headers = { "content-type": "text/event-stream" }, body } = answer;
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/v1`;
  return {
    url,
    gone,
    provider: openProviders({ access: { openai: { apiKey: "sk-very-secret-key", baseURL: url } } }).provider(
      "openai/org/model",
    ),
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

/** One event of a stream, with its data as JSON unless it is text. */
export const event = (data: unknown): string =>
  `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;

export const delta = (value: object, reason: string | null = null, more: object = {}): string =>
  event({ choices: [{ index: 0, delta: value, finish_reason: reason }], ...more });

export const ending = (reason: string): string => delta({}, reason) + event("[DONE]");
