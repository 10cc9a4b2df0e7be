import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { refusalOf } from "./refusals";
import { fail, type Step } from "./steps";
import { playSteps, type Wire } from "./wire-play";
import type { WireOptions, WireRequest } from "./wire-request";

/** The steps of each turn in order (the last one again after that), or what to do for a request. */
export type Script = Step[][] | ((request: WireRequest, turnIndex: number) => Step[] | Promise<Step[]>);

export interface WireServer {
  /** `http://127.0.0.1:port` with the path that the provider's base URL has. */
  url: string;
  /** The turns that were asked for; requests for the list of models are not among them. */
  requests: WireRequest[];
  /** Why requests were refused as the real provider would; none of these was asked of the script. */
  refusals: string[];
  /** Resolves with the request of that turn as soon as it has come. */
  request(turnIndex: number): Promise<WireRequest>;
  /** Ends every connection. */
  close(): Promise<void>;
}

export async function startWireServer(
  wire: Wire,
  script: Script,
  options: WireOptions = {},
): Promise<WireServer> {
  const requests: WireRequest[] = [];
  const refusals: string[] = [];
  const waiting: { index: number; resolve: (request: WireRequest) => void }[] = [];
  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    );
  });

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = incoming.url ?? "/";
    const body = await readBody(incoming);
    const read = incoming.method === "POST" ? wire.read(path, body) : undefined;
    if (!read) {
      const found = wire.other(path, options.models ?? ["test-model"], options);
      response.writeHead(found ? 200 : 404, { "content-type": "application/json" });
      response.end(JSON.stringify(found ?? wire.error(404, "not found")));
      return;
    }
    const { promise, resolve } = Promise.withResolvers<"finished" | "client gone">();
    response.on("close", () => resolve(response.writableFinished ? "finished" : "client gone"));
    const request: WireRequest = {
      id: `answer-${requests.length}-${Date.now()}`,
      path,
      headers: flat(incoming),
      body,
      ...read,
      ended: promise,
    };
    const index = requests.push(request) - 1;
    for (const one of waiting) if (one.index === index) one.resolve(request);
    const refusal = refusalOf(wire.problems(body, read.model));
    if (refusal !== undefined) {
      refusals.push(refusal);
      return playSteps(wire, [fail(400, refusal)], request, response, options);
    }
    const steps =
      typeof script === "function" ? await script(request, index) : (script[index] ?? script.at(-1) ?? []);
    await playSteps(wire, steps, request, response, options);
  }

  // A connection that is closed in the moment in which it is used again fails a request that nobody repeats.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${wire.basePath}`,
    requests,
    refusals,
    request: (index) =>
      new Promise((resolve) => {
        const there = requests[index];
        if (there) resolve(there);
        else waiting.push({ index, resolve });
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readBody(incoming: IncomingMessage): Promise<Record<string, unknown>> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString("utf8");
  return text ? (JSON.parse(text) as Record<string, unknown>) : {};
}

const flat = (incoming: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
