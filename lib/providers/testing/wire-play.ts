import type { ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { type Step, split } from "./steps";
import type { WireOptions, WireRequest } from "./wire-request";

type ContentStep = Extract<Step, { type: "text" | "reasoning" | "calls" }>;

/** Where a piece stands, for wires that number their blocks and mark where each begins and ends. */
interface Place {
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
  ): Omit<WireRequest, "id" | "path" | "headers" | "body" | "ended"> | undefined;
  /** What a real server would refuse in the messages of a turn. */
  problems(body: Record<string, unknown>, model: string): Generator<string, undefined>;
  /** The answer to a GET or to anything that is no turn; `undefined` for 404. */
  other(path: string, models: string[], options: WireOptions): unknown;
  start(request: WireRequest, tokens: Tokens): string[];
  content(step: ContentStep, place: Place, request: WireRequest): string[];
  end(reason: string | undefined, tokens: Tokens, called: boolean, request: WireRequest): string[];
  error(status: number, message: string): unknown;
}

/** Answers one request by its steps, in the words of the wire. */
export async function playSteps(
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
  const isAtOnce = steps.some(({ type }) => type === "at_once");
  const held: string[] = [];
  const write = async (text: string) => {
    if (isAtOnce) held.push(text);
    else await writePackets(response, Buffer.from(text), packetBytes);
  };
  const send = (payloads: string[]) =>
    write(
      payloads.map((data) => `${eventName(wire, data, lineEnd)}data: ${data}${lineEnd}${lineEnd}`).join(""),
    );

  const tokens = steps.findLast((step) => step.type === "usage") ?? { type: "usage", input: 10, output: 5 };
  const reason = steps.findLast((step) => step.type === "finish")?.reason;
  await send(wire.start(request, tokens));
  let block = 0;
  for (const step of steps) {
    if (step.type === "usage" || step.type === "finish" || step.type === "at_once") continue;
    await perform(step, wire, { request, response, write, send, block });
    if (response.destroyed || response.writableEnded) return;
    block += step.type === "calls" ? step.calls.length : Number("content" in step);
  }
  const called = steps.some((step) => step.type === "calls");
  await send(wire.end(reason, tokens, called, request));
  response.end(held.join(""));
}

type Tokens = Extract<Step, { type: "usage" }>;

const eventName = ({ namesEvents }: Wire, data: string, lineEnd: string): string =>
  namesEvents ? `event: ${(JSON.parse(data) as { type: string }).type}${lineEnd}` : "";

interface Out {
  request: WireRequest;
  response: ServerResponse;
  write(text: string): Promise<void>;
  send(payloads: string[]): Promise<void>;
  block: number;
}

async function perform(
  step: Exclude<Step, { type: "usage" | "finish" | "at_once" }>,
  wire: Wire,
  { request, response, write, send, block }: Out,
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
        await send(wire.content(piece, { block, first: index === 0, last }, request));
      }
      return;
    }
    case "calls":
      return send(wire.content(step, { block, first: true, last: true }, request));
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
