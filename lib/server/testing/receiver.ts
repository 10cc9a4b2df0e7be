import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import OpenAI from "openai";
import { onTestFinished } from "vitest";

/** What a hook has sent. */
export interface Received {
  id: string;
  body: string;
  headers: Record<string, string>;
}

/**
 * A receiver of hooks on loopback, closed after the test. What it answers can be changed at any time; by default 204. `verify` is
 * the check of a library that takes the same signatures from others.
 */
export async function openReceiver(answer: (response: ServerResponse, at: number) => void = ok) {
  const received: Received[] = [];
  const receiver = { answer };
  const server = createServer(async (request, response) => {
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    received.push({ id: headers["webhook-id"] ?? "", body: await text(request), headers });
    receiver.answer(response, received.length);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/hook?from=meguri`;
  return Object.assign(receiver, { received, url, port });
}

const ok = (response: ServerResponse): void => void response.writeHead(204).end();

/** Rejects where the signature is not that of the secret, or is of another time. */
export const verify = ({ body, headers }: Received, secret: string): Promise<void> =>
  new OpenAI({ apiKey: "none" }).webhooks.verifySignature(body, headers, secret);
