import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { keepWhileSending, newTemporary, readDraft, writeDraft } from "./drafts";

/** What is stored in a browser: its keys are properties. */
class BrowserStorage {
  [name: string]: unknown;
  getItem(name: string) {
    return Object.hasOwn(this, name) ? this[name] : null;
  }
  setItem(name: string, value: string) {
    this[name] = value;
  }
  removeItem(name: string) {
    delete this[name];
  }
}

let stored: BrowserStorage;
let page: EventTarget;

beforeEach(() => {
  vi.useFakeTimers();
  [stored, page] = [new BrowserStorage(), new EventTarget()];
  vi.stubGlobal("localStorage", stored);
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
});

afterEach(() => {
  vi.runAllTimers();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("what is typed is read back at once, and stored within half a second, however fast it is typed", () => {
  for (let length = 1; length <= 10; length++) {
    writeDraft("c1", "letters ".slice(0, length));
    expect(readDraft("c1")).toBe("letters ".slice(0, length));
    vi.advanceTimersByTime(49);
  }
  expect({ ...stored }).toEqual({});
  vi.advanceTimersByTime(10);
  expect({ ...stored }).toEqual({ "meguri.draft.c1": "letters " });
});

test.each(["pagehide", "visibilitychange"])("nothing is lost when the page goes with %s", (name) => {
  writeDraft(null, "a new one");
  writeDraft("c1", "one that is there");
  page.dispatchEvent(new Event(name));
  expect({ ...stored }).toEqual({
    "meguri.draft.new": "a new one",
    "meguri.draft.c1": "one that is there",
  });
  expect(vi.getTimerCount()).toBe(0);
});

test("what was sent is gone", () => {
  writeDraft("c1", "sent");
  vi.runAllTimers();
  writeDraft("c1", "");
  expect(readDraft("c1")).toBe("");
  vi.runAllTimers();
  expect({ ...stored }).toEqual({});
});

test("what is on its way to the server stays stored before what is typed, until the server has it", () => {
  writeDraft(null, "sent");
  const release = keepWhileSending(null, "sent");
  writeDraft(null, "");
  expect(readDraft(null)).toBe("");
  page.dispatchEvent(new Event("pagehide"));
  expect({ ...stored }).toEqual({ "meguri.draft.new": "sent" });
  expect(readDraft(null)).toBe("");
  writeDraft(null, "typed since");
  vi.runAllTimers();
  expect({ ...stored }).toEqual({ "meguri.draft.new": "sent\ntyped since" });
  expect(readDraft(null)).toBe("typed since");
  release();
  vi.runAllTimers();
  expect({ ...stored }).toEqual({ "meguri.draft.new": "typed since" });
});

test("what is on its way in a temporary chat is not stored", () => {
  const release = keepWhileSending(newTemporary, "sent");
  writeDraft(newTemporary, "");
  page.dispatchEvent(new Event("pagehide"));
  release();
  vi.runAllTimers();
  expect({ ...stored }).toEqual({});
});

test("of many drafts fifty are kept, and the one that is written", () => {
  for (let count = 0; count < 60; count++) {
    writeDraft(`c${count}`, "text");
    vi.runAllTimers();
  }
  expect(Object.keys(stored)).toHaveLength(51);
  expect(readDraft("c59")).toBe("text");
});
