import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Prompt,
  LanguageModelV4ToolCall,
} from "@ai-sdk/provider";
import { connect } from "./floor";
import { type Addresses, type Contestant, type Outcome, system } from "./rows";

/** `doStream` of the adapter that ours and `streamText` use, in a loop written by hand: the least that a loop on it can cost. */
export async function openBare({ model, mcp }: Addresses): Promise<Contestant> {
  const client = await connect(mcp);
  const { tools: listed } = await client.listTools();
  const tools = listed.map(
    ({ name, description = "", inputSchema }): LanguageModelV4FunctionTool => ({
      type: "function",
      name,
      description,
      inputSchema: inputSchema as LanguageModelV4FunctionTool["inputSchema"],
    }),
  );
  const languageModel = createOpenAICompatible({ name: "openai", baseURL: model, includeUsage: true })(
    "test-model",
  );

  async function turn(prompt: LanguageModelV4Prompt, outcome: Outcome): Promise<LanguageModelV4ToolCall[]> {
    const { stream } = await languageModel.doStream({ prompt, tools });
    const reader = stream.getReader();
    const calls: LanguageModelV4ToolCall[] = [];
    outcome.text = "";
    while (true) {
      const { value: part } = await reader.read();
      if (!part) return calls;
      if (part.type === "error") throw part.error;
      if (part.type === "tool-call") calls.push(part);
      if (part.type !== "text-delta") continue;
      outcome.text += part.delta;
      outcome.pieces++;
    }
  }

  return {
    async run(question) {
      const prompt: LanguageModelV4Prompt = [
        { role: "system", content: system },
        { role: "user", content: [{ type: "text", text: question }] },
      ];
      const outcome: Outcome = { text: "", toolResults: 0, pieces: 0 };
      while (true) {
        const calls = await turn(prompt, outcome);
        if (calls.length === 0) return outcome;
        for (const { toolCallId, toolName, input } of calls) {
          const args = JSON.parse(input);
          const { content } = await client.callTool({ name: toolName, arguments: args });
          const value = content.map((part) => (part.type === "text" ? part.text : "")).join("");
          const ids = { toolCallId, toolName };
          prompt.push({ role: "assistant", content: [{ type: "tool-call", ...ids, input: args }] });
          prompt.push({
            role: "tool",
            content: [{ type: "tool-result", ...ids, output: { type: "text", value } }],
          });
          outcome.toolResults++;
        }
      }
    },
  };
}
