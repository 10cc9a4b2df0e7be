import { Mastra } from "@mastra/core";
import { Agent } from "@mastra/core/agent";
import { InMemoryStore } from "@mastra/core/storage";
import { MCPClient } from "@mastra/mcp";

const system = "You are a model in a benchmark.";

/** Mastra's agent; its storage is in memory and only used for approvals. */
export async function open({ openai: baseURL, mcp }) {
  const server = mcp.url ? { url: new URL(mcp.url) } : mcp;
  const client = new MCPClient({ servers: { bench: server } });
  const tools = await client.listTools();
  const agent = new Agent({
    id: "bench",
    name: "bench",
    instructions: system,
    model: { id: "bench/test-model", url: baseURL, apiKey: "none" },
    tools,
  });
  new Mastra({ agents: { agent }, storage: new InMemoryStore(), logger: false });

  return {
    run: async (task) => (await read(await agent.stream(messagesOf(task), optionsOf(task)))).outcome,
    async approve(task) {
      const options = { ...optionsOf(task), requireToolApproval: true };
      const { outcome: asked, runId } = await read(await agent.stream(messagesOf(task), options));
      return { asked, resumed: (await read(await agent.approveToolCall({ ...options, runId }))).outcome };
    },
  };
}

const optionsOf = ({ maxTurns, signal }) => ({
  maxSteps: maxTurns,
  modelSettings: { maxRetries: 0 },
  ...(signal && { abortSignal: signal }),
});

async function read(stream) {
  const outcome = { text: "", toolResults: 0, pieces: 0 };
  for await (const { type, payload } of stream.fullStream) {
    if (type === "step-start") outcome.text = "";
    else if (type === "tool-result") outcome.toolResults++;
    else if (type === "tool-call-approval") outcome.ended = "approval";
    else if (type === "abort") outcome.ended = "abort";
    else if (type === "finish") outcome.ended = payload.stepResult?.reason;
    else if (type === "error") throw payload.error;
    else if (type === "text-delta") {
      outcome.text += payload.text;
      outcome.pieces++;
    }
  }
  return { outcome, runId: stream.runId };
}

const messagesOf = ({ question, history, pending }) => [
  ...history.flatMap(({ user, model }) => [
    { role: "user", content: user },
    { role: "assistant", content: model },
  ]),
  { role: "user", content: question },
  ...(pending
    ? [
        {
          role: "assistant",
          content: [
            { type: "tool-call", toolCallId: "call_0", toolName: "bench_echo", input: { text: "pending" } },
          ],
        },
      ]
    : []),
];
