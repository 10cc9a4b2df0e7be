import type { JSONRPCMessage, Transport, TransportSendOptions } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { LogRing } from "@/lib/mcp/transport/log-ring";
import { tapTransport } from "./tap-transport";

const callOf = (id: number): JSONRPCMessage => ({
  ...{ jsonrpc: "2.0", id, method: "tools/call" },
  params: { name: "work", _meta: { progressToken: `call-${id}` } },
});

/** A transport that sends what `fate` allows, and the events of the calls on it. */
function tapped(fate: () => Promise<void>) {
  const told: string[] = [];
  const sent: (TransportSendOptions | undefined)[] = [];
  const transport: Transport = {
    start: async () => {},
    close: async () => {},
    send: async (_, options) => {
      sent.push(options);
      await fate();
    },
    onmessage: () => {},
  };
  tapTransport(transport, new LogRing(), {
    listener: (token) => ({
      onProgress: () => {},
      onMessage: ({ direction }) => told.push(`${token} ${direction}`),
    }),
    about: () => undefined,
    cut: (token) => told.push(`${token} cut`),
  });
  return { transport, told, sent };
}

/** Everything that may happen to a request, late or out of order. */
function stragglers({ transport, sent }: ReturnType<typeof tapped>): void {
  transport.onmessage?.({ jsonrpc: "2.0", id: 1, result: {} });
  sent[0]?.onRequestStreamEnd?.();
}

test("a call that could not be sent is waited for no longer", async () => {
  const wire = tapped(() => Promise.reject(new Error("The wire is cut.")));
  await expect(wire.transport.send(callOf(1))).rejects.toThrow("The wire is cut.");
  stragglers(wire);
  expect(wire.told).toEqual(["call-1 sent"]);
});

test("nor is one that was given up, whichever way its server is told", async () => {
  const byMessage = tapped(async () => {});
  await byMessage.transport.send(callOf(1));
  const params = { requestId: 1 };
  await byMessage.transport.send({ jsonrpc: "2.0", method: "notifications/cancelled", params });
  stragglers(byMessage);
  expect(byMessage.told).toEqual(["call-1 sent"]);

  const byStream = tapped(async () => {});
  const given = new AbortController();
  await byStream.transport.send(callOf(1), { requestSignal: given.signal });
  given.abort();
  stragglers(byStream);
  expect(byStream.told).toEqual(["call-1 sent"]);
});

test("a stream that ends breaks off the call that has no answer yet, and no other", async () => {
  const wire = tapped(async () => {});
  await wire.transport.send(callOf(1));
  await wire.transport.send(callOf(2));
  wire.transport.onmessage?.({ jsonrpc: "2.0", id: 1, result: {} });
  for (const options of wire.sent) options?.onRequestStreamEnd?.();
  expect(wire.told).toEqual(["call-1 sent", "call-2 sent", "call-1 received", "call-2 cut"]);
});
