import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { dynamicTool, isStepCount, jsonSchema, type ModelMessage, streamText, type ToolSet } from "ai";
import { connect } from "./connect";
import { type Addresses, type Contestant, type Outcome, system, type Task } from "./tasks";

/** `streamText` of AI SDK 7 with tools that call the same MCP client. */
export async function openAiSdk({ openai: baseURL, mcp }: Addresses): Promise<Contestant> {
  const client = await connect(mcp);
  const { tools: listed } = await client.listTools();
  const tools: ToolSet = Object.fromEntries(
    listed.map(({ name, description = "", inputSchema }) => [
      name,
      dynamicTool({
        description,
        inputSchema: jsonSchema(inputSchema as Parameters<typeof jsonSchema>[0]),
        execute: async (args, { abortSignal }) => {
          const call = { name, arguments: args as Record<string, unknown> };
          const options = abortSignal ? { signal: abortSignal } : {};
          return (await client.callTool(call, options)).content;
        },
      }),
    ]),
  );
  const openai = createOpenAICompatible({ name: "openai", baseURL, includeUsage: true });

  async function run(task: Task, messages: ModelMessage[], toolApproval?: "user-approval") {
    const result = streamText({
      model: openai("test-model"),
      system,
      messages,
      tools,
      maxRetries: 0,
      stopWhen: isStepCount(task.maxTurns),
      ...(task.signal && { abortSignal: task.signal }),
      ...(toolApproval && { toolApproval: { echo: toolApproval } }),
    });
    const outcome: Outcome = { text: "", toolResults: 0, pieces: 0 };
    for await (const part of result.fullStream) {
      if (part.type === "start-step") outcome.text = "";
      else if (part.type === "tool-result") outcome.toolResults++;
      else if (part.type === "finish") outcome.ended = part.finishReason;
      else if (part.type === "abort") outcome.ended = "abort";
      else if (part.type === "text-delta") {
        outcome.text += part.text;
        outcome.pieces++;
      } else if (part.type === "error") throw part.error;
    }
    return { outcome, result };
  }

  return {
    run: async (task) => (await run(task, messagesOf(task))).outcome,
    async approve(task) {
      const messages = messagesOf(task);
      const asked = await run(task, messages, "user-approval");
      const { messages: answered } = await asked.result.response;
      const requests = (await asked.result.content).filter(({ type }) => type === "tool-approval-request");
      const approvals = requests.map((part) => ({
        type: "tool-approval-response" as const,
        approvalId: (part as { approvalId: string }).approvalId,
        approved: true,
      }));
      messages.push(...answered, { role: "tool", content: approvals });
      const resumed = await run(task, messages, "user-approval");
      return { asked: asked.outcome, resumed: resumed.outcome };
    },
  };
}

const call = { toolCallId: "call_0", toolName: "echo" };

const messagesOf = ({ question, history, pending }: Task): ModelMessage[] => [
  ...history.flatMap(({ user, model }): ModelMessage[] => [
    { role: "user", content: user },
    { role: "assistant", content: model },
  ]),
  { role: "user", content: question },
  ...(pending
    ? [
        {
          role: "assistant" as const,
          content: [{ type: "tool-call" as const, ...call, input: { text: "pending" } }],
        },
      ]
    : []),
];
