import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ConversationItem, RunStatus } from "@/lib/protocol/http";
import { type EndedKind, type EndedRun, endedKinds } from "./ended-runs";
import { RunWatch } from "./run-watch";

/** A tab with what it has been made to do. */
interface TestTab {
  watch: RunWatch;
  told: string[];
  marks: readonly EndedRun[];
  isLookedAt: boolean;
}

let tabs: TestTab[];

beforeEach(() => {
  tabs = [];
  const stored = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => stored.set(name, value),
  });
});

afterEach(() => {
  for (const { watch } of tabs) watch.close();
  vi.unstubAllGlobals();
});

function openTab(conversationId: string | null, kinds: readonly EndedKind[] = endedKinds): TestTab {
  const tab: TestTab = {
    told: [],
    marks: [],
    isLookedAt: false,
    watch: new RunWatch({
      view: () => ({ conversationId, isLookedAt: tab.isLookedAt }),
      kinds: () => kinds,
      tell: (run) => tab.told.push(`${run.conversationId} ${run.kind}`),
      onMarks: (marks) => {
        tab.marks = marks;
      },
    }),
  };
  tabs.push(tab);
  return tab;
}

const item = (id: string, status: RunStatus, second: number): ConversationItem => ({
  ...{
    id,
    title: id,
    leafId: null,
    pinned: false,
    archived: false,
    projectId: null,
    activeRunId: null,
    status,
  },
  ...{
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: new Date(Date.UTC(2026, 0, 1) + second).toISOString(),
  },
});

/** All tabs get the list at the same moment. */
const list = (...items: ConversationItem[]) => Promise.all(tabs.map(({ watch }) => watch.take(items)));
const allTold = () => tabs.flatMap(({ told }) => told);
const marked = ({ marks }: TestTab) => marks.map(({ conversationId }) => conversationId);

test("two tabs that see an end at the same moment tell of it once, and both are marked", async () => {
  const [other, showing] = [openTab(null), openTab("a")];
  await list(item("a", "running", 1));
  const bothHaveSeen = Promise.withResolvers<void>();
  const held = navigator.locks.request("meguri.ended", () => bothHaveSeen.promise);
  const listed = list(item("a", "completed", 2));
  bothHaveSeen.resolve();
  await Promise.all([held, listed]);
  // What tabs say comes in its order: a second telling of the first end would be there before the next one.
  await list(item("a", "waiting", 3));
  await vi.waitFor(() => expect(showing.told.at(-1)).toBe("a waiting"));
  expect(allTold()).toEqual(["a finished", "a waiting"]);
  await vi.waitFor(() => expect(marked(other)).toEqual(["a"]));
});

test("a tab that is looked at and shows the conversation keeps the others silent, for good", async () => {
  const [other, showing] = [openTab(null), openTab("a")];
  showing.isLookedAt = true;
  await list(item("a", "running", 1));
  await list(item("a", "waiting", 2));
  showing.isLookedAt = false;
  await list(item("a", "waiting", 2));
  expect(allTold()).toEqual([]);
  expect(marked(other)).toEqual([]);
});

test("what ended while no tab was open or awake is told once by whoever comes first", async () => {
  openTab(null);
  await list(item("a", "running", 1), item("b", "running", 1));
  for (const { watch } of tabs.splice(0)) watch.close();
  const back = openTab(null);
  await list(item("a", "failed", 8), item("b", "completed", 9));
  expect(back.told).toEqual(["b finished", "a failed"]);
  for (const { watch } of tabs.splice(0)) watch.close();
  const again = openTab(null);
  await list(item("a", "failed", 8), item("b", "completed", 9));
  expect(again.told).toEqual([]);
});

test("what the list says when a page is opened before somebody's eyes is no news", async () => {
  const tab = openTab(null);
  await list(item("a", "running", 1));
  await tab.watch.take([item("a", "completed", 2)], true);
  await list(item("a", "completed", 2));
  expect(tab.told).toEqual([]);
});

test("a kind that is switched off is neither told nor marked", async () => {
  const tab = openTab(null, ["waiting"]);
  await list(item("a", "running", 1), item("b", "running", 1));
  await list(item("a", "completed", 2), item("b", "waiting", 3));
  expect(tab.told).toEqual(["b waiting"]);
  expect(marked(tab)).toEqual(["b"]);
});

test("after a long absence the three newest are told, and all are marked", async () => {
  const tab = openTab(null);
  const names = ["a", "b", "c", "d", "e"];
  await list(...names.map((name) => item(name, "running", 1)));
  await list(...names.map((name, at) => item(name, "completed", 10 + at)));
  expect(tab.told).toEqual(["e finished", "d finished", "c finished"]);
  expect(tab.marks).toHaveLength(5);
});

test("who comes back to one tab takes the marks from all", async () => {
  const [first, second] = [openTab(null), openTab(null)];
  await list(item("a", "running", 1));
  await list(item("a", "completed", 2));
  await vi.waitFor(() => expect(marked(second)).toEqual(["a"]));
  second.watch.looked();
  expect(marked(second)).toEqual([]);
  await vi.waitFor(() => expect(marked(first)).toEqual([]));
});

test("a question that was answered elsewhere is no longer marked; an older list changes nothing", async () => {
  const tab = openTab(null);
  await list(item("a", "running", 1));
  await list(item("a", "waiting", 5));
  await list(item("a", "running", 1));
  expect(marked(tab)).toEqual(["a"]);
  await list(item("a", "running", 5));
  expect(marked(tab)).toEqual([]);
});
