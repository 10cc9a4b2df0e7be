import { expect, test, vi } from "vitest";
import { type EventSink, feedResponse } from "./event-feed";
import { Packet } from "./packet";

/** A feed that says what is done with it, and the answer of a route that gives it. */
function answer() {
  const abort = new AbortController();
  const said: string[] = [];
  const sinks: EventSink[] = [];
  const feed = {
    start: (sink: EventSink) => {
      said.push("start");
      sinks.push(sink);
      sink.write(new Packet("a"));
    },
    resume: () => void said.push("resume"),
    leave: () => void said.push("leave"),
  };
  const { body } = feedResponse(new Request("http://127.0.0.1", { signal: abort.signal }), feed, {});
  if (!body) throw new Error("An answer without a body.");
  return { abort, said, sinks, body };
}

test("a body that nobody reads starts nothing, as the answer to HEAD", async () => {
  const { said, body } = answer();
  await body.cancel();
  expect(said).toEqual(["leave"]);
});

test("it is written when it is read: the feed hears of each time that there is room", async () => {
  const { abort, said, sinks, body } = answer();
  const reader = body.getReader();
  const first = await reader.read();
  expect([Buffer.from(first.value ?? []).toString(), said]).toEqual(["a", ["start"]]);
  const second = reader.read();
  await vi.waitFor(() => expect(said).toEqual(["start", "resume"]));
  expect(sinks[0]?.write(new Packet("b"))).toBe(false);
  expect(Buffer.from((await second).value ?? []).toString()).toBe("b");
  sinks[0]?.end();
  expect((await reader.read()).done).toBe(true);
  // A request may outlive its answer.
  abort.abort();
  expect(said).toEqual(["start", "resume", "leave"]);
});

test("a request that was aborted before it is answered starts nothing", async () => {
  const { abort, said, body } = answer();
  abort.abort();
  expect((await body.getReader().read()).done).toBe(true);
  expect(said).toEqual(["leave"]);
});

test("the feed is left once the request is aborted, and what comes after that harms nobody", async () => {
  const { abort, said, body } = answer();
  const reader = body.getReader();
  await reader.read();
  abort.abort();
  expect(said).toEqual(["start", "leave"]);
  expect((await reader.read()).done).toBe(true);
  await reader.cancel();
});

test("a reader that is cut off reads an error", async () => {
  const { sinks, body } = answer();
  const reader = body.getReader();
  await reader.read();
  sinks[0]?.drop();
  await expect(reader.read()).rejects.toThrow("taken nothing");
});
