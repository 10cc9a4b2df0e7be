import { afterEach, beforeEach, expect, test, vi } from "vitest";

const frameMs = 16;

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetModules();
  const page = { hidden: false, addEventListener() {}, removeEventListener() {} };
  vi.stubGlobal("document", page);
  vi.stubGlobal("window", page);
  vi.stubGlobal("addEventListener", () => {});
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A store of a page that has just been opened; how often it has asked the server. */
async function openStore() {
  const { LiveStore } = await import("./live-store");
  const load = vi.fn(async () => "known");
  const make = () => new LiveStore({ name: "things", load, pace: () => null });
  return { store: make(), make, load };
}

test("what a page shows is fetched once its first frame is painted, and later at once", async () => {
  vi.stubGlobal("requestAnimationFrame", (look: () => void) => setTimeout(look, frameMs));
  const { store, make, load } = await openStore();
  store.subscribe(() => {});
  await vi.advanceTimersByTimeAsync(frameMs - 1);
  expect(load).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(2);
  expect(load).toHaveBeenCalledOnce();
  expect(store.snapshot().data).toBe("known");
  make().subscribe(() => {});
  await vi.advanceTimersByTimeAsync(0);
  expect(load).toHaveBeenCalledTimes(2);
});

test("a page that gets no frames fetches all the same, and a message waits for none", async () => {
  vi.stubGlobal("requestAnimationFrame", () => 1);
  const { store, make, load } = await openStore();
  store.subscribe(() => {});
  const asked = make();
  await asked.known();
  expect([load.mock.calls.length, asked.snapshot().data]).toEqual([1, "known"]);
  await vi.advanceTimersByTimeAsync(100);
  expect(store.snapshot().data).toBe("known");
});

test("what nobody shows any more by the first frame is not fetched, and what is shown again is once", async () => {
  vi.stubGlobal("requestAnimationFrame", (look: () => void) => setTimeout(look, frameMs));
  const { store, make, load } = await openStore();
  store.subscribe(() => {})();
  const other = make();
  other.subscribe(() => {})();
  other.subscribe(() => {});
  await vi.advanceTimersByTimeAsync(frameMs + 1);
  expect([store.snapshot().data, other.snapshot().data, load.mock.calls.length]).toEqual([
    undefined,
    "known",
    1,
  ]);
});
