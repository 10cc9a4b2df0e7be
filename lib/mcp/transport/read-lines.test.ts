import { spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { drainLines } from "./drain-lines";
import { readLines } from "./read-lines";

/** Reads a stream; a line that is dropped is the text "too long". */
function read(stream: Parameters<typeof readLines>[0]) {
  const lines: string[] = [];
  const reader = readLines(
    stream,
    (line) => lines.push(line),
    () => lines.push("too long"),
  );
  return { lines, reader };
}

test("lines come whole and in order, however the stream is cut, and many of them in portions", async () => {
  const stream = new PassThrough();
  const { lines } = read(stream);
  const expected = Array.from({ length: 500 }, (_, index) => `行 ${index}`);
  const bytes = Buffer.from(`${expected.join("\n")}\n`);
  for (let at = 0; at < bytes.length; at += 1_237) stream.write(bytes.subarray(at, at + 1_237));
  stream.end();
  // A stream ends before its last portion is handled.
  await expect.poll(() => lines.length).toBe(expected.length);
  expect(lines).toEqual(expected);
});

test("what a child wrote before it exited comes whole and in order, though it exits during a pause", async () => {
  // Several chunks of several portions: the stream has ended while the first of them are read.
  const script = `for (let i = 0; i < 400; i++) console.log(String(i).padEnd(1_000, "."))`;
  const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  const { lines } = read(child.stdout);
  const expected = Array.from({ length: 400 }, (_, index) => String(index).padEnd(1_000, "."));
  await expect.poll(() => lines).toEqual(expected);
});

test("that a list has changed is read once until something else is said, however often it comes", async () => {
  const stream = new PassThrough();
  const { lines } = read(stream);
  const changed = (kind: string) => `{"jsonrpc":"2.0","method":"notifications/${kind}/list_changed"}`;
  const other = `{"method":"notifications/message","params":{"data":"notifications/tools/list_changed"}}`;
  const storm = `${changed("tools")}\n${changed("prompts")}\n`.repeat(100_000);
  stream.end(`${storm}${other}\n${other}\n${storm}end\n`);
  await expect.poll(() => lines.at(-1)).toBe("end");
  // A line in two chunks may be told once more.
  const told = lines.filter((line, at) => line !== lines[at - 2] || line === other);
  const both = [changed("tools"), changed("prompts")];
  expect(told).toEqual([...both, other, other, ...both, "end"]);
  expect(lines.length).toBeLessThan(20);
});

test("a line of more than 10 MB is dropped and reported", async () => {
  const stream = new PassThrough();
  const { lines } = read(stream);
  stream.write(Buffer.alloc(11 * 1024 * 1024, 0x61));
  stream.end("\nnext\n");
  await expect.poll(() => lines).toEqual(["too long", "", "next"]);
});

test("a log is drained to its last line, and a line without end is cut", async () => {
  const stream = new PassThrough();
  const lines: string[] = [];
  drainLines(stream, (line) => lines.push(line));
  stream.write("first\r\nsec");
  stream.write("ond\n");
  for (let i = 0; i < 10; i++) stream.write("x".repeat(20_000));
  stream.end();
  await once(stream, "end");
  expect(lines.map((line) => line.slice(0, 6))).toEqual(["first", "second", "xxxxxx"]);
  expect(lines[2]?.length).toBeLessThanOrEqual(8 * 1024);
});

test("who was asked much may answer much at once; who was asked nothing is read in portions", () => {
  const stream = new PassThrough();
  const { lines, reader } = read(stream);
  const hundred = "{}\n".repeat(100);
  for (let asked = 0; asked < 25; asked++) reader.expect();
  stream.emit("data", Buffer.from(hundred));
  expect([lines.length, stream.isPaused()]).toEqual([100, false]);
  stream.emit("data", Buffer.from(hundred));
  expect(lines.length).toBeLessThanOrEqual(150);
  expect(stream.isPaused()).toBe(true);
});
