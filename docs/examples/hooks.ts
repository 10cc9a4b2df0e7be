import { executeWithTools } from "@/lib/agent/execute-with-tools";
import { withModelHooks, withToolHooks } from "@/lib/agent/with-hooks";
import { calls, question, says, scripted } from "./support";
import { deleter } from "./tools";

const provider = withModelHooks(
  scripted(calls("notes__delete", { name: "diary.md" }), says("As you like.")),
  {
    before: (turn) => ({ ...turn, system: `${turn.system} Be polite.` }),
  },
);
const tools = withToolHooks(deleter, {
  before: (call) =>
    call.args.name === "diary.md"
      ? { id: call.id, status: "denied", content: [{ type: "text", text: "Never the diary." }] }
      : call,
});

const { historyDelta } = await executeWithTools({
  provider,
  tools,
  system: "You keep notes.",
  history: question("Delete my diary"),
  signal: AbortSignal.timeout(60_000),
});

export const output = historyDelta[1]; // the tool message with the denial
