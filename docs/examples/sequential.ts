import { executeAgentStream } from "@/lib/agent/workflows/execute-agent-stream";
import { llmAgent } from "@/lib/agent/workflows/llm-agent";
import { sequentialAgent } from "@/lib/agent/workflows/sequential-agent";
import { question, says, scripted } from "./support";

const agent = sequentialAgent("translate", [
  llmAgent({ name: "summary", instruction: "Summarise what the user says.", outputKey: "summary" }),
  llmAgent({ name: "japanese", instruction: "Translate into Japanese: {summary}", includeContents: "none" }),
]);

let output = "";
for await (const chunk of executeAgentStream(agent, {
  provider: scripted(says("Tea is good."), says("お茶はおいしい。")),
  history: question("Tea is a drink that I find good, in general, all in all."),
  signal: AbortSignal.timeout(60_000),
}))
  if (chunk.type === "result") output = chunk.result.finalText;

export { output }; // "お茶はおいしい。"
