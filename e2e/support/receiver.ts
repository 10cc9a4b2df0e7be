import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

interface Received {
  body: string;
  headers: Record<string, string>;
}

/** Takes what hooks send, on loopback, and answers with these statuses one after the other, then with the last of them. */
export async function openReceiver(...statuses: number[]) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    received.push({ body: await text(request), headers: request.headers as Record<string, string> });
    response.writeHead(statuses[Math.min(received.length, statuses.length) - 1] ?? 200).end("as asked");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/meguri`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { received, statuses, url, [Symbol.dispose]: close };
}
