import { expect, test } from "vitest";
import type { RunItem, SharePolicy, ShareSnapshot, StoredMessage } from "@/lib/protocol/http";
import { applyPolicy } from "./share-policy";

const everything: SharePolicy = { default: "full", tools: {}, reasoning: true, attachments: true };
const summary = { role: "summary", text: "canary of before", keep: 0 } as unknown as StoredMessage;
const call = {
  role: "assistant",
  parts: [{ type: "tool_call", id: "c1", name: "files__read", args: {}, definition: "a hash" }],
} as unknown as StoredMessage;
const notices = (["retry", "repair", "sampling", "skill"] as const).map((kind) => ({ kind, message: kind }));
const run = { iterations: [{ index: 1, notices }] } as unknown as RunItem;
const snapshot: ShareSnapshot = { title: "A talk", createdAt: "", messages: [summary, call], runs: [run] };

test.each<Partial<SharePolicy>>([
  { reasoning: false },
  { attachments: false },
  { default: "summary" },
  { default: "full", tools: { "files__*": "hidden" } },
])("with %o neither a summary of earlier messages nor a notice repeats what is not shown", (patch) => {
  const { messages, runs } = applyPolicy(snapshot, { ...everything, ...patch }, []);
  expect(messages[0]).toMatchObject({ role: "summary", text: "" });
  expect(runs[0]?.iterations[0]?.notices).toEqual([{ kind: "retry", message: "retry" }]);
});

test("everything stays where everything is shown", () => {
  expect(applyPolicy(snapshot, everything, [])).toEqual(snapshot);
});

test("the hash of a definition goes with what its call was sent", () => {
  const { messages } = applyPolicy(snapshot, { ...everything, default: "hidden" }, []);
  expect(JSON.stringify(messages)).not.toContain("a hash");
});
