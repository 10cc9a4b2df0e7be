import { expect, test } from "vitest";
import { ChosenContext } from "@/lib/agent/chosen-context";
import type { ChatMessage } from "@/lib/protocol/message";
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
