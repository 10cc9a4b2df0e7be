import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { askAfter } from "./ask-after";

/** A request that ends when the test says so, and what was told of it. */
function request() {
  const told: string[] = [];
  const asked = Promise.withResolvers<AbortSignal>();
  const answer = Promise.withResolvers<string>();
  const cancel = askAfter(
    0,
    (signal) => {
      told.push("asked");
      asked.resolve(signal);
      return answer.promise;
    },
    (value) => told.push(`took ${value}`),
    ({ code }) => told.push(`failed: ${code}`),
  );
  return { told, asked: asked.promise, answer, cancel };
}

test("an answer is taken, and a failure told as an error of the API", async () => {
  const [good, bad] = [request(), request()];
  await Promise.all([good.asked, bad.asked]);
  good.answer.resolve("plums");
  bad.answer.reject(new TypeError("no line"));
  await wait(0);
  expect([good.told, bad.told]).toEqual([
    ["asked", "took plums"],
    ["asked", "failed: unexpected"],
  ]);
});

test("what is cancelled before it was asked for is not asked for", async () => {
  const { told, cancel } = request();
  cancel();
  await wait(5);
  expect(told).toEqual([]);
});

test("of a request that is cancelled nobody hears, neither what it brings nor how it fails", async () => {
  const [good, bad] = [request(), request()];
  for (const { asked, cancel } of [good, bad]) {
    const signal = await asked;
    cancel();
    expect(signal.aborted).toBe(true);
  }
  good.answer.resolve("plums");
  bad.answer.reject(new Error("aborted"));
  await wait(0);
  expect([good.told, bad.told]).toEqual([["asked"], ["asked"]]);
});
