import { expect, test } from "vitest";
import { KeyedMutex } from "./keyed-mutex";

test("work under one key runs in order, one after another; other keys do not wait", async () => {
  const mutex = new KeyedMutex();
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = mutex.run("a", async () => {
    order.push("first begins");
    await gate.promise;
    order.push("first ends");
  });
  const second = mutex.run("a", async () => void order.push("second"));
  await mutex.run("b", async () => void order.push("other key"));
  expect(order).toEqual(["first begins", "other key"]);
  gate.resolve();
  await Promise.all([first, second]);
  expect(order).toEqual(["first begins", "other key", "first ends", "second"]);
});

test("work that fails fails for its caller alone", async () => {
  const mutex = new KeyedMutex();
  const failing = mutex.run("a", () => Promise.reject(new Error("no")));
  const next = mutex.run("a", async () => "yes");
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe("yes");
});
