import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Prompt,
  LanguageModelV4ToolCall,
} from "@ai-sdk/provider";
import { connect, textOf } from "./connect";
import { type Addresses, type Contestant, type Outcome, system } from "./tasks";

/** `doStream` of the adapter that `streamText` uses, in a loop written by hand: the least that a loop on it can cost. */
export async function openBare({ openai, mcp }: Addresses): Promise<Contestant> {
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
  const languageModel = createOpenAICompatible({ name: "openai", baseURL: openai, includeUsage: true })(
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

  async function answer({ toolCallId, toolName, input }: LanguageModelV4ToolCall) {
    const args = JSON.parse(input);
    const { content } = await client.callTool({ name: toolName, arguments: args });
    const ids = { toolCallId, toolName };
    const output = { type: "text" as const, value: textOf(content) };
    return {
      call: { type: "tool-call" as const, ...ids, input: args },
      result: { type: "tool-result" as const, ...ids, output },
    };
  }

  return {
    async run({ question, history }) {
      const prompt: LanguageModelV4Prompt = [
        { role: "system", content: system },
        ...history.flatMap(
          ({ user, model }): LanguageModelV4Prompt => [
            { role: "user", content: [{ type: "text", text: user }] },
            { role: "assistant", content: [{ type: "text", text: model }] },
          ],
        ),
        { role: "user", content: [{ type: "text", text: question }] },
      ];
      const outcome: Outcome = { text: "", toolResults: 0, pieces: 0 };
      while (true) {
        const calls = await turn(prompt, outcome);
        if (calls.length === 0) return outcome;
        const answers = await Promise.all(calls.map(answer));
        prompt.push({ role: "assistant", content: answers.map(({ call }) => call) });
        prompt.push({ role: "tool", content: answers.map(({ result }) => result) });
        outcome.toolResults += calls.length;
      }
    },
  };
}
