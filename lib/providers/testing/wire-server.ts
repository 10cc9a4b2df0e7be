import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { type Step, split } from "./steps";

/** What a script may look at to decide, and what a test may look at afterwards. */
export interface WireRequest {
  path: string;
  headers: Record<string, string>;
  body: Record<string, unknown>;
  model: string;
  /** Of the last message of the user. */
  lastUserText: string;
  /** What the tools have answered since then. */
  toolResults: string[];
  /** Names of the tools that may be called. */
  tools: string[];
  /** Whether the answer was sent to its end, or the client went before. */
  ended: Promise<"finished" | "client gone">;
}

/** The steps of each turn in order (the last one again after that), or what to do for a request. */
export type Script = Step[][] | ((request: WireRequest, turnIndex: number) => Step[] | Promise<Step[]>);

export interface WireServer {
  /** `http://127.0.0.1:port` with the path that the provider's base URL has. */
  url: string;
  /** The turns that were asked for; requests for the list of models are not among them. */
  requests: WireRequest[];
  /** Resolves with the request of that turn as soon as it has come. */
  request(turnIndex: number): Promise<WireRequest>;
  /** Ends every connection. */
  close(): Promise<void>;
}

export interface WireOptions {
  /** Names that the list of models gives. */
  models?: string[];
  /** What Ollama says that its models can do; default: answer and call tools. */
  capabilities?: string[];
  /** Bytes of each packet of the body; default: an event a packet. */
  packetBytes?: number;
  lineEnd?: "\n" | "\r\n";
}

export type ContentStep = Extract<Step, { type: "text" | "reasoning" | "calls" }>;

/** Where a piece stands, for wires that number their blocks and mark where each begins and ends. */
export interface Place {
  block: number;
  first: boolean;
  last: boolean;
}

/** How one provider writes all this down. */
export interface Wire {
  basePath: string;
  /** Whether each event carries its type as its name, too. */
  namesEvents?: true;
  read(
    path: string,
    body: Record<string, unknown>,
  ): Omit<WireRequest, "path" | "headers" | "body" | "ended"> | undefined;
  /** The answer to a GET or to anything that is no turn; `undefined` for 404. */
  other(path: string, models: string[], options: WireOptions): unknown;
  start(request: WireRequest, tokens: Tokens): string[];
  content(step: ContentStep, place: Place): string[];
  end(reason: string | undefined, tokens: Tokens, called: boolean, request: WireRequest): string[];
  error(status: number, message: string): unknown;
}

export async function startWireServer(
  wire: Wire,
  script: Script,
  options: WireOptions = {},
): Promise<WireServer> {
  const requests: WireRequest[] = [];
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
    const request: WireRequest = { path, headers: flat(incoming), body, ...read, ended: promise };
    const index = requests.push(request) - 1;
    for (const one of waiting) if (one.index === index) one.resolve(request);
    const steps =
      typeof script === "function" ? await script(request, index) : (script[index] ?? script.at(-1) ?? []);
    await play(wire, steps, request, response, options);
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${wire.basePath}`,
    requests,
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

async function play(
  wire: Wire,
  steps: Step[],
  request: WireRequest,
  response: ServerResponse,
  options: WireOptions,
): Promise<void> {
  const [first] = steps;
  if (first?.type === "fail") {
    response.writeHead(first.status, { "content-type": "application/json", ...first.headers });
    response.end(JSON.stringify(first.body ?? wire.error(first.status, first.message)));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  const { packetBytes = Number.POSITIVE_INFINITY, lineEnd = "\n" } = options;
  const write = (text: string) => writePackets(response, Buffer.from(text), packetBytes);
  const send = (payloads: string[]) =>
    write(
      payloads.map((data) => `${eventName(wire, data, lineEnd)}data: ${data}${lineEnd}${lineEnd}`).join(""),
    );

  const tokens = steps.findLast((step) => step.type === "usage") ?? { type: "usage", input: 10, output: 5 };
  const reason = steps.findLast((step) => step.type === "finish")?.reason;
  await send(wire.start(request, tokens));
  let block = 0;
  for (const step of steps) {
    if (step.type === "usage" || step.type === "finish") continue;
    await perform(step, wire, { response, write, send, block });
    if (response.destroyed || response.writableEnded) return;
    block += step.type === "calls" ? step.calls.length : Number("content" in step);
  }
  const called = steps.some((step) => step.type === "calls");
  await send(wire.end(reason, tokens, called, request));
  response.end();
}

type Tokens = Extract<Step, { type: "usage" }>;

const eventName = ({ namesEvents }: Wire, data: string, lineEnd: string): string =>
  namesEvents ? `event: ${(JSON.parse(data) as { type: string }).type}${lineEnd}` : "";

interface Out {
  response: ServerResponse;
  write(text: string): Promise<void>;
  send(payloads: string[]): Promise<void>;
  block: number;
}

async function perform(
  step: Exclude<Step, { type: "usage" | "finish" }>,
  wire: Wire,
  { response, write, send, block }: Out,
): Promise<void> {
  switch (step.type) {
    case "text":
    case "reasoning": {
      const { signature, ...bare } = step;
      const pieces = step.content ? split(step.content, step.pieces) : [""];
      for (const [index, content] of pieces.entries()) {
        if (step.delayMs > 0) await wait(step.delayMs);
        if (response.destroyed) return;
        const last = index === pieces.length - 1;
        const piece = { ...bare, content, ...(last && signature && { signature }) };
        await send(wire.content(piece, { block, first: index === 0, last }));
      }
      return;
    }
    case "calls":
      return send(wire.content(step, { block, first: true, last: true }));
    case "fault":
      return send([JSON.stringify(wire.error(step.status, step.message))]);
    case "pause":
      return wait(step.ms);
    case "until":
      return void (await step.done);
    case "raw":
      return write(step.bytes);
    case "hang":
      return new Promise((resolve) => response.once("close", () => resolve()));
    case "cut":
      response.destroy();
      return;
    case "fade":
      response.end();
      return;
    case "fail":
      throw new Error("An HTTP error can only be the first step.");
  }
}

async function writePackets(response: ServerResponse, bytes: Buffer, size: number): Promise<void> {
  for (let at = 0; at < bytes.length && !response.destroyed; at += size)
    // A packet is on its way before the next one, so that a character can really be split between two.
    await new Promise<void>((resolve) => {
      response.write(bytes.subarray(at, at + size), () => resolve());
    });
}

async function readBody(incoming: IncomingMessage): Promise<Record<string, unknown>> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString("utf8");
  return text ? (JSON.parse(text) as Record<string, unknown>) : {};
}

const flat = (incoming: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
