import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { expect, onTestFinished, test, vi } from "vitest";
import { AnswerTransport, isOneRequest } from "./answer-transport";

const asked: JSONRPCMessage = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "look" } };
const answer: JSONRPCMessage = { jsonrpc: "2.0", id: 1, result: { content: [] } };
const notice: JSONRPCMessage = { jsonrpc: "2.0", method: "notifications/message" };
const accept = "application/json, text/event-stream";

const post = (messages: unknown = asked, headers: Record<string, string> = {}) => ({
  request: new Request("http://127.0.0.1/mcp", {
    method: "POST",
    headers: { accept, "content-type": "application/json", ...headers },
  }),
  messages,
});

/** One that is answered as `work` says; gives what the client reads. */
async function answered(work: (transport: AnswerTransport) => unknown) {
  const done: unknown[] = [];
  const transport = new AnswerTransport((id) => done.push(id));
  await transport.start();
  transport.onmessage = () => void work(transport);
  const response = await transport.answerSoon({ ...post(), messages: asked });
  const type = response.headers.get("content-type");
  return { type, text: await response.text(), done };
}

const event = (message: object) => `event: message\ndata: ${JSON.stringify(message)}\n\n`;

test("an answer that comes first is JSON; behind something else it is an event behind it", async () => {
  const first = await answered((transport) => transport.send(answer));
  expect(first).toEqual({ type: "application/json", text: JSON.stringify(answer), done: [1] });
  const second = await answered(async (transport) => {
    await transport.send(notice, { relatedRequestId: 1 });
    await transport.send(answer);
  });
  expect(second).toEqual({ type: "text/event-stream", text: event(notice) + event(answer), done: [1] });
});

test("nothing is lost, and nothing overtakes, while the events are being opened", async () => {
  for (let turns = 0; turns < 40; turns++) {
    const { text } = await answered(async (transport) => {
      void transport.send(notice, { relatedRequestId: 1 });
      for (let turn = 0; turn < turns; turn++) await undefined;
      void transport.send(notice, { relatedRequestId: 1 });
      await transport.send(answer);
    });
    expect(text, `after ${turns} turns`).toBe(event(notice) + event(notice) + event(answer));
  }
});

test("an answer that comes when it is no longer soon, and before the events are there, is an event", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  for (let turns = 0; turns < 40; turns++) {
    const { text } = await answered((transport) =>
      queueMicrotask(async () => {
        vi.advanceTimersByTime(10);
        for (let turn = 0; turn < turns; turn++) await undefined;
        await transport.send(answer);
      }),
    );
    expect(text, `after ${turns} turns`).toBe(event(answer));
  }
});

test("a request that is given up before anything was said has a stream that ends", async () => {
  const { type, text } = await answered((transport) => transport.close());
  expect({ type, text }).toEqual({ type: "text/event-stream", text: "" });
});

test("what the SDK would refuse, and what is not one request, is left to it", () => {
  expect(isOneRequest(post())).toBe(true);
  expect(isOneRequest(post(asked, { "mcp-protocol-version": "2025-06-18" }))).toBe(true);
  for (const refused of [
    post(asked, { accept: "application/json" }),
    post(asked, { accept: "text/event-stream" }),
    post(asked, { "mcp-protocol-version": "1999-01-01" }),
    post([asked]),
    post(notice),
    post(answer),
    post({ ...asked, jsonrpc: "1.0" }),
    post(null),
  ])
    expect(isOneRequest(refused)).toBe(false);
});
