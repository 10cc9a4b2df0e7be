import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { dynamicTool, isStepCount, jsonSchema, streamText } from "ai";
import { connect } from "./floor";
import { type Addresses, type Contestant, system, toolTurns } from "./rows";

/** `streamText` of AI SDK 7 with tools that call the same MCP client. */
export async function openAiSdk({ model, mcp }: Addresses): Promise<Contestant> {
  const client = await connect(mcp);
  const { tools: listed } = await client.listTools();
  const tools = Object.fromEntries(
    listed.map(({ name, description = "", inputSchema }) => [
      name,
      dynamicTool({
        description,
        inputSchema: jsonSchema(inputSchema as Parameters<typeof jsonSchema>[0]),
        execute: async (args) =>
          (await client.callTool({ name, arguments: args as Record<string, unknown> })).content,
      }),
    ]),
  );
  const openai = createOpenAICompatible({ name: "openai", baseURL: model, includeUsage: true });

  return {
    async run(question) {
      const { fullStream } = streamText({
        model: openai("test-model"),
        system,
        prompt: question,
        tools,
        stopWhen: isStepCount(toolTurns + 1),
      });
      const outcome = { text: "", toolResults: 0, pieces: 0 };
      for await (const part of fullStream) {
        if (part.type === "start-step") outcome.text = "";
        else if (part.type === "tool-result") outcome.toolResults++;
        else if (part.type === "text-delta") {
          outcome.text += part.text;
          outcome.pieces++;
        } else if (part.type === "error") throw part.error;
      }
      return outcome;
    },
  };
}
