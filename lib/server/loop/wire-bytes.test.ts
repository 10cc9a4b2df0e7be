import { expect, test } from "vitest";
import { formsOf } from "./secret-forms";
import { cleanBody, maxBody, unpackedBody, WireBytes, WireRoom } from "./wire-bytes";

const secret = 'key-"quoted"/1';

test("all recordings together hold no more than their room, and what is stored makes room again", () => {
  const room = new WireRoom();
  const bodies = Array.from({ length: 70 }, () => new WireBytes(room, maxBody));
  for (const body of bodies) body.add(Buffer.alloc(maxBody, "x"));
  const whole = bodies.filter(({ isCut }) => !isCut);
  expect(whole.length).toBe(64);
  for (const body of bodies) expect(body.total).toBe(maxBody);
  expect(bodies.reduce((sum, { bytes }) => sum + bytes.length, 0)).toBeLessThanOrEqual(64 * 1_048_576);
  whole[0]?.release();
  const next = new WireBytes(room, maxBody);
  next.add(Buffer.alloc(maxBody, "y"));
  expect(next.isCut).toBe(false);
});

test("what comes after there was no room is no part of the beginning", () => {
  const room = new WireRoom();
  const others = Array.from({ length: 1_023 }, () => room.take() ?? Buffer.alloc(0));
  const body = new WireBytes(room, maxBody);
  body.add(Buffer.alloc(60_000, "a"));
  body.add(Buffer.alloc(60_000, "b"));
  room.give(others);
  body.add(Buffer.alloc(10, "c"));
  expect([body.total, body.isCut]).toEqual([120_010, true]);
  expect(body.bytes.toString()).toBe("a".repeat(60_000) + "b".repeat(5_536));
});

test("of an endless body no more is held than its limit", () => {
  const body = new WireBytes(new WireRoom(), maxBody);
  for (let at = 0; at < 5; at++) body.add(Buffer.alloc(700_000, "x"));
  expect([body.bytes.length, body.total, body.isCut]).toEqual([maxBody, 3_500_000, true]);
});

test("half of a secret is not kept where there was no room for the rest", () => {
  const room = new WireRoom();
  for (let at = 0; at < 1_023; at++) room.take();
  const body = new WireBytes(room, maxBody);
  body.add(Buffer.from(`${"x".repeat(65_530)}${secret}`));
  const { bytes, isCut } = cleanBody(body, formsOf([secret]));
  expect([isCut, bytes.toString().includes("key")]).toEqual([true, false]);
});

test("a secret is removed as text, as JSON and as part of an address, and a short value is none", () => {
  const forms = formsOf([secret, "none"]);
  const text = `${secret} ${JSON.stringify({ a: secret })} ?k=${encodeURIComponent(secret)} none`;
  const { bytes } = cleanBody({ bytes: Buffer.from(text), isCut: false }, forms);
  expect(bytes.toString()).toBe('[removed] {"a":"[removed]"} ?k=[removed] none');
});

test.each([0, 1, 5, 13, 14, 20])(
  "of a secret that ends %s bytes behind the cut nothing is kept",
  (behind) => {
    const forms = formsOf([secret]);
    const limit = maxBody + forms.longest;
    const body = new WireBytes(new WireRoom(), limit);
    body.add(Buffer.from(`${"é".repeat((limit - secret.length + behind) / 2)}${secret}${"z".repeat(100)}`));
    const { bytes, isCut } = cleanBody(body, forms);
    expect(isCut).toBe(true);
    expect(bytes.length).toBeLessThanOrEqual(maxBody);
    expect(bytes.toString()).not.toContain("key-");
    expect(bytes.toString()).not.toContain("\uFFFD");
  },
);

test("an answer that broke off in the middle of a secret ends before it, and says that something is missing", () => {
  const forms = formsOf([secret]);
  const end = (text: string, isWhole: boolean) => {
    const { bytes, isCut } = cleanBody({ bytes: Buffer.from(text), isCut: false }, forms, isWhole);
    return [bytes.toString(), isCut];
  };
  expect(end(`data: é${secret.slice(0, 9)}`, false)).toEqual(["data: é", true]);
  expect(end("data: é", false)).toEqual(["data: é", false]);
  expect(end(`data: é${secret.slice(0, 9)}`, true)).toEqual([`data: é${secret.slice(0, 9)}`, false]);
});

test("a small packed body that becomes a large one is read as far as the limit", async () => {
  const { gzipSync } = await import("node:zlib");
  const packed = gzipSync(Buffer.alloc(20_000_000));
  const body = await unpackedBody({ bytes: packed, isCut: false }, "gzip", maxBody);
  expect([body.bytes.length, body.isCut]).toEqual([maxBody, true]);
});
