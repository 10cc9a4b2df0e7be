import {
  Agent,
  MCPServerStdio,
  MCPServerStreamableHttp,
  mcpToFunctionTool,
  OpenAIChatCompletionsModel,
  Runner,
  setTracingDisabled,
} from "@openai/agents";
import OpenAI from "openai";

const system = "You are a model in a benchmark.";

/** OpenAI Agents on chat completions, without tracing. */
export async function open({ openai: baseURL, mcp }) {
  setTracingDisabled(true);
  const options = { cacheToolsList: true, name: "bench" };
  const server = mcp.url
    ? new MCPServerStreamableHttp({ ...options, url: mcp.url })
    : new MCPServerStdio({ ...options, ...mcp });
  await server.connect();
  const client = new OpenAI({ baseURL, apiKey: "none", maxRetries: 0 });
  const model = new OpenAIChatCompletionsModel(client, "test-model");
  const agent = new Agent({ name: "bench", instructions: system, model, mcpServers: [server] });
  const runner = new Runner({ tracingDisabled: true });

  return {
    run: async (task) => (await run(runner, agent, inputOf(task), task)).outcome,
    async approve(task) {
      const tools = (await server.listTools()).map((tool) => ({
        ...mcpToFunctionTool(tool, server, false),
        needsApproval: async () => true,
      }));
      const careful = new Agent({ name: "bench", instructions: system, model, tools });
      const { outcome: asked, result } = await run(runner, careful, inputOf(task), task);
      for (const interruption of result.interruptions) result.state.approve(interruption);
      return { asked, resumed: (await run(runner, careful, result.state, task)).outcome };
    },
  };
}

async function run(runner, agent, input, { maxTurns, signal }) {
  const outcome = { text: "", toolResults: 0, pieces: 0 };
  const result = await runner.run(agent, input, { stream: true, maxTurns, ...(signal && { signal }) });
  for await (const event of result) {
    if (event.type === "run_item_stream_event" && event.name === "tool_output") outcome.toolResults++;
    if (event.type !== "raw_model_stream_event") continue;
    const { data } = event;
    if (data.type === "response_started") outcome.text = "";
    if (data.type !== "output_text_delta") continue;
    outcome.text += data.delta;
    outcome.pieces++;
  }
  await result.completed;
  return { outcome, result };
}

const inputOf = ({ question, history, pending }) => [
  ...history.flatMap(({ user, model }) => [
    { role: "user", content: user },
    { role: "assistant", status: "completed", content: [{ type: "output_text", text: model }] },
  ]),
  { role: "user", content: question },
  ...(pending
    ? [
        {
          type: "function_call",
          callId: "call_0",
          name: "echo",
          status: "completed",
          arguments: '{"text":"pending"}',
        },
      ]
    : []),
];
