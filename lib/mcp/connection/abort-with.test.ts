import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { abortWith } from "./abort-with";

test("a controller follows the signal, its reason too, and may be aborted by itself", () => {
  const run = new AbortController();
  const [own, other] = [abortWith(run.signal), abortWith(run.signal)];
  own.controller.abort("cut");
  expect([own.controller.signal.reason, run.signal.aborted]).toEqual(["cut", false]);
  run.abort("stopped");
  expect([own.controller.signal.reason, other.controller.signal.reason]).toEqual(["cut", "stopped"]);
  expect(abortWith(run.signal).controller.signal.reason).toBe("stopped");
});

test("a released one leaves nothing behind, and follows no more", () => {
  const run = new AbortController();
  const { controller, release } = abortWith(run.signal);
  release();
  expect(getEventListeners(run.signal, "abort")).toEqual([]);
  run.abort();
  expect(controller.signal.aborted).toBe(false);
});
