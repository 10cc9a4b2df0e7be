import { expect, test } from "vitest";
import { ChosenContext } from "@/lib/agent/chosen-context";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ChatMessage } from "@/lib/protocol/message";
import { growth } from "@/lib/protocol/testing/growth";
import type { MessageRow } from "@/lib/store/types";
import { partsOfHistory } from "./ledger-of-history";

const row = (id: string, message: ChatMessage): MessageRow => ({
  ...{ id, conversationId: "c1", parentId: null, message, runId: null, model: null },
  ...{ clientMessageId: null, createdAt: 0 },
});

test("of several summaries the newest names what it stands for, and those before it name nothing again", () => {
  const rows = [1, 2, 3].flatMap((at) => [
    row(`q${at}`, { role: "user", parts: [{ type: "text", text: "When?" }] }),
    row(`s${at}`, { role: "summary", text: "In June.", keep: 0 }),
  ]);
  const chosen = new ChosenContext({}, rows);
  const { messages } = chosen.apply(rows.map(({ message }) => message));
  const sent = messages.map((message) => message.sent);
  const parts = partsOfHistory(rows, chosen, messages, sent);
  expect(parts.map(({ id, state, replaces }) => [id, state, replaces])).toEqual([
    ["q1", "dropped", undefined],
    ["s1", "dropped", undefined],
    ["q2", "dropped", undefined],
    ["s2", "dropped", undefined],
    ["q3", "dropped", undefined],
    ["s3", "kept", ["q1", "q2", "q3"]],
  ]);
});

test("four times as many messages are four times the work, also with a choice for each and a summary of all but a few", () => {
  const talk = (size: number) => {
    const rows = Array.from({ length: size }, (_, at): MessageRow[] => {
      const id = `c${at}` as ToolCallId;
      const text = [{ type: "text" as const, text: "Some words of an answer. ".repeat(10) }];
      return [
        row(`q${at}`, { role: "user", parts: text }),
        row(`a${at}`, { role: "assistant", parts: [{ type: "tool_call", id, name: "a__b", args: {} }] }),
        row(`t${at}`, { role: "tool", results: [{ id, status: "ok", content: text }] }),
      ];
    }).flat();
    const summary = row("s", { role: "summary", text: "In June.", keep: 9 });
    const choices = Object.fromEntries(
      rows.map(({ id }, at) => [id, at % 2 ? "dropped" : "pinned"] as const),
    );
    return { rows: [...rows, summary], choices };
  };
  const talks = new Map([250, 1_000].map((size) => [size, talk(size)]));
  const tell = (size: number) => {
    const { rows = [], choices = {} } = talks.get(size) ?? {};
    // As each request does: messages are read anew from the store.
    const fresh = structuredClone(rows);
    const chosen = new ChosenContext(choices, fresh);
    const { messages } = chosen.apply(fresh.map(({ message }) => message));
    const sent = messages.map((message) => message.sent);
    expect(partsOfHistory(fresh, chosen, messages, sent)).toHaveLength(3 * size + 1);
  };
  expect(growth(250, tell)).toBeLessThan(8);
});
