import { expect, test } from "vitest";
import type { RunItem, StoredMessage } from "@/lib/protocol/http";
import type { SharePolicy, ShareSnapshot } from "@/lib/protocol/shares";
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

test("a plan that names a tool which is not shown whole tells neither its arguments nor what was approved", () => {
  const steps = [
    { tool: "mail__send", max: 1, fixed: { to: "canary" } },
    { tool: "files__read", max: 1 },
  ];
  const parts = [{ type: "tool_call", id: "p1", name: "meguri__propose_plan", args: { steps } }];
  const results = [{ id: "p1", status: "ok", content: [], structured: { plan: { steps } } }];
  const messages = [
    { role: "assistant", parts },
    { role: "tool", results },
  ] as unknown as StoredMessage[];
  const planned = { ...snapshot, messages };
  const shown = (policy: Partial<SharePolicy>) =>
    JSON.stringify(applyPolicy(planned, { ...everything, ...policy }, []).messages);
  expect(shown({})).toContain("canary");
  expect(shown({ tools: { "files__*": "hidden" } })).not.toContain("canary");
  expect(shown({ tools: { "mail__*": "summary" } })).not.toContain("canary");
  expect(shown({ default: "hidden", tools: { "meguri__*": "full", "files__*": "full" } })).not.toContain(
    "canary",
  );
});
