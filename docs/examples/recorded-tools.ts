import { executeWithTools } from "@/lib/agent/execute-with-tools";
import { executeWithToolsStream } from "@/lib/agent/execute-with-tools-stream";
import { recordedTools } from "@/lib/agent/recorded-tools";
import type { Chunk } from "@/lib/protocol/chunk";
import { calls, question, says, scripted } from "./support";
import { deleter } from "./tools";

const loop = { system: "", history: question("Delete a.md"), signal: AbortSignal.timeout(60_000) };
const asks = [calls("notes__delete", { name: "a.md" }), says("It is gone.")];

// Once with the real tools; keep the chunks, for example as JSON lines.
const log: Chunk[] = [];
for await (const chunk of executeWithToolsStream({ ...loop, provider: scripted(...asks), tools: deleter }))
  log.push(chunk);

// From then on without them: another prompt, another model, the same results.
const again = await executeWithTools({ ...loop, provider: scripted(...asks), tools: recordedTools(log) });
const other = await executeWithTools({
  ...loop,
  provider: scripted(calls("notes__delete", { name: "b.md" })),
  tools: recordedTools(log),
});

export const output = [again.finalText, other.error?.code]; // ["It is gone.", "tape_miss"]
