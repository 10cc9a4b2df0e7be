import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, type Dispatcher } from "undici";
import { expect, test } from "vitest";
import { pacedConnections, ReadPace } from "./read-pace";

/** What is done with the connection, as words. */
function startPace() {
  const done: string[] = [];
  const pace = new ReadPace();
  const control = { pause: () => done.push("pause"), resume: () => done.push("resume") };
  pace.start(control as unknown as Dispatcher.DispatchController);
  const read = async (pieces: number) => {
    for (let piece = 0; piece < pieces; piece++) pace.note();
    await Promise.resolve();
  };
  const isRested = () => expect.poll(() => done.at(-1)).toBe("resume");
  return { pace, done, read, isRested };
}

test("an answer that comes slowly is read as it comes", async () => {
  const { done, read } = startPace();
  for (let count = 0; count < 3; count++) {
    await read(15);
    await sleep(5);
  }
  expect(done).not.toContain("pause");
});

test("a fast one rests after each read, and goes on by itself", async () => {
  const { done, read, isRested } = startPace();
  for (let count = 0; count < 3; count++) {
    await read(200);
    expect(done.at(-1)).toBe("pause");
    await isRested();
  }
  expect(done).toEqual(["pause", "resume", "pause", "resume", "pause", "resume"]);
});

test("a reader that is behind holds it longer than a rest", async () => {
  const { pace, done, read } = startPace();
  await read(16);
  pace.hold();
  await sleep(10);
  expect(done).not.toContain("resume");
  pace.release();
  expect(done.at(-1)).toBe("resume");
});

test("a reader that has caught up does not cut a rest short", async () => {
  const { pace, done, read, isRested } = startPace();
  await read(16);
  pace.hold();
  pace.release();
  expect(done).not.toContain("resume");
  await isRested();
});

test("after the end the connection is left alone: it may serve another answer", async () => {
  const { pace, done, read } = startPace();
  await read(16);
  pace.end();
  await sleep(10);
  expect(done).toEqual(["pause"]);
});

test("nothing is lost, whatever is read when", async () => {
  const sent = Array.from({ length: 20_000 }, (_, index) => `piece ${index}\n`);
  const server = createServer((_request, response) => {
    for (const piece of sent) response.write(piece);
    response.end();
  }).listen(0, "127.0.0.1");
  await expect.poll(() => server.listening).toBe(true);
  const dispatcher = new Agent({ connect: pacedConnections });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (let round = 0; round < 3; round++)
    expect(await readPaced(dispatcher, origin)).toEqual({ text: sent.join(""), rested: true });
  await dispatcher.close();
  server.close();
});

function readPaced(dispatcher: Dispatcher, origin: string): Promise<{ text: string; rested: boolean }> {
  const pace = new ReadPace();
  const parts: Buffer[] = [];
  let rested = false;
  return new Promise((resolve, reject) => {
    dispatcher.dispatch(
      { origin, path: "/", method: "GET" },
      {
        onRequestStart: (control) => pace.start(control),
        onResponseStart() {},
        onResponseData(control, bytes) {
          pace.note();
          parts.push(bytes);
          queueMicrotask(() => {
            rested ||= control.paused;
          });
        },
        onResponseEnd() {
          pace.end();
          resolve({ text: Buffer.concat(parts).toString(), rested });
        },
        onResponseError: (_control, cause) => reject(cause),
      },
    );
  });
}
