import { executeWithToolsStream } from "@/lib/agent/execute-with-tools-stream";
import { question, says, scripted } from "./support";

const words: string[] = [];
for await (const chunk of executeWithToolsStream({
  provider: scripted(says("Hello!")),
  system: "You are brief.",
  history: question("Hi"),
  signal: AbortSignal.timeout(60_000),
})) {
  if (chunk.type === "text") words.push(chunk.content);
  if (chunk.type === "result") words.push(chunk.result.stopReason);
}

export const output = words; // ["Hello!", "end_turn"]
