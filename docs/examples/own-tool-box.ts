import { executeWithTools } from "@/lib/agent/execute-with-tools";
import type { ToolBox } from "@/lib/agent/ports";
import { withArgumentChecks } from "@/lib/agent/with-argument-checks";
import { calls, question, says, scripted } from "./support";

const clock: ToolBox = {
  list: () => [
    {
      name: "clock__now",
      description: "The time in a time zone.",
      inputSchema: { type: "object", properties: { zone: { type: "string" } }, required: ["zone"] },
    },
  ],
  async call({ id, args }, { emit }) {
    await emit({ type: "tool_start", id, args }); // the intent is stored before anything is done
    return { id, status: "ok", content: [{ type: "text", text: `12:00 in ${args.zone}` }] };
  },
};

const { historyDelta } = await executeWithTools({
  provider: scripted(calls("clock__now", { zone: "Asia/Tokyo" }), says("It is noon in Tokyo.")),
  tools: withArgumentChecks(clock),
  system: "",
  history: question("What time is it in Tokyo?"),
  signal: AbortSignal.timeout(60_000),
});

export const output = historyDelta.map(({ role }) => role); // ["assistant", "tool", "assistant"]
