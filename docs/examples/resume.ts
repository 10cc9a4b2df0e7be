import { executeWithTools } from "@/lib/agent/execute-with-tools";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ChatMessage } from "@/lib/protocol/message";
import { question, says, scripted } from "./support";
import { deleter } from "./tools";

// As it was stored when the process ended: the model had asked for a tool, and nothing had been sent yet.
const stored: ChatMessage[] = [
  ...question("Delete a.md"),
  {
    role: "assistant",
    parts: [{ type: "tool_call", id: "call_1" as ToolCallId, name: "notes__delete", args: { name: "a.md" } }],
  },
];

// A history that ends in open calls begins with the tools, without a turn of the model.
const { historyDelta, iterationsUsed } = await executeWithTools({
  provider: scripted(says("It is gone.")),
  tools: deleter,
  system: "",
  history: stored,
  signal: AbortSignal.timeout(60_000),
});

export const output = [iterationsUsed, ...historyDelta.map(({ role }) => role)]; // [1, "tool", "assistant"]
