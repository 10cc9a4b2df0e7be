import { expect, test } from "vitest";
import type { ListedRun, Page } from "@/lib/protocol/http";
import { joined, stateOfCall } from "./client-calls";

const run = (id: string, more: Partial<ListedRun> = {}) => ({ id, ...more }) as ListedRun;
const page = (ids: string, nextCursor: string | null): Page<ListedRun> => ({
  items: [...ids].map((id) => run(id)),
  nextCursor,
});
const idsOf = ({ items, nextCursor }: Page<ListedRun>) =>
  `${items.map(({ id }) => id).join("")} ${nextCursor}`;

test("newer calls come before those that have been loaded, and none is left out in between", () => {
  expect(idsOf(joined(page("cb", "b"), undefined))).toBe("cb b");
  expect(idsOf(joined(page("dc", "c"), page("cba", "a")))).toBe("dcba a");
  expect(idsOf(joined(page("cb", "b"), page("cba", null)))).toBe("cba null");
  // More have come than a page holds.
  expect(idsOf(joined(page("fe", "e"), page("cba", null)))).toBe("fe e");
  expect(idsOf(joined(page("c", null), page("cba", null)))).toBe("c null");
});

test("a call is told once, by the run in which it ended or waits", () => {
  const call = (status: "ok" | "denied" | null) => ({ tool: "a__b", argument: null, status });
  expect(stateOfCall(run("a", { status: "completed", call: call(null), continuedBy: "b" }))).toBeUndefined();
  expect(stateOfCall(run("b", { status: "completed", call: call("denied") }))).toBe("denied");
  expect(stateOfCall(run("c", { status: "waiting", call: call(null) }))).toBe("waiting");
  expect(stateOfCall(run("d", { status: "stopped", call: call(null) }))).toBe("takenBack");
  expect(stateOfCall(run("e", { status: "failed", call: call(null) }))).toBe("error");
});
