import { executeWithTools } from "@/lib/agent/execute-with-tools";
import { executeWithToolsStream } from "@/lib/agent/execute-with-tools-stream";
import { withApproval } from "@/lib/agent/with-approval";
import type { Chunk } from "@/lib/protocol/chunk";
import { openCalls } from "@/lib/protocol/open-calls";
import { calls, question, says, scripted } from "./support";
import { deleter } from "./tools";

const log: Chunk[] = [];
const ask = () => withApproval(deleter, { policy: () => ({ ask: "rule" }), open: openCalls(log) });
const shared = { system: "", signal: AbortSignal.timeout(60_000) };
const history = question("Delete the old notes");

// The run ends where it waits; what it needs to go on is its log and its history.
for await (const chunk of executeWithToolsStream({
  ...shared,
  provider: scripted(calls("notes__delete", { name: "old.md" })),
  tools: ask(),
  history,
}))
  if (chunk.type === "result") history.push(...chunk.result.historyDelta);
  else log.push(chunk);

const asked = log.find((chunk) => chunk.type === "approval_request");
if (asked)
  log.push({
    type: "answer",
    requestId: asked.requestId,
    id: asked.call.id,
    answer: { decision: "approve" },
  });

const { finalText } = await executeWithTools({
  ...shared,
  provider: scripted(says("They are gone.")),
  tools: ask(),
  history,
});

export const output = finalText; // "They are gone."
